import { expect, test } from 'vitest';
import { TEXT } from '../../src/schema/type-rules.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import type { ColumnRef, JsonProperty, Parameter } from '../../src/sql/ir/ir.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { rows } from '../rows.ts';

const column = (type: ColumnType, more: Partial<ColumnRef> = {}): ColumnRef => ({
  ...{ kind: 'column', alias: 't0', name: 'C', type, nullable: true },
  ...more,
});
const other = { ...TEXT, foldCollation: 'und-x-icu' } as const;
const jsonb = column({ kind: 'json', asText: false, native: 'jsonb' });
const operands: Readonly<Record<string, ColumnRef | JsonProperty>> = {
  'a column': column(TEXT),
  'a column of another collation': column(other),
  'an expression': column(TEXT, { expression: [{ column: 'C' }, ' || 1'] }),
  'a property of JSON': { kind: 'jsonProperty', column: jsonb, path: [], as: 'any' },
};

// How text is folded in a database whose own collation folds ASCII alone, and in others.
test.each(rows`
  a column                      | LOWER((t0."C") COLLATE "pg_c_utf8") COLLATE "C" | LOWER(t0."C")
  a column of another collation | LOWER((t0."C") COLLATE "und-x-icu") COLLATE "C" | LOWER((t0."C") COLLATE "und-x-icu") COLLATE "C"
  an expression                 | LOWER((t0."C" || 1) COLLATE "pg_c_utf8") COLLATE "C" | LOWER(t0."C" || 1)
  a property of JSON            | LOWER(((t0."C") #>> '{}') COLLATE "pg_c_utf8") COLLATE "C" | LOWER((t0."C") #>> '{}')
`)('%s', (what, inAscii, inOther) => {
  const operand = operands[what] ?? column(TEXT);
  const type = operand === operands['a column of another collation'] ? other : TEXT;
  const source = { from: 'request', parameter: 0 } as const;
  const value: Parameter = { kind: 'parameter', source, type, use: 'value', meets: 'T.c' };
  const [left, right] = [operand, value].map((one) => ({ kind: 'folded', operand: one }) as const);
  if (left === undefined || right === undefined) throw new Error('no operands');
  const sides = (foldCollation: string | null): string[] | undefined =>
    postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17, foldCollation })
      .print({
        ...{ kind: 'count', from: { schema: 'S', name: 'T', alias: 't0' }, joins: [] },
        where: { kind: 'compare', operator: '=', left, right },
      })
      .text.split(' WHERE ')[1]
      ?.split(' = ');
  const collation = type === other ? 'und-x-icu' : 'pg_c_utf8';
  const given = `LOWER(($1::"text") COLLATE "${collation}") COLLATE "C"`;
  expect(sides('pg_c_utf8')).toEqual([inAscii, given]);
  expect(sides(null)?.[0]).toBe(inOther);
});
