import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { decodeEscapes, splitUrl } from '../../../src/protocol/url/url.ts';
import { parsed, rows } from '../../rows.ts';

function parameters(query: string): [name: string, value: string][] {
  return splitUrl(`/rest/A?${query}`).parameters.map(({ name, value }) => [name, value]);
}

function complaint(query: string): readonly [name: string, message: string] {
  try {
    return ['answered', JSON.stringify(parameters(query))];
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.errorName, error.message];
  }
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
    expect(complaint(query)).toEqual([
      name,
      `The value of ${text} at its end. (at position 1 of ${within})`,
    ]);
  });

  test('need a name', () => {
    expect(complaint('$top=1&=5')).toEqual([
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
