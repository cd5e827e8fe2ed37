import { expect, test } from 'vitest';
import { parseJson } from '../../../src/protocol/body/json.ts';
import { isJsonOf } from '../../../src/run/convert/same-json.ts';

test.each<[text: string, value: string, is: boolean]>([
  ['null', 'null', true],
  ['true', 'true', true],
  ['""', '""', true],
  ['1', '1.0', true],
  ['1', '1.000000000000', true],
  ['"\\u0041"', '"A"', true],
  ['"A"', '"\\u0041"', true],
  ['{"a":1,"b":[2]}', '{ "b": [2.00], "a": 1 }', true],
  ['[]', '[ ]', true],
  ['[[],{}]', '[[],{}]', true],
  ['[1,2]', '[1,2,3]', false],
  ['"abc"', '"abcd"', false],
  ['{"a":1}', '{"ab":1}', false],
  ['true', '"true"', false],
])('%s is what %s says: %s', (text, value, is) => {
  expect(isJsonOf(text, parseJson(value))).toBe(is);
});

test('what is longer than the text can be is not looked through', () => {
  const unread = {
    get member(): never {
      throw new Error('it was read');
    },
  };
  expect(isJsonOf('null', [...Array<null>(1000).fill(null), unread])).toBe(false);
  expect(isJsonOf('"short"', 'x'.repeat(1_000_000))).toBe(false);
  expect(isJsonOf('{"a":1}', { ['a'.repeat(1_000_000)]: 1 })).toBe(false);
});
