import { describe, expect, test } from 'vitest';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { Model } from '../../../src/model/types.ts';
import { allOf } from '../../../src/plan/condition/comparison.ts';
import { Aliases, Scope } from '../../../src/plan/condition/scope.ts';
import { countQuery } from '../../../src/plan/read/read.ts';
import {
  deleteRowsQuery,
  planCurrentRows,
  updateQuery,
} from '../../../src/plan/write/write-queries.ts';
import { bindParameter, listBinder } from '../../../src/run/convert/bind.ts';
import type { WriteQuery } from '../../../src/sql/ir/ir.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../fixtures/legacy/model.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';
import { rows } from '../../rows.ts';

const nothing = { values: [], claims: NOBODY.claims };

/** What the restriction's parameters are given, without the request's values: it has none. */
function values({ parameters }: Statement): unknown[] {
  return parameters.flatMap((parameter) => {
    if (parameter.kind === 'parameter') return [bindParameter(parameter, nothing, tsql)];
    if (parameter.kind !== 'listItem') return [];
    return [listBinder(nothing, tsql)(parameter.list, parameter.index)];
  });
}

/** A value in the code page of the column. */
const encoded = (at: number): string =>
  `CONVERT(varchar(8000), @p${at} COLLATE Latin1_General_100_CI_AS)`;

/** The condition over a table's columns, whose first parameter is the `at`-th. */
const condition = (table: string, at: number): string =>
  `((${table}."DEPT_NM" <> @p${at}` +
  ` AND ((${table}."DEPT_CD" IN (${[1, 2, 3].map((item) => encoded(at + item)).join(', ')})` +
  ` AND ${table}."DEPT_CD" IN (@p${at + 1}, @p${at + 2}, @p${at + 3}))` +
  ` OR ${table}."DEPT_CD" IS NULL)) OR ${table}."COST_CTR" IS NULL)`;

describe('the restriction of a dataclass in T-SQL, whose values are taken up once', async () => {
  const model = await sampleModel(readSnapshot('tsql'), sampleSettings, {
    Department: "name != Old and code in ['A', null] or costCenter is null",
  });
  const dataclass = findDataclass(model, 'Department');
  const written = (query: WriteQuery): Statement => {
    const statement = tsql.printWrite(query);
    if (statement === null) throw new Error('nothing was printed');
    return statement;
  };
  const { key } = dataclass;
  const current = planCurrentRows(dataclass, key, [], 'update', 'exact', sampleSettings).query;
  const { source: from, restrictionInSubqueries } = Scope.root(dataclass, new Aliases());
  const heads = dataclass.table.columns.filter(({ name }) => name === 'HEAD_NO');
  const assigned = heads.map((column) => ({ column, type: column.type, from: 'cell' }) as const);

  const twice = allOf([restrictionInSubqueries, restrictionInSubqueries]);
  const update = written(updateQuery(dataclass, assigned, true, 'many', sampleSettings));
  const deletion = written(deleteRowsQuery(dataclass, false, 'many', sampleSettings));
  const count = tsql.print({ kind: 'count', from, joins: [], where: twice });
  // A table that is changed is called by its own name.
  const byKey = ` AND (${condition('"TBL_DEPT"', 2)})`;

  test.each([
    ['an update by key', update, byKey],
    ['a delete by key', deletion, byKey],
    [
      'a look at rows before a write',
      tsql.print(current),
      ` WHERE ${condition('t0', 2)} ORDER BY t0."DEPT_CD"`,
    ],
    ['a table that is opened twice', count, condition('t0', 1)],
  ])('is part of %s', (_, statement, part) => {
    expect(statement.text).toContain(part);
    expect(values(statement)).toEqual(['Old', 'A', 'A', 'A']);
  });

  test('can be asked of a row, which it tells no null of', () => {
    if (restrictionInSubqueries === null) throw new Error('no restriction');
    const outputs = [{ kind: 'meets', condition: restrictionInSubqueries } as const];
    const { text } = tsql.print({
      ...{ kind: 'select', outputs, from, joins: [], where: null, orderBy: [], window: null },
    });
    expect(text).toBe(
      `SELECT CAST(CASE WHEN ${condition('t0', 1)} THEN 1 ELSE 0 END AS bit) FROM "HR"."TBL_DEPT" t0`,
    );
  });
});

// Rows are looked for with it before: over HTTP it shows only where one changes in between.
test('the restriction is part of what PostgreSQL updates and deletes by key, too', async () => {
  const model = await sampleModel(readSnapshot('postgres'), sampleSettings, {
    Department: 'name != Old or costCenter is null',
  });
  const dataclass = findDataclass(model, 'Department');
  const heads = dataclass.table.columns.filter(({ name }) => name === 'HEAD_NO');
  const assigned = heads.map((column) => ({ column, type: column.type, from: 'cell' }) as const);
  for (const query of [
    updateQuery(dataclass, assigned, true, 'many', sampleSettings),
    deleteRowsQuery(dataclass, false, 'many', sampleSettings),
  ]) {
    expect(postgres.printWrite(query)?.text).toContain(
      ' AND ((LOWER(t0."DEPT_NM") <> LOWER($2::"varchar") OR t0."COST_CTR" IS NULL))',
    );
  }
});

test('a restriction over relations stands by itself, or on joins', async () => {
  const model = await sampleModel(readSnapshot('tsql'), sampleSettings, {
    Department: "not head.lastName = X or head = null or employees.employer.name != 'Y'",
  });
  const dataclass = findDataclass(model, 'Department');
  const employee = (alias: string, from: string): string => `"HR"."TBL_EMP" ${alias} ${from}`;
  const head = dataclass.members.get('head');
  if (head?.kind !== 'relatedEntity') throw new Error('no relation head');
  const hasNoHead = `NOT (EXISTS (SELECT 1 FROM ${employee('t2', 'WHERE (t2."EMP_NO" = t0."HEAD_NO"')} AND 1 = 1)))`;
  const isOutside =
    `EXISTS (SELECT 1 FROM ${employee('t3', 'LEFT JOIN "SALES"."CMP_MST" t4 ON t3."COMP_ID" = t4."CMP_ID"')}` +
    ` WHERE (t3."DEPT_CD" = t0."DEPT_CD" AND t4."CMP_NM" <> @p2))`;
  const alone = Scope.root(dataclass, new Aliases());
  expect(tsql.print(countQuery(alone, alone.restrictionInSubqueries)).text).toBe(
    'SELECT COUNT_BIG(*) FROM "HR"."TBL_DEPT" t0 WHERE (' +
      `EXISTS (SELECT 1 FROM ${employee('t1', 'WHERE (t1."EMP_NO" = t0."HEAD_NO"')} AND NOT (t1."LAST_NM" = @p1)))` +
      ` OR ${hasNoHead} OR ${isOutside})`,
  );
  const scope = Scope.root(dataclass, new Aliases());
  const { restrictionByJoins: where } = scope;
  expect(scope.toOne(head).source.alias).toBe('t1');
  expect(tsql.print(countQuery(scope, where)).text).toBe(
    `SELECT COUNT_BIG(*) FROM "HR"."TBL_DEPT" t0 LEFT JOIN ${employee('t1', 'ON t0."HEAD_NO" = t1."EMP_NO"')}` +
      ` WHERE (NOT (t1."LAST_NM" = @p1) OR ${hasNoHead} OR ${isOutside})`,
  );
});

const ofHead = '(SELECT 1 FROM "HR"."TBL_EMP" t1 WHERE (t1."EMP_NO" = t0."HEAD_NO" AND';
const hasHead = `EXISTS ${ofHead} 1 = 1))`;
const manager =
  'EXISTS (SELECT 1 FROM "HR"."TBL_EMP" t2 WHERE (t2."EMP_NO" = t1."MGR_NO" AND 1 = 1))';

// Where a relation to one leads to nothing, what is behind it is null.
test.each(rows`
  head.manager = null           | EXISTS ${ofHead} NOT (${manager}))) OR NOT (${hasHead.replaceAll('t1', 't3')})
  not head.manager = null       | EXISTS ${ofHead} ${manager}))
  not head.lastName in []        | EXISTS ${ofHead} NOT (1 = 0))) OR NOT (${hasHead.replaceAll('t1', 't2')})
  head.lastName in []            | EXISTS ${ofHead} 1 = 0))
`)('%s is met, or not, where there is no head', async (text, where) => {
  const restrictions = { Department: text };
  const model = await sampleModel(readSnapshot('tsql'), sampleSettings, restrictions);
  const alone = Scope.root(findDataclass(model, 'Department'), new Aliases());
  const printed = tsql.print(countQuery(alone, alone.restrictionInSubqueries)).text;
  const [, found = ''] = printed.split(/t0 WHERE (.*)/);
  expect(found.replace(/^\((.* OR .*)\)$/, '$1')).toBe(where);
});

test('what restrictions go over is not counted as what a request goes over', async () => {
  const modelOf = async (comparisons: number): Promise<Model> => {
    const where = Array.from({ length: comparisons }, () => "employees.employer.name != 'Y'");
    return sampleModel(readSnapshot('postgres'), sampleSettings, {
      Department: where.join(' or '),
    });
  };
  const dataclass = findDataclass(await modelOf(60), 'Department');
  const scope = Scope.root(dataclass, new Aliases());
  expect(JSON.stringify(scope.restrictionByJoins).match(/"exists"/g)).toHaveLength(60);
  for (let at = 0; at < 99; at++) Scope.root(dataclass, scope.aliases);
  expect(() => Scope.root(dataclass, scope.aliases)).toThrow(
    'The request walks over more than 100 relations at once.',
  );
  await expect(modelOf(201)).rejects.toThrow(
    'The filters of what you may see walk over more than 400 relations at once.',
  );
});

test('what is computed of a row is guarded by the row itself, whatever the statement joins', async () => {
  const model = await sampleModel(readSnapshot('tsql'), sampleSettings, {
    Employee: 'employer.name = Acme',
  });
  const dataclass = findDataclass(model, 'Employee');
  const scope = Scope.root(dataclass, new Aliases());
  const { restrictionByJoins } = scope;
  expect(scope.joins.map(({ table }) => table.alias)).toEqual(['t1']);
  const [key] = scope.dataclass.key;
  if (key === undefined) throw new Error('Employee has no key');
  const { guard } = scope.column({ ...key.column, name: '\0inverse', expression: ['1 / 0'] });
  expect(JSON.stringify(restrictionByJoins)).toContain('"alias":"t1"');
  expect(JSON.stringify(guard)).not.toContain('"alias":"t1"');
  expect(guard).toMatchObject({ kind: 'exists', from: { alias: 't2' } });
});
