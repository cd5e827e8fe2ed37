import { expect, test } from 'vitest';
import { hasIt, isTagList, mayGoOn } from '../../../src/server/http/etags.ts';

test.each([
  [undefined, false],
  ['"a-1"', true],
  ['W/"a-1"', true],
  ['"b", W/"a-1" , "c"', true],
  ['*', true],
  ['"b"', false],
  ['a-1', false],
  ['"a-1', false],
  ['"b,"a-1","', false],
])('If-None-Match: %s', (header, expected) => {
  expect(hasIt(header, '"a-1"')).toBe(expected);
});

test.each([
  [undefined, true],
  ['"a-1"', true],
  [' "a-1" ', true],
  ['W/"a-1"', false],
  ['"b"', false],
  ['Wed, 21 Oct 2015 07:28:00 GMT', false],
])('If-Range: %s', (header, expected) => {
  expect(mayGoOn(header, '"a-1"')).toBe(expected);
});

test.each([
  ['"a-1"', true],
  ['W/"a-1", "b,c" ,, ""', true],
  ['', false],
  [' , ', false],
  ['"a" "b"', false],
  ['"a", b', false],
  ['w/"a"', false],
  ['*', false],
])('the list %s', (text, expected) => {
  expect(isTagList(text)).toBe(expected);
});
