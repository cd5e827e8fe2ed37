import { describe, expect, test } from 'vitest';
import { parseParams } from '../../../src/protocol/url/parameter-reader.ts';
import { complaint } from '../complaint.ts';
import { parsed, rows } from '../../rows.ts';

/** The values with their classes; positions are those of the values in the array. */
function read(text: string): unknown[] {
  return parseParams(text).map(({ value, class: kind, within, position }, index) => {
    expect({ within, position }).toEqual({ within: '$params', position: index + 1 });
    return [value, kind];
  });
}

describe('$params', () => {
  test.each(rows`
    ${''}                            | []
    []                               | []
    \u0020[ ]\u0020                  | []
    ["Smith"]                        | [[Smith, text]]
    ["O'Reilly"]                     | [[O'Reilly, text]]
    ["S@", "S*"]                     | [[S@, wild], [S*, wild]]
    ["null", null]                   | [['null', text], ['null', 'null']]
    [true, false]                    | [['true', boolean], ['false', boolean]]
    [9007199254740993, 1.10, -1e400] | [['9007199254740993', number], ['1.10', number], ['-1e400', number]]
    ["\\u0027x\\u0022", "\\\\u0027"] | [['''x"', text], ["'", text]]
    ["\\u00e9🚀"]                    | [[é🚀, text]]
  `)('%s', (text, expected) => {
    expect(read(text)).toEqual(parsed(expected));
  });

  test('of 128 values are allowed, of 129 are not', () => {
    const list = (count: number): string => JSON.stringify(Array(count).fill(1));
    expect(read(list(128))).toEqual(Array(128).fill(['1', 'number']));
    expect(complaint(() => parseParams(list(129)))).toEqual([
      'badPlaceholder',
      '$params holds 129 values; at most 128 are allowed. (at position 1 of $params)',
    ]);
  });

  test.each([
    ['{"a":1}', 1],
    ['1', 1],
    ['"x"', 1],
    ['null', 1],
  ])('%s is not an array', (text, position) => {
    expect(complaint(() => parseParams(text))).toEqual([
      'badPlaceholder',
      `The value of $params is not a JSON array; expected one value for each placeholder. (at position ${position} of $params)`,
    ]);
  });

  test.each([
    ['[1,{"a":2}]', 2],
    ['[[1,[2]]]', 1],
    ['[1,[{}]]', 2],
  ])('%s holds what is not a value', (text, position) => {
    expect(complaint(() => parseParams(text))).toEqual([
      'badPlaceholder',
      `Value ${position} of $params is a JSON object or a nested array; expected text, a number, true, false, null or an array of these. (at position ${position} of $params)`,
    ]);
  });

  test.each([
    ['[1,', 4],
    ['[1 2]', 4],
    ["['x']", 2],
    ['[1]x', 4],
    ['[01]', 3],
    ['[', 2],
    ['x', 1],
  ])('%s is not JSON', (text, position) => {
    expect(complaint(() => parseParams(text))).toEqual([
      'badPlaceholder',
      `The value of $params is not valid JSON; expected an array such as ["text", 1, true, null]. (at position ${position} of $params)`,
    ]);
  });
});
