import { expect, test } from 'vitest';
import type { OrderTerm } from '../../src/sql/ir/ir.ts';
import { readType } from '../../src/schema/sqlserver/types.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

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
