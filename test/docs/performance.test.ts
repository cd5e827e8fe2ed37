import { expect, it } from 'vitest';
import { sqlServerSchemaQueries } from '../../src/schema/sqlserver/rows.ts';
import { read } from './markdown.ts';

it('docs/reference/performance.md tells how many statements read a schema on SQL Server', () => {
  const [, number] = /(\d+) on SQL Server/.exec(read('docs/reference/performance.md')) ?? [];
  expect(Number(number)).toBe(Object.keys(sqlServerSchemaQueries).length);
});
