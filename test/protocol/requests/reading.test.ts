import { describe, expect, test } from 'vitest';
import type {
  ComputeRequest,
  ContentRequest,
  DistinctRequest,
  Explain,
  RequestAst,
} from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { complaint } from '../complaint.ts';
import { rows } from '../../rows.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';

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

function content(query: string, path = 'Emp(5)/photo'): ContentRequest {
  const { ast } = parseRequest(`/rest/${path}?${query}`);
  if (ast.kind !== 'content') throw new Error(`${query} is a ${ast.kind}`);
  return ast;
}

describe('§4.5 $imageformat', () => {
  test.each([
    ['best', 'best'],
    ['.gif', 'gif'],
    ['image/gif', 'gif'],
    ['gif', 'gif'],
    ['.png', 'png'],
    ['image/png', 'png'],
    ['PNG', 'png'],
    ['.jpeg', 'jpeg'],
    ['image/jpeg', 'jpeg'],
    ['jpeg', 'jpeg'],
    ['.jpg', 'jpeg'],
    ['image/jpg', 'jpeg'],
    ['jpg', 'jpeg'],
    ['.tiff', 'tiff'],
    ['image%2Ftiff', 'tiff'],
    ['tif', 'tiff'],
    ['"best"', 'best'],
    ['', 'none'],
    ['image/', 'none'],
    ['bmp', 'none'],
    ['text/png', 'none'],
    ['.image/png', 'none'],
  ])('%s', (text, format) => {
    expect(content(`$imageformat=${text}&$expand=photo`)).toMatchObject({ format, binary: false });
  });
});

test('§4.5 the path leads to the entity, and then to the attribute', () => {
  const ast = content('$binary=true&$expand=logo&$version=3', 'Emp(5)/employer/logo');
  expect(ast).toMatchObject({
    attribute: { names: ['logo'], star: false, position: 18 },
    read: { dataclass: 'Emp', segments: [[{ names: ['employer'] }]], expand: [], attributes: null },
    format: null,
    binary: true,
  });
});

test('§4.5 the version is a value: requests that differ in it share a plan', () => {
  const [one, other] = ['4', '-17'].map((version) =>
    parseRequest(`/rest/Emp(5)/photo?$imageformat=best&$version=${version}&$expand=photo`),
  );
  expect(one?.shape).toBe(other?.shape);
  const { version } = other?.ast as ContentRequest;
  expect(other?.values[version?.parameter ?? -1]).toMatchObject({ value: '-17' });
  const shapes = ['$version=1', '$imageformat=png', '$imageformat=gif', '$binary=true'].map(
    (query) => parseRequest(`/rest/Emp(5)/photo?${query}&$expand=photo`).shape,
  );
  expect(new Set([...shapes, one?.shape]).size).toBe(5);
});

test.each(['$imageformat=best&$version=4', '$binary=true', '$version=1'])(
  '§4.5 without $expand nothing is expanded: %s is a read of the attribute',
  (query) => {
    const { ast } = parseRequest(`/rest/Emp(5)/photo?${query}`);
    expect(ast).toMatchObject({ kind: 'read', segments: [[{ names: ['photo'] }]], expand: [] });
  },
);

test.each([
  ['Emp(5)?$binary=true', 'badUrl'],
  ['Emp?$imageformat=best', 'badUrl'],
  ['Emp(5)/a,b?$binary=true&$expand=a', 'badUrl'],
  ['Emp(5)/*?$binary=true&$expand=a', 'badUrl'],
  ['Emp(5)/a.b?$binary=true&$expand=a.b', 'badUrl'],
  ['Emp(5)/photo?$binary=maybe&$expand=photo', 'badUrl'],
  ['Emp(5)/photo?$binary=true&$imageformat=png&$expand=photo', 'badUrl'],
  ['Emp(5)/photo?$binary=true&$binary=true&$expand=photo', 'badUrl'],
  ['Emp(5)/photo?$binary=true&$expand=logo', 'badExpandList'],
  ['Emp(5)/photo?$binary=true&$expand=photo,logo', 'badExpandList'],
  ['Emp(5)/photo?$binary=true&$expand=photo.x', 'badExpandList'],
  ['Emp(5)/photo?$version=&$expand=photo', 'badNumber'],
  ['Emp(5)/photo?$version=1.5&$expand=photo', 'badNumber'],
  ['Emp(5)/photo?$version=99999999999999999999&$expand=photo', 'badNumber'],
  ['Emp(5)/photo?$binary=true&$expand=photo&$filter=a', 'notApplicable'],
  ['Emp(5)/photo?$binary=true&$expand=photo&$top=1', 'notApplicable'],
  ['Emp(5)/photo?$binary=true&$expand=photo&$attributes=a', 'notApplicable'],
  ['Emp(5)/photo?$rawPict=true&$expand=photo', 'notApplicable'],
  ['Emp?$binary=true&$method=entityset', 'notApplicable'],
  ['Emp/$entityset/0A/photo?$binary=true&$expand=photo', 'notApplicable'],
  ['$catalog?$binary=true', 'notApplicable'],
])('%s is refused: %s', (path, errorName) => {
  let caught: unknown;
  try {
    parseRequest(`/rest/${path}`);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(ProtocolError);
  expect((caught as ProtocolError).errorName).toBe(errorName);
});

function explainOf(ast: RequestAst): Explain | undefined {
  if (ast.kind === 'read') return ast.explain;
  if (ast.kind === 'entitySet') return ast.read.explain;
  throw new Error(`a ${ast.kind} tells no plan`);
}

describe('$queryplan and $querypath', () => {
  test.each([
    ['A', undefined],
    ['A?$queryplan=false', undefined],
    ['A?$queryplan=true', 'plan'],
    ['A?$querypath=TRUE', 'path'],
    ['A?$querypath=true&$queryplan=true', 'path'],
    ['A?$querypath=false&$queryplan=true', 'plan'],
    ['A?$queryplan=false&$asArray=true', undefined],
    ['A?$queryplan=true&$asArray=false', 'plan'],
    ['A(1)?$queryplan=true', 'plan'],
    ['A(1)/b?$querypath=true&$method=subentityset', 'path'],
    ['A?$queryplan=true&$method=entityset', 'plan'],
    ['A/$entityset/0A?$querypath=true&$savedfilter="b=1"&$savedorderby="b"', 'path'],
  ])('%s', (path, expected) => {
    const reading: Verb[] =
      path.includes('$method') || path.includes('$saved') ? ['GET'] : ['GET', 'HEAD'];
    for (const verb of reading) {
      expect(explainOf(parseRequest(`/rest/${path}`, verb).ast)).toBe(expected);
    }
  });

  test('are a part of the shape', () => {
    const shapes = ['A', 'A?$queryplan=true', 'A?$querypath=true'].map(
      (path) => parseRequest(`/rest/${path}`).shape,
    );
    expect(new Set(shapes).size).toBe(3);
  });

  test.each([
    [
      'GET',
      'A?$queryplan=true&$asArray=true',
      'notApplicable',
      /\$queryplan is not allowed with \$asArray/,
    ],
    [
      'GET',
      'A?$querypath=true&$asArray=true',
      'notApplicable',
      /\$querypath is not allowed with \$asArray/,
    ],
    ['GET', 'A?$queryplan=1', 'badUrl', /expected true or false/],
    ['GET', 'A/b?$compute=sum&$queryplan=true', 'notApplicable', /\$compute/],
    ['GET', 'A/b?$distinct=true&$querypath=true', 'notApplicable', /\$distinct/],
    ['GET', 'A(1)/b?$expand=b&$binary=true&$queryplan=true', 'notApplicable', /image or BLOB/],
    ['GET', 'A(1)?$lock=true&$queryplan=true', 'notApplicable', /\$queryplan/],
    ['GET', 'A/$entityset/0A?$findKey=1&$queryplan=true', 'notApplicable', /\$findKey/],
    ['GET', 'A/$entityset/0A?$method=release&$querypath=true', 'notApplicable', /release/],
    [
      'GET',
      'A/$entityset/0A?$logicOperator=INTERSECT&$otherCollection=0B&$querypath=true',
      'notApplicable',
      /\$querypath is not allowed with it/,
    ],
    ['GET', '$catalog?$queryplan=true', 'notApplicable', /the catalog/],
    ['POST', 'A?$queryplan=true', 'notApplicable', /\$queryplan/],
    ['POST', 'A(1)?$method=delete&$querypath=true', 'notApplicable', /\$querypath/],
  ] as const)('%s %s is %s', (verb, path, name, says) => {
    expect(complaint(() => parseRequest(`/rest/${path}`, verb))).toEqual([
      name,
      expect.stringMatching(says),
    ]);
  });
});
