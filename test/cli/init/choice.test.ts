import { expect, test } from 'vitest';
import { choiceProblems, columnProblems, tableChooser } from '../../../src/cli/init/choice.ts';
import { rulesSchema, type Rules } from '../../../src/cli/init/rules.ts';
import { qualifiedName } from '../../../src/schema/types.ts';
import { schemaOf, table } from './tables.ts';

const schema = schemaOf(
  ...['HR.EMP', 'HR.EMP_LOG', 'SALES.ORD_HDR', 'SALES.ORD_LOG', 'SALES.A+B', 'SALES.X.Y'].map(
    (name) => table(name, ['ID int']),
  ),
  table('SALES.V_ORD', ['ID int'], { kind: 'view' }),
);

const fold = (name: string): string => name;

test.each<[string, Partial<Rules>, string[]]>([
  ['a name in any schema and case', { tables: ['emp'] }, ['HR.EMP']],
  ['a schema in any case', { tables: ['hr.*'] }, ['HR.EMP', 'HR.EMP_LOG']],
  ['several globs', { tables: ['EMP', 'ORD?HDR'] }, ['HR.EMP', 'SALES.ORD_HDR']],
  ['signs of patterns as themselves', { tables: ['a+b', '[EMP]'] }, ['SALES.A+B']],
  ['a name with a dot', { tables: ['SALES.X.Y'] }, ['SALES.X.Y']],
  ['all but', { schemas: ['HR'], exclude: ['*_LOG'] }, ['HR.EMP']],
  ['no views', { tables: ['*ORD*'], views: false }, ['SALES.ORD_HDR', 'SALES.ORD_LOG']],
  ['the view', { tables: ['v_*'] }, ['SALES.V_ORD']],
])('%s', (_, rules, chosen) => {
  const isChosen = tableChooser(rulesSchema.parse(rules), fold);
  expect(schema.tables.filter(isChosen).map(qualifiedName)).toEqual(chosen);
});

test.each<[Partial<Rules>, string[]]>([
  [{ schemas: ['HR'], tables: ['EMP*'], exclude: ['*_log'] }, []],
  [
    { schemas: ['HRS'] },
    [
      'schemas: the database has no schema HRS with tables that the login may read. Did you mean HR?',
    ],
  ],
  [
    { tables: ['EMPS'], exclude: ['SALE.ORD_HDR*'] },
    [
      'tables: EMPS matches no table or view. Did you mean EMP?',
      'exclude: SALE.ORD_HDR* matches no table or view. Did you mean SALES.ORD_HDR, SALES.ORD_LOG?',
    ],
  ],
  [{ tables: ['EMP'], exclude: ['EMP'] }, ['tables: the choice leaves no table or view']],
])('%o', (rules, told) => {
  const problems = choiceProblems(rulesSchema.parse(rules), schema);
  expect(problems.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(told);
});

test.each<[Partial<Rules>, string[]]>([
  [{ stampColumns: ['REC_VER'], timestampColumns: ['MOD_TS', 'MOD_DT'] }, []],
  [
    { stampColumns: ['MOD_TS', 'REC_VR'], timestampColumns: ['ID'] },
    [
      'stampColumns: no table has a column MOD_TS of type integer. Known: ID, REC_VER.',
      'stampColumns: no table has a column REC_VR of type integer. Did you mean REC_VER?',
      'timestampColumns: no table has a column ID of type timestamp or date. Known: MOD_TS, MOD_DT.',
    ],
  ],
])('columns of %o', (rules, told) => {
  const problems = columnProblems(
    rulesSchema.parse(rules),
    schemaOf(
      table('HR.A', ['ID int', 'REC_VER int', 'MOD_TS timestamp']),
      table('HR.B', ['ID int', 'MOD_DT date']),
    ),
  );
  expect(problems.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(told);
});
