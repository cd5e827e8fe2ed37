import { describe, expect, test } from 'vitest';
import { canonicalText, convert } from '../../../src/run/convert/bind.ts';
import type { Literal } from '../../../src/protocol/ast.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { complaint } from '../../protocol/complaint.ts';
import { rows } from '../../rows.ts';

const MEETS = 'Employee.attribute';

function converted(text: string, type: ColumnType): string {
  return convert({ value: text, class: 'text', within: '$filter', position: 7 }, type, MEETS);
}

/** What the client is told of a value that does not fit. */
function refusal(text: string, type: ColumnType): string {
  const [name, message] = complaint(() => converted(text, type));
  expect(name).toBe('wrongType');
  return message;
}

function expected(text: string, what: string): string {
  return `"${text}" is not a value for ${MEETS}: expected ${what} (at position 7 of $filter)`;
}

const integer = (bits: 8 | 16 | 32 | 64, signed = true): ColumnType => ({
  kind: 'integer',
  bits,
  signed,
  native: 'int',
});
const decimal = (precision: number | null, scale: number | null): ColumnType => ({
  kind: 'decimal',
  precision,
  scale,
  native: 'numeric',
});

const types: Readonly<Record<string, ColumnType>> = {
  integer: integer(32),
  number: decimal(null, null),
  price: decimal(5, 2),
  fraction: decimal(4, 4),
  tiny: decimal(3, 5),
  thousands: decimal(2, -3),
  single: { kind: 'float', bits: 32, native: 'float4' },
  double: { kind: 'float', bits: 64, native: 'float8' },
  boolean: { kind: 'boolean', native: 'bool' },
  date: { kind: 'date', native: 'date' },
  instant: { kind: 'timestamp', zoned: true, native: 'timestamptz' },
  time: { kind: 'time', native: 'time' },
  uuid: { kind: 'uuid', native: 'uuid' },
  text: { kind: 'text', maxLength: 3, padded: false, native: 'varchar' },
  datetime: {
    kind: 'timestamp',
    zoned: false,
    coarse: { first: '1753-01-01T00:00:00Z', last: '9999-12-31T23:59:59.997Z', step: 'tick' },
    native: 'datetime',
  },
};

function typeNamed(name: string): ColumnType {
  const type = types[name];
  if (type === undefined) throw new Error(`there is no type ${name}`);
  return type;
}

test.each([
  [8, true, '-128', '127'],
  [8, false, '0', '255'],
  [16, true, '-32768', '32767'],
  [32, true, '-2147483648', '2147483647'],
  [64, true, '-9223372036854775808', '9223372036854775807'],
] as const)('whole numbers of %d bits, signed: %s', (bits, signed, lowest, highest) => {
  const type = integer(bits, signed);
  const range = `a whole number from ${lowest} to ${highest}`;
  const below = (BigInt(lowest) - 1n).toString();
  const above = (BigInt(highest) + 1n).toString();
  expect([converted(lowest, type), converted(highest, type)]).toEqual([lowest, highest]);
  expect(refusal(below, type)).toBe(expected(below, range));
  expect(refusal(above, type)).toBe(expected(above, range));
});

test.each(rows`
  integer  | +7 → 7 | 007 → 7 | -0 → 0 | \u0020 12 \u0020 → 12 | 3.000 → 3 | 3. → 3 | 1e3 → 1000 | 12.5e1 → 125 | 500e-2 → 5
  number   | +1.50 → 1.5 | .5 → 0.5 | 5. → 5 | -0.0 → 0 | 000123.4500 → 123.45 | 1.2345e2 → 123.45 | 12e-3 → 0.012 | -1E+5 → -100000
    | 12345678901234567890123456789012345678 → 12345678901234567890123456789012345678
    | 0.12345678901234567890123456789012345678 → 0.12345678901234567890123456789012345678
    | 1e-38 → 0.${'0'.repeat(37)}1 | 0${'0'.repeat(50)}7 → 7
  price    | 999.99 → 999.99 | 1.234 → 1.234 | 0.001 → 0.001
  fraction | 0.5 → 0.5
  tiny     | 0.00999 → 0.00999 | -0.00999 → -0.00999 | 0.000001 → 0.000001
  thousands | 99000 → 99000 | -99000 → -99000 | 12345.5 → 12345.5
  single   | 0.1 → 0.1 | 1e-60 → 0 | 3.4e38 → 3.4e+38
  double   | 0.1 → 0.1 | -1.5e-7 → -1.5e-7 | 1e21 → 1e+21 | .5 → 0.5 | 5. → 5 | 1e-400 → 0 | -0 → 0
  boolean  | true → true | TRUE → true | 1 → true | False → false | 0 → false
  date     | 2024-2-9 → 2024-02-09 | 2000-02-29 → 2000-02-29 | 0001-01-01 → 0001-01-01 | !!2024-02-29!! → 2024-02-29 | 29!2!2024 → 2024-02-29
    | 2024-02-29T00:00:00.000+02:00 → 2024-02-29 | 2024-02-29 00:00 → 2024-02-29 | \u0020 2024-02-28T23:00:00.000Z,29!2!2024 \u0020 → 2024-02-29
  instant  | 2024-02-29 → 2024-02-29T00:00:00Z | 2024-02-29T12:34 → 2024-02-29T12:34:00Z | 2024-02-29 12:34:56.7 → 2024-02-29T12:34:56.7Z
    | 2024-02-29T12:34:56.999999999Z → 2024-02-29T12:34:56.9999999Z | 2024-02-29T12:34:56.000z → 2024-02-29T12:34:56Z
    | 2024-03-01T00:30:00+02:00 → 2024-02-29T22:30:00Z | 2023-12-31T23:30:00-0130 → 2024-01-01T01:00:00Z
    | 2024-01-01T05:45:00.5+05 → 2024-01-01T00:45:00.5Z | 9999-12-31T23:59:59.999999Z → 9999-12-31T23:59:59.999999Z
    | !!2024-02-29!! → 2024-02-29T00:00:00Z | 2024-02-28T23:00:00Z,29!2!2024 → 2024-02-28T23:00:00Z
  time     | 00:00 → 00:00:00 | 8:30 → 08:30:00 | 09:00:00.250 → 09:00:00.25 | 09:00:00.12345678901234567890 → 09:00:00.1234567
  uuid     | C0FFEE00-0000-4000-8000-00000000000A → c0ffee00-0000-4000-8000-00000000000a
    | \u0020 {C0FFEE0000004000800000000000000A} \u0020 → c0ffee00-0000-4000-8000-00000000000a
  text     | O'Reilly → O'Reilly | longer than the column → longer than the column | 🚀 → 🚀 | \u0001 → \u0001 | null → null | a\ud83d → a\ufffd
  datetime | 1753-01-01 → 1753-01-01T00:00:00Z | 9999-12-31T23:59:59.997Z → 9999-12-31T23:59:59.997Z
    | 9999-12-31T23:59:59.9999999Z → 9999-12-31T23:59:59.997Z
`)('%s: what is read', (type, ...texts) => {
  const read = texts.map((cell) => {
    const [text = ''] = cell.split(' → ');
    return `${text} → ${converted(text, typeNamed(type))}`;
  });
  expect(read).toEqual(texts);
});

const DATE = 'a date such as 2024-12-31';
const INSTANT = `${DATE} or a date-time such as 2024-12-31T23:59:59.999Z`;
const LONG = 'a whole number from -2147483648 to 2147483647';

test.each(rows`
  integer   | ${LONG} | | . | 1.5 | abc | 0x10 | 1e-1 | 1 2 | --1 | 1e99 | true | ١٢ | 1 OR 1=1 | 20 order by name | 20 AN
  integer   | ${LONG}. Did you mean 20 AND active? | 20 AN active
  integer   | ${LONG}. Did you mean 20 OR active? | 20 XOR active
  integer   | ${LONG}. Did you mean 20 EXCEPT active? | 20 EXEPT active
  number    | a number | | . | - | e5 | 1e | 1.2.3 | 1,5 | NaN | Infinity
  number    | a number of at most 38 digits | 123456789012345678901234567890123456789 | 1.12345678901234567890123456789012345678 | 1e38 | 1e-39 | 1e9999 | 1e1000000
  price     | a number of at most 3 digits before its point | 1000 | -1000.5
  fraction  | a number of at most 0 digits before its point | 1
  tiny      | a number from -0.00999 to 0.00999 | 0.01 | -0.05
  thousands | a number of at most 5 digits before its point | 100000
  single    | a number of at most 3.4e38 | 3.5e38
  double    | a number of at most 1.79e308 | 1e309
  double    | a number | | NaN | Infinity | 0x1F | 1_000 | . | 1e
  boolean   | true or false | | yes | 2 | t | null
  date      | ${DATE} | | 2023-02-29 | 1900-02-29 | 2024-04-31 | 2024-13-01 | 2024-00-10 | 2024-01-00 | 0000-01-01 | 10000-01-01 | 24-01-01
    | 29!2!2023 | 2024-02-29T12:00:00Z | today | 20240229 | 2024-02-28T23:00:00Z,30!2!2024
  instant   | ${INSTANT} | | 2023-02-29T00:00:00Z | 2024-01-01T25:00:00Z | 2024-01-01T12:60:00Z | 2024-01-01T12:00:61Z | 2024-01-01T12:00:00+99:00
    | 2024-01-01T12:00:00 Paris | 0001-01-01T00:00:00+01:00 | 9999-12-31T23:59:59-01:00 | 12:00:00 | 29!2!2024,2024-02-28T23:00:00Z
    | 2024-02-28T23:00:00Z, | 2024-02-28T25:00:00Z,29!2!2024
  time      | a time such as 23:59:59 | | 24:00 | 12:60 | 12:00:60 | 12 | 12:0 | 12:00Z | noon
  uuid      | a UUID of 32 hexadecimal digits | | c0ffee00 | c0ffee00-0000-4000-8000-00000000000g | c0ffee00-0000-4000-8000-00000000000a0
  text      | text without the character U+0000 | a\u0000b
  datetime  | ${INSTANT}, from 1753-01-01T00:00:00Z to 9999-12-31T23:59:59.997Z | 1752-12-31 | 1752-12-31T23:59:59Z
`)('%s: what is not %s', (type, what, ...texts) => {
  expect(texts.map((text) => refusal(text, typeNamed(type)))).toEqual(
    texts.map((text) => expected(text, what)),
  );
});

test('a long value is cut in the message', () => {
  expect(refusal('x'.repeat(70), typeNamed('date'))).toBe(expected(`${'x'.repeat(60)}…`, DATE));
});

test.each([
  ['1e-16000', `0.${'0'.repeat(15_999)}1`],
  [`1.${'0'.repeat(16_000)}1`, `1.${'0'.repeat(16_000)}1`],
])('thousands of zeros keep nobody waiting: %s', (text, digits) => {
  const literal: Literal = { value: text, class: 'text', within: '$filter', position: 7 };
  const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };
  const { limits } = postgresDialect(settings, { version: 17 });
  const begun = performance.now();
  for (let count = 0; count < 50; count += 1) {
    expect(convert(literal, typeNamed('number'), MEETS, limits)).toBe(digits);
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});

describe('date-times without offset are of the time zone of the database', () => {
  const settings = { timeZone: 'Europe/Berlin', bigNumbersAsStrings: false };
  const dialects = [postgresDialect(settings, { version: 17 }), tsqlDialect(settings)];
  const types = [false, true].map((zoned): ColumnType => ({
    kind: 'timestamp',
    zoned,
    native: 'datetime2(7)',
  }));
  const cases = dialects.flatMap(({ name, limits }) =>
    types.map((type) => ({ name, limits, type })),
  );

  test.each(cases)('$name, zoned: $type.zoned', ({ limits, type }) => {
    const texts = {
      '2024-07-01T12:00:00': '2024-07-01T10:00:00Z',
      '2024-01-01 00:30:00.25': '2023-12-31T23:30:00.25Z',
      '2024-07-01': '2024-06-30T22:00:00Z',
      '1!7!2024': '2024-06-30T22:00:00Z',
      '2024-07-01T12:00:00Z': '2024-07-01T12:00:00Z',
      '2024-07-01T12:00:00-01:00': '2024-07-01T13:00:00Z',
      '0001-01-01': '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59': '9999-12-31T23:59:59Z',
      '2024-10-27T02:30:00': '2024-10-27T01:30:00Z',
    };
    const literal = (value: string): Literal => ({
      value,
      class: 'text',
      within: '$filter',
      position: 1,
    });
    const instants = Object.keys(texts).map((text) => convert(literal(text), type, 'A.b', limits));
    expect(instants).toEqual(Object.values(texts));
    expect(Object.keys(texts).map((text) => canonicalText(text, type, limits))).toEqual(instants);
  });

  test('past the years of JavaScript’s dates they need their offset', () => {
    const type: ColumnType = { kind: 'timestamp', zoned: false, native: 'timestamp' };
    const { limits } = postgresDialect(settings, { version: 17 });
    expect(canonicalText('12345-01-02T03:04:05Z', type, limits)).toBe('12345-01-02T03:04:05Z');
    expect(() => canonicalText('12345-01-02T03:04:05', type, limits)).toThrow('a date such as');
  });
});

describe('what an engine cannot tell apart', () => {
  const type: ColumnType = { kind: 'decimal', precision: 10, scale: 2, native: 'numeric(10,2)' };

  test.each([
    [`0.5${'0'.repeat(30)}1`, `0.5${'0'.repeat(28)}1`],
    [`0.5${'9'.repeat(30)}`, `0.5${'9'.repeat(28)}1`],
    ['12345678.5', '12345678.5'],
  ])('%s stays between the same values of decimal(10,2)', (text, canonical) => {
    expect(converted(text, type)).toBe(canonical);
  });

  test.each([
    [64, '2.2250738585072014e-308', '2.2250738585072014e-308'],
    [64, '-2.2250738585072009e-308', '0'],
    [32, '1.1754944e-38', '1.1754944e-38'],
    [32, '1e-38', '0'],
  ] as const)('%i bits: %s is %s where there are no subnormal numbers', (bits, text, canonical) => {
    const type: ColumnType = { kind: 'float', bits, native: 'float' };
    const literal = { value: text, class: 'number', within: '$filter', position: 1 } as const;
    expect(
      convert(literal, type, 'A.b', {
        fractionDigits: 7,
        subnormals: false,
        decimalDigits: 38,
        distantTimes: false,
        timeZone: 'UTC',
        notNumbers: false,
      }),
    ).toBe(canonical);
  });
});
