import { expect, test } from 'vitest';
import { fileSize } from '../../../src/explorer/entity/file-size.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [31, '31 bytes'],
  [1500, '1.5 kB'],
  [2_000_000, '2 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text);
});
