import { parse } from 'yaml';

/** What is tested of one SQL Server type: tables of it are made, served and asked. */
export interface TypeSpec {
  /** The dataclass and, below the schema `legacy`, the table. */
  readonly name: string;
  /** As it is declared. */
  readonly type: string;
  /** In ascending order, so that `V < value` finds those before. */
  readonly values: readonly TypeValue[];
  /** Which tests can be run: a key of the type, `=` and `IN`, `<`. */
  readonly can: readonly ('key' | 'equal' | 'less')[];
  /** Further filters over `V`, and the IDs of what they find. */
  readonly filters: readonly (readonly [filter: string, ids: readonly number[]])[];
  /** Values that the type cannot hold: error 1508. */
  readonly refused: readonly string[];
  /** Numbers that the type cannot hold, so that they equal none of its values. */
  readonly beyond: readonly string[];
  /** Why Babelfish for PostgreSQL lacks the type or something of it; null where it does not. */
  readonly lacking: string | null;
  /** Why IN does not find on Babelfish what its = finds; null where it does. */
  readonly unlisted: string | null;
  /** What is run before the table is made; null for nothing. */
  readonly before: string | null;
}

/** A value of the type as T-SQL writes it, as JSON, and as a filter or the key in a URL has it. */
export interface TypeValue {
  readonly sql: string;
  readonly json: string;
  readonly url: string;
}

const SIXTY = Array.from({ length: 60 }, (_, index) => `"日本${index}"`).join();

/**
 * A type each. Its values are `numbers`, which T-SQL, JSON and URLs write alike; `texts` or, cast to the type, `times`, in pairs where JSON has another text
 * than T-SQL; `expressions` of T-SQL with their texts; or `values` as T-SQL, JSON and URLs have them.
 */
const written = `
# Numbers at their type’s ends.
Bit: {type: bit, can: [key, equal], values: [[0, false, false], [1, true, true]], filters: {V: [2], NOT (V): [1], 'V != 1': [1]}, refused: [2, yes,
  '""']}
Tinyint: {type: tinyint, numbers: [0, 255], filters: {'V >= 254': [2], 'V > 254.5': [2], V < 0.5: [1], V = 0.5: [], NOT (V = 0.5): [1, 2],
  'V IN [0, 0.5]': [1], 'NOT (V IN [0, 256])': [2], 'NOT (V IN [0.5])': [1, 2]}, beyond: [-1, 256, 1e200000]}
Smallint: {type: smallint, numbers: [-32768, 0, 32767], beyond: [-32769, 32768]}
Int: {type: int, numbers: [-2147483648, -1, 2147483647], beyond: [-2147483649, 2147483648], refused: [x]}
Bigint: {type: bigint, numbers: [-9223372036854775808, 9007199254740993, 9223372036854775807], filters: {'V > 9007199254740992': [2, 3]},
  beyond: [-9223372036854775809, 9223372036854775808]}
WholeDecimal: {type: 'decimal(38, 0)', numbers: [-99999999999999999999999999999999999999, -1, 0, 2, 99999999999999999999999999999999999999],
  filters: {V = 1.5: [], 'V != 1.5': [1, 2, 3, 4, 5], NOT (V = 1.5): [1, 2, 3, 4, 5], V < 1.5: [1, 2, 3], V <= 1.5: [1, 2, 3], 'V > 1.5': [4, 5],
  'V >= 1.5': [4, 5], 'V > -0.5': [3, 4, 5], V < -0.5: [1, 2], 'V IN [1.5, 1.6, 2.0]': [4]}, beyond: [100000000000000000000000000000000000000]}
Fraction: {type: 'decimal(38, 38)', numbers: [-0.99999999999999999999999999999999999999, 0.00000000000000000000000000000000000001,
  0.99999999999999999999999999999999999999], beyond: [1, -1]}
Numeric: {type: 'numeric(5, 2)', numbers: [-999.99, 0.10, 999.99], filters: {V = 0.1: [2], V = 0.101: [],
  V < 0.1000000000000000000000000000000000001: [1, 2], V <= 0.0999999999999999999999999999999999999: [1],
  'V != 0.1000000000000000000000000000000000001': [1, 2, 3], NOT (V = 0.101): [1, 2, 3], 'V > 999.98999': [3], 'V IN [0.1, 999.989, 999.99]': [2,
  3], 'NOT (V IN [0.101])': [1, 2, 3], 'NOT (V IN [0.1, 0.101])': [1, 3]}, beyond: [1000, 999.991, -999.991], refused: [x]}
Money: {type: money, numbers: [-922337203685477.5808, 0.0001, 922337203685477.5807], filters: {V = 0.00010: [2], V = 0.00011: [],
  'V >= 0.00011': [3], 'V != 0.00011': [1, 2, 3], 'V IN [0.0001, 0.00011]': [2]}, beyond: [922337203685477.5808, -922337203685477.58081,
  1000000000000000]}
Smallmoney: {type: smallmoney, numbers: [-214748.3648, 12.3400, 214748.3647], beyond: [214748.36471, -214748.3649, 1000000]}
Float: {type: float, values: [[-1.7976931348623157E308, -1.7976931348623157e+308, -1.7976931348623157e308], [0E0, 0, 0], [2.2250738585072014E-308,
  2.2250738585072014e-308, 2.2250738585072014e-308], [1E-1, 0.1, 0.1], [1.7976931348623157E308, 1.7976931348623157e+308, 1.7976931348623157e308]],
  filters: {V = 0.1000000000000000055: [4]}, beyond: [1e400], refused: [NaN, Infinity]}
Real: {type: real, values: [[-3.4028235E38, -3.4028235e+38, -3.4028235e38], [0E0, 0, 0], [1.1754944E-38, 1.1754944e-38, 1.1754944e-38], [1E-1, 0.1,
  0.1], [16777216, 16777216, 16777216], [3.4028235E38, 3.4028235e+38, 3.4028235e38]], beyond: [3.5e38]}
TooSmall: {type: float, can: [equal], values: [[0E0, 0, 5e-324]],
  lacking: it has the numbers below 2.2e-308 that SQL Server documents as none of float}

# Dates and times at their type’s ends, and between the steps of those that have coarse ones.
DateOnly: {type: date, times: [0001-01-01, 2024-02-29, 9999-12-31], filters: {'V = "29!2!2024"': [2], V < 10000-01-01: [1, 2, 3],
  'V > 2024-02-29T12:00:00Z': [3], 'V < 2024-02-29T12:00:00Z': [1, 2], 'V = 9999-12-31T23:59:59.9999999Z': [3]}, beyond: [10000-01-01,
  '2024-02-29T12:00:00Z'], refused: [0000-12-31, 2023-02-29, x]}
Time0: {type: time(0), times: ['00:00:00', '23:59:59'], filters: {'V = 23:59:59.5': [], 'V < 23:59:59.5': [1, 2]}, refused: ['24:00:00', '12:60:00',
  x]}
Time6: {type: time(6), times: ['00:00:00', ['08:30:00.5', '08:30:00.500'], '23:59:59.999999']}
Time7: {type: time(7), times: ['08:30:00.1234567', '23:59:59.9999999'],
  lacking: 'its finest date-times have 6 digits of a second, where SQL Server has 7'}
Datetime: {type: datetime, times: [['1753-01-01T00:00:00', '1753-01-01T00:00:00.000Z'], ['1969-12-31T23:59:59.993', '1969-12-31T23:59:59.993Z'],
  ['2024-02-29T12:00:00', '2024-02-29T12:00:00.000Z'], ['2024-02-29T12:00:00.003', '2024-02-29T12:00:00.003Z'], ['2024-02-29T12:00:00.007',
  '2024-02-29T12:00:00.007Z'], ['9999-12-31T23:59:59.997', '9999-12-31T23:59:59.997Z']], filters: {'V = 2024-02-29T12:00:00.001Z': [],
  'V != 2024-02-29T12:00:00.001Z': [1, 2, 3, 4, 5, 6], 'NOT (V = 2024-02-29T12:00:00.001Z)': [1, 2, 3, 4, 5, 6], 'V < 2024-02-29T12:00:00.001Z': [1,
  2, 3], 'V >= 2024-02-29T12:00:00.001Z': [4, 5, 6], 'V <= 2024-02-29T12:00:00.002Z': [1, 2, 3], 'V > 2024-02-29T12:00:00.0031Z': [5, 6],
  'V < 1969-12-31T23:59:59.9939Z': [1, 2], 'V < 2024-02-29T12:00:00.009Z': [1, 2, 3, 4, 5],
  'V IN [2024-02-29T12:00:00.001Z, 2024-02-29T12:00:00.003Z]': [4], 'NOT (V IN [2024-02-29T12:00:00.001Z])': [1, 2, 3, 4, 5, 6],
  'V = 2024-02-29T14:00:00.003+02:00': [4], 'V = 9999-12-31T23:59:59.998Z': [6], 'V > 1700-01-01': [1, 2, 3, 4, 5, 6]},
  beyond: ['1752-12-31T23:59:59Z', 10000-01-01], refused: [2024-13-01, x]}
Smalldatetime: {type: smalldatetime, times: [['1900-01-01T00:00:00', '1900-01-01T00:00:00.000Z'], ['2024-02-29T12:00:00',
  '2024-02-29T12:00:00.000Z'], ['2079-06-06T23:59:00', '2079-06-06T23:59:00.000Z']], filters: {'V = 2024-02-29T12:00:29Z': [],
  'V < 2024-02-29T12:00:29Z': [1, 2], 'V > 2024-02-29T11:59:31Z': [2, 3], 'V >= 2024-02-29T12:00:00.001Z': [3], 'V = 2079-06-06T23:59:30Z': [3],
  V < 2100-01-01: [1, 2, 3]}, beyond: ['1899-12-31T23:59:59Z', 2079-06-07]}
Datetime20: {type: datetime2(0), times: [['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'], ['9999-12-31T23:59:59', '9999-12-31T23:59:59.000Z']],
  filters: {'V < 0001-01-01T00:00:00.5Z': [1], 'V = 0001-01-01T00:00:00.5Z': []}, beyond: ['9999-12-31T23:59:59-01:00'],
  refused: ['0000-12-31T00:00:00Z']}
Datetime26: {type: datetime2(6), times: [['0001-01-01T00:00:00.000001', '0001-01-01T00:00:00.000001Z'], ['2024-02-29T12:00:00.12',
  '2024-02-29T12:00:00.120Z'], ['9999-12-31T23:59:59.999999', '9999-12-31T23:59:59.999999Z']]}
Datetime27: {type: datetime2(7), times: [['2024-02-29T12:00:00.1234567', '2024-02-29T12:00:00.1234567Z'], ['9999-12-31T23:59:59.9999999',
  '9999-12-31T23:59:59.9999999Z']], lacking: 'its finest date-times have 6 digits of a second, where SQL Server has 7'}
Offset: {type: datetimeoffset(6), times: [['0001-01-01T00:00:00+00:00', '0001-01-01T00:00:00.000Z'], ['2024-02-29T13:30:00.5+05:30',
  '2024-02-29T08:00:00.500Z'], ['2024-02-29T00:00:00.123456-14:00', '2024-02-29T14:00:00.123456Z'], ['9999-12-31T23:59:59.999999+00:00',
  '9999-12-31T23:59:59.999999Z']], unlisted: its IN tells equal instants of two offsets apart, filters: {'V = 2024-02-29T09:00:00.5+01:00': [2]},
  beyond: ['0001-01-01T00:00:00+00:01'], refused: ['2024-02-29T25:00:00Z']}
Offset7: {type: datetimeoffset(7), times: [['2024-02-29T13:30:00.1234567+05:30', '2024-02-29T08:00:00.1234567Z']],
  lacking: 'its finest date-times have 6 digits of a second, where SQL Server has 7'}

# Text of any length, with and without padding, and of the deprecated types that cannot be compared as they are.
Char: {type: char(5), values: [["''", '"     "', '""'], ["'ab'", '"ab   "', ab], ["'vwxyz'", '"vwxyz"', vwxyz]], filters: {'V = "ab   "': [2],
  V begin a: [2], 'V = @z': [3], 'V = @b': [2], 'V = "longer than the column"': []}, refused: ["\\"a\\u0000\\""]}
Nchar: {type: nchar(5), values: [["N'ab'", '"ab   "', ab], ["N'z🚀'", '"z🚀  "', z🚀]], filters: {'V = @🚀': [2]}}
Varchar: {type: varchar(20), texts: ['', "a'b", 'b  ', c??, 'é'], filters: {V = b: [3], 'V IN ["c日本"]': [], 'NOT (V IN ["c日本"])': [1, 2, 3, 4, 5],
  'NOT (V IN [${SIXTY}])': [1, 2, 3, 4, 5], 'V IN ["é", "b"]': [3, 5], 'V = "c日本"': [], V begin c: [4], 'V % ?': [4]}}
Nvarchar: {type: nvarchar(20), texts: ['', "a'b", 'b  ', z🚀􏿿], filters: {'V % 🚀': [4], 'V = "[a]"': []}}
Quotes: {type: nvarchar(20), texts: ['"', "a\\"b\\\\c"], lacking: OPENJSON gives text with quotes in it back with its escapes}
VarcharMax: {type: varchar(max), can: [less], texts: [a, ${'b'.repeat(9000)}], filters: {V = a: [1]}}
NvarcharMax: {type: nvarchar(max), can: [equal, less], texts: [a, '${'é'.repeat(1500)}']}
Text: {type: text, can: [equal, less], texts: ['', ab, c??], filters: {V begin a: [2], 'V % ?': [3], 'V != ab': [1, 3], 'V IN ["c日本"]': []}}
Ntext: {type: ntext, can: [equal, less], texts: [ab, z🚀], filters: {'V = z@': [2]}}
Alias: {type: legacy.PhoneNo, texts: [+1 555, +33 1], before: CREATE TYPE legacy.PhoneNo FROM varchar(20)}
Sysname: {type: sysname, texts: [a, b]}

# Types that JSON has no word for.
Guid: {type: uniqueidentifier, values: [["'00000000-0000-0000-0000-000000000000'", '"00000000-0000-0000-0000-000000000000"',
  00000000-0000-0000-0000-000000000000], ["'C0FFEE00-0000-4000-8000-00000000000A'", '"c0ffee00-0000-4000-8000-00000000000a"',
  c0ffee00-0000-4000-8000-00000000000a], ["'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'", '"ffffffff-ffff-ffff-ffff-ffffffffffff"',
  ffffffff-ffff-ffff-ffff-ffffffffffff]], filters: {'V = "{C0FFEE00-0000-4000-8000-00000000000A}"': [2]}, refused: [c0ffee00, x]}
Xml: {type: xml, can: [equal, less], texts: ['<a/>', '<b>x &amp; y</b>'], filters: {'V % "x &amp; y"': [2]}}
Variant: {type: sql_variant, can: [equal], expressions: [['CONVERT(bigint, 9007199254740993)', 9007199254740993],
  ["CONVERT(decimal(38, 2), '123456789012345678901234567890.10')", 123456789012345678901234567890.10], ["CONVERT(nvarchar(20), N'text 🚀')",
  text 🚀], ["CONVERT(money, '1.2345')", 1.2345], ["CONVERT(date, '2024-02-29')", 2024-02-29], ['CONVERT(bit, 1)', 1]],
  filters: {'V = "text @"': [3]}}
ExactVariant: {type: sql_variant, can: [equal], expressions: [["CONVERT(datetime, '2024-02-29T12:00:00.003')", '2024-02-29T12:00:00.003'],
  ["CONVERT(datetime2(7), '2024-02-29T12:00:00.1234567')", '2024-02-29T12:00:00.1234567'],
  ["CONVERT(datetimeoffset(7), '2024-02-29T12:00:00.1234567+02:00')", '2024-02-29T12:00:00.1234567+02:00'], ["CONVERT(time(7), '12:00:00.1234567')",
  '12:00:00.1234567'], [1E-1, 1.0000000000000001e-001], 0x01FF],
  lacking: 'it writes dates, floats and bytes of a sql_variant in forms of its own, whatever the style'}
Hierarchyid: {type: hierarchyid, can: [key, equal], expressions: [["hierarchyid::Parse('/1/')", '/1/'], ["hierarchyid::Parse('/1/2.5/')",
  '/1/2.5/']], lacking: it has no hierarchyid}
Geometry: {type: geometry, can: [equal], expressions: [["geometry::STGeomFromText('POINT (1 2 3 4)', 0)", POINT (1 2 3 4)],
  ["geometry::STGeomFromText('LINESTRING (0 0, 1 1)', 0)", 'LINESTRING (0 0, 1 1)']], lacking: it is built without geometry,
  filters: {V begin POINT: [1]}}
Geography: {type: geography, can: [equal], expressions: [["geography::STGeomFromText('POINT (-122.5 47.25)', 4326)", POINT (-122.5 47.25)]],
  lacking: it is built without geography}
Bytesbinary4: {type: binary(4), can: [], values: [[0x00FF1020, '{bytes of 1}', '']], filters: {V = null: [2], 'V != null': [1]}}
Bytesvarbinary8: {type: varbinary(8), can: [], values: [[0x00FF1020, '{bytes of 1}', '']], filters: {V = null: [2], 'V != null': [1]}}
Bytesvarbinarymax: {type: varbinary(max), can: [], values: [[0x00FF1020, '{bytes of 1}', '']], filters: {V = null: [2], 'V != null': [1]}}
Bytesimage: {type: image, can: [], values: [[0x00FF1020, '{bytes of 1}', '']], filters: {V = null: [2], 'V != null': [1]}}`;

type Listed = 'numbers' | 'texts' | 'times' | 'expressions' | 'values';

type Written = Partial<Omit<TypeSpec, Listed | 'filters'>> &
  Partial<Record<Listed, readonly (string | readonly string[])[]>> & {
    readonly type: string;
    readonly filters?: Readonly<Record<string, readonly string[]>>;
  };

function valuesOf(type: string, form: Listed, value: string | readonly string[]): TypeValue {
  const [first = '', second = first, third = second] = [value].flat();
  if (form === 'numbers' || form === 'values') return { sql: first, json: second, url: third };
  const quoted = `N'${first.replaceAll("'", "''")}'`;
  const sql = { texts: quoted, times: `CAST(${quoted} AS ${type})`, expressions: first }[form];
  return { sql, json: JSON.stringify(second), url: `"${second}"` };
}

const specs = parse(written, { schema: 'failsafe' }) as Readonly<Record<string, Written>>;

/** The types of SQL Server. */
export const types = Object.entries(specs).map(([name, spec]): TypeSpec => {
  const { filters = {}, numbers, texts, times, expressions, values, ...others } = spec;
  const lists = { numbers, texts, times, expressions, values };
  return {
    ...{ can: ['key', 'equal', 'less'], refused: [], beyond: [] },
    ...{ lacking: null, unlisted: null, before: null, ...others, name },
    values: Object.entries(lists).flatMap(([form, list = []]) =>
      list.map((value) => valuesOf(spec.type, form as Listed, value)),
    ),
    filters: Object.entries(filters).map(([filter, ids]) => [filter, ids.map(Number)] as const),
  };
});
