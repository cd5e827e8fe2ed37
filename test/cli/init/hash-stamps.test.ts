import { expect, test } from 'vitest';
import { hashStamps } from '../../../src/cli/init-report.ts';
import { planInit } from '../../../src/cli/init/plan.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import type { Table } from '../../../src/schema/types.ts';
import { schemaOf, table } from './tables.ts';

/** What a first run says of the stamps of tables. */
async function said(dialect: 'postgres' | 'tsql', ...tables: readonly Table[]): Promise<string[]> {
  const input = {
    schema: schemaOf(...tables),
    files: [],
    prior: null,
    rules: rulesSchema.parse({}),
    restore: false,
  };
  const plan = await planInit(input, '/out/mappings', {
    ignoreCase: false,
    readOnly: false,
    requireStamp: true,
  });
  return hashStamps(plan, dialect);
}

const columns = ['ID int', 'NAME text', 'PHOTO binary', 'AGE int'];
const plain = table('dbo.EMP', columns, { rowVersion: null });
const employees: Table = {
  ...plain,
  columns: plain.columns.map((column) => ({
    ...column,
    ...(column.name === 'PHOTO' ? { large: true as const } : {}),
    computed: column.name === 'AGE',
  })),
};

test('what a hash costs and does not see is told, and on SQL Server what would spare it', async () => {
  expect(await said('tsql', employees)).toEqual([
    'Emp: 2 columns of dbo.EMP, not of PHOTO, AGE. To avoid it: ALTER TABLE [dbo].[EMP] ADD ROW_VER rowversion, and ' +
      '"stamp: { rowversion: ROW_VER }" in the file',
  ]);
  expect(await said('postgres', employees)).toEqual([
    'Emp: 2 columns of dbo.EMP, not of PHOTO, AGE',
  ]);
  expect(await said('tsql', { ...employees, kind: 'view' })).toEqual([
    'Emp: 2 columns of dbo.EMP, not of PHOTO, AGE',
  ]);
});

test('what has no key has no writers', async () => {
  expect(await said('tsql', { ...employees, kind: 'view', primaryKey: [] })).toEqual([]);
});

test('the statement takes names with blanks and brackets', async () => {
  expect(await said('tsql', { ...employees, name: 'Order [Details]' })).toEqual([
    'OrderDetail: 2 columns of dbo.Order [Details], not of PHOTO, AGE. To avoid it: ' +
      'ALTER TABLE [dbo].[Order [Details]]] ADD ROW_VER rowversion, and "stamp: { rowversion: ROW_VER }" in the file',
  ]);
});

test('of what is not seen a few are named', async () => {
  const wide = table('dbo.W', ['ID int', ...'ABCDEF'.split('').map((name) => `${name} int`)]);
  const computed = wide.columns.map((column) => ({ ...column, computed: column.name !== 'ID' }));
  expect(await said('postgres', { ...wide, rowVersion: null, columns: computed })).toEqual([
    'W: 1 column of dbo.W, not of A, B, C, D, E and others',
  ]);
});

test('a stamp of the engine costs nothing', async () => {
  expect(await said('tsql', table('dbo.EMP', columns))).toEqual([]);
});
