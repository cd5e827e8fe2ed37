import { describe, expect, test } from 'vitest';
import { defaultLimits, type RequestLimits } from '../../src/base/limits.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { complaint } from './complaint.ts';

/** The `$top` of a request, with a limit of its own. */
function topOf(
  url: string,
  maxTop: number,
  beyondMaxTop: RequestLimits['beyondMaxTop'] = 'refuse',
): unknown {
  const { ast, values } = parseRequest(url, 'GET', { ...defaultLimits, maxTop, beyondMaxTop });
  if (ast.kind === 'read') return values[ast.top.parameter]?.value;
  return ast.kind === 'entitySet' ? values[ast.read.top.parameter]?.value : undefined;
}

describe('the largest $top', () => {
  test.each([
    ['/rest/A?$top=50', 50, '50'],
    ['/rest/A?$limit=50', 50, '50'],
    ['/rest/A?$top=0', 1, '0'],
    ['/rest/A', 100, '100'],
    ['/rest/A', 99, '99'],
    ['/rest/A?$method=entityset', 10, '10'],
    ['/rest/A?$skip=100000', 100, '100'],
  ])('of %s may be %d', (url, maxTop, expected) => {
    expect(topOf(url, maxTop)).toBe(expected);
  });

  test.each([
    ['/rest/A?$top=51', '$top', '51'],
    ['/rest/A?$limit=51', '$limit', '51'],
    ['/rest/A?$top=000051', '$top', '51'],
    ['/rest/A/$entityset/0A1B?$top=51', '$top', '51'],
    ['/rest/A?$method=entityset&$top=999999999999999', '$top', '999999999999999'],
    ['/rest/A(1)/b?$top=51', '$top', '51'],
  ])('of %s is too large at 50, and not cut', (url, name, top) => {
    expect(complaint(() => topOf(url, 50))).toEqual([
      'badNumber',
      `The value of ${name} is ${top}; expected at most 50: read more in pages, by $skip. (at position 1 of ${name})`,
    ]);
  });

  test.each([
    ['/rest/A?$top=51', '50'],
    ['/rest/A?$limit=000999', '50'],
    ['/rest/A/$entityset/0A1B?$top=51', '50'],
    ['/rest/A?$top=49', '49'],
  ])('of %s is cut where the configuration says so', (url, expected) => {
    expect(topOf(url, 50, 'shorten')).toBe(expected);
  });

  test('is 10,000 where nothing else is said', () => {
    expect(parseRequest('/rest/A?$top=10000').values[0]?.value).toBe('10000');
    expect(complaint(() => parseRequest('/rest/A?$top=10001'))[0]).toBe('badNumber');
  });
});

describe('the comparisons of a filter', () => {
  const filter = (count: number): string => Array.from({ length: count }, () => 'a=1').join(' OR ');
  const limits = { ...defaultLimits, maxFilterComparisons: 3 };

  test.each([
    ['GET', '/rest/A?$filter=', '$filter'],
    ['POST', '/rest/A?$atomic=true&$filter=', '$filter'],
    ['DELETE', '/rest/A?$filter=', '$filter'],
    ['GET', '/rest/A?$method=entityset&$savedfilter=', '$savedfilter'],
  ] as const)('of %s %s are as many as configured', (verb, url, within) => {
    const parse = (count: number): unknown =>
      parseRequest(url + encodeURIComponent(filter(count)), verb, limits).ast.kind;
    expect(parse(3)).toBeTypeOf('string');
    expect(complaint(() => parse(4))).toEqual([
      'badQuery',
      `The expression holds more than 3 comparisons. (at position 22 of ${within})`,
    ]);
  });
});

describe('the items of a list', () => {
  const list = (count: number): string => Array.from({ length: count }, () => '1').join(',');

  test.each([
    [
      (items: string) => `A?$filter=b IN [${items}]`,
      'badQuery',
      'A list may hold 5000 values, and this has more. (at position 6 of $filter)',
    ],
    [
      (items: string) => `A?$filter=b IN :1&$params=[[${items}]]`,
      'badPlaceholder',
      'Value 1 of $params is a list of 5001 items; at most 5000 are allowed. (at position 1 of $params)',
    ],
  ])('are 5,000: %s', (url, name, message) => {
    const parse = (count: number): unknown => parseRequest(`/rest/${url(list(count))}`).ast.kind;
    expect(parse(5000)).toBe('read');
    expect(complaint(() => parse(5001))).toEqual([name, message]);
  });

  test.each(['()', '[]'])('of keys in %s are as many', ([open = '', close = '']) => {
    const keyOf = (count: number): unknown => {
      const { ast } = parseRequest(`/rest/A${open}${list(count)}${close}`);
      const selector = ast.kind === 'read' ? ast.selector : null;
      return selector?.kind === 'key' && selector.key.kind === 'broken'
        ? selector.key.refusal.message
        : selector?.kind;
    };
    expect(keyOf(5000)).toBe('keyList');
    // All of it may be the text of one key.
    expect(keyOf(5001)).toBe(
      'A URL may name 5000 keys, and this names more. (at position 10004 of the path)',
    );
  });
});
