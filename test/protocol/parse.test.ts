import { describe, expect, test } from 'vitest';
import { parseRequest } from '../../src/protocol/parse.ts';
import { complaint } from './complaint.ts';
import { rows } from '../rows.ts';
import { defaultLimits, type RequestLimits } from '../../src/base/limits.ts';

describe('a read', () => {
  test('without parameters is of the first 100 entities, with all that is not said left empty', () => {
    expect(parseRequest('/rest/A')).toEqual({
      ast: {
        kind: 'read',
        dataclass: 'A',
        selector: { kind: 'all' },
        segments: [],
        filter: null,
        orderBy: [],
        attributes: null,
        expand: [],
        top: { parameter: 0, class: 'number' },
        skip: { parameter: 1, class: 'number' },
        asArray: false,
      },
      shape: '"A"',
      values: [
        { value: '100', class: 'number', within: '$top', position: 1 },
        { value: '0', class: 'number', within: '$skip', position: 1 },
      ],
    });
  });

  test('with all of them', () => {
    const url =
      '/rest/A(7)/b?$skip=2&$limit=3&$asArray=TRUE&$format=json&$filter="c = :1"' +
      '&$params=[1]&$orderby="d desc"&$attributes=e.*&$expand=f&_=17';
    const { ast, shape, values } = parseRequest(url);
    expect(ast).toEqual({
      kind: 'read',
      dataclass: 'A',
      selector: { kind: 'key', key: { kind: 'scalar', value: { parameter: 0, class: 'number' } } },
      segments: [[{ names: ['b'], star: false, position: expect.any(Number) }]],
      filter: {
        kind: 'comparison',
        path: { names: ['c'], position: 1 },
        comparator: '=',
        value: { parameter: 1, class: 'number' },
      },
      orderBy: [{ path: { names: ['d'], position: 1 }, descending: true }],
      attributes: [{ names: ['e'], star: true, position: 1 }],
      expand: [{ names: ['f'], star: false, position: 1 }],
      top: { parameter: 2, class: 'number' },
      skip: { parameter: 3, class: 'number' },
      asArray: true,
    });
    expect(values.map(({ value }) => value)).toEqual(['7', '1', '3', '2']);
    expect(shape.split('\n')).toEqual([
      ...['"A"(?number)/"b"', '$filter=c = ?number', '$format=json', '$asArray=TRUE'],
      ...['$orderby=d desc', '$attributes=e.*', '$expand=f'],
    ]);
  });

  test.each([
    ['/rest/A?$top=5', '/rest/A?$limit=7&$skip=9'],
    ['/rest/A', '/rest/A?$top=7'],
    ['/rest/A(1)', '/rest/A[2]'],
    ['/rest/A(1,2)', '/rest/A(3,4,5)'],
    ['/rest/A/$entityset/X', '/rest/A/$entityset/Y'],
    ['/rest/A?$filter=', '/rest/A'],
  ])('%s and %s share a shape', (one, other) => {
    expect(parseRequest(one).shape).toBe(parseRequest(other).shape);
  });

  test.each([
    ['/rest/A%2Fb', '/rest/A/b'],
    ['/rest/A/b%2Fc', '/rest/A/b/c'],
    ['/rest/A:b%2Fc(1)', '/rest/A:b(1)/c'],
    ['/rest/A(1)', '/rest/A("1")'],
    ['/rest/A(1)', '/rest/A(1,2)'],
    ['/rest/A?$orderby=a', '/rest/A?$orderby=a%20desc'],
    ['/rest/A?$asArray=true', '/rest/A'],
  ])('%s and %s do not', (one, other) => {
    expect(parseRequest(one).shape).not.toBe(parseRequest(other).shape);
  });
});

test.each([
  ['$select', '$attributes'],
  ['fields', '$attributes'],
  ['count', '$top=0'],
  ['$orderBy', '$orderby'],
  ['sort', '$orderby'],
  ['limit', '$limit'],
  ['pageSize', '$top'],
  ['offset', '$skip'],
  ['$search', '$filter'],
  ['include', '$expand'],
  ['city', '$filter="city = …"'],
])('of the parameter %s of other APIs, it is said that it is %s here', (name, here) => {
  const message = `There is no parameter ${name}. Did you mean ${here}? (at position 9 of the URL)`;
  expect(complaint(() => parseRequest(`/rest/A?${name}=x`))).toEqual(['unknownKeyword', message]);
});

describe('what is refused', () => {
  test.each(rows`
    /rest/A?$fliter=a             | unknownKeyword | There is no parameter $fliter. Did you mean $filter? | 9  | the URL
    /rest/A?$FILTER=a             | unknownKeyword | There is no parameter $FILTER. Did you mean $filter? | 9  | the URL
    /rest/A/$count                | badUrl         | "$count" does not belong here. Did you mean $top=0? | 4  | the path
    /rest/A?$orderby=name,-a.b    | badOrder       | "-a.b" is not an attribute. Did you mean a.b DESC? | 6  | $orderby
    /rest/A?$skip=1&$top=1&$top=2 | badUrl         | $top is given twice. | 24 | the URL
    /rest/A?$top=1&$limit=1       | badUrl         | $top and $limit mean the same: give one of them. | 16 | the URL
    /rest/A?$method=remove        | unknownMethod  | There is no method "remove". | 9  | the URL
    /rest/A(1)/b?$emMethod=fn     | notApplicable  | $emMethod calls a function on the entities that a relation leads to: add $method=subentityset. | 14 | the URL
    /rest/A?$asArray=yes          | badUrl         | The value of $asArray is "yes"; expected true or false. | 1  | $asArray
    /rest/A?$format=xml           | badFormat      | There is no format "xml". Known: json, dashboard, csv, spreadsheet, ndjson. | 1  | $format
    /rest/A?$top=-1               | badNumber      | The value of $top is "-1"; expected a whole number from 0 on. | 1  | $top
    /rest/A?$limit=1.5            | badNumber      | The value of $limit is "1.5"; expected a whole number from 0 on. | 1  | $limit
    /rest/A?$skip=                | badNumber      | The value of $skip is ""; expected a whole number from 0 on. | 1  | $skip
    /rest/A?$top=1e3              | badNumber      | The value of $top is "1e3"; expected a whole number from 0 on. | 1  | $top
    /rest/A?$top=1234567890123456 | badNumber      | The value of $top is "1234567890123456"; expected a whole number from 0 on. | 1  | $top
  `)('%s', (url, name, message, position, within) => {
    expect(complaint(() => parseRequest(url))).toEqual([
      name,
      expect.stringMatching(
        new RegExp(
          `^${message.replace(/[$.?"*]/g, '\\$&')}.*\\(at position ${position} of ${within.replace('$', '\\$')}\\)$`,
        ),
      ),
    ]);
  });
});

describe('the catalog', () => {
  test.each([
    ['/rest', 'brief', []],
    ['/rest/$catalog', 'brief', []],
    ['/rest/$catalog/$all', 'full', []],
    ['/rest/$catalog/A', 'full', ['A']],
    ['/rest/$catalog/A,%20B', 'full', ['A', 'B']],
  ])('%s', (url, detail, names) => {
    expect(parseRequest(url)).toEqual({
      ast: { kind: 'catalog', detail, names },
      shape: expect.any(String),
      values: [],
    });
  });
});

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
