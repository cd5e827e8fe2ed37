import { expect, test } from 'vitest';
import {
  isLongText,
  jsonString,
  longJsonString,
  textPieces,
  withoutLast,
  withoutPadding,
} from '../../src/base/text.ts';

test('each character is written as JSON.stringify writes it', () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const text = `a${String.fromCharCode(code)}b`;
    if (jsonString(text) !== JSON.stringify(text))
      expect(jsonString(text)).toBe(JSON.stringify(text));
  }
  const pairs = ['', '\u{1f600}', '\ud83d', '\ude00\ud83d', 'a\u{1f600}\ud83d"'];
  expect(pairs.map(jsonString)).toEqual(pairs.map((text) => JSON.stringify(text)));
});

test('a long text is written piece by piece, as it is at once', () => {
  expect([longJsonString(''), longJsonString('"'.repeat(262_144))]).toEqual([null, null]);
  for (const part of ['a', '"', '\\', '\n', 'é', '\u{1f600}', '\ud83d']) {
    const text = `a${part.repeat(300_000)}`;
    const pieces = [...(longJsonString(text) ?? [])];
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('') === JSON.stringify(text)).toBe(true);
  }
});

test.each([0, 1, 4095, 4096, 4097, 8191, 8192, 20_000])('%i blanks are cut off', (count) => {
  const blanks = ' '.repeat(count);
  expect(withoutPadding(blanks)).toBe('');
  expect(withoutPadding(`a b${blanks}`)).toBe('a b');
  expect(withoutPadding(`${blanks}a`)).toBe(`${blanks}a`);
  expect(withoutPadding(`a\n${blanks}`)).toBe('a\n');
  expect(withoutLast(`1${blanks}${'0'.repeat(count)}`, '0')).toBe(`1${blanks}`);
});

test.each([
  ['', 0],
  ['a'.repeat(262_144), 1],
  ['a'.repeat(262_145), 2],
  ['a' + '😀'.repeat(300_000), 3],
  ['\ud83d'.repeat(600_000), 3],
])('%.3s… is encoded in pieces as it is at once', (text, count) => {
  const pieces = [...textPieces(text)];
  expect(pieces).toHaveLength(count);
  expect(isLongText(text)).toBe(count > 1);
  expect(pieces.join('') === text).toBe(true);
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  expect(bytes.equals(Buffer.from(text))).toBe(true);
});
