import { expect, test } from 'vitest';
import { planSlicedRead } from '../../src/plan/read/read.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };

test.each([
  [
    'postgres',
    postgresDialect(settings, { version: 17 }),
    ['t0."CURR_CD" = $1::"bpchar" AND t0."RATE_DT" > $2::"date"', 't0."CURR_CD" > $1::"bpchar"'],
  ],
  [
    'tsql',
    tsqlDialect(settings),
    // In the code page alone, as the rows are in order: Unicode may tell apart what it does not.
    [
      't0."CURR_CD" = CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS) AND t0."RATE_DT" > CONVERT(date, @p2, 23)',
      't0."CURR_CD" > CONVERT(varchar(8000), @p1 COLLATE Latin1_General_100_CI_AS)',
    ],
  ],
] as const)('what is behind the last row, in %s', async (name, dialect, conditions) => {
  const model = await sampleModel(readSnapshot(name));
  const { ast } = parseRequest('/rest/ExchangeRate');
  if (ast.kind !== 'read') throw new Error('not a read');
  const statements = planSlicedRead(ast, planning(model, dialect))?.behind([false, false]);
  const found = statements?.map(({ text }) => /WHERE \(\((.*)\)\)\s+ORDER BY/s.exec(text)?.[1]);
  expect(found).toEqual(conditions);
});
