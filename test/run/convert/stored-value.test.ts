import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/base/time.ts';
import { parseJson } from '../../../src/protocol/body/json.ts';
import { isOnStep, roundToStep } from '../../../src/run/convert/bind.ts';
import { isJsonOf } from '../../../src/run/convert/same-json.ts';
import {
  isSameValue,
  isShort,
  storedAtOnce,
  storing,
} from '../../../src/run/convert/stored-value.ts';
import { readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type { ValueLimits } from '../../../src/sql/dialect.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { complaint } from '../../protocol/complaint.ts';
import { rows } from '../../rows.ts';

function typeNamed(name: string, precision = 0, scale = 0): ColumnType {
  return readType({ name, bytes: 8, precision, scale, collation: null });
}

const types = {
  money: typeNamed('money', 19, 4),
  smallmoney: typeNamed('smallmoney', 10, 4),
  byte: { kind: 'integer', bits: 8, signed: false, native: 'tinyint' },
  long64: { kind: 'integer', bits: 64, signed: true, native: 'bigint' },
  decimal: { kind: 'decimal', precision: 10, scale: 2, native: 'decimal(10,2)' },
  whole: { kind: 'decimal', precision: 10, scale: 0, native: 'decimal(10,0)' },
  thousands: { kind: 'decimal', precision: 2, scale: -3, native: 'numeric' },
  thousandths: { kind: 'decimal', precision: 1, scale: 3, native: 'numeric' },
  open: { kind: 'decimal', precision: null, scale: null, native: 'numeric' },
  real: { kind: 'float', bits: 32, native: 'real' },
  text: { kind: 'text', maxLength: 5, padded: false, native: 'varchar' },
  nchar: { kind: 'text', maxLength: 4, padded: true, native: 'nchar(4)' },
  char: { kind: 'text', maxLength: 5, padded: true, native: 'char(5)' },
  date: { kind: 'date', native: 'date' },
  instant: { kind: 'timestamp', zoned: false, native: 'datetime2(7)' },
  zoned: { kind: 'timestamp', zoned: true, native: 'datetimeoffset(7)' },
  short: {
    kind: 'timestamp',
    zoned: false,
    coarse: { first: '1900-01-01T00:00:00Z', last: '2079-06-06T23:59:00Z', step: 'minute' },
    native: 'smalldatetime',
  },
  time: { kind: 'time', native: 'time(7)' },
  json: { kind: 'json', asText: true, native: 'nvarchar(max)' },
  binary: { kind: 'binary', native: 'varbinary(max)' },
  hex: { kind: 'hex', native: 'varbinary(16)' },
  name: { kind: 'text', maxLength: null, maxBytes: 4, padded: false, native: 'name' },
  letter: { kind: 'opaque', maxBytes: 1, native: 'char' },
  opaque: { kind: 'opaque', native: 'xml' },
} as const satisfies Record<string, ColumnType>;

type Name = keyof typeof types;

function stored(name: Name, json: string, limits?: ValueLimits): unknown {
  const type: ColumnType = types[name];
  const slot = { member: `Thing.${name}`, type };
  const findUpload = (id: string): Uint8Array | undefined =>
    id === 'A1' ? Buffer.from('ABC') : undefined;
  const value = parseJson(json);
  return isShort(value, type)
    ? storedAtOnce(value, slot, limits)
    : atOnce(storing(value, slot, { findUpload, limits }));
}

describe('a value of a body', () => {
  test.each<[Name, string, string | null]>([
    ['text', 'null', null],
    ['byte', '"7"', '7'],
    ['hex', '"0a1b"', '0A1B'],
    ['long64', '1e3', '1000'],
    ['money', '-922337203685477.5808', '-922337203685477.5808'],
    ['thousands', '1.2e4', '12000'],
    ['thousandths', '0.009', '0.009'],
    ['open', '123456789012345678901234567890.12345678', '123456789012345678901234567890.12345678'],
    ['text', '"áé😀íó"', 'áé😀íó'],
    ['nchar', '"é😀í "', 'é😀í '],
    ['char', '"ab        "', 'ab        '],
    ['date', '"9999-12-31T23:59:59.9999999Z"', '9999-12-31'],
    ['short', '"2079-06-06T23:59:30Z"', '2079-06-06T23:59:00Z'],
    ['json', '{"b":[1.50,1e400],"a":null}', '{"b":[1.50,1e400],"a":null}'],
    ['opaque', '"<a/>"', '<a/>'],
  ])('of type %s: %s', (name, json, expected) => {
    expect(stored(name, json)).toBe(expected);
  });

  test.each([
    ['base64', '"QUI="', 'AB'],
    ['base64 without its padding', '"QUI"', 'AB'],
    ['a data URI', '"data:image/png;base64,QUJD"', 'ABC'],
    ['megabytes', `"${'QUJD'.repeat(2_000_000)}"`, 'ABC'.repeat(2_000_000)],
    ['an upload', '{"ID":"A1"}', 'ABC'],
    ['nothing', '""', ''],
  ])('may be bytes: %s', (_, json, bytes) => {
    expect(Buffer.from(bytes).equals(stored('binary', json) as Uint8Array)).toBe(true);
  });

  test('bytes are decoded in steps, whatever lines they come in', () => {
    const bytes = Buffer.from(Array.from({ length: 1_000_001 }, (_, at) => (at * 7919) % 251));
    const lines = bytes.toString('base64').replace(/.{77}/g, '$&\r\n');
    for (const text of [lines, `${lines}\n`, lines.replace(/=/g, ''), lines.replace(/=$/, '\n=')]) {
      const read = stored('binary', JSON.stringify(text));
      expect(Buffer.from(read as Uint8Array).equals(bytes)).toBe(true);
    }
    for (const at of [7, 1_048_577, lines.length - 9]) {
      for (const wrong of ['-', '=', '*', ' ']) {
        const broken = lines.slice(0, at) + wrong + lines.slice(at + 1);
        expect(() => stored('binary', JSON.stringify(broken))).toThrow('expected base64');
      }
    }
  });

  test.each(['"QUI=QUI="', '"QUJDR"', '"Q"', '"QU-_"', '"QUI==="', '"QU\\u0000I"', '"äöü"'])(
    'are not bytes: %s',
    (json) => {
      expect(() => stored('binary', json)).toThrow('expected base64, or {"ID": …} of an upload.');
    },
  );

  test('says nothing where it is the deferred form of bytes', () => {
    expect(stored('binary', '{"__deferred":{"uri":"/rest/Thing(1)/photo"}}')).toBeUndefined();
  });

  test.each(rows<[Name, string, string, string]>`
    byte        | 256                    | tooLarge     | 256 is not a value for Thing.byte: expected a whole number from 0 to 255.
    byte        | -1                     | tooSmall     | -1 is not a value for Thing.byte: expected a whole number from 0 to 255.
    thousands   | 12345                  | tooLong      | 12345 is not a value for Thing.thousands: expected a multiple of 1000.
    thousands   | 1000.5                 | tooLong      | 1000.5 is not a value for Thing.thousands: expected a multiple of 1000.
    thousandths | 0.01                   | tooLarge     | 0.01 is not a value for Thing.thousandths: expected a number from -0.009 to 0.009.
    whole       | 1.5                    | tooLong      | 1.5 is not a value for Thing.whole: expected a whole number.
    money       | 922337203685477.5808   | tooLarge     | 922337203685477.5808 is not a value for Thing.money: expected a number from -922337203685477.5808 to 922337203685477.5807.
    smallmoney  | -214748.3649           | tooSmall     | -214748.3649 is not a value for Thing.smallmoney: expected a number from -214748.3648 to 214748.3647.
    text        | "abcdef"               | tooLong      | "abcdef" is not a value for Thing.text: expected text of at most 5 characters, and this has 6.
    nchar       | "áé😀í"                | tooLong      | "áé😀í" is not a value for Thing.nchar: expected text of at most 4 characters, and this has 5, as some count twice.
    name        | "aéíó"                 | tooLong      | "aéíó" is not a value for Thing.name: expected text of at most 4 bytes, and this has 7.
    letter      | "é"                    | tooLong      | "é" is not a value for Thing.letter: expected text of at most 1 bytes, and this has 2.
    json        | {"a":["\\u0000"]}      | wrongType    | {"a":["\\u0000"]} is not a value for Thing.json: expected JSON without the character U+0000 and half surrogate pairs.
    json        | {"\\ud800":1}          | wrongType    | {"\\ud800":1} is not a value for Thing.json: expected JSON without the character U+0000 and half surrogate pairs.
    json        | [1e200000]             | wrongType    | [1e200000] is not a value for Thing.json: expected JSON with numbers of at most 16383 digits.
    date        | "2024-02-29T12:00:00Z" | wrongType    | "2024-02-29T12:00:00Z" is not a value for Thing.date: expected a date such as 2024-12-31.
    hex         | 12                     | wrongType    | 12 is not a value for Thing.hex: expected bytes as hexadecimal digits in quotes, such as "0A1B".
    binary      | "äöü"                  | wrongType    | "äöü" is not a value for Thing.binary: expected base64, or {"ID": …} of an upload.
  `)('of type %s is refused: %s', (name, json, errorName, message) => {
    expect(complaint(() => stored(name, json))).toEqual([errorName, message]);
  });
});

describe('JSON that is nested deeply', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

  test('is taken as far as every part of the gateway can look into it', () => {
    expect(stored('json', nested(1000))).toBe(nested(1000));
    for (const levels of [1001, 3000]) {
      expect(complaint(() => stored('json', nested(levels))).join(': ')).toMatch(
        /^wrongType: \[.*…\]? is not a value for Thing\.json: expected JSON of at most 1000 levels\.$/,
      );
    }
  });

  test.each([1001, 3000])('is the same when it comes back as it was read: %i levels', (levels) => {
    const [text, other] = [nested(levels), nested(levels - 1)];
    expect(isJsonOf(text.replace('[', '[ '), parseJson(text))).toBe(true);
    expect(isJsonOf(other, parseJson(text))).toBe(false);
  });
});

describe('a time that timeZone cannot hold', () => {
  const settings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };
  const postgres = postgresDialect(settings, { version: 17 });
  const twice = 'Europe/Paris, whose clocks show this hour twice.';
  const refused = (instant: string, why: string, limits: ValueLimits, name: Name = 'instant') =>
    expect(complaint(() => stored(name, JSON.stringify(instant), limits))).toEqual([
      'wrongType',
      `"${instant}" is not a value for Thing.${name}: expected a date-time that the database can tell apart in ${why}`,
    ]);

  test.each([postgres, tsqlDialect(settings)])('is refused, not moved: $name', ({ limits }) => {
    refused('2024-10-27T00:30:00Z', twice, limits);
    expect(stored('instant', '"2024-10-27T01:30:00Z"', limits)).toBe('2024-10-27T01:30:00Z');
    expect(stored('zoned', '"2024-10-27T00:30:00Z"', limits)).toBe('2024-10-27T00:30:00Z');
    expect(stored('date', '"2024-10-27"', limits)).toBe('2024-10-27');
  });

  test.each(rows<[Name, string, string, string]>`
    instant | America/New_York | 0001-01-02T01:00:00Z      | 0001-01-01
    short   | Europe/Berlin    | 2079-06-05T22:30:00Z      | 2079-06-06
    instant | America/New_York | 10000-01-01T04:59:59Z     | 9999-12-31
    instant | Europe/Berlin    | 0001-12-31 23:30:00+00 BC | 0001-01-01
    instant | America/New_York | 4714-11-25 00:30:00+00 BC | 4714-11-24 BC
  `)('for a column of type %s in %s is %s', (name, timeZone, instant, day) => {
    const { limits } = postgresDialect({ ...settings, timeZone }, { version: 17 });
    const why = `${timeZone}, where this one falls on ${day}, a day that is the same in every time zone.`;
    refused(instant, why, limits, name);
  });

  test('comes again in the years that PostgreSQL has alone', () => {
    // The calendar of the year 12345 is that of 2345: its last Sunday of October is the 28th.
    refused('12345-10-28T00:30:00Z', twice, postgres.limits);
    const behind = '12345-10-28T01:30:00Z';
    expect(stored('instant', JSON.stringify(behind), postgres.limits)).toBe(behind);
  });
});

describe('what a column holds is the same as what it is given', () => {
  test.each<[Name, string | null, string | null, boolean]>([
    ['text', null, null, true],
    ['text', 'a', 'a ', false],
    ['char', 'FR   ', 'FR', true],
    ['char', 'FR\t', 'FR', false],
    ['decimal', '1.50', '1.5', true],
    ['decimal', '1.50', '1.51', false],
    ['real', '0.1', '0.10000000149011612', true],
    ['instant', '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00Z', true],
    ['instant', '2024-01-01T00:00:00.120Z', '2024-01-01T00:00:00.12Z', true],
    ['instant', '2024-01-01T00:00:00.100Z', '2024-01-01T00:00:00.101Z', false],
    ['time', '08:30:00', '08:30:00.000', true],
    ['json', '{"a":1}', '{"a":1,"b":null}', false],
    ['open', 'NaN', 'Infinity', false],
    ['json', 'no JSON', '"no JSON"', false],
  ])('%s: %j and %j: %s', (name, held, given, same) => {
    expect(isSameValue(held, given, types[name])).toBe(same);
  });

  test('bytes are never taken for the same: they are not read', () => {
    expect(isSameValue('', new Uint8Array(0), types.binary)).toBe(false);
  });
});

test.each<[text: string, value: string, is: boolean]>([
  ['null', 'null', true],
  ['1', '1.000000000000', true],
  ['"\\u0041"', '"A"', true],
  ['{"a":1,"b":[2]}', '{ "b": [2.00], "a": 1 }', true],
  ['[[],{}]', '[[],{}]', true],
  ['[1,2]', '[1,2,3]', false],
  ['"abc"', '"abcd"', false],
  ['{"a":1}', '{"ab":1}', false],
  ['[1,2]', '[2,1]', false],
  ['true', '"true"', false],
])('%s is what %s says: %s', (text, value, is) => {
  expect(isJsonOf(text, parseJson(value))).toBe(is);
});

test('what is longer than the text can be is not looked through', () => {
  const unread = {
    get member(): never {
      throw new Error('it was read');
    },
  };
  expect(isJsonOf('null', [...Array<null>(1000).fill(null), unread])).toBe(false);
  expect(isJsonOf('"short"', 'x'.repeat(1_000_000))).toBe(false);
  expect(isJsonOf('{"a":1}', { ['a'.repeat(1_000_000)]: 1 })).toBe(false);
});

const stepped: Readonly<Record<string, ColumnType>> = {
  datetime: typeNamed('datetime'),
  smalldatetime: typeNamed('smalldatetime'),
  whole: typeNamed('decimal', 38, 0),
  fine: typeNamed('decimal', 38, 2),
  millis: typeNamed('datetime2', 23, 3),
  offset: typeNamed('datetimeoffset', 26, 0),
  plain: typeNamed('decimal', 10, 2),
  money: types.money,
  smallmoney: types.smallmoney,
};

describe('a value between two steps of its type', () => {
  test.each(rows`
    datetime      | 2024-02-29T12:00:00Z         | 2024-02-29T12:00:00.000Z | 2024-02-29T12:00:00.000Z
    datetime      | 2024-02-29T12:00:00.0031Z    | 2024-02-29T12:00:00.003Z | 2024-02-29T12:00:00.007Z
    datetime      | 1969-12-31T23:59:59.999Z     | 1969-12-31T23:59:59.997Z | 1970-01-01T00:00:00.000Z
    smalldatetime | 1969-12-31T23:59:30Z         | 1969-12-31T23:59:00.000Z | 1970-01-01T00:00:00.000Z
    millis        | 2024-02-29T12:00:00.1235Z    | 2024-02-29T12:00:00.123Z | 2024-02-29T12:00:00.124Z
    millis        | 2023-12-31T23:59:59.9995Z    | 2023-12-31T23:59:59.999Z | 2024-01-01T00:00:00Z
    millis        | 2024-02-29T12:00:00Z         | 2024-02-29T12:00:00Z     | 2024-02-29T12:00:00Z
    millis        | 9999-12-31T23:59:59.9999999Z | 9999-12-31T23:59:59.999Z | 9999-12-31T23:59:59.999Z
    offset        | 2024-02-29T12:00:00.5Z       | 2024-02-29T12:00:00Z     | 2024-02-29T12:00:01Z
    whole         | -0.5                         | -1                       | 0
    whole         | 7                            | 7                        | 7
    fine          | 9.999                        | 9.99                     | 10.00
    fine          | -0.001                       | -0.01                    | 0.00
    plain         | -7.5                         | -7.5                     | -7.5
    money         | 0.00011                      | 0.0001                   | 0.0002
    smallmoney    | -0.00001                     | -0.0001                  | 0.0000
  `)('%s: %s is between %s and %s', (name, value, down, up) => {
    const type = stepped[name] ?? types.money;
    const steps = (['down', 'up'] as const).map((way) => roundToStep(value, type, way));
    expect([...steps, isOnStep(value, type)]).toEqual([down, up, down === up]);
  });

  test('is the value itself where the engine can look between', () => {
    const numeric: ColumnType = { kind: 'decimal', precision: 10, scale: 2, native: 'numeric' };
    for (const type of [typeNamed('datetime2', 0, 7), numeric]) {
      expect(roundToStep('1.2345', type, 'down')).toBe('1.2345');
      expect(isOnStep('1.2345', type)).toBe(true);
    }
  });
});
