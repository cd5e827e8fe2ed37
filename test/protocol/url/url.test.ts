import { describe, expect, test } from 'vitest';
import { decodeEscapes, splitUrl } from '../../../src/protocol/url/url.ts';
import { parsed, rows } from '../../rows.ts';
import { complaint } from '../complaint.ts';
import { parseAttributes, parseExpand, parseOrder } from '../../../src/protocol/url/literals.ts';
import { parseParams } from '../../../src/protocol/url/parameter-reader.ts';

function parameters(query: string): [name: string, value: string][] {
  return splitUrl(`/rest/A?${query}`).parameters.map(({ name, value }) => [name, value]);
}

describe('the path', () => {
  test.each([
    ['/rest/A', '/rest/A'],
    ['/rest/A/?', '/rest/A/'],
    ['/rest/A("x%3Fy")?$top=1', '/rest/A("x%3Fy")'],
    ['/rest/A?$filter="a?b"', '/rest/A'],
    ['', ''],
  ])('of %s keeps its escapes', (url, path) => {
    expect(splitUrl(url).path).toBe(path);
  });
});

describe('parameters', () => {
  test.each(rows`
    ${''}                            | []
    &&                               | []
    $top=5&$skip=10                  | [[$top, '5'], [$skip, '10']]
    %24top=5                         | [[$top, '5']]
    $asArray                         | [[$asArray, '']]
    $asArray&$top=1                  | [[$asArray, ''], [$top, '1']]
    $orderby=a+desc%2Cb              | [[$orderby, 'a desc,b']]
    $orderby=a%2Bb                   | [[$orderby, a+b]]
    $filter=                         | [[$filter, '']]
    $filter=""                       | [[$filter, '']]
    $filter="a=1"                    | [[$filter, a=1]]
    $filter='a=1'                    | [[$filter, a=1]]
    $filter=%22a=1%22                | [[$filter, a=1]]
    $filter=%22a=1"                  | [[$filter, a=1]]
    $filter= + %20"a=1" + %20&$top=1 | [[$filter, a=1], [$top, '1']]
    $filter="a=1&b=2/?=&c=3"&$top=1  | [[$filter, a=1&b=2/?=&c=3], [$top, '1']]
    $filter="a='1'"                  | [[$filter, a='1']]
    $filter='a="1"'                  | [[$filter, a="1"]]
    $filter="a="1" or b="2""         | [[$filter, a="1" or b="2"]]
    $filter="lastName=O'Reilly"      | [[$filter, lastName=O'Reilly]]
    $filter="a=%26"&$top=1           | [[$filter, a=&], [$top, '1']]
    $params='["O'Reilly"]'           | [[$params, '["O''Reilly"]']]
    $params=["a","b"]                | [[$params, '["a","b"]']]
    $filter=a=1&$params=[]           | [[$filter, a=1], [$params, '[]']]
    $filter=a=1&b=2&$top=1           | [[$filter, a=1&b=2], [$top, '1']]
    $filter=a=1&&b=2                 | [[$filter, a=1&&b=2]]
    $filter=a=1&_=17                 | [[$filter, a=1], [_, '17']]
    $filter="a=1"&                   | [[$filter, a=1]]
    $filter=a%                       | [[$filter, a%]]
    $filter=100%+sure                | [[$filter, 100% sure]]
    $filter=Zo%C3%AB                 | [[$filter, Zoë]]
    $filter=Zo%EB%20x                | [[$filter, Zo%EB x]]
    $top=1#fragment                  | [[$top, '1']]
  `)('of ?%s', (query, expected) => {
    expect(parameters(query)).toEqual(parsed(expected));
  });

  test('know where their names stand', () => {
    const { parameters: found } = splitUrl('/rest/A?%22x%22=1&$filter=%22a=1%22&$top=1');
    expect(found).toEqual([
      { name: '"x"', value: '1', position: 9 },
      { name: '$filter', value: 'a=1', position: 19 },
      { name: '$top', value: '1', position: 37 },
    ]);
  });

  test.each([
    ['$filter="a=1', 'unclosedDoubleQuote', '$filter begins with " and has no "', '$filter'],
    ["$filter='a=1", 'unclosedSingleQuote', "$filter begins with ' and has no '", '$filter'],
    ["$filter=%22a=1'", 'unclosedDoubleQuote', '$filter begins with " and has no "', '$filter'],
    ['$orderby="a" desc', 'unclosedDoubleQuote', '$orderby begins with " and has no "', '$orderby'],
  ])('?%s is not closed', (query, name, text, within) => {
    expect(complaint(() => parameters(query))).toEqual([
      name,
      `The value of ${text} at its end. (at position 1 of ${within})`,
    ]);
  });

  test('need a name', () => {
    expect(complaint(() => parameters('$top=1&=5'))).toEqual([
      'badUrl',
      'Expected the name of a parameter, but found "=". (at position 16 of the URL)',
    ]);
  });
});

describe('escapes', () => {
  test.each([
    ['a%20b', 'a b'],
    ['%C3%A9', 'é'],
    ['%F0%9F%9A%80', '🚀'],
    ['%', '%'],
    ['%4', '%4'],
    ['%zz', '%zz'],
    ['%E9', '%E9'],
    ['%E9%20%C3%A9', '%E9 é'],
    ['%C3%28', '%C3('],
    ['%ED%A0%80', '%ED%A0%80'],
    ['%C0%80', '%C0%80'],
    ['%2541', '%41'],
    ['a+b', 'a+b'],
  ])('%s is %s', (text, decoded) => {
    expect(decodeEscapes(text)).toBe(decoded);
  });
});

const attribute = (names: string[], star: boolean, position: number): object => ({
  names,
  star,
  position,
});
const term = (names: string[], descending: boolean, position: number): object => ({
  path: { names, position },
  descending,
});

describe('$attributes', () => {
  test.each([
    ['', [attribute([], true, 1)]],
    ['  ', [attribute([], true, 1)]],
    ['*', [attribute([], true, 1)]],
    ['a', [attribute(['a'], false, 1)]],
    [
      ' a , b.c,d.* ',
      [attribute(['a'], false, 2), attribute(['b', 'c'], false, 6), attribute(['d'], true, 10)],
    ],
    ['*,a.b.c.*', [attribute([], true, 1), attribute(['a', 'b', 'c'], true, 3)]],
    ['größe,名前', [attribute(['größe'], false, 1), attribute(['名前'], false, 7)]],
  ])('%j', (text, expected) => {
    expect(parseAttributes(text, '$attributes')).toEqual(expected);
  });

  test.each([
    ['a,', 'Expected an attribute name, but found the end.', 3],
    [',a', 'Expected an attribute name, but found ",a".', 1],
    ['a b', 'Expected a comma or the end, but found "b".', 3],
    ['a..b', 'Expected an attribute name, but found ".b".', 3],
    ['a.*.b', 'Expected a comma or the end, but found ".b".', 4],
    ['a(1)', 'Expected a comma or the end, but found "(1)".', 2],
    ['a\u0001b', 'Expected a comma or the end, but found "\u0001b".', 2],
  ])('%j is none', (text, message, position) => {
    expect(complaint(() => parseAttributes(text, '$attributes'))).toEqual([
      'badAttributeList',
      `${message} (at position ${position} of $attributes)`,
    ]);
  });

  test('of a path count their positions there', () => {
    expect(complaint(() => parseAttributes('a,,b', 'the path', 11))).toEqual([
      'badAttributeList',
      'Expected an attribute name, but found ",b". (at position 13 of the path)',
    ]);
  });
});

describe('$orderby', () => {
  test.each([
    ['', []],
    [' ', []],
    ['a', [term(['a'], false, 1)]],
    [
      'a asc, b.c DESC,d  Desc ',
      [term(['a'], false, 1), term(['b', 'c'], true, 8), term(['d'], true, 17)],
    ],
    ['desc desc', [term(['desc'], true, 1)]],
  ])('%j', (text, expected) => {
    expect(parseOrder(text, '$orderby')).toEqual(expected);
  });

  test.each([
    ['a up', '"up" is not a direction; expected ASC, DESC, a comma or the end.', 3],
    ['a desc b', 'Expected a comma or the end, but found "b".', 8],
    ['a,', 'Expected an attribute name, but found the end.', 3],
    ['*', 'Expected an attribute name, but found "*".', 1],
    ["'a' desc", 'Expected an attribute name, but found "\'a\' desc".', 1],
  ])('%j is none', (text, message, position) => {
    expect(complaint(() => parseOrder(text, '$orderby'))).toEqual([
      'badOrder',
      `${message} (at position ${position} of $orderby)`,
    ]);
  });
});

describe('$expand', () => {
  test.each(rows`
    ${''}      | []
    a          | [{names: [a], position: 1}]
    a, b.c     | [{names: [a], position: 1}, {names: [b, c], position: 4}]
    a.*, b.c.* | [{names: [a], position: 1}, {names: [b, c], position: 6}]
  `)('%j', (text, expected) => {
    expect(parseExpand(text, '$expand')).toEqual(parsed(expected));
  });

  test('of all is none: each relation is named', () => {
    expect(complaint(() => parseExpand('*', '$expand'))).toEqual([
      'badExpandList',
      'Expected an attribute name, but found "*". (at position 1 of $expand)',
    ]);
  });
});

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
