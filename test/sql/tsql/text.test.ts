import { expect, test } from 'vitest';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { OrderTerm } from '../../../src/sql/ir/ir.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { opaqueText } from '../../../src/sql/tsql/text.ts';

const base = 'CONVERT(nvarchar(128), SQL_VARIANT_PROPERTY(t0."v", \'BaseType\'))';

test.each([
  ['geometry', 't0."v".AsTextZM()'],
  ['geography', 't0."v".AsTextZM()'],
  ['hierarchyid', 't0."v".ToString()'],
  ['xml', 'CONVERT(nvarchar(max), t0."v")'],
  [
    'sql_variant',
    `CASE WHEN ${base} IN (N'money', N'smallmoney') THEN CONVERT(nvarchar(max), CONVERT(decimal(19, 4), t0."v"))` +
      ` WHEN ${base} IN (N'float', N'real') THEN CONVERT(nvarchar(max), CONVERT(float, t0."v"), 3)` +
      ` WHEN ${base} IN (N'date') THEN CONVERT(nvarchar(max), CONVERT(date, t0."v"), 23)` +
      ` WHEN ${base} IN (N'datetime', N'smalldatetime') THEN CONVERT(nvarchar(max), CONVERT(datetime, t0."v"), 126)` +
      ` WHEN ${base} IN (N'datetime2') THEN CONVERT(nvarchar(max), CONVERT(datetime2(7), t0."v"), 126)` +
      ` WHEN ${base} IN (N'datetimeoffset') THEN CONVERT(nvarchar(max), CONVERT(datetimeoffset(7), t0."v"), 126)` +
      ` WHEN ${base} IN (N'time') THEN CONVERT(nvarchar(max), CONVERT(time(7), t0."v"), 121)` +
      ` WHEN ${base} IN (N'binary', N'varbinary') THEN CONVERT(nvarchar(max), CONVERT(varbinary(8000), t0."v"), 1)` +
      ` ELSE CONVERT(nvarchar(max), t0."v") END`,
  ],
])('%s as text', (type, text) => {
  expect(opaqueText('t0."v"', type)).toBe(text);
});

function term(name: string, native: string, bytes: number, tieBreak: boolean): OrderTerm {
  const type = readType({
    name: native,
    bytes,
    precision: 12,
    scale: 2,
    collation: 'Latin1_General_CI_AS',
  });
  return {
    operand: { kind: 'column', alias: 't', name, type, nullable: true },
    descending: false,
    ...(tieBreak ? { tieBreak: true } : {}),
  };
}

function ordered(orderBy: readonly OrderTerm[]): string {
  const { text } = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }).print({
    kind: 'select',
    outputs: [{ kind: 'globalStamp' }],
    from: { schema: 'S', name: 'T', alias: 't' },
    joins: [],
    where: null,
    orderBy,
    window: null,
  });
  return text.slice(text.indexOf(' ORDER BY '));
}

test('rows without a key are sorted by as many of their columns as 8,060 bytes hold (learn: order by)', () => {
  expect(
    ordered([
      term('A', 'nvarchar', 6000, true),
      term('B', 'varchar', 3000, true),
      term('C', 'nvarchar', -1, true),
      term('D', 'varchar', 1900, true),
      term('E', 'decimal', 9, true),
      term('F', 'int', 4, true),
    ]),
  ).toBe(' ORDER BY t."A", t."D", t."E", t."F"');
});

test('what a client asks for is sorted by, and so is the key', () => {
  expect(
    ordered([
      term('A', 'nvarchar', 8000, false),
      term('B', 'nvarchar', 8000, false),
      term('C', 'int', 4, false),
      term('D', 'int', 4, true),
    ]),
  ).toBe(' ORDER BY t."A", t."B", t."C"');
});
