import { expect, test } from 'vitest';
import { isLongText, textPieces } from '../../src/base/text.ts';

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
