import { expect, test } from 'vitest';
import { jsonString, longJsonString } from '../../src/base/text.ts';

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
