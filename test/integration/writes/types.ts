import type { Part } from './tables.ts';

/** A language of SQL that the types have names in. */
export type Language = 'postgres' | 'tsql';

/** What a cell is given; where it reads back as something else, both. */
type Given = Part | readonly [cell: Part, read: Part];

/** A column of the table that has one of every type. */
interface TypeCase {
  readonly column: string;
  /** Its type in each language; left out where an engine has none like it. */
  readonly postgres?: string;
  readonly tsql?: string;
  readonly first: Given;
  /** The other end of the type's range, or what else is special of it; null where it is left out. */
  readonly second?: Given;
}

const cases: readonly TypeCase[] = [
  { column: 'yes', postgres: 'bool', tsql: 'bit', first: 'true', second: 'false' },
  { column: 'n1', tsql: 'tinyint', first: '255', second: '0' },
  { column: 'n2', postgres: 'int2', tsql: 'smallint', first: '-32768', second: '32767' },
  { column: 'n4', postgres: 'int4', tsql: 'int', first: '2147483647', second: '-2147483648' },
  {
    column: 'n8',
    postgres: 'int8',
    tsql: 'bigint',
    first: '-9223372036854775808',
    second: '9223372036854775807',
  },
  {
    column: 'd38',
    postgres: 'numeric(38,10)',
    tsql: 'decimal(38,10)',
    first: '1234567890123456789012345678.0123456789',
    second: '-9999999999999999999999999999.9999999999',
  },
  {
    column: 'whole',
    postgres: 'numeric(38,0)',
    tsql: 'numeric(38,0)',
    first: '-99999999999999999999999999999999999999',
    second: '99999999999999999999999999999999999999',
  },
  { column: 'd', postgres: 'numeric', first: '0.00000000000000000000000000000000000001' },
  {
    column: 'cash',
    postgres: 'money',
    first: '-92233720368547758.08',
    second: '92233720368547758.07',
  },
  {
    column: 'cash4',
    tsql: 'money',
    first: '-922337203685477.5808',
    second: '922337203685477.5807',
  },
  { column: 'coins', tsql: 'smallmoney', first: '214748.3647' },
  { column: 'f4', postgres: 'float4', tsql: 'real', first: '3.4028235e+38', second: '0.1' },
  {
    column: 'f8',
    postgres: 'float8',
    tsql: 'float',
    first: '-1.7976931348623157e+308',
    second: '0.1',
  },
  { column: 'tiny', postgres: 'float8', first: '5e-324' },
  { column: 'v', postgres: 'varchar(10)', tsql: 'varchar(10)', first: "';--$1@p1é" },
  { column: 'nv', postgres: 'varchar(10)', tsql: 'nvarchar(10)', first: "';--$1🚀ж" },
  { column: 'quoted', postgres: 'varchar(10)', first: `"'\\;--$1é🚀` },
  { column: 'c', postgres: 'char(5)', tsql: 'char(5)', first: ['a b', 'a b  '] },
  { column: 'nc', tsql: 'nchar(5)', first: ['é🚀', 'é🚀  '] },
  { column: 'vm', postgres: 'text', tsql: 'varchar(max)', first: 'v'.repeat(4000) },
  {
    column: 'nm',
    postgres: 'text',
    tsql: 'nvarchar(max)',
    first: 'ж'.repeat(4000),
    second: '',
  },
  {
    column: 'lines',
    postgres: 'text',
    first: 'line\r\n\ttab "quoted" \\u0041 \u2028 🚀 $1 %s',
    second: '',
  },
  { column: 't', tsql: 'text', first: "it's é" },
  { column: 'nt', tsql: 'ntext', first: 'ж🚀' },
  { column: 'named', postgres: 'name', first: 'a"b' },
  {
    column: 'g',
    postgres: 'uuid',
    tsql: 'uniqueidentifier',
    first: 'c0ffee00-0000-4000-8000-00000000000a',
  },
  { column: 'day', postgres: 'date', tsql: 'date', first: '0001-01-01', second: '9999-12-31' },
  {
    column: 'ts',
    postgres: 'timestamp',
    tsql: 'datetime2(7)',
    first: '2024-07-01T10:00:00.123456Z',
    // The hour that the clock repeats in autumn is told apart in UTC, not in local time.
    second: '2024-10-27T01:30:00.000Z',
  },
  { column: 'dt', tsql: 'datetime', first: '2024-07-01T10:00:00.997Z' },
  { column: 'sdt', tsql: 'smalldatetime', first: '2024-07-01T10:01:00.000Z' },
  {
    column: 'dt3',
    tsql: 'datetime2(3)',
    first: ['2024-07-01T10:00:00.123456789Z', '2024-07-01T10:00:00.123Z'],
  },
  {
    column: 'tz',
    postgres: 'timestamptz',
    tsql: 'datetimeoffset(7)',
    first: '9999-12-31T23:59:59.999999Z',
    second: '0001-01-01T00:00:00.000Z',
  },
  {
    column: 'tm',
    postgres: 'time',
    tsql: 'time(7)',
    first: '23:59:59.999999',
    second: '00:00:00',
  },
  { column: 'j', postgres: 'json', first: '{"b": 1.00,  "b": null}', second: 'null' },
  {
    column: 'jb',
    postgres: 'jsonb',
    first: ['{"a":12345678901234567890.10}', '{"a": 12345678901234567890.10}'],
    second: '"x"',
  },
  { column: 'by_tes', postgres: 'bytea', first: ['00ff', '\\x00ff'] },
  { column: 'by_tes', tsql: 'varbinary(max)', first: '00ff' },
  { column: 'img', tsql: 'image', first: 'fe' },
  { column: 'ints', postgres: 'int4[]', first: '["1",null,"3"]', second: '[]' },
  { column: 'texts', postgres: 'varchar(3)[]', first: '["abc","d,e"]' },
  { column: 'Mood"s', postgres: 'other.mood', first: 'very cross' },
  { column: 'r', postgres: 'int4range', first: '[1,5)' },
  { column: 'ip', postgres: 'inet', first: '10.0.0.1' },
  { column: 'span', postgres: 'interval', first: 'P1Y2M3DT4H5M6.7S' },
  { column: 'p', postgres: 'pair', first: '(1,"a ""b""")' },
  { column: 'dom', postgres: 'short', first: 'abc' },
  { column: 'bits', postgres: 'bit(3)', first: '101' },
  { column: 'clock', postgres: 'timetz', first: '12:00:00+02' },
  { column: 'pt', postgres: 'point', first: '(1.5,-2)' },
  { column: 'x', tsql: 'xml', first: '<a> <b>ж</b> </a>' },
];

/** A row as it is given, and as it reads back. */
export interface TypedRow {
  readonly cells: readonly Part[];
  readonly read: readonly Part[];
}

/** The types of one language as columns, and rows of them. */
export interface EveryType {
  readonly names: readonly string[];
  /** For `CREATE TABLE`. */
  readonly definitions: string;
  readonly first: TypedRow;
  readonly second: TypedRow;
  readonly nulls: TypedRow;
}

export function everyType(language: Language): EveryType {
  const here = cases.filter((row) => row[language] !== undefined);
  const rowOf = (givenOf: (row: TypeCase) => Given): TypedRow => {
    const pairs = here.map((row): readonly [Part, Part] => {
      const given = givenOf(row);
      return given === null || typeof given === 'string' ? [given, given] : given;
    });
    return { cells: pairs.map(([cell]) => cell), read: pairs.map(([, read]) => read) };
  };
  return {
    names: here.map(({ column }) => column),
    definitions: here
      .map((row) => `"${row.column.replaceAll('"', '""')}" ${row[language] ?? ''}`)
      .join(', '),
    first: rowOf(({ first }) => first),
    second: rowOf(({ second = null }) => second),
    nulls: rowOf(() => null),
  };
}
