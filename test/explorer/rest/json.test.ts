import { expect, test } from 'vitest';
import {
  exactNumber,
  isExactNumber,
  isObject,
  parseJson,
  writeJson,
} from '../../../src/explorer/rest/json.ts';

test('numbers keep all digits on the way in and out', () => {
  const text =
    '{"a":9007199254740993,"b":1.50,"c":3,"d":-0.1,"e":[123456789012345678901234567890.12]}';
  expect(writeJson(parseJson(text))).toBe(text);
});

test('only numbers that would lose digits are exact', () => {
  expect(exactNumber('3')).toBe(3);
  expect(exactNumber('-0.1')).toBe(-0.1);
  expect(isExactNumber(exactNumber('9007199254740993'))).toBe(true);
  expect(String(exactNumber('1.50'))).toBe('1.50');
});

test('of names that repeat the last counts', () => {
  expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
});

test('an exact number is not an object', () => {
  expect(isObject(parseJson('9007199254740993'))).toBe(false);
  expect(isObject(parseJson('[1]'))).toBe(false);
  expect(isObject(parseJson('{}'))).toBe(true);
});
