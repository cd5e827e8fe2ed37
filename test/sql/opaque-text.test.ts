import { expect, test } from 'vitest';
import { opaqueText } from '../../src/sql/tsql/text.ts';

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
