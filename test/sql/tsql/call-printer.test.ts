import { describe, expect, test } from 'vitest';
import type { CallArgument, CallQuery, CallValue } from '../../../src/sql/ir/statement.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };
const tsql = tsqlDialect(settings);

const types = {
  int: { kind: 'integer', bits: 32, signed: true, native: 'int' },
  decimal: { kind: 'decimal', precision: 9, scale: 2, native: 'decimal(9, 2)' },
  text: { kind: 'text', maxLength: 9, padded: false, native: 'varchar(9)' },
  date: { kind: 'date', native: 'date' },
  bytes: { kind: 'binary', native: 'varbinary' },
} as const satisfies Readonly<Record<string, ColumnType>>;

const NOTHING: CallValue = { kind: 'default' };

function argument(
  name: string,
  type: ColumnType,
  value: CallValue | number,
  direction: CallArgument['direction'] = 'in',
): CallArgument {
  const given: CallValue =
    typeof value === 'number' ? { kind: 'field', index: value, type } : value;
  return { name, nameless: name.startsWith('$'), type, direction, value: given };
}

function query(
  kind: CallQuery['kind'],
  given: readonly CallArgument[],
  rest: Partial<CallQuery> = {},
): CallQuery {
  return {
    ...{ kind, schema: 'H R', name: 'fn"x', arguments: given },
    ...{ columns: null, isScalar: false, most: 5 },
    ...rest,
  };
}

const text = (asked: CallQuery): string => tsql.printCall(asked).text;

describe('a function', () => {
  test('has every parameter written', () => {
    const { int, decimal, date } = types;
    const given = [argument('a', int, 0), argument('b', decimal, 1), argument('c', date, NOTHING)];
    const value = [{ name: 'value', type: decimal }];
    expect(text(query('function', given, { columns: value, isScalar: true }))).toBe(
      'SELECT TOP (5) CONVERT(nvarchar(42), t0."value") FROM' +
        ' (SELECT "H R"."fn""x"(@p1, CONVERT(decimal(9, 2), @p2), DEFAULT) AS "value") t0',
    );
    expect(text(query('function', [argument('a', int, 0)]))).toBe(
      'SELECT TOP (5) * FROM "H R"."fn""x"(@p1) t0',
    );
  });

  test('takes keys as a table', () => {
    const { int, date } = types;
    const table = { schema: 'H R', name: 'IDS' };
    const keys: CallValue = { kind: 'table', index: 0, table, parts: [int, date] };
    const type: ColumnType = { kind: 'opaque', native: 'table' };
    expect(text(query('procedure', [argument('ids', type, keys), argument('n', int, 1)]))).toBe(
      'DECLARE @r int; DECLARE @k0 "H R"."IDS"; INSERT INTO @k0 SELECT k.k0, CONVERT(date, k.k1, 23)' +
        ` FROM OPENJSON(@p1) WITH (k0 int '$[0]', k1 nvarchar(50) '$[1]') k;` +
        ' EXEC @r = "H R"."fn""x" @ids = @k0, @n = @p2; SELECT @r',
    );
  });
});

describe('a procedure', () => {
  test('is executed by a batch, whose variables have the parameters’ own types', () => {
    const { int, decimal, date, bytes, text: varchar } = types;
    const given = [
      argument('a', int, 0),
      argument('b', date, 1),
      argument('c', varchar, NOTHING),
      argument('d', bytes, { kind: 'bytes', index: 0 }, 'inout'),
      argument('e', decimal, NOTHING, 'inout'),
    ];
    const { text: printed, readers } = tsql.printCall(query('procedure', given));
    expect(printed).toBe(
      'DECLARE @r int; DECLARE @a1 date = CONVERT(date, @p2, 23); DECLARE @o3 varbinary(max) = @p3;' +
        ' DECLARE @o4 decimal(9, 2); EXEC @r = "H R"."fn""x" @a = @p1, @b = @a1, @d = @o3 OUTPUT, @e = @o4 OUTPUT;' +
        ' SELECT @r, @o3, CONVERT(nvarchar(42), @o4)',
    );
    expect(readers).toHaveLength(3);
    expect(() => text(query('procedure', [argument('a; DROP', int, 0)]))).toThrow(Error);
  });

  test('has bytes come out as base64', () => {
    expect(tsql.resultReader(types.bytes).json(Buffer.from('0a1b', 'hex'))).toBe('"Chs="');
  });
});

test('a routine of PostgreSQL answers bytes as base64, and local time as UTC', () => {
  const berlin = postgresDialect({ ...settings, timeZone: 'Europe/Berlin' }, { version: 17 });
  const at: ColumnType = { kind: 'timestamp', zoned: false, native: 'timestamp' };
  const bytes: ColumnType = { kind: 'binary', native: 'bytea' };
  const { readers } = berlin.printCall(
    query('procedure', [
      argument('a', at, NOTHING, 'inout'),
      argument('b', bytes, NOTHING, 'inout'),
    ]),
  );
  expect(readers[1]?.json('\\x0a1b')).toBe('"Chs="');
  // Neither infinity nor the years before Christ are a JavaScript date.
  const times = ['2024-07-01 12:00:00', 'infinity', '0044-03-15 12:00:00 BC'];
  expect(times.map((wire) => readers[0]?.text(wire))).toEqual([
    ...['2024-07-01T10:00:00.000Z', 'infinity', '0044-03-15 11:06:32+00 BC'],
  ]);
});
