import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { TimeSlice } from '../../../src/base/time.ts';
import { defaultLimits } from '../../../src/base/limits.ts';
import type { CallRequest } from '../../../src/protocol/ast.ts';
import { bodyParams, urlParams } from '../../../src/protocol/body/body.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';

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
