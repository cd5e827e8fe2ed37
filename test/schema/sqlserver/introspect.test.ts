import { describe, expect, test } from 'vitest';
import { readSqlServerSchema } from '../../../src/schema/sqlserver/introspect.ts';
import type { SqlServerSchemaRows } from '../../../src/schema/sqlserver/rows.ts';
import { parsed } from '../../rows.ts';
import { NO_ROWS } from './catalog-rows.ts';

/** What the catalog says at the end of a column that is neither encrypted, masked nor a column set. */
const plain = [null, false, false, null];

/** What SQL Server's catalog views answer for a table of types that Babelfish does not have, or has otherwise. */
const rows: SqlServerSchemaRows = {
  ...NO_ROWS,
  ...parsed(`
    schemas: [[1, dbo]]
    tables: [[100, 1, thing, 'U ']]
    types: [[231, 231, nvarchar], [42, 42, datetime2], [256, 231, sysname], [128, 240, hierarchyid], [129, 240, geometry], [260, 231, PhoneNo]]
  `),
  columns: [
    [100, 1, 'name', 256, 256, 0, 0, 'Latin1_General_CI_AS', false, false, false, 0, 0, ...plain],
    [100, 2, 'phone', 260, 40, 0, 0, 'Latin1_General_CI_AS', true, false, false, 0, 0, ...plain],
    [100, 3, 'node', 128, 892, 0, 0, null, true, false, false, 0, 0, ...plain],
    [100, 4, 'shape', 129, -1, 0, 0, null, true, false, false, 0, 0, ...plain],
    [100, 5, 'valid_from', 42, 8, 27, 7, null, false, false, false, 0, 1, ...plain],
  ],
  unmask: [[0]],
  ignoreCase: [[1]],
};

describe('a schema of SQL Server', () => {
  const columns = readSqlServerSchema(rows).tables[0]?.columns ?? [];

  test('knows the types behind sysname and aliases, and CLR types by their names', () => {
    const text = { kind: 'text', padded: false, collation: 'Latin1_General_CI_AS' };
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['name', { ...text, maxLength: 128, native: 'nvarchar(128)' }],
      ['phone', { ...text, maxLength: 20, native: 'nvarchar(20)' }],
      ['node', { kind: 'opaque', native: 'hierarchyid' }],
      ['shape', { kind: 'opaque', native: 'geometry' }],
      ['valid_from', { kind: 'timestamp', zoned: false, native: 'datetime2(7)' }],
    ]);
  });

  test('has the descriptions of tables and columns, each of its own', () => {
    const descriptions = [
      [100, 0, 'Things'],
      [100, 2, ' Where to call '],
      [100, 3, ''],
      [100, 4, null],
      [7, 1, 'Of another object'],
    ] as const;
    const [table] = readSqlServerSchema({ ...rows, descriptions }).tables;
    expect(table?.description).toBe('Things');
    expect(table?.columns.map(({ description }) => description)).toEqual([
      undefined,
      'Where to call',
      ...[undefined, undefined, undefined],
    ]);
  });

  test('takes the period of a temporal table for computed', () => {
    expect(columns.map(({ computed }) => computed)).toEqual([false, false, false, false, true]);
  });
});

/** A table of a key and of columns that the catalog says something else of. */
const odd: SqlServerSchemaRows = {
  ...rows,
  ...parsed(`
    deniedColumns: [[100, 7]]
    indexes: [[100, 1, PK, true, true, false], [100, 2, UX, true, false, false]]
    indexColumns: [[100, 1, 1, 1], [100, 2, 8, 1], [100, 2, 2, 2]]
    foreignKeys: [[900, FK_A, 0], [901, FK_B, 1], [902, FK_C, 0]]
    foreignKeyColumns: [[900, 1, 100, 8, 100, 1], [901, 1, 100, 8, 100, 1], [902, 1, 100, 8, 100, 1], [902, 2, 100, 7, 100, 7]]
  `),
  columns: [
    [100, 1, 'id', 231, 20, 0, 0, null, false, false, false, 0, 0, ...plain],
    [100, 2, 'ssn', 231, 20, 0, 0, null, true, false, false, 0, 0, 1, false, false, null],
    [100, 3, 'email', 231, 20, 0, 0, null, true, false, false, 0, 0, null, true, false, null],
    [100, 4, 'all_sparse', 231, 20, 0, 0, null, true, false, false, 0, 0, null, false, true, null],
    [100, 5, 'graph_id_1', 231, 20, 0, 0, null, true, false, false, 0, 0, null, false, false, 1],
    [100, 6, '$node_id', 231, 20, 0, 0, null, true, false, true, 0, 0, null, false, false, 2],
    [100, 7, 'salary', 231, 20, 0, 0, null, true, false, false, 0, 0, ...plain],
    [100, 8, 'parent', 231, 20, 0, 0, null, true, false, false, 0, 0, ...plain],
  ],
};

describe('https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-columns-transact-sql', () => {
  const [table] = readSqlServerSchema(odd).tables;

  test('encrypted columns, column sets, internal ones of graphs and those that the login may not read are left out', () => {
    expect(table?.columns.map(({ name }) => name)).toEqual(['id', 'email', '$node_id', 'parent']);
    expect(table?.leftOut).toEqual([
      { name: 'ssn', why: 'it is encrypted (Always Encrypted), and the keys are not here' },
      { name: 'all_sparse', why: 'it is the column set of columns that are there themselves' },
      { name: 'graph_id_1', why: 'it is internal to a graph table' },
      { name: 'salary', why: 'the login may not read it' },
    ]);
  });

  test('what is unique, or refers, with such a column does neither without it', () => {
    expect(table?.indexes).toEqual([{ name: 'PK', unique: true, columns: ['id'] }]);
    // A foreign key that is disabled or not trusted vouches for nothing (learn: sys-foreign-keys).
    expect(table?.foreignKeys.map(({ name, unenforced }) => [name, unenforced])).toEqual([
      ['FK_A', undefined],
      ['FK_B', true],
    ]);
  });

  test('a masked column is told of, unless the login sees through masks', () => {
    expect(table?.notes).toEqual([
      'column email is masked for the login: clients see the mask, and a stamp of the kind hash does not see the column change. ' +
        'GRANT UNMASK to the login, or leave the column out',
    ]);
    expect(readSqlServerSchema({ ...odd, unmask: [[1]] }).tables[0]?.notes).toBeUndefined();
  });
});

describe('https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-tables-transact-sql', () => {
  const of = (...row: readonly unknown[]): unknown => {
    const [table] = readSqlServerSchema({ ...rows, tableKinds: [row] }).tables;
    return [table?.readOnly, table?.unlockable, table?.notes];
  };

  test('the history of a system-versioned table takes no changes, a table in memory knows no locks', () => {
    expect(of(100, 1, false, false)).toEqual([true, undefined, undefined]);
    expect(of(100, 0, true, true)).toEqual([undefined, true, undefined]);
    // Without the setting of the database that it needs.
    expect(of(100, 0, true, false)).toEqual([
      undefined,
      true,
      [
        'it is memory-optimized, and cannot be written to while the database lacks a setting (error 41368): ' +
          'ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON',
      ],
    ]);
    // A table whose columns are all left out.
    expect(of(999, 1, false, false)).toEqual([undefined, undefined, undefined]);
  });
});

test('GUIDs that the database makes one behind the other are known (learn: newsequentialid-transact-sql)', () => {
  const [table] = readSqlServerSchema({ ...rows, sequentialDefaults: [[100, 2]] }).tables;
  expect(
    table?.columns.flatMap(({ name, sequentialGuids }) => (sequentialGuids ? name : [])),
  ).toEqual(['phone']);
});
