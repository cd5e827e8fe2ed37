import { rows } from '../../rows.ts';
import type { Part } from './tables.ts';

/** A language of SQL that the types have names in. */
export type Language = 'postgres' | 'tsql';

/** What a cell is given, and what it reads back as. */
type Given = readonly [cell: Part, read: Part];

/** A column of the table that has one of every type. */
interface TypeCase {
  readonly column: string;
  /** Its type in each language; `-` where an engine has none like it. */
  readonly postgres: string;
  readonly tsql: string;
  readonly first: Given;
  /** The other end of the type's range, or what else is special of it. */
  readonly second: Given;
}

function given(text?: string): Given {
  const [cell = null, read = cell] = text?.split(' → ') ?? [];
  return [cell, read];
}

/** What a cell reads back as stands behind an arrow; null where there is no second value. */
const cases = rows`
  # The hour that the clock repeats in autumn is told apart in UTC, not in local time.
  yes    | bool           | bit               | true | false
  n1     | -              | tinyint           | 255 | 0
  n2     | int2           | smallint          | -32768 | 32767
  n4     | int4           | int               | 2147483647 | -2147483648
  n8     | int8           | bigint            | -9223372036854775808 | 9223372036854775807
  d38    | numeric(38,10) | decimal(38,10)    | 1234567890123456789012345678.0123456789 | -9999999999999999999999999999.9999999999
  whole  | numeric(38,0)  | numeric(38,0)     | -99999999999999999999999999999999999999 | 99999999999999999999999999999999999999
  d      | numeric        | -                 | 0.00000000000000000000000000000000000001
  cash   | money          | -                 | -92233720368547758.08 | 92233720368547758.07
  cash4  | -              | money             | -922337203685477.5808 | 922337203685477.5807
  coins  | -              | smallmoney        | 214748.3647
  f4     | float4         | real              | 3.4028235e+38 | 0.1
  f8     | float8         | float             | -1.7976931348623157e+308 | 0.1
  tiny   | float8         | -                 | 5e-324
  v      | varchar(10)    | varchar(10)       | ';--$1@p1é
  nv     | varchar(10)    | nvarchar(10)      | ';--$1🚀ж
  quoted | varchar(10)    | -                 | "'\\;--$1é🚀
  c      | char(5)        | char(5)           | a b → a b\u0020\u0020
  nc     | -              | nchar(5)          | é🚀 → é🚀\u0020\u0020
  vm     | text           | varchar(max)      | ${'v'.repeat(4000)}
  nm     | text           | nvarchar(max)     | ${'ж'.repeat(4000)} |
  lines  | text           | -                 | line\r\n\ttab "quoted" \\u0041 \u2028 🚀 $1 %s |
  t      | -              | text              | it's é
  nt     | -              | ntext             | ж🚀
  named  | name           | -                 | a"b
  g      | uuid           | uniqueidentifier  | c0ffee00-0000-4000-8000-00000000000a
  day    | date           | date              | 0001-01-01 | 9999-12-31
  ts     | timestamp      | datetime2(7)      | 2024-07-01T10:00:00.123456Z | 2024-10-27T01:30:00.000Z
  dt     | -              | datetime          | 2024-07-01T10:00:00.997Z
  sdt    | -              | smalldatetime     | 2024-07-01T10:01:00.000Z
  dt3    | -              | datetime2(3)      | 2024-07-01T10:00:00.123456789Z → 2024-07-01T10:00:00.123Z
  tz     | timestamptz    | datetimeoffset(7) | 9999-12-31T23:59:59.999999Z | 0001-01-01T00:00:00.000Z
  tm     | time           | time(7)           | 23:59:59.999999 | 00:00:00
  j      | json           | -                 | {"b": 1.00,  "b": null} | null
  jb     | jsonb          | -                 | {"a":12345678901234567890.10} → {"a": 12345678901234567890.10} | "x"
  by_tes | bytea          | -                 | 00ff → \\x00ff
  by_tes | -              | varbinary(max)    | 00ff
  img    | -              | image             | fe
  ints   | int4[]         | -                 | ["1",null,"3"] | []
  texts  | varchar(3)[]   | -                 | ["abc","d,e"]
  Mood"s | other.mood     | -                 | very cross
  r      | int4range      | -                 | [1,5)
  ip     | inet           | -                 | 10.0.0.1
  span   | interval       | -                 | P1Y2M3DT4H5M6.7S
  p      | pair           | -                 | (1,"a ""b""")
  dom    | short          | -                 | abc
  bits   | bit(3)         | -                 | 101
  clock  | timetz         | -                 | 12:00:00+02
  pt     | point          | -                 | (1.5,-2)
  x      | -              | xml               | <a> <b>ж</b> </a>
`.map(([column = '', postgres = '', tsql = '', first, second]): TypeCase => ({
  ...{ column, postgres, tsql, first: given(first), second: given(second) },
}));

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
  const here = cases.filter((row) => row[language] !== '-');
  const rowOf = (givenOf: (row: TypeCase) => Given): TypedRow => {
    const pairs = here.map(givenOf);
    return { cells: pairs.map(([cell]) => cell), read: pairs.map(([, read]) => read) };
  };
  return {
    names: here.map(({ column }) => column),
    definitions: here
      .map((row) => `"${row.column.replaceAll('"', '""')}" ${row[language]}`)
      .join(', '),
    first: rowOf(({ first }) => first),
    second: rowOf(({ second }) => second),
    nulls: rowOf(() => given()),
  };
}
