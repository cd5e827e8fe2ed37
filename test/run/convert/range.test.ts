import { describe, expect, test } from 'vitest';
import { bindStatement } from '../../../src/run/run.ts';
import type { ComparisonOperator, Operand, Parameter } from '../../../src/sql/ir/ir.ts';
import type { Query } from '../../../src/sql/ir/statement.ts';
import type { Literal } from '../../../src/protocol/ast.ts';
import { NUMBER } from '../../../src/schema/type-rules.ts';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { Dialect } from '../../../src/sql/dialect.ts';
import { isHeld } from '../../../src/run/convert/bind.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';

const found = { bytes: 8, precision: 10, scale: 2, collation: null };
const int = readType({ ...found, name: 'int' });
const date = readType({ ...found, name: 'date' });
const datetime = readType({ ...found, name: 'datetime' });
const bigints: ColumnType = { kind: 'decimal', precision: null, scale: null, native: 'numeric' };

/** A condition as it is printed for a value, and what is bound. */
function compared(
  dialect: Dialect,
  type: ColumnType,
  operator: ComparisonOperator,
  value: string,
  isProperty = false,
): string {
  const column = { kind: 'column', alias: 't0', name: 'C', type, nullable: true } as const;
  const right: Parameter = {
    kind: 'parameter',
    source: { from: 'request', parameter: 0 },
    type,
    use: 'value',
    meets: 'T.c',
  };
  const json: ColumnType = { kind: 'json', asText: false, native: 'jsonb' };
  const left: Operand = isProperty
    ? { kind: 'jsonProperty', column: { ...column, type: json }, path: ['a'], as: 'number' }
    : column;
  const query: Query = {
    kind: 'related',
    keyColumns: [],
    via: [],
    outputs: [],
    from: { schema: 'S', name: 'T', alias: 't0' },
    joins: [],
    where: { kind: 'compare', operator, left, right },
    orderBy: [],
    perKey: 1,
  };
  const literal: Literal = { value, class: 'text', within: '$filter', position: 1 };
  const { statement, values } = bindStatement(
    dialect.print(query),
    { values: [literal], rows: [] },
    dialect,
    NOBODY.claims,
  );
  const condition = /t0\."C" (\S+) (?:t0|\S*\$|\S*@|CONVERT|CAST)/.exec(statement.text)?.[0] ?? '';
  const bound = values.filter((_, index) => statement.parameters[index]?.kind === 'parameter');
  return `${condition.replace(/(?<=\S+ \S+ ).*/, condition.endsWith('t0') ? 'itself' : '?')} ${bound.join()}`.trim();
}

describe.each([postgres, tsql])('$name: a value that no value of the type equals', (dialect) => {
  test.each<[ColumnType, string, floor: string]>([
    [int, '1.5', '1'],
    [int, '-1.5', '-2'],
    [int, '1e-300000', '0'],
    [int, '-1e-300000', '-1'],
    [date, '2024-06-01T12:00:00Z', '2024-06-01'],
    [decimalType('decimal', 10, 2), `1.234${'5'.repeat(50)}`, '1.23'],
  ])('lies between two: $kind, %s', (type, value, floor) => {
    const printed = (['<', '<=', '>', '>=', '=', '<>'] as const).map((operator) =>
      compared(dialect, type, operator, value),
    );
    expect(printed).toEqual([
      `t0."C" <= ? ${floor}`,
      `t0."C" <= ? ${floor}`,
      `t0."C" > ? ${floor}`,
      `t0."C" > ? ${floor}`,
      't0."C" <> itself',
      't0."C" = itself',
    ]);
  });

  test.each<[ColumnType, string]>([
    [int, '1e200000'],
    [bigints, '1e1000000'],
    [date, '5874898-01-01'],
  ])('lies above all: $kind, %s', (type, value) => {
    expect(compared(dialect, type, '<', value)).toBe('t0."C" = itself');
    expect(compared(dialect, type, '>', value)).toBe('t0."C" <> itself');
    expect(compared(dialect, type, '=', value)).toBe('t0."C" <> itself');
  });

  test.each<[ColumnType, string]>([
    [int, '-1e200000'],
    [bigints, '-1e1000000'],
    [datetime, '1700-01-01'],
  ])('lies below all: $kind, %s', (type, value) => {
    expect(compared(dialect, type, '<', value)).toBe('t0."C" <> itself');
    expect(compared(dialect, type, '>=', value)).toBe('t0."C" = itself');
  });

  test.each<[ColumnType, string]>([
    [int, '1.5.5'],
    [int, 'e5'],
    [date, '2024-02-30T12:00:00Z'],
    [date, '2024-02-29T25:00:00Z'],
    [date, '10001-02-29'],
    [datetime, '1700-02-29'],
  ])('is not a value at all: $kind, %s', (type, value) => {
    expect(() => compared(dialect, type, '<', value)).toThrow('is not a value for T.c: expected');
  });
});

describe.each([postgres, tsql])('$name: a list', (dialect) => {
  const printed = (type: ColumnType, size: number | null, ...items: string[]): string => {
    const list: Parameter = {
      kind: 'parameter',
      source: { from: 'request', parameter: 0 },
      type,
      use: 'list',
      meets: 'T.c',
      ...(size === null ? {} : { size }),
    };
    const left = { kind: 'column', alias: 't0', name: 'C', type, nullable: true } as const;
    const query: Query = {
      kind: 'count',
      from: { schema: 'S', name: 'T', alias: 't0' },
      joins: [],
      where: { kind: 'in', left, right: list },
    };
    const values = items.map((value): Literal => {
      return { value, class: value === 'null' ? 'null' : 'number', within: '$filter', position: 1 };
    });
    const value: Literal = { value: values, class: 'list', within: '$filter', position: 1 };
    const { statement } = bindStatement(
      dialect.print(query),
      { values: [value] },
      dialect,
      NOBODY.claims,
    );
    return statement.text.slice(statement.text.indexOf('WHERE ') + 'WHERE '.length);
  };
  const decimals = decimalType('decimal', 10, 2);
  const itself = 't0."C" <> t0."C"';

  test.each<[ColumnType, number | null, ...items: string[]]>([
    [int, 1, '1e10'],
    [int, null, '1e10', '-1e10', '1.5'],
    [int, 3, 'null', '1.5'],
    [decimals, 1, '1.234'],
    [decimals, null, '1e30', '1.234'],
    [date, 3, '2024-06-01T12:00:00Z'],
  ])('of nothing that the type has equals nothing, and null is unknown: %o', (type, ...list) => {
    expect(printed(type, ...list)).toBe(itself);
  });

  test.each<[ColumnType, number | null, ...items: string[]]>([
    [int, 3, '1e10', '1'],
    [decimals, null, '1.234', '1.23'],
    [int, 1],
    [int, 1, 'null'],
  ])('is printed as any other where it has a value, or none at all: %o', (type, ...list) => {
    expect(printed(type, ...list)).not.toContain(itself);
  });

  test('with what is not a number is refused', () => {
    expect(() => printed(int, 3, '1e10', 'x')).toThrow('"x" is not a value for T.c: expected');
  });
});

test.each<[ColumnType, string, printed: string]>([
  [datetime, '10000-01-01', 't0."C" = itself'],
  [datetime, '10000-01-01T00:00:00Z', 't0."C" = itself'],
  [datetime, '9999-12-31T23:59:59-01:00', 't0."C" = itself'],
  [datetime, '0001-01-01T00:00:00+01:00', 't0."C" <> itself'],
  [date, '10000-01-01', 't0."C" = itself'],
])('beyond the years of SQL Server: $kind, %s', (type, value, printed) => {
  expect(compared(tsql, type, '<', value)).toBe(printed);
});

test('numbers of JSON are compared with all their digits where the engine holds them', () => {
  const bound = (value: string): string => compared(postgres, NUMBER, '>', value, true);
  expect(bound('1e-50')).toContain(`0.${'0'.repeat(49)}1`);
  expect(bound('1e300')).toContain(`1${'0'.repeat(300)}`);
  expect(compared(tsql, NUMBER, '>', '1e-50', true)).toContain('0.0000000000');
  expect(compared(tsql, NUMBER, '>', '1e39', true)).toBe('');
});

test('a number in JSON has as many digits as it is written with, whatever an engine compares it with', () => {
  const many: Literal = {
    value: '0.12345678901',
    class: 'number',
    within: '$filter',
    position: 1,
  };
  const decimal: ColumnType = { ...NUMBER, native: 'numeric(38,10)' };
  expect([NUMBER, decimal].map((type) => isHeld(many, type, postgres.limits))).toEqual([
    true,
    false,
  ]);
});
