import { expect, test } from 'vitest';
import { TEXT } from '../../src/schema/type-rules.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import type { ColumnRef, JsonProperty, Operand, Parameter } from '../../src/sql/ir/ir.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';

const column = (type: ColumnType, more: Partial<ColumnRef> = {}): ColumnRef => ({
  kind: 'column',
  alias: 't0',
  name: 'C',
  type,
  nullable: true,
  ...more,
});
const text = { ...TEXT, foldCollation: 'und-x-icu' } as const;
const json: JsonProperty = {
  kind: 'jsonProperty',
  column: column({ kind: 'json', asText: false, native: 'jsonb' }),
  path: [],
  as: 'any',
};

/** How text is folded in a database whose own collation folds ASCII alone, and in others. */
test.each<[string, ColumnRef | JsonProperty, ColumnType, string, string]>([
  [
    'a column',
    column(TEXT),
    TEXT,
    'LOWER((t0."C") COLLATE "pg_c_utf8") COLLATE "C"',
    'LOWER(t0."C")',
  ],
  [
    'a column of another collation',
    column(text),
    text,
    'LOWER((t0."C") COLLATE "und-x-icu") COLLATE "C"',
    'LOWER((t0."C") COLLATE "und-x-icu") COLLATE "C"',
  ],
  [
    'an expression',
    column(TEXT, { expression: [{ column: 'C' }, ' || 1'] }),
    TEXT,
    'LOWER((t0."C" || 1) COLLATE "pg_c_utf8") COLLATE "C"',
    'LOWER(t0."C" || 1)',
  ],
  [
    'a property of JSON',
    json,
    TEXT,
    'LOWER(((t0."C") #>> \'{}\') COLLATE "pg_c_utf8") COLLATE "C"',
    'LOWER((t0."C") #>> \'{}\')',
  ],
])('%s', (_, operand, type, inAscii, inOther) => {
  const value: Parameter = {
    kind: 'parameter',
    source: { from: 'request', parameter: 0 },
    type,
    use: 'value',
    meets: 'T.c',
  };
  const folded = (one: ColumnRef | JsonProperty | Parameter): Operand => ({
    kind: 'folded',
    operand: one,
  });
  const where = (foldCollation: string | null): string[] | undefined =>
    postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17, foldCollation })
      .print({
        kind: 'count',
        from: { schema: 'S', name: 'T', alias: 't0' },
        joins: [],
        where: { kind: 'compare', operator: '=', left: folded(operand), right: folded(value) },
      })
      .text.split(' WHERE ')[1]
      ?.split(' = ');
  const [left, right] = where('pg_c_utf8') ?? [];
  expect(left).toBe(inAscii);
  expect(right).toBe(
    `LOWER(($1::"text") COLLATE "${type === text ? 'und-x-icu' : 'pg_c_utf8'}") COLLATE "C"`,
  );
  expect(where(null)?.[0]).toBe(inOther);
});
