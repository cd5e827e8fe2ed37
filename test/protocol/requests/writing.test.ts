import { describe, expect, test } from 'vitest';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';
import { complaint } from '../complaint.ts';
import { rows } from '../../rows.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import { TimeSlice } from '../../../src/base/time.ts';
import { defaultLimits } from '../../../src/base/limits.ts';
import type { CallRequest } from '../../../src/protocol/ast.ts';
import { bodyParams, urlParams } from '../../../src/protocol/body/body.ts';

describe('a URL that writes', () => {
  test.each<[Verb, string, string, object]>([
    ['POST', 'Emp?$method=update', 'save', { method: 'update', atomic: false }],
    ['POST', 'Emp', 'save', { method: 'update', atomic: false }],
    ['PUT', 'Emp', 'save', { method: 'update', atomic: false }],
    ['PATCH', 'Emp', 'save', { method: 'update', atomic: false }],
    ['PATCH', 'Emp(5)?$method=update&$atomic=true', 'save', { method: 'update', atomic: true }],
    ['PUT', 'Emp?$method=insert', 'save', { method: 'insert', atomic: false }],
    ['POST', 'Emp?$atomic=true', 'save', { method: 'update', atomic: true }],
    ['POST', 'Emp?$atOnce=TRUE', 'save', { method: 'update', atomic: true }],
    ['POST', 'Emp?$atomic=false', 'save', { method: 'update', atomic: false }],
    ['POST', 'Emp?$method=delete&$atomic=true', 'delete', { atomic: true, filter: null }],
    ['POST', 'Emp(5)?$method=delete', 'delete', { atomic: false, filter: null }],
    ['DELETE', 'Emp(5)', 'delete', { atomic: false, dryRun: false, filter: null }],
    ['DELETE', 'Emp(5)?$refresh=true', 'delete', { atomic: false, dryRun: true }],
    ['DELETE', 'Emp(5)?$method=delete', 'delete', { atomic: false, filter: null }],
    ['POST', 'Emp/$entityset/X?$method=delete', 'deleteSet', { dataclass: 'Emp', filter: null }],
    ['POST', 'Emp/$entityset/X?$method=delete&$refresh=true', 'deleteSet', { dryRun: true }],
    ['POST', 'Emp(5)/photo?$rawPict=image/png', 'attributeUpload', {}],
    ['PUT', 'Emp(5)/photo?$binary=true', 'attributeUpload', {}],
    ['POST', '$upload?$rawPict=true', 'upload', {}],
    ['POST', '$upload?$rawPict=image/svg+xml', 'upload', { image: 'svg+xml' }],
    ['POST', 'Emp(5)/photo?$rawPict=image/svg%2Bxml', 'attributeUpload', { image: 'svg+xml' }],
    ['POST', '$upload?$binary=true', 'upload', {}],
  ])('%s %s is read as %s', (verb, url, kind, parts) => {
    expect(parseRequest(`/rest/${url}`, verb).ast).toMatchObject({ kind, ...parts });
  });

  test('has a whole tree', () => {
    const url =
      '/rest/Emp(5)?$method=update&$atomic=true&$filter="a=1"&$orderby=a&$attributes=a&$expand=b';
    const { ast, shape, values } = parseRequest(url, 'POST');
    expect(ast).toEqual({
      kind: 'save',
      method: 'update',
      dataclass: 'Emp',
      selector: { kind: 'key', key: { kind: 'scalar', value: { parameter: 0, class: 'number' } } },
      atomic: true,
      filter: {
        kind: 'comparison',
        path: { names: ['a'], position: 1 },
        comparator: '=',
        value: { parameter: 1, class: 'number' },
      },
      orderBy: [{ path: { names: ['a'], position: 1 }, descending: false }],
      attributes: [{ names: ['a'], position: 1, star: false }],
      expand: [{ names: ['b'], position: 1 }],
      asArray: false,
      dryRun: false,
      replace: [],
      naturalKey: null,
    });
    expect(values.map(({ value }) => value)).toEqual(['5', '1']);
    expect(shape).toBe(
      'save update "Emp"(?number)\n$atomic=true\n$filter=a = ?number\n$orderby=a\n$attributes=a\n$expand=b',
    );
  });

  test.each<[Verb, string, Verb, string]>([
    ['POST', 'Emp', 'GET', 'Emp'],
    ['POST', 'Emp', 'POST', 'Emp?$method=insert'],
    ['POST', 'Emp(1)', 'DELETE', 'Emp(1)'],
    ['POST', 'Emp', 'POST', 'Emp?$atomic=true'],
    ['POST', 'Emp', 'POST', 'Emp?$refresh=true'],
    ['POST', 'Emp', 'POST', 'Emp?$asArray=true'],
    ['POST', 'Emp(1)', 'POST', 'Emp( 1)'],
    ['POST', 'Emp(1)', 'POST', 'Emp(1)/photo?$binary=true'],
  ])('%s %s and %s %s have shapes of their own', (verb, url, otherVerb, otherUrl) => {
    expect(parseRequest(`/rest/${url}`, verb).shape).not.toBe(
      parseRequest(`/rest/${otherUrl}`, otherVerb).shape,
    );
  });

  test.each(rows<[Verb, string, string, string]>`
    GET    | Emp?$method=update               | verbNotAllowed | $method=update changes data: use POST. (at position 11 of the URL)
    PATCH | Emp?$filter="a=1" | notApplicable
      | $filter changes nothing: it chooses what a save with $atomic=true answers. To change what it finds, read that, and save it by __KEY. (at position 11 of the URL)
    DELETE | Emp?$method=update               | verbNotAllowed | $method=update is not allowed on DELETE: use POST. (at position 11 of the URL)
    POST   | $catalog                         | verbNotAllowed | POST does not apply to /rest/$catalog: it is read by GET.
    GET    | $upload                          | verbNotAllowed | GET does not apply to $upload: use POST. (at position 2 of the path)
    DELETE | Emp(1)/photo?$binary=true        | verbNotAllowed | DELETE does not apply to an attribute: replace it by PUT, or set it to null by $method=update.
    PATCH  | Emp(1)/photo?$binary=true        | verbNotAllowed | PATCH does not apply to an attribute: replace it by PUT, or set it to null by $method=update.
    PATCH  | Emp(1)?$method=delete            | verbNotAllowed | $method=delete is not allowed on PATCH: use POST. (at position 14 of the URL)
    PATCH  | Emp/$entityset/0A                | verbNotAllowed | PATCH saves the one entity of its URL, or those of its body at Emp: it applies to no entity set and to no list of keys.
    POST   | $upload                          | badUrl         | An upload says what it holds: $rawPict=true or $binary=true.
    POST   | Emp(1)?$binary=true              | badUrl         | An upload names one attribute of an entity: Emp(key)/attribute.
    POST   | Emp(1)/a,b?$binary=true          | badUrl         | An upload names one attribute of an entity: Emp(key)/attribute.
    POST   | $catalog/$all                    | verbNotAllowed | POST does not apply to /rest/$catalog: it is read by GET.
    PUT | Emp(1)/employer | verbNotAllowed
      | PUT applies to Emp and its entities, such as Emp(key), not to what stands behind them in the path. The bytes of an image or BLOB need $rawPict=image/png or $binary=true.
    POST   | Emp?$top=5                       | notApplicable  | $top does not apply to $method=update. (at position 11 of the URL)
    POST   | Emp?$method=delete&$attributes=a | notApplicable  | $attributes does not apply to $method=delete. (at position 26 of the URL)
    GET    | Emp?$atomic=true                 | notApplicable  | $atomic does not apply to a read. (at position 11 of the URL)
    POST   | Emp?$atomic=true&$atOnce=true    | badUrl         | $atomic and $atOnce mean the same: give one of them. (at position 24 of the URL)
    POST   | Emp?$atomic=yes                  | badUrl         | The value of $atomic is "yes"; expected true or false. (at position 1 of $atomic)
    POST   | Emp?$method=entityset            | verbNotAllowed | $method=entityset is allowed on GET only. (at position 11 of the URL)
    POST   | Emp?$method=updte                | unknownMethod  | There is no method "updte". Did you mean update? (at position 11 of the URL)
  `)('%s %s is refused', (verb, url, name, message) => {
    expect(complaint(() => parseRequest(`/rest/${url}`, verb))).toEqual([name, message]);
  });
});

/** As if these were functions: of the datastore, of Emp, and of what its relation leads to. */
const known = new Set(['fn', 'Emp.fn', 'Emp.boss.fn']);

function parse(verb: Verb, path: string): { readonly ast: CallRequest; readonly shape: string } {
  const { ast, shape } = parseRequest(`/rest/${path}`, verb, defaultLimits, (dataclass, names) =>
    known.has([...(dataclass === null ? [] : [dataclass]), ...names].join('.')),
  );
  if (ast.kind !== 'call') throw new Error(`${path} is ${ast.kind}`);
  return { ast, shape };
}

describe('a call', () => {
  test.each([
    ['POST', '$catalog/fn', 'datastore', 'fn'],
    ['GET', '$catalog/fn', 'datastore', 'fn'],
    ['POST', '$singleton/Group/fn', 'singleton', 'fn'],
    ['GET', '$singleton/Group/fn/', 'singleton', 'fn'],
    ['POST', 'Emp/fn', 'all', 'fn'],
    ['POST', 'Emp/other', 'all', 'other'],
    ['GET', 'Emp/fn', 'all', 'fn'],
    ['HEAD', 'Emp/fn', 'all', 'fn'],
    ['POST', 'Emp(5)/fn', 'key', 'fn'],
    ['POST', 'Emp(5,6)/fn', 'keyList', 'fn'],
    ['POST', 'Emp:mail(x)/fn', 'unique', 'fn'],
    ['POST', 'Emp(5)/boss/fn', 'key boss', 'fn'],
    ['GET', 'Emp(5)/boss/fn', 'key boss', 'fn'],
    ['POST', 'Emp(5)/boss?$method=subentityset&$emMethod=fn', 'key boss', 'fn'],
    ['GET', 'Emp(5)/boss?$method=subentityset&$emMethod=other', 'key boss', 'other'],
    ['POST', 'Emp/$entityset/0A/fn', 'entitySet', 'fn'],
    ['POST', 'Emp/fn/$entityset/0A', 'entitySet', 'fn'],
    ['POST', 'Emp/fn?$filter="a=1"&$method=entityset', 'all', 'fn'],
    ['POST', 'Emp/fn?$method=subentityset&$timeout=300', 'all', 'fn'],
    ['POST', 'Emp(5)/boss/?$expand=boss&$method=subentityset&$emMethod=fn', 'key boss', 'fn'],
    ['POST', '$catalog/fn/?$method=subentityset&$timeout=5&$asArray=true', 'datastore', 'fn'],
  ] as const)('%s %s', (verb, path, what, name) => {
    const { ast } = parse(verb, path);
    const { on, read } = ast;
    const target = [read.selector.kind, ...read.segments.map(([one]) => one?.names[0])].join(' ');
    expect([on.kind === 'dataclass' ? target : on.kind, ast.name, ast.isGet]).toEqual([
      what,
      name,
      verb !== 'POST',
    ]);
    expect([read.dataclass === '', on.kind === 'dataclass']).toContain(true);
  });

  test('is of one shape whatever its values, and of another by what it calls', () => {
    const shapes = [
      parse('GET', `Emp/fn?$params='[1]'&$top=1`),
      parse('GET', `Emp/fn?$params='["a",{}]'&$top=2`),
      parse('POST', 'Emp/fn?$top=1'),
      parse('POST', 'Emp(1)/fn'),
      parse('POST', 'Emp(1)/boss?$method=subentityset&$emMethod=fn'),
      parse('POST', '$singleton/A/fn'),
      parse('POST', '$singleton/B/fn'),
      parse('POST', '$catalog/fn'),
      parse('POST', 'Emp/fn?$method=entityset'),
    ].map(({ shape }) => shape);
    expect(new Set(shapes).size).toBe(shapes.length - 1);
    expect(shapes[0]).toBe(shapes[1]);
  });

  test.each([
    ['POST', 'Emp/fn?$lock=true', 'notApplicable'],
    ['POST', '$catalog/fn?$filter="a=1"', 'notApplicable'],
    ['POST', '$catalog/fn?$method=release', 'notApplicable'],
    ['POST', 'Emp(1)/boss?$emMethod=fn', 'notApplicable'],
    ['POST', 'Emp(1)/boss?$emMethod=fn&$method=entityset', 'notApplicable'],
    ['POST', 'Emp/fn?$filter="a = :1"&$params={}', 'badPlaceholder'],
    ['HEAD', 'Emp/fn?$method=entityset', 'verbNotAllowed'],
    ['GET', 'Emp/fn?$filter="a = :1"&$params=[1]', 'placeholderWithoutValue'],
    ['POST', '$singleton/Group', 'badUrl'],
    ['PUT', '$catalog/fn', 'verbNotAllowed'],
    ['PATCH', '$catalog/fn', 'verbNotAllowed'],
    ['PATCH', 'Emp/fn', 'verbNotAllowed'],
    ['DELETE', '$singleton/Group/fn', 'verbNotAllowed'],
    ['PUT', 'Emp/fn', 'verbNotAllowed'],
  ] as const)('%s %s is refused', (verb, path, name) => {
    expect(() => parse(verb, path)).toThrow(
      expect.objectContaining({ errorName: name }) as ProtocolError,
    );
  });
});

describe('the parameters of a call', () => {
  const read = (text: string, contentType?: string): Promise<unknown> =>
    bodyParams({ contentType, bytes: Buffer.from(text) }, new TimeSlice());

  test('are those of its body', async () => {
    const none = bodyParams(null, new TimeSlice());
    expect(await Promise.all([none, read(''), read('{}'), read('[1,"a",null]')])).toEqual([
      [],
      [],
      [],
      [1, 'a', null],
    ]);
    expect(await read('{"params":[[1]]}', 'application/x-www-form-urlencoded')).toEqual([[1]]);
    expect(await read('{"name":"x","params":[2],"__KEY":1}')).toEqual([2]);
  });

  test.each(['1', '"a"', '{"a":1}', '{"params":1}', '[1'])('are not %s', async (text) => {
    await expect(read(text)).rejects.toThrow(
      expect.objectContaining({ errorName: 'badBody' }) as ProtocolError,
    );
  });

  test('are those of the URL', () => {
    expect([urlParams(' '), urlParams(String.raw`["O\\u0027Reilly",1]`)]).toEqual([
      [],
      ["O'Reilly", 1],
    ]);
    for (const text of ['{}', '[1', '1']) {
      expect(() => urlParams(text)).toThrow(
        expect.objectContaining({ errorName: 'badParameters' }) as ProtocolError,
      );
    }
  });
});
