import { expect, test } from 'vitest';
import { initReport } from '../../src/cli/init-report.ts';
import { planInit } from '../../src/init/plan.ts';
import { rulesSchema } from '../../src/init/rules.ts';
import type { Table } from '../../src/schema/types.ts';
import { schemaOf, table } from './tables.ts';

/** What a first run reports of the exposure of tables. */
async function report(...tables: readonly Table[]): Promise<string> {
  const plan = await planInit(
    {
      schema: schemaOf(...tables),
      files: [],
      prior: null,
      rules: rulesSchema.parse({}),
      restore: false,
    },
    '/out/mappings',
    { ignoreCase: false, readOnly: false, requireStamp: true },
  );
  const said = initReport(plan, {
    version: 'PostgreSQL',
    dialect: 'postgres',
    besides: [],
    config: '/out/config.yaml',
    mappings: '/out/mappings',
    variables: [],
    dryRun: false,
  });
  return said.slice(said.indexOf('Withheld'), said.indexOf('Serve it'));
}

test('a report names what is withheld and what is to be looked at', async () => {
  expect(await report(table('dbo.A', ['TOKEN text', 'PWD text', 'EMAIL text', 'NAME text']))).toBe(
    `Withheld from clients, by "exposed: false":
  dbo.A, column TOKEN
  dbo.A, column PWD

Look at these; clients see them, and their names tell of people, money or ways in:
  dbo.A, column TOKEN: it is part of the key, which clients see
  dbo.A, column EMAIL

`,
  );
});

test('a report says it even where there is nothing', async () => {
  expect(await report(table('dbo.A', ['ID int']))).toBe(
    `Withheld from clients, by "exposed: false":
  nothing, by the names of columns

Look at these; clients see them, and their names tell of people, money or ways in:
  nothing, by the names of columns

`,
  );
});
