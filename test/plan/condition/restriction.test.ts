import { describe, expect, test } from 'vitest';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { Dataclass, Model } from '../../../src/model/types.ts';
import { allOf } from '../../../src/plan/condition/comparison.ts';
import { Aliases, Scope } from '../../../src/plan/condition/scope.ts';
import { countQuery } from '../../../src/plan/read/read.ts';
import {
  deleteRowsQuery,
  planCurrentRows,
  updateQuery,
} from '../../../src/plan/write/write-queries.ts';
import { bindParameter, listBinder } from '../../../src/run/convert/bind.ts';
import type { Dialect } from '../../../src/sql/dialect.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { readSnapshot, sampleModel, sampleSettings } from '../../fixtures/legacy/model.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';

const restrictions = { Department: "name != Old and code in ['A', null] or costCenter is null" };

async function department({ name }: Dialect): Promise<Dataclass> {
  const model = await sampleModel(readSnapshot(name), sampleSettings, restrictions);
  return findDataclass(model, 'Department');
}

const nothing = { values: [], claims: NOBODY.claims };

/** What the restriction's parameters are given, without the request's values: it has none. */
function values({ parameters }: Statement, dialect: Dialect): unknown[] {
  return parameters.flatMap((parameter) => {
    if (parameter.kind === 'parameter') return [bindParameter(parameter, nothing, dialect)];
    if (parameter.kind !== 'listItem') return [];
    return [listBinder(nothing, dialect)(parameter.list, parameter.index)];
  });
}

const printed = (dialect: Dialect, query: Parameters<Dialect['printWrite']>[0]): Statement => {
  const statement = dialect.printWrite(query);
  if (statement === null) throw new Error('nothing was printed');
  return statement;
};

/** A value in the code page of the column. */
const encoded = (at: number): string =>
  `CONVERT(varchar(8000), @p${at} COLLATE Latin1_General_100_CI_AS)`;

/** The condition over a table's columns, whose first parameter is the `at`-th. */
const conditions = {
  postgres: (table: string, at: number) =>
    `((LOWER(${table}."DEPT_NM") <> LOWER($${at}::"varchar")` +
    ` AND (LOWER(${table}."DEPT_CD") IN (SELECT LOWER(v) FROM unnest($${at + 1}::"bpchar"[]) v)` +
    ` OR ${table}."DEPT_CD" IS NULL)) OR ${table}."COST_CTR" IS NULL)`,
  tsql: (table: string, at: number) =>
    `((${table}."DEPT_NM" <> @p${at}` +
    ` AND ((${table}."DEPT_CD" IN (${[1, 2, 3].map((item) => encoded(at + item)).join(', ')})` +
    ` AND ${table}."DEPT_CD" IN (@p${at + 1}, @p${at + 2}, @p${at + 3}))` +
    ` OR ${table}."DEPT_CD" IS NULL)) OR ${table}."COST_CTR" IS NULL)`,
};

describe.each([
  {
    dialect: postgres,
    list: ['{"A"}'],
    target: 't0',
    meets: `COALESCE(${conditions.postgres('t0', 1)}, FALSE)`,
  },
  {
    dialect: tsql,
    list: ['A', 'A', 'A'],
    // A table that is changed is called by its own name.
    target: '"TBL_DEPT"',
    meets: `CAST(CASE WHEN ${conditions.tsql('t0', 1)} THEN 1 ELSE 0 END AS bit)`,
  },
])('the restriction of a dataclass for $dialect.name', ({ dialect, list, target, meets }) => {
  const condition = conditions[dialect.name];

  test('is part of what an update by key meets', async () => {
    const columns = (await department(dialect)).table.columns.filter(
      ({ name }) => name === 'HEAD_NO',
    );
    const assigned = columns.map(
      (column) => ({ column, type: column.type, from: 'cell' }) as const,
    );
    const query = updateQuery(await department(dialect), assigned, true, 'many', sampleSettings);
    const statement = printed(dialect, query);
    expect(statement.text).toContain(` AND (${condition(target, 2)})`);
    expect(values(statement, dialect)).toEqual(['Old', ...list]);
  });

  test('is part of what a delete by key meets', async () => {
    const query = deleteRowsQuery(await department(dialect), false, 'many', sampleSettings);
    const statement = printed(dialect, query);
    expect(statement.text).toContain(` AND (${condition(target, 2)})`);
    expect(values(statement, dialect)).toEqual(['Old', ...list]);
  });

  test('is part of how rows are looked for before a write', async () => {
    const dataclass = await department(dialect);
    const { query } = planCurrentRows(
      dataclass,
      dataclass.key,
      [],
      'update',
      'exact',
      sampleSettings,
    );
    const statement = dialect.print(query);
    expect(statement.text).toContain(` WHERE ${condition('t0', 2)} ORDER BY t0."DEPT_CD"`);
    expect(values(statement, dialect)).toEqual(['Old', ...list]);
  });

  test('can be asked of a row, which it tells no null of', async () => {
    const scope = Scope.root(await department(dialect), new Aliases());
    if (scope.restrictionInSubqueries === null) throw new Error('no restriction');
    const { text } = dialect.print({
      kind: 'select',
      outputs: [{ kind: 'meets', condition: scope.restrictionInSubqueries }],
      from: scope.source,
      joins: [],
      where: null,
      orderBy: [],
      window: null,
    });
    expect(text).toBe(`SELECT ${meets} FROM "HR"."TBL_DEPT" t0`);
  });

  test('takes each of its values up once, however often a table is opened', async () => {
    const dataclass = await department(dialect);
    const { source: from, restrictionInSubqueries: restriction } = Scope.root(
      dataclass,
      new Aliases(),
    );
    const where = allOf([restriction, restriction]);
    const statement = dialect.print({ kind: 'count', from, joins: [], where });
    expect(values(statement, dialect)).toEqual(['Old', ...list]);
  });
});

test.each([
  {
    dialect: postgres,
    count: 'COUNT',
    any: 'TRUE',
    compared: (column: string, operator: string, at: number) =>
      `LOWER(${column}) ${operator} LOWER($${at}::"varchar")`,
  },
  {
    dialect: tsql,
    count: 'COUNT_BIG',
    any: '1 = 1',
    compared: (column: string, operator: string, at: number) => `${column} ${operator} @p${at}`,
  },
])(
  'a restriction over relations stands by itself, or on joins, for $dialect.name',
  async ({ dialect, count, any, compared }) => {
    const model = await sampleModel(readSnapshot(dialect.name), sampleSettings, {
      Department: "not head.lastName = X or head = null or employees.employer.name != 'Y'",
    });
    const dataclass = findDataclass(model, 'Department');
    const employee = (alias: string, from: string): string => `"HR"."TBL_EMP" ${alias} ${from}`;
    const head = dataclass.members.get('head');
    if (head?.kind !== 'relatedEntity') throw new Error('no relation head');
    const isOutside =
      `EXISTS (SELECT 1 FROM ${employee('t3', 'LEFT JOIN "SALES"."CMP_MST" t4 ON t3."COMP_ID" = t4."CMP_ID"')}` +
      ` WHERE (t3."DEPT_CD" = t0."DEPT_CD" AND ${compared('t4."CMP_NM"', '<>', 2)}))`;
    const alone = Scope.root(dataclass, new Aliases());
    const { text } = dialect.print({
      kind: 'count',
      from: alone.source,
      joins: [],
      where: alone.restrictionInSubqueries,
    });
    expect(text).toBe(
      `SELECT ${count}(*) FROM "HR"."TBL_DEPT" t0 WHERE (` +
        `EXISTS (SELECT 1 FROM ${employee('t1', 'WHERE (t1."EMP_NO" = t0."HEAD_NO"')} AND NOT (${compared('t1."LAST_NM"', '=', 1)})))` +
        ` OR NOT (EXISTS (SELECT 1 FROM ${employee('t2', 'WHERE (t2."EMP_NO" = t0."HEAD_NO"')} AND ${any})))` +
        ` OR ${isOutside})`,
    );
    const scope = Scope.root(dataclass, new Aliases());
    const { restrictionByJoins: where } = scope;
    const { source } = scope.toOne(head);
    expect(source.alias).toBe('t1');
    const joined = dialect.print(countQuery(scope, where));
    expect(joined.text).toBe(
      `SELECT ${count}(*) FROM "HR"."TBL_DEPT" t0 LEFT JOIN ${employee('t1', 'ON t0."HEAD_NO" = t1."EMP_NO"')}` +
        ` WHERE (NOT (${compared('t1."LAST_NM"', '=', 1)})` +
        ` OR NOT (EXISTS (SELECT 1 FROM ${employee('t2', 'WHERE (t2."EMP_NO" = t0."HEAD_NO"')} AND ${any})))` +
        ` OR ${isOutside})`,
    );
  },
);

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
