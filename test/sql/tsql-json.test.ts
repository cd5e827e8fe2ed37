import { expect, test } from 'vitest';
import type { ColumnRef, Condition, SelectQuery } from '../../src/sql/ir/ir.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

/**
 * Columns of the type json, which OPENJSON, ISJSON and comparisons take as text only
 * (https://learn.microsoft.com/sql/t-sql/data-types/json-data-type).
 */

const tsql = tsqlDialect({ timeZone: 'UTC', bigNumbersAsStrings: false });
const from = { schema: 'S', name: 'DOCUMENT', alias: 't0' };
const document: ColumnRef = {
  kind: 'column',
  alias: 't0',
  name: 'DOC',
  type: { kind: 'json', asText: false, native: 'json' },
  nullable: true,
};

function select(where: Condition | null): SelectQuery {
  const value = { kind: 'value', operand: document } as const;
  return { kind: 'select', outputs: [value], from, joins: [], where, orderBy: [], window: null };
}

test('a column of the type json is read as text', () => {
  expect(tsql.print(select(null)).text).toBe(
    'SELECT CONVERT(nvarchar(max), t0."DOC") FROM "S"."DOCUMENT" t0',
  );
});

test('of a column of the type json, JSON’s null is null', () => {
  expect(tsql.print(select({ kind: 'isNull', operand: document, negated: false })).text).toBe(
    'SELECT CONVERT(nvarchar(max), t0."DOC") FROM "S"."DOCUMENT" t0 WHERE (t0."DOC" IS NULL OR' +
      " LTRIM(RTRIM(REPLACE(REPLACE(REPLACE(CONVERT(nvarchar(max), t0.\"DOC\"), NCHAR(9), N' '), NCHAR(10), N' '), NCHAR(13), N' ')))" +
      " COLLATE Latin1_General_BIN2 = N'null')",
  );
});

test('a property of a column of the type json is looked up in its text', () => {
  const where: Condition = {
    kind: 'compare',
    operator: '=',
    left: { kind: 'jsonProperty', column: document, path: ['state'], as: 'text' },
    right: {
      kind: 'parameter',
      source: { from: 'request', parameter: 0 },
      type: { kind: 'text', maxLength: null, padded: false, native: 'nvarchar(max)' },
      use: 'value',
      meets: 'Document.doc',
    },
  };
  expect(tsql.print(select(where)).text).toBe(
    'SELECT CONVERT(nvarchar(max), t0."DOC") FROM "S"."DOCUMENT" t0 WHERE (SELECT TOP (1) j.value FROM' +
      ' OPENJSON(CASE WHEN ISJSON(CONVERT(nvarchar(max), t0."DOC")) = 1 THEN CONVERT(nvarchar(max), t0."DOC") END) j' +
      ' WHERE j."key" = @p1 AND j.type IN (1, 2, 3)) = @p2',
  );
});

test('a column of the type json is given text, which the assignment converts', () => {
  const id: ColumnRef = {
    ...document,
    name: 'ID',
    type: { kind: 'integer', bits: 32, signed: true, native: 'int' },
    nullable: false,
  };
  const written = tsql.printWrite({
    kind: 'update',
    table: from,
    match: { key: [id], stamp: null, where: null },
    assignments: [{ column: document, value: { kind: 'cell' } }],
    rows: 'many',
    instead: false,
  });
  expect(written?.text).toBe(
    'SET NOCOUNT ON; DECLARE @k TABLE ("k0" int); UPDATE "S"."DOCUMENT" SET "DOC" = k.c0 OUTPUT inserted."ID" INTO @k' +
      " FROM OPENJSON(@p1) WITH (k0 int '$[1]', c0 nvarchar(max) '$[2]') k" +
      ' WHERE "DOCUMENT"."ID" = k.k0; SELECT k."k0" FROM @k k',
  );
});
