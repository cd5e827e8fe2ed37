import { describe, expect, test } from 'vitest';
import type { Explain, RequestAst } from '../../src/protocol/ast.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import type { Verb } from '../../src/protocol/rest-request.ts';
import { complaint } from './complaint.ts';

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
