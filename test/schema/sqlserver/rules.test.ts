import { describe, expect, test } from 'vitest';
import { readSqlServerSchema } from '../../../src/schema/sqlserver/introspect.ts';
import type { SqlServerSchemaRows } from '../../../src/schema/sqlserver/rows.ts';
import type { Table } from '../../../src/schema/types.ts';
import { parsed } from '../../rows.ts';
import { NO_ROWS } from './catalog-rows.ts';

/** The catalog of a table `HR.EMP` and a view `HR.V_EMP` of it, with the same three columns. */
function catalog(rows: Partial<SqlServerSchemaRows>): SqlServerSchemaRows {
  const columns = [10, 20].flatMap((table) =>
    ['QTY', 'od]d', 'LEN'].map((name, index) => [
      ...[table, index + 1, name, 56, 4, 10, 0, null, true, false, false, 0, 0],
      ...[null, false, false, null],
    ]),
  );
  return {
    ...NO_ROWS,
    schemas: [[1, 'HR']],
    tables: [
      [10, 1, 'EMP', 'U '],
      [20, 1, 'V_EMP', 'V '],
    ],
    types: [[56, 56, 'int', false]],
    columns,
    unmask: [[1]],
    ignoreCase: [[0]],
    ...rows,
  };
}

function read(rows: Partial<SqlServerSchemaRows>): Table[] {
  return [...readSqlServerSchema(catalog(rows)).tables];
}

describe('checks of SQL Server', () => {
  test.each<[string, string | null, number, readonly string[]]>([
    ['a column', '([QTY]>(0))', 0, ['QTY']],
    ['a bracket in a name', '([od]]d]>(0) OR [QTY]>(0))', 0, ['QTY', 'od]d']],
    ['a function that is called like a column', "(len([od]]d])>(0) AND N'[QTY]'<>'')", 0, ['od]d']],
    ['bare words', `((QTY > 0) AND ("od]d" <> 'LEN'))`, 0, ['QTY', 'od]d']],
    ['another case', '([qty]>(0))', 0, []],
    ['a definition that the login may not see', null, 1, ['QTY']],
    ['no column', '((1)=(1))', 0, []],
  ])('%s: %s', (_, definition, columnId, columns) => {
    const [table, view] = read({ checks: [[10, columnId, 'CK', definition]] });
    expect(table?.checks).toEqual([{ name: 'CK', columns }]);
    expect(view?.checks).toBeUndefined();
  });

  test('a list of values is that of its column, in the order of IN', () => {
    const definition = '([QTY]=(2) OR [QTY]=(1))';
    const [table] = read({ checks: [[10, 1, 'CK', definition]] });
    expect(table?.checks).toEqual([{ name: 'CK', columns: ['QTY'], values: ['1', '2'] }]);
    const [other] = read({ checks: [[10, 0, 'CK', `(${definition} AND [od]]d]>(0))`]] });
    expect(other?.checks).toEqual([{ name: 'CK', columns: ['QTY', 'od]d'] }]);
  });

  test('another case is the same name where the database ignores case', () => {
    const [table] = read({ checks: [[10, 0, 'CK', '([qty]>(0))']], ignoreCase: [[1]] });
    expect(table?.checks).toEqual([{ name: 'CK', columns: ['QTY'] }]);
  });
});

test('the changes that triggers stand in for are joined to their view', () => {
  const [table, view] = read({
    triggers: parsed('[[100, 20, 1], [101, 20, 1], [102, 999, 1], [103, 10, 0]]'),
    triggerEvents: parsed('[[101, 1], [100, 3], [100, 2], [102, 1], [103, 2], [555, 1]]'),
  });
  expect(view?.instead).toEqual(['insert', 'update', 'delete']);
  expect(table?.instead).toBeUndefined();
  expect([view?.updatesMore, table?.updatesMore]).toEqual([true, true]);
});

describe('what a view makes of others (learn: sys-dm-exec-describe-first-result-set-transact-sql)', () => {
  const computed = (rows: Partial<SqlServerSchemaRows>): readonly unknown[] =>
    read(rows)[1]?.columns.map((column) => column.computed) ?? [];
  const derivedColumns = [[20, 3]];

  test('is computed', () => {
    expect(computed({ derivedColumns })).toEqual([false, false, true]);
  });

  test('is not where a trigger may take a value for it', () => {
    const trigger = (type: number): Partial<SqlServerSchemaRows> => ({
      derivedColumns,
      triggers: [[100, 20, 1]],
      triggerEvents: [[100, type]],
    });
    expect(computed(trigger(2))).toEqual([false, false, false]);
    expect(computed(trigger(1))).toEqual([false, false, true]);
  });

  test('is not known where no column is that of a table, as in a union', () => {
    const all = [1, 2, 3].map((column) => [20, column]);
    expect(computed({ derivedColumns: all })).toEqual([false, false, false]);
  });
});

describe('what OUTPUT cannot tell of (learn: output-clause-transact-sql)', () => {
  const changesOf = (rows: Partial<SqlServerSchemaRows>): readonly unknown[] =>
    read(rows).map(({ instead }) => instead);

  test('is each change of a view that is a union, such as a partitioned one', () => {
    expect(changesOf({ compound: [[20, 1]] })).toEqual([undefined, ['insert', 'update', 'delete']]);
  });

  test('is a change of existing rows of a view whose key may be a subquery', () => {
    expect(changesOf({ compound: [[20, 0]] })).toEqual([undefined, ['update', 'delete']]);
    expect(
      changesOf({ compound: [[20, 0]], triggers: [[100, 20, 1]], triggerEvents: [[100, 1]] }),
    ).toEqual([undefined, ['insert', 'update', 'delete']]);
  });

  test('is none of a program', () => {
    expect(changesOf({ compound: [[555, 1]] })).toEqual([undefined, undefined]);
  });
});
