import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { ContentRequest } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';

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
