import { expect, test } from 'vitest';
import { byteRange } from '../../../src/server/operations/content.ts';

test.each([
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=2-5', 10, { start: 2, end: 6 }],
  ['bytes=2-', 10, { start: 2, end: 10 }],
  ['bytes=2-99', 10, { start: 2, end: 10 }],
  ['bytes=9-', 10, { start: 9, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-99', 10, { start: 0, end: 10 }],
  ['Bytes= 1-2 ', 10, { start: 1, end: 3 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  // What is not a range that is served is none.
  [undefined, 10, null],
  ['', 10, null],
  ['bytes=', 10, null],
  ['bytes=-', 10, null],
  ['bytes=5-2', 10, null],
  ['bytes=0-1,4-5', 10, null],
  ['pages=0-1', 10, null],
  ['bytes=a-b', 10, null],
  ['bytes=99999999999999999999-', 10, null],
] as const)('%s of %d bytes', (header, length, range) => {
  expect(byteRange(header, length)).toEqual(range);
});
