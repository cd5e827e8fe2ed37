import { describe, expect, test } from 'vitest';
import { bindStatement } from '../../../src/run/run.ts';
import type {
  ColumnRef,
  ComparisonOperator,
  Operand,
  Parameter,
  ParameterUse,
} from '../../../src/sql/ir/ir.ts';
import type { Query } from '../../../src/sql/ir/statement.ts';
import type { Literal, LiteralClass } from '../../../src/protocol/ast.ts';
import { NUMBER } from '../../../src/schema/type-rules.ts';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { Dialect } from '../../../src/sql/dialect.ts';
import { bindKeys, bindParameter, isHeld, listBinder } from '../../../src/run/convert/bind.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';
import { rows } from '../../rows.ts';

const found = { bytes: 8, precision: 10, scale: 2, collation: null };
const int = readType({ ...found, name: 'int' });
const date = readType({ ...found, name: 'date' });
const datetime = readType({ ...found, name: 'datetime' });
const cents = decimalType('decimal', 10, 2);
const bigints: ColumnType = { kind: 'decimal', precision: null, scale: null, native: 'numeric' };

function literal(value: Literal['value'], kind: LiteralClass = 'text'): Literal {
  return { value, class: kind, within: '$filter', position: 1 };
}

/** A column of the type, and a parameter of a request that it is compared with. */
const sides = (type: ColumnType, more: Partial<Parameter> = {}): [ColumnRef, Parameter] => [
  { kind: 'column', alias: 't0', name: 'C', type, nullable: true },
  {
    kind: 'parameter',
    source: { from: 'request', parameter: 0 },
    type,
    use: 'value',
    meets: 'T.c',
    ...more,
  },
];

const from = { schema: 'S', name: 'T', alias: 't0' };

/** A condition as it is printed for a value, and what is bound. */
function compared(
  dialect: Dialect,
  type: ColumnType,
  operator: ComparisonOperator,
  value: string,
  isProperty = false,
): string {
  const [column, right] = sides(type);
  const json: ColumnType = { kind: 'json', asText: false, native: 'jsonb' };
  const left: Operand = isProperty
    ? { kind: 'jsonProperty', column: { ...column, type: json }, path: ['a'], as: 'number' }
    : column;
  const query: Query = {
    kind: 'related',
    keyColumns: [],
    via: [],
    outputs: [],
    from,
    joins: [],
    where: { kind: 'compare', operator, left, right },
    orderBy: [],
    perKey: 1,
  };
  const inputs = { values: [literal(value)], rows: [] };
  const { statement, values } = bindStatement(dialect.print(query), inputs, dialect, NOBODY.claims);
  const condition = /t0\."C" (\S+) (?:t0|\S*\$|\S*@|CONVERT|CAST)/.exec(statement.text)?.[0] ?? '';
  const bound = values.filter((_, index) => statement.parameters[index]?.kind === 'parameter');
  return `${condition.replace(/(?<=\S+ \S+ ).*/, condition.endsWith('t0') ? 'itself' : '?')} ${bound.join()}`.trim();
}

const types: Readonly<Record<string, ColumnType>> = { int, date, datetime, bigints, cents };
const typeNamed = (name: string): ColumnType => types[name] ?? int;

describe.each([postgres, tsql])('$name: a value that no value of the type equals', (dialect) => {
  const operators = ['<', '<=', '>', '>=', '=', '<>'] as const;
  const printed = (type: string, value: string): string[] =>
    operators.map((operator) => compared(dialect, typeNamed(type), operator, value));

  test.each(rows`
    int   | 1.5                       | 1
    int   | -1.5                      | -2
    int   | 1e-300000                 | 0
    int   | -1e-300000                | -1
    date  | 2024-06-01T12:00:00Z      | 2024-06-01
    cents | 1.234${'5'.repeat(50)} | 1.23
  `)('lies between two: %s, %s', (type, value, floor) => {
    expect(printed(type, value)).toEqual([
      ...[`t0."C" <= ? ${floor}`, `t0."C" <= ? ${floor}`],
      ...[`t0."C" > ? ${floor}`, `t0."C" > ? ${floor}`, 't0."C" <> itself', 't0."C" = itself'],
    ]);
  });

  const [none, all] = ['t0."C" <> itself', 't0."C" = itself'];

  test.each(rows`
    int      | above | 1e200000
    bigints  | above | 1e1000000
    date     | above | 5874898-01-01
    int      | below | -1e200000
    bigints  | below | -1e1000000
    datetime | below | 1700-01-01
  `)('a %s lies %s all: %s', (type, where, value) => {
    const [less, more] = where === 'above' ? [all, none] : [none, all];
    expect(printed(type, value)).toEqual([less, less, more, more, none, all]);
  });

  test.each(rows`
    int      | 1.5.5
    int      | e5
    date     | 2024-02-30T12:00:00Z
    date     | 2024-02-29T25:00:00Z
    date     | 10001-02-29
    datetime | 1700-02-29
  `)('is not a value at all: %s, %s', (type, value) => {
    expect(() => printed(type, value)).toThrow('is not a value for T.c: expected');
  });
});

describe.each([postgres, tsql])('$name: a list', (dialect) => {
  const printed = (type: ColumnType, size: number | null, ...items: string[]): string => {
    const [left, right] = sides(type, { use: 'list', ...(size === null ? {} : { size }) });
    const query: Query = { kind: 'count', from, joins: [], where: { kind: 'in', left, right } };
    const values = items.map((value) => literal(value, value === 'null' ? 'null' : 'number'));
    const inputs = { values: [literal(values, 'list')] };
    const { statement } = bindStatement(dialect.print(query), inputs, dialect, NOBODY.claims);
    return statement.text.slice(statement.text.indexOf('WHERE ') + 'WHERE '.length);
  };
  const itself = 't0."C" <> t0."C"';

  test.each<[ColumnType, number | null, ...items: string[]]>([
    [int, 1, '1e10'],
    [int, null, '1e10', '-1e10', '1.5'],
    [int, 3, 'null', '1.5'],
    [cents, 1, '1.234'],
    [cents, null, '1e30', '1.234'],
    [date, 3, '2024-06-01T12:00:00Z'],
  ])('of nothing that the type has equals nothing, and null is unknown: %o', (type, ...list) => {
    expect(printed(type, ...list)).toBe(itself);
  });

  test.each<[ColumnType, number | null, ...items: string[]]>([
    [int, 3, '1e10', '1'],
    [cents, null, '1.234', '1.23'],
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
  const many = literal('0.12345678901', 'number');
  const decimal: ColumnType = { ...NUMBER, native: 'numeric(38,10)' };
  const held = [NUMBER, decimal].map((type) => isHeld(many, type, postgres.limits));
  expect(held).toEqual([true, false]);
});

function parameter(use: ParameterUse): Parameter {
  const text: ColumnType = { kind: 'text', maxLength: null, padded: false, native: 'text' };
  const source = { from: 'request', parameter: 1 } as const;
  return { kind: 'parameter', source, type: text, use, meets: 'Employee.note' };
}

/** The parameter's text for the second of a request's values, for both dialects. */
function bound(use: ParameterUse, value: Literal['value']): [postgres: string, tsql: string] {
  const given = { values: [literal('another value'), literal(value)], claims: NOBODY.claims };
  return [
    bindParameter(parameter(use), given, postgres),
    bindParameter(parameter(use), given, tsql),
  ];
}

describe('patterns', () => {
  test.each([
    ['begins', '50%_off', '50\\%\\_off%', '50[%][_]off%'],
    ['begins', '', '%', '%'],
    ['begins', '[draft]@*', '[draft]@*%', '[[]draft]@*%'],
    ['contains', 'C:\\Users', '%C:\\\\Users%', '%C:\\Users%'],
    ['wildcard', '@', '%', '%'],
    ['wildcard', 'S@n', 'S%n', 'S%n'],
    ['wildcard', 'S*', 'S%', 'S%'],
    ['wildcard', 'five *stars*', 'five *stars%', 'five *stars%'],
    ['wildcard', '@50%_[off]@*', '%50\\%\\_[off]%%', '%50[%][_][[]off]%%'],
    ['wildcard', '**', '*%', '*%'],
    ['value', '50%_[@*\\', '50%_[@*\\', '50%_[@*\\'],
  ] as const)('%s of %j', (use, text, forPostgres, forTsql) => {
    expect(bound(use, text)).toEqual([forPostgres, forTsql]);
  });
});

describe('lists', () => {
  test('quote every item, and leave nulls out: no value equals them', () => {
    const texts = ['a"b\\c', '{x,y}', 'NULL', ''].map((text) => literal(text));
    const items = [...texts, literal('null', 'null')];
    expect(bound('list', items)).toEqual([
      '{"a\\"b\\\\c","{x,y}","NULL",""}',
      '["a\\"b\\\\c","{x,y}","NULL",""]',
    ]);
  });

  test('are empty where nothing is in them, and hold one item where one value is given', () => {
    expect(bound('list', [])).toEqual(['{}', '[]']);
    expect(bound('list', 'a')).toEqual(['{"a"}', '["a"]']);
  });
});

describe('values of a short list', () => {
  const list = parameter('list');
  const item = (index: number, items: readonly Literal[], type = list.type): string | null =>
    listBinder({ values: [literal('another'), literal([...items])], claims: NOBODY.claims }, tsql)(
      { ...list, type },
      index,
    );

  test('are filled up with the last one', () => {
    const items = [literal('null', 'null'), literal('a'), literal('b')];
    expect([0, 1, 2].map((index) => item(index, items))).toEqual(['a', 'b', 'b']);
    expect(item(0, [literal('null', 'null')])).toBeNull();
  });

  test('are those that the type has', () => {
    const decimal = decimalType('decimal', 5, 1);
    const items = ['1.55', '2.5', '3.14'].map((text) => literal(text, 'number'));
    expect([0, 1, 2].map((index) => item(index, items, decimal))).toEqual(['2.5', '2.5', '2.5']);
    expect(item(0, items.slice(0, 1), decimal)).toBeNull();
    expect(() => item(0, [literal('x')], decimal)).toThrow('"x" is not a value for Employee.note');
  });
});

describe('patterns of more than 8,000 bytes are refused (learn: like)', () => {
  test.each([
    ['begins', 'x'.repeat(4000)],
    ['contains', '%'.repeat(1333)],
    ['wildcard', `@${'x'.repeat(4000)}`],
  ] as const)('%s', (use, text) => {
    const values = [literal('another value'), { ...literal(text), position: 7 }];
    const bind = (dialect: Dialect): string =>
      bindParameter(parameter(use), { values, claims: NOBODY.claims }, dialect);
    expect(bind(postgres)).toContain(text.slice(-1));
    expect(() => bind(tsql)).toThrow(
      'is too long to be looked for in Employee.note: as a pattern it has 4001 characters, and the database takes 4000 (at position 7 of $filter)',
    );
  });

  test('4,000 characters are none too many', () => {
    expect(bound('begins', 'x'.repeat(3999))[1]).toHaveLength(4000);
  });
});

describe('keys of several parts', () => {
  const parameters: [number, number][] = [
    [0, 1],
    [2, 1],
    [0, 3],
  ];
  const bound = (...values: string[]): unknown => {
    const keys = { kind: 'keys', parameters, types: [datetime, cents] } as const;
    const literals = values.map((value) => literal(value));
    return bindKeys({ ...keys, meets: ['Rate.at', 'Rate.value'] }, literals, tsql);
  };

  test('are rows with their ordinals, without those whose parts stand between two steps', () => {
    expect(bound('2024-02-29T12:00:00.003Z', '1.25', '2024-02-29T12:00:00.004Z', '1.255')).toBe(
      '[[0,"2024-02-29T12:00:00.003","1.25"]]',
    );
  });

  test('are refused where a part is not a value of its type', () => {
    expect(() => bound('2024-02-29T12:00:00Z', 'much', '2024-02-29T12:00:00Z', '1')).toThrow(
      '"much" is not a value for Rate.value: expected a number',
    );
  });
});
