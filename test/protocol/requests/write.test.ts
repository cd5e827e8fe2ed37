import { describe, expect, test } from 'vitest';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';
import { complaint } from '../complaint.ts';
import { rows } from '../../rows.ts';

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
