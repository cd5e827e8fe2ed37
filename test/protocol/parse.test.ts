import { describe, expect, test } from 'vitest';
import { parseRequest } from '../../src/protocol/parse.ts';
import { complaint } from './complaint.ts';
import { rows } from '../rows.ts';

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
      '"A"(?number)/"b"',
      '$filter=c = ?number',
      '$format=json',
      '$asArray=TRUE',
      '$orderby=d desc',
      '$attributes=e.*',
      '$expand=f',
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
