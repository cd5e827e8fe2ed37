import { describe, expect, test } from 'vitest';
import { readSqlServerSchema } from '../../src/schema/sqlserver.ts';
import type { SqlServerSchemaRows } from '../../src/schema/sqlserver-rows.ts';

/** What SQL Server's catalog views answer for a table of types that Babelfish does not have, or has otherwise. */
const rows: SqlServerSchemaRows = {
  schemas: [[1, 'dbo']],
  tables: [[100, 1, 'thing', 'U ']],
  types: [
    [231, 231, 'nvarchar'],
    [42, 42, 'datetime2'],
    [256, 231, 'sysname'],
    [128, 240, 'hierarchyid'],
    [129, 240, 'geometry'],
    [260, 231, 'PhoneNo'],
  ],
  columns: [
    [100, 1, 'name', 256, 256, 0, 0, 'Latin1_General_CI_AS', false, false, false, 0, 0],
    [100, 2, 'phone', 260, 40, 0, 0, 'Latin1_General_CI_AS', true, false, false, 0, 0],
    [100, 3, 'node', 128, 892, 0, 0, null, true, false, false, 0, 0],
    [100, 4, 'shape', 129, -1, 0, 0, null, true, false, false, 0, 0],
    [100, 5, 'valid_from', 42, 8, 27, 7, null, false, false, false, 0, 1],
  ],
  indexes: [],
  indexColumns: [],
  foreignKeys: [],
  foreignKeyColumns: [],
  checks: [],
  insteadTriggers: [],
  triggerEvents: [],
  ignoreCase: [[1]],
};

describe('a schema of SQL Server', () => {
  const columns = readSqlServerSchema(rows).tables[0]?.columns ?? [];

  test('knows the types behind sysname and aliases, and CLR types by their names', () => {
    const text = {
      kind: 'text',
      padded: false,
      collation: 'Latin1_General_CI_AS',
    };
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['name', { ...text, maxLength: 128, native: 'nvarchar(128)' }],
      ['phone', { ...text, maxLength: 20, native: 'nvarchar(20)' }],
      ['node', { kind: 'opaque', native: 'hierarchyid' }],
      ['shape', { kind: 'opaque', native: 'geometry' }],
      ['valid_from', { kind: 'timestamp', zoned: false, native: 'datetime2(7)' }],
    ]);
  });

  test('takes the period of a temporal table for computed', () => {
    expect(columns.map(({ computed }) => computed)).toEqual([false, false, false, false, true]);
  });
});
