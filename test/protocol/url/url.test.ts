import { expect, test } from 'vitest';
import { decodeEscapes, splitUrl } from '../../../src/protocol/url/url.ts';
import { parsed, rows } from '../../rows.ts';
import { parseParams } from '../../../src/protocol/url/parameter-reader.ts';

function parameters(query: string): [name: string, value: string][] {
  return splitUrl(`/rest/A?${query}`).parameters.map(({ name, value }) => [name, value]);
}

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
  `)('the parameters of ?%s', (query, expected) => {
  expect(parameters(query)).toEqual(parsed(expected));
});

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
])('the escapes of %s are read as %s', (text, decoded) => {
  expect(decodeEscapes(text)).toBe(decoded);
});

/** The values with their classes; positions are those of the values in the array. */
function read(text: string): unknown[] {
  return parseParams(text).map(({ value, class: kind, within, position }, index) => {
    expect({ within, position }).toEqual({ within: '$params', position: index + 1 });
    return [value, kind];
  });
}

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
  `)('$params=%s', (text, expected) => {
  expect(read(text)).toEqual(parsed(expected));
});
