import { describe, expect, test } from 'vitest';
import type { ColumnType } from '../../src/schema/types.ts';
import { postgresReader } from '../../src/sql/postgres/readers.ts';
import { stampReader, tsqlReader } from '../../src/sql/tsql/readers.ts';
import { rows } from '../rows.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };

const types = {
  boolean: { kind: 'boolean', native: 'bool' },
  long: { kind: 'integer', bits: 32, signed: true, native: 'int4' },
  long64: { kind: 'integer', bits: 64, signed: true, native: 'int8' },
  decimal: { kind: 'decimal', precision: 38, scale: 10, native: 'numeric' },
  single: { kind: 'float', bits: 32, native: 'float4' },
  double: { kind: 'float', bits: 64, native: 'float8' },
  text: { kind: 'text', maxLength: null, padded: false, native: 'text' },
  uuid: { kind: 'uuid', native: 'uuid' },
  date: { kind: 'date', native: 'date' },
  instant: { kind: 'timestamp', zoned: true, native: 'timestamptz' },
  time: { kind: 'time', native: 'time' },
  json: { kind: 'json', asText: true, native: 'text' },
  opaque: { kind: 'opaque', native: 'inet' },
  list: {
    kind: 'json',
    asText: false,
    items: { kind: 'timestamp', zoned: false, native: 'timestamp' },
    native: '_timestamp',
  },
} as const satisfies Record<string, ColumnType>;

const digits = '1234567890123456789012345678.0123456789';
const guid = 'C0FFEE00-0000-4000-8000-00000000000A';

describe('what a column holds whose type was altered', () => {
  const wires = ['abc', 'a"b\\c\n', '', '1e5x', true, 12.5, new Date(0), Buffer.from('x')];

  test.each(Object.values(types))('$kind is valid JSON, or an error that says so', (type) => {
    for (const reader of [postgresReader(type, settings), tsqlReader(type, settings)]) {
      for (const wire of wires) {
        let json: string;
        try {
          json = reader.json(wire);
        } catch (error) {
          expect(error).toMatchObject({ errorName: 'schemaChanged' });
          continue;
        }
        expect(() => JSON.parse(json) as unknown, `${type.kind} ${String(wire)}`).not.toThrow();
      }
    }
  });
});

describe('what a driver hands over, as JSON and as text', () => {
  test.each(rows<[kind: keyof typeof types, wire: string, json: string, text: string]>`
    decimal | NaN      | null       | NaN
    double  | Infinity | null       | Infinity
    json    | {broken  | "{broken"  | {broken
    list    | []       | []         | []
    list    | [["2024-02-29 12:00:00.5",null]] | [["2024-02-29T12:00:00.500Z",null]] | [["2024-02-29T12:00:00.500Z",null]]
  `)('PostgreSQL: %s %s', (kind, wire, json, text) => {
    const reader = postgresReader(types[kind], settings);
    expect([reader.json(wire), reader.text(wire)]).toEqual([json, text]);
  });

  test.each<[kind: keyof typeof types, wire: unknown, json: string, text: string]>([
    ['boolean', true, 'true', 'true'],
    ['boolean', false, 'false', 'false'],
    ['boolean', 1, 'true', 'true'],
    ['long', -7, '-7', '-7'],
    ['long64', '9007199254740993', '9007199254740993', '9007199254740993'],
    ['decimal', digits, digits, digits],
    ['single', Math.fround(0.1), '0.1', '0.1'],
    ['single', Math.fround(16777217.5), '16777218', '16777218'],
    ['double', 0.1, '0.1', '0.1'],
    ['text', 'a"b\n', '"a\\"b\\n"', 'a"b\n'],
    ['uuid', guid, `"${guid.toLowerCase()}"`, guid.toLowerCase()],
    ['date', '2024-02-29', '"2024-02-29"', '2024-02-29'],
    [
      'instant',
      '2024-02-29T12:00:00.1234567',
      '"2024-02-29T12:00:00.1234567Z"',
      '2024-02-29T12:00:00.1234567Z',
    ],
    ['time', '08:30:00.0000000', '"08:30:00"', '08:30:00'],
    ['json', '{broken', '"{broken"', '{broken'],
  ])('SQL Server: %s %s', (kind, wire, json, text) => {
    const reader = tsqlReader(types[kind], settings);
    expect([reader.json(wire), reader.text(wire)]).toEqual([json, text]);
  });

  test.each([
    ['PostgreSQL', postgresReader],
    ['SQL Server', tsqlReader],
  ] as const)('%s: long numbers as strings, where the settings say so', (_, readerOf) => {
    const strings = { ...settings, bigNumbersAsStrings: true };
    expect([
      readerOf(types.long64, strings).json('9007199254740993'),
      readerOf(types.long64, strings).json('42'),
      readerOf(types.decimal, strings).json(digits),
      readerOf(types.decimal, strings).json('1.5'),
    ]).toEqual(['"9007199254740993"', '42', `"${digits}"`, '1.5']);
  });
});

test.each<[bits: 53 | 31, wire: unknown, stamp: string]>([
  [53, 1, '1'],
  [53, '9007199254740991', '9007199254740991'],
  [53, '9007199254740992', '9007199254740991'],
  [53, '9007199254740993', '1'],
  [53, 0, '9007199254740991'],
  [53, -1, '9007199254740991'],
  [53, -2, '9007199254740990'],
  [31, 2_147_483_647, '2147483647'],
  [31, '2147483648', '2147483647'],
  [31, '2147483650', '2'],
  [53, Buffer.from('00000000000007d1', 'hex'), '2001'],
  [53, Buffer.from('8020000000000003', 'hex'), '3'],
])('a stamp of %i bits out of %s', (bits, wire, stamp) => {
  expect(stampReader(bits).text(wire)).toBe(stamp);
  expect(stampReader(bits).json(wire)).toBe(stamp);
});

test('a stamp out of a column whose type was altered', () => {
  expect(() => stampReader(53).text('abc')).toThrow(
    expect.objectContaining({ errorName: 'schemaChanged' }),
  );
});

test.each([
  ['PostgreSQL', postgresReader],
  ['SQL Server', tsqlReader],
] as const)(
  'long text is written piece by piece, where a column may hold any (%s)',
  (_, reader) => {
    const long = '"é\n'.repeat(200_000);
    for (const type of [types.text, types.opaque, { ...types.text, maxLength: 1_000_000 }]) {
      const { json, longJson } = reader(type, settings);
      const pieces = [...(longJson?.(long) ?? [])];
      expect(pieces.length).toBeGreaterThan(3);
      expect(pieces.join('') === json(long)).toBe(true);
      expect(longJson?.('"é')).toBe(null);
    }
    expect(reader({ ...types.text, maxLength: 4000 }, settings).longJson).toBeUndefined();
  },
);
