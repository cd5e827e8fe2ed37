import { expect, test } from 'vitest';
import { initReport } from '../../../src/cli/init-report.ts';
import { planInit } from '../../../src/cli/init/plan.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import type { Table } from '../../../src/schema/types.ts';
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
    program: 'entitygate',
    dryRun: false,
  });
  return said.slice(said.indexOf('Withheld'), said.indexOf('Serve it'));
}

test('a report names what is withheld and what is to be looked at', async () => {
  expect(await report(table('dbo.A', ['TOKEN text', 'PWD text', 'EMAIL text', 'NAME text']))).toBe(
    `Withheld from clients, by "exposed: false":
  dbo.A, column PWD

Check these: clients see them, and their names suggest personal data, money or credentials:
  dbo.A, column TOKEN: its name sounds like a secret, and as part of the key it is shown in __KEY and in URIs
  dbo.A, column EMAIL

`,
  );
});

test('both lists are printed whole', async () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index);
  const said = await report(
    table('dbo.A', [
      'ID int',
      ...numbers.map((number) => `PWD_${number} text`),
      ...numbers.map((number) => `EMAIL_${number} text`),
    ]),
  );
  expect(said.match(/PWD_/g)).toHaveLength(60);
  expect(said.match(/EMAIL_/g)).toHaveLength(60);
  expect(said).not.toContain('more');
});

test('a report says it even where there is nothing', async () => {
  expect(await report(table('dbo.A', ['ID int']))).toBe(
    `Withheld from clients, by "exposed: false":
  none, judging by the names of columns

Check these: clients see them, and their names suggest personal data, money or credentials:
  none, judging by the names of columns

`,
  );
});
