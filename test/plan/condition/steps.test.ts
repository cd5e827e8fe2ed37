import { expect, test } from 'vitest';
import { compareExactly } from '../../../src/plan/condition/comparison.ts';
import { planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { planSave } from '../../../src/plan/write/save.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { Operand } from '../../../src/sql/ir/ir.ts';
import {
  planning,
  readSnapshot,
  sampleModel,
  sampleSettings,
} from '../../fixtures/legacy/model.ts';
import { complaint } from '../../protocol/complaint.ts';
import { rows } from '../../rows.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const same = ['<', '<=', '>', '>=', '=', '<>'].map((operator) => `${operator} as it is`);
const rounded = ['< up', '<= down', '> down', '>= up', '= down and >= up', '< up or > down'];

test.each([
  [typeNamed('decimal', 38, 0), rounded],
  [typeNamed('int'), same],
])('comparisons round to the side that keeps them true: $kind', (type, expected) => {
  const left: Operand = { kind: 'column', alias: 't', name: 'c', type, nullable: true };
  const written = (['<', '<=', '>', '>=', '=', '<>'] as const).map((operator) => {
    const rounds: string[] = [];
    const condition = compareExactly(left, operator, type, (round) => {
      rounds.push(round ?? 'as it is');
      return { kind: 'true' };
    });
    const items =
      condition.kind === 'and' || condition.kind === 'or' ? condition.items : [condition];
    const parts = items.map((item, index) =>
      item.kind === 'compare' ? `${item.operator} ${rounds[index] ?? ''}` : item.kind,
    );
    return parts.join(` ${condition.kind} `);
  });
  expect(written).toEqual(expected);
});

const model = await sampleModel(readSnapshot('postgres'));

/** What a request comes to where paths may go over so many relations: its kind. */
function planned(url: string, maxExpandDepth: number): string {
  const limits = { ...sampleSettings.limits, maxExpandDepth };
  const context = planning(model, undefined, { limits });
  const { ast } = parseRequest(url, url.includes('atomic') ? 'POST' : 'GET');
  if (ast.kind === 'read') planRead(ast, context);
  else if (ast.kind === 'entitySet') planEntitySet(ast, context);
  else if (ast.kind === 'save') planSave(ast, context);
  else throw new Error(`${url} is ${ast.kind}`);
  return ast.kind;
}

test.each(rows`
  Employee?$attributes=employer.country.name                | employer.country.name      | $attributes
  Employee?$attributes=employer.country.*                   | employer.country           | $attributes
  Employee?$attributes=projects.staff.lastName              | projects.staff.lastName    | $attributes
  Employee?$method=entityset&$expand=employer.country       | employer.country           | $expand
  Employee?$asArray=true&$expand=employer.country.name      | employer.country.name      | $expand
  Employee?$filter=employer.country.name=1                  | employer.country.name      | $filter
  Employee?$method=entityset&$filter=projects.staff.lastName=a | projects.staff.lastName | $filter
  Employee?$filter=employer.country=null                    | employer.country           | $filter
  Employee?$orderby=employer.country.name                   | employer.country.name      | $orderby
  Employee?$atomic=true&$attributes=employer.country.name   | employer.country.name      | $attributes
  Employee(1)/employer/country                              | employer.country           | the path
`)('a path goes over as many relations as configured: %s', (url, path, within) => {
  expect(planned(`/rest/${url}`, 2)).toBeTypeOf('string');
  expect(complaint(() => planned(`/rest/${url}`, 1))).toEqual([
    'notApplicable',
    `${path} goes over more than 1 relation (at position 1 of ${within})`,
  ]);
});

test('the properties of an object are not relations', () => {
  expect(planned('/rest/Employee?$filter=extra.a.b.c=1&$orderby=extra.a.b', 1)).toBe('read');
});
