import { describe, expect, test } from 'vitest';
import type { ComputeRequest, DistinctRequest } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { complaint } from '../complaint.ts';
import { rows } from '../../rows.ts';

/** What a URL asks for, its numbers of rows filled in. */
function read(url: string): object {
  const { ast, values } = parseRequest(url);
  if (ast.kind !== 'compute' && ast.kind !== 'distinct') return { kind: ast.kind };
  const { of, ...asked }: ComputeRequest | DistinctRequest = ast;
  const entities = of.kind === 'read' ? of : of.read;
  const named = entities.attributes ?? entities.segments.at(-1) ?? [];
  return {
    ...asked,
    of: of.kind,
    selector: entities.selector.kind,
    named: named.map(({ names }) => names.join('.')),
    orderBy: entities.orderBy.length,
    filter: entities.filter?.kind ?? null,
    rows: [entities.top, entities.skip].map(({ parameter }) => values[parameter]?.value),
  };
}

const whole = {
  of: 'read',
  selector: 'all',
  named: ['b'],
  orderBy: 0,
  filter: null,
  rows: ['999999999999999', '0'],
};
const sum = { kind: 'compute', keyword: 'sum', narrowed: false, ...whole };
const distinct = { kind: 'distinct', all: true, ...whole, rows: ['10001', '0'] };

describe('a computation', () => {
  test.each([
    ['/rest/A/b?$compute=sum', sum],
    ['/rest/A/b/?$compute=sum', sum],
    ['/rest/A?$attributes=b&$compute=sum', sum],
    ['/rest/A/b?$compute="sum"&$format=json&$metadata=true', sum],
    ['/rest/A/b?$compute=$all', { ...sum, keyword: 'all' }],
    ['/rest/A/b?$compute=all', { ...sum, keyword: 'all' }],
    ['/rest/A/b?$compute=%24Count', { ...sum, keyword: 'count' }],
    ['/rest/A/b.c.d?$compute=average', { ...sum, keyword: 'average', named: ['b.c.d'] }],
    ['/rest/A(1)/b?$compute=min', { ...sum, keyword: 'min', selector: 'key' }],
    [
      '/rest/A/b?$compute=max&$filter=c=1&$orderby=d',
      { ...sum, keyword: 'max', filter: 'comparison', orderBy: 1 },
    ],
    ['/rest/A/b?$compute=sum&$top=3', { ...sum, narrowed: true, rows: ['3', '0'] }],
    ['/rest/A/b?$compute=sum&$limit=0', { ...sum, narrowed: true, rows: ['0', '0'] }],
    ['/rest/A/b?$compute=sum&$skip=3', { ...sum, narrowed: true, rows: ['999999999999999', '3'] }],
    ['/rest/A/b?$compute=sum&$top=20000', { ...sum, narrowed: true, rows: ['20000', '0'] }],
    ['/rest/A/$entityset/X/b?$compute=sum', { ...sum, of: 'entitySet', selector: 'entitySet' }],
    ['/rest/A/b/$entityset/X?$compute=sum', { ...sum, of: 'entitySet', selector: 'entitySet' }],
  ])('%s', (url, expected) => {
    expect(read(url)).toEqual(expected);
  });
});

describe('distinct values', () => {
  test.each([
    ['/rest/A/b?$distinct=true', distinct],
    ['/rest/A?$attributes=b&$distinct=TRUE', distinct],
    ['/rest/A/b?$distinct=true&$top=3&$skip=2', { ...distinct, all: false, rows: ['3', '2'] }],
    ['/rest/A/b?$distinct=true&$skip=2', { ...distinct, rows: ['10001', '2'] }],
    ['/rest/A/b?$distinct=false', { kind: 'read' }],
    [
      '/rest/A/b/$entityset/X?$distinct=true',
      { ...distinct, of: 'entitySet', selector: 'entitySet' },
    ],
  ])('%s', (url, expected) => {
    expect(read(url)).toEqual(expected);
  });
});

describe('the shape', () => {
  const shapeOf = (url: string): string => parseRequest(url).shape;

  test.each([
    ['/rest/A/b?$compute=sum&$top=3', '/rest/A/b?$compute=sum&$top=4'],
    ['/rest/A/b?$distinct=true&$top=3', '/rest/A/b?$distinct=true&$top=4'],
    ['/rest/A/b/$entityset/X?$compute=sum', '/rest/A/$entityset/Y/b?$compute=sum'],
  ])('of %s is that of %s', (one, other) => {
    expect(shapeOf(one)).toBe(shapeOf(other));
  });

  test.each([
    ['/rest/A/b?$compute=sum', '/rest/A/b?$compute=min'],
    ['/rest/A/b?$compute=sum', '/rest/A/b?$compute=sum&$top=3'],
    ['/rest/A/b?$compute=sum&$top=3', '/rest/A/b?$compute=sum&$skip=3'],
    ['/rest/A/b?$compute=sum', '/rest/A/$entityset/X/b?$compute=sum'],
    ['/rest/A/b?$distinct=true', '/rest/A/b?$distinct=true&$top=3'],
  ])('of %s is not that of %s', (one, other) => {
    expect(shapeOf(one)).not.toBe(shapeOf(other));
  });
});

test.each(rows`
  /rest/A/b?$compute=summ | badComputeKeyword | There is nothing called "summ" to compute. Did you mean sum? (at position 1 of $compute)
  /rest/A/b?$compute | badComputeKeyword | There is nothing called "" to compute. Known: $all, count, sum, average, min, max. (at position 1 of $compute)
  /rest/A/b?$compute=sum&$distinct=true | notApplicable     | $distinct does not apply to $compute. (at position 24 of the URL)
  /rest/A/b?$compute=sum&$method=entityset | notApplicable     | $method=entityset answers entities, and $compute values: they cannot be combined. (at position 24 of the URL)
  /rest/A/b?$distinct=true&$format=dashboard | notApplicable     | What $distinct asks for is always JSON: $format=dashboard does not apply to it. (at position 1 of $format)
  /rest/A/b?$distinct=1 | badUrl            | The value of $distinct is "1"; expected true or false. (at position 1 of $distinct)
  /rest/A/b?$distinct=true&$top=10001 | badNumber         | The value of $top is 10001; expected at most 10000: read more in pages, by $skip. (at position 1 of $top)
  /rest/A/b?$compute=sum&$skip=x | badNumber         | The value of $skip is "x"; expected a whole number from 0 on. (at position 1 of $skip)
  /rest/A/$entityset/X/b?$compute=sum&$findKey=1 | notApplicable     | $compute does not apply to a search by $findKey. (at position 24 of the URL)
`)('%s is refused', (url, name, message) => {
  expect(complaint(() => parseRequest(url))).toEqual([name, message]);
});

test('HEAD asks for values as GET does, unless a set may be made again', () => {
  expect(parseRequest('/rest/A/b?$compute=sum', 'HEAD').ast.kind).toBe('compute');
  const url = '/rest/A/$entityset/X/b?$distinct=true&$savedfilter=c=1';
  expect(complaint(() => parseRequest(url, 'HEAD'))).toEqual([
    'verbNotAllowed',
    '$savedfilter is allowed on GET only: HEAD changes nothing.',
  ]);
});
