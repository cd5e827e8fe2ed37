import { expect, test } from 'vitest';
import { initReport } from '../../../src/cli/init-report.ts';
import { choiceProblems, columnProblems, tableChooser } from '../../../src/cli/init/choice.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import { qualifiedName, type Table } from '../../../src/schema/types.ts';
import { planned, schemaIn, schemaOf, table } from './tables.ts';
import { parsed, rows } from '../../rows.ts';

const schema = schemaOf(
  ...['HR.EMP', 'HR.EMP_LOG', 'SALES.ORD_HDR', 'SALES.ORD_LOG', 'SALES.A+B', 'SALES.X.Y'].map(
    (name) => table(name, ['ID int']),
  ),
  table('SALES.V_ORD', ['ID int'], { kind: 'view' }),
);

const fold = (name: string): string => name;

test.each(rows`
  {tables: [emp]}                   | HR.EMP
  {tables: ['hr.*']}                | HR.EMP | HR.EMP_LOG
  {tables: [EMP, 'ORD?HDR']}        | HR.EMP | SALES.ORD_HDR
  {tables: [a+b, '[EMP]']}          | SALES.A+B
  {tables: [SALES.X.Y]}             | SALES.X.Y
  {schemas: [HR], exclude: ['*_LOG']} | HR.EMP
  {tables: ['*ORD*'], views: false} | SALES.ORD_HDR | SALES.ORD_LOG
  {tables: ['v_*']}                 | SALES.V_ORD
`)('%s chooses', (rules, ...chosen) => {
  const isChosen = tableChooser(rulesSchema.parse(parsed(rules)), fold);
  expect(schema.tables.filter(isChosen).map(qualifiedName)).toEqual(chosen);
});

test.each(rows`
  {schemas: [HR], tables: [EMP*], exclude: ['*_log']}
  {schemas: [HRS]} | schemas: the database has no schema HRS with tables that the login may read. Did you mean HR?
  {tables: [EMPS], exclude: [SALE.ORD_HDR*]} | tables: EMPS matches no table or view. Did you mean EMP?
    | exclude: SALE.ORD_HDR* matches no table or view. Did you mean SALES.ORD_HDR, SALES.ORD_LOG?
  {tables: [EMP], exclude: [EMP]} | tables: the choice leaves no table or view
`)('%o', (rules, ...told) => {
  const problems = choiceProblems(rulesSchema.parse(parsed(rules)), schema);
  expect(problems.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(told);
});

test.each(rows`
  {stampColumns: [REC_VER], timestampColumns: [MOD_TS, MOD_DT]}
  {stampColumns: [MOD_TS, REC_VR], timestampColumns: [ID]} | stampColumns: no table has a column MOD_TS of type integer. Known: ID, REC_VER.
    | stampColumns: no table has a column REC_VR of type integer. Did you mean REC_VER?
    | timestampColumns: no table has a column ID of type timestamp or date. Known: MOD_TS, MOD_DT.
`)('columns of %o', (rules, ...told) => {
  const problems = columnProblems(
    rulesSchema.parse(parsed(rules)),
    schemaIn`
      HR.A | ID int | REC_VER int | MOD_TS timestamp
      HR.B | ID int | MOD_DT date
    `,
  );
  expect(problems.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(told);
});

/** What a first run reports of the exposure of tables. */
async function report(...tables: readonly Table[]): Promise<string> {
  const said = initReport(await planned({ schema: schemaOf(...tables) }), {
    ...{ version: 'PostgreSQL', dialect: 'postgres', besides: [], variables: [] },
    ...{ config: '/out/config.yaml', mappings: '/out/mappings' },
    ...{ program: 'entitygate', dryRun: false },
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
  const columns = numbers.flatMap((number) => [`PWD_${number} text`, `EMAIL_${number} text`]);
  const said = await report(table('dbo.A', ['ID int', ...columns]));
  expect([said.match(/PWD_/g)?.length, said.match(/EMAIL_/g)?.length]).toEqual([60, 60]);
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
