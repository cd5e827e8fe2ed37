import { describe, expect, test } from 'vitest';
import type { CallArgument, CallQuery, CallValue } from '../../src/sql/ir/statement.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };
const postgres = postgresDialect(settings, { version: 17 });
const tsql = tsqlDialect(settings);

type Types = Readonly<Record<'int' | 'decimal' | 'text' | 'date' | 'bytes' | 'mood', ColumnType>>;

const ofPostgres: Types = {
  int: { kind: 'integer', bits: 32, signed: true, native: 'int4' },
  decimal: { kind: 'decimal', precision: 9, scale: 2, native: 'numeric' },
  text: { kind: 'text', maxLength: 9, padded: false, native: 'varchar' },
  date: { kind: 'date', native: 'date' },
  bytes: { kind: 'binary', native: 'bytea' },
  mood: { kind: 'opaque', native: 'mood' },
};

const ofTsql: Types = {
  int: { kind: 'integer', bits: 32, signed: true, native: 'int' },
  decimal: { kind: 'decimal', precision: 9, scale: 2, native: 'decimal(9, 2)' },
  text: { kind: 'text', maxLength: 9, padded: false, native: 'varchar(9)' },
  date: { kind: 'date', native: 'date' },
  bytes: { kind: 'binary', native: 'varbinary' },
  mood: { kind: 'opaque', native: 'sql_variant' },
};

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

const text = (dialect: Dialect, asked: CallQuery): string => dialect.printCall(asked).text;

describe('a function', () => {
  test('is selected from, its arguments by name where they have one', () => {
    const { int, decimal, mood } = ofPostgres;
    const given = [argument('a', int, 0), argument('b', decimal, NOTHING), argument('c', mood, 1)];
    const columns = [
      { name: 'N', type: int },
      { name: 'o p', type: mood },
    ];
    expect(text(postgres, query('function', given, { columns }))).toBe(
      'SELECT t0."N", t0."o p"::text FROM "H R"."fn""x"("a" => $1::"int4", "c" => $2) t0("N", "o p") LIMIT 5',
    );
    const nameless = [argument('$1', int, 0), argument('$2', decimal, 1)];
    const value = [{ name: 'value', type: decimal }];
    expect(text(postgres, query('function', nameless, { columns: value, isScalar: true }))).toBe(
      'SELECT t0."value" FROM "H R"."fn""x"($1::"int4", $2::"numeric") t0("value") LIMIT 5',
    );
    expect(text(postgres, query('function', [], { columns: [] }))).toBe(
      'SELECT 1 FROM "H R"."fn""x"() t0',
    );
  });

  test('has every parameter written on SQL Server', () => {
    const { int, decimal, date } = ofTsql;
    const given = [argument('a', int, 0), argument('b', decimal, 1), argument('c', date, NOTHING)];
    const value = [{ name: 'value', type: decimal }];
    expect(text(tsql, query('function', given, { columns: value, isScalar: true }))).toBe(
      'SELECT TOP (5) CONVERT(nvarchar(42), t0."value") FROM' +
        ' (SELECT "H R"."fn""x"(@p1, CONVERT(decimal(9, 2), @p2), DEFAULT) AS "value") t0',
    );
    expect(text(tsql, query('function', [argument('a', int, 0)]))).toBe(
      'SELECT TOP (5) * FROM "H R"."fn""x"(@p1) t0',
    );
  });

  test('takes keys as a table on SQL Server', () => {
    const { int, date } = ofTsql;
    const table = { schema: 'H R', name: 'IDS' };
    const keys: CallValue = { kind: 'table', index: 0, table, parts: [int, date] };
    const type: ColumnType = { kind: 'opaque', native: 'table' };
    expect(
      text(tsql, query('procedure', [argument('ids', type, keys), argument('n', int, 1)])),
    ).toBe(
      'DECLARE @r int; DECLARE @k0 "H R"."IDS"; INSERT INTO @k0 SELECT k.k0, CONVERT(date, k.k1, 23)' +
        ` FROM OPENJSON(@p1) WITH (k0 int '$[0]', k1 nvarchar(50) '$[1]') k;` +
        ' EXEC @r = "H R"."fn""x" @ids = @k0, @n = @p2; SELECT @r',
    );
    expect(() => text(postgres, query('function', [argument('ids', type, keys)]))).toThrow(Error);
  });
});

describe('a procedure', () => {
  test('is called, with what goes out', () => {
    const { int, decimal, bytes } = ofPostgres;
    const given = [
      argument('a', int, 0),
      argument('b', int, NOTHING),
      argument('c', bytes, { kind: 'bytes', index: 0 }),
      argument('d', decimal, NOTHING, 'inout'),
      argument('e', decimal, 1, 'inout'),
    ];
    const { text: printed, readers } = postgres.printCall(query('procedure', given));
    expect(printed).toBe(
      'CALL "H R"."fn""x"("a" => $1::"int4", "c" => $2::bytea, "d" => NULL, "e" => $3::"numeric")',
    );
    expect(readers).toHaveLength(2);
  });

  test('is executed by a batch on SQL Server, whose variables have the parameters’ own types', () => {
    const { int, decimal, date, bytes, text: varchar } = ofTsql;
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
    expect(() => text(tsql, query('procedure', [argument('a; DROP', int, 0)]))).toThrow(Error);
  });

  test('has bytes come out as base64, and local time as UTC', () => {
    const berlin = postgresDialect({ ...settings, timeZone: 'Europe/Berlin' }, { version: 17 });
    const at: ColumnType = { kind: 'timestamp', zoned: false, native: 'timestamp' };
    const { readers } = berlin.printCall(
      query('procedure', [
        argument('a', at, NOTHING, 'inout'),
        argument('b', ofPostgres.bytes, NOTHING, 'inout'),
      ]),
    );
    expect([readers[0]?.json('2024-07-01 12:00:00'), readers[1]?.json('\\x0a1b')]).toEqual([
      '"2024-07-01T10:00:00.000Z"',
      '"Chs="',
    ]);
    // Neither infinity nor the years before Christ are a JavaScript date.
    expect(['infinity', '0044-03-15 12:00:00 BC'].map((wire) => readers[0]?.text(wire))).toEqual([
      'infinity',
      '0044-03-15 11:06:32+00 BC',
    ]);
    expect(tsql.resultReader(ofTsql.bytes).json(Buffer.from('0a1b', 'hex'))).toBe('"Chs="');
  });
});
