import { describe, expect, test } from 'vitest';
import { readType } from '../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../src/schema/types.ts';
import { storedInstant, storedLocal } from '../../src/sql/postgres/readers.ts';
import { instantText, isHeld, localText } from '../../src/sql/local-time.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { tsqlReader } from '../../src/sql/tsql/readers.ts';

const found = { bytes: 8, precision: 27, scale: 7, collation: null };
const local = readType({ ...found, name: 'datetime2' });
const datetime = readType({ ...found, name: 'datetime' });
const zoned = readType({ ...found, name: 'datetimeoffset' });
const xml = readType({ ...found, name: 'xml' });
const zone = 'Europe/Paris';

describe('local time and instants', () => {
  test.each([
    ['2024-07-01T12:00:00.1234567', '2024-07-01T10:00:00.1234567Z'],
    ['2024-01-01T00:30:00', '2023-12-31T23:30:00Z'],
    ['1900-01-01T00:09:21', '1900-01-01T00:00:00Z'],
    ['0099-06-01T00:09:21', '0099-06-01T00:00:00Z'],
    ['0001-01-02T00:09:21', '0001-01-02T00:00:00Z'],
    ['9999-12-30T12:00:00', '9999-12-30T11:00:00Z'],
    ['9999-12-30T23:30:00', '9999-12-30T22:30:00Z'],
    // The days that stand for "never" and "always" are the same in both.
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59.9999999Z'],
  ])('%s is %s', (text, instant) => {
    expect([instantText(text, local, zone), localText(instant, local, zone)]).toEqual([
      instant,
      text,
    ]);
    expect(isHeld(instant, local, zone)).toBe(true);
  });

  test('the first day of an older type is the same in both', () => {
    expect(localText('1753-01-01T00:00:00Z', datetime, zone)).toBe('1753-01-01T00:00:00');
  });

  test.each([
    ['Asia/Tokyo', '9999-12-30T14:30:00Z', '9999-12-30T23:30:00'],
    ['Pacific/Kiritimati', '9999-12-30T09:59:59Z', '9999-12-30T23:59:59'],
    ['America/New_York', '9999-12-30T23:30:00Z', '9999-12-30T18:30:00'],
  ])('the last hours before the last day have the offset of %s, too', (timeZone, instant, text) => {
    expect([instantText(text, local, timeZone), localText(instant, local, timeZone)]).toEqual([
      instant,
      text,
    ]);
  });

  test('what PostgreSQL makes of an hour that is there twice is the second one, and no instant is the first', () => {
    expect(instantText('2024-10-27T02:30:00', local, zone)).toBe('2024-10-27T01:30:00Z');
    expect(localText('2024-10-27T00:30:00Z', local, zone)).toBe('2024-10-27T02:30:00');
    const hours = ['2024-10-26T23:59:59.9Z', '2024-10-27T00:00:00Z', '2024-10-27T00:59:59.9Z'];
    expect([...hours, '2024-10-27T01:00:00Z'].map((hour) => isHeld(hour, local, zone))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  test('what PostgreSQL makes of an hour that is not there is by the offset before', () => {
    expect(instantText('2024-03-31T02:30:00', local, zone)).toBe('2024-03-31T01:30:00Z');
    expect(instantText('2024-03-31T01:59:59', local, zone)).toBe('2024-03-31T00:59:59Z');
    expect(instantText('2024-03-31T03:00:00', local, zone)).toBe('2024-03-31T01:00:00Z');
  });

  test('zones that change their clocks by other steps, or by midnight, are those of ICU', () => {
    expect(localText('2024-04-06T15:00:00Z', local, 'Australia/Lord_Howe')).toBe(
      '2024-04-07T01:30:00',
    );
    expect(instantText('2024-04-07T01:45:00', local, 'Australia/Lord_Howe')).toBe(
      '2024-04-06T15:15:00Z',
    );
    expect(instantText('2018-11-04T00:30:00', local, 'America/Sao_Paulo')).toBe(
      '2018-11-04T03:30:00Z',
    );
    expect(localText('2024-07-01T12:00:00Z', local, 'Antarctica/Troll')).toBe(
      '2024-07-01T14:00:00',
    );
  });
});

describe('SQL Server is told and tells plain local time: AT TIME ZONE takes the offset before the change (learn: at time zone)', () => {
  const settings = { timeZone: zone, bigNumbersAsStrings: false };
  const given = (text: string, type: ColumnType): string =>
    tsqlDialect(settings).parameterText(text, type);

  test('told', () => {
    expect(given('2024-07-01T12:00:00.5Z', local)).toBe('2024-07-01T14:00:00.5');
    expect(given('2024-07-01T12:00:00.5Z', zoned)).toBe('2024-07-01T12:00:00.5Z');
  });

  test('tells', () => {
    expect(tsqlReader(local, settings).json('2024-10-27T02:30:00.1200000')).toBe(
      '"2024-10-27T01:30:00.120Z"',
    );
    expect(tsqlReader(zoned, settings).json('2024-10-27T02:30:00')).toBe(
      '"2024-10-27T02:30:00.000Z"',
    );
  });

  test('XML goes without its declaration: another encoding than its own would be refused (learn: create instances of XML data)', () => {
    expect(given('\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<a/>', xml)).toBe('\n<a/>');
    expect(given('<?xml-stylesheet href="a"?><a/>', xml)).toBe('<?xml-stylesheet href="a"?><a/>');
    const text = readType({ ...found, name: 'nvarchar' });
    expect(given('<?xml version="1.0"?>', text)).toBe('<?xml version="1.0"?>');
  });
});

const type: ColumnType = { kind: 'timestamp', zoned: false, native: 'timestamp' };

describe('local times of the years that PostgreSQL has alone', () => {
  // As PostgreSQL's AT TIME ZONE has them.
  test.each([
    ['Europe/Berlin', '12024-01-01 12:00:00', '12024-01-01 11:00:00+00'],
    ['Europe/Berlin', '12024-07-01 12:00:00.25', '12024-07-01 10:00:00.25+00'],
    ['Europe/Berlin', '10000-01-01 00:30:00', '9999-12-31 23:30:00+00'],
    ['Europe/Berlin', '0044-03-15 12:00:00 BC', '0044-03-15 11:06:32+00 BC'],
    ['America/New_York', '0001-12-31 23:30:00 BC', '0001-01-01 04:26:02+00'],
    ['America/New_York', '12023-12-31 23:30:00', '12024-01-01 04:30:00+00'],
    ['America/New_York', '4714-11-24 12:00:00 BC', '4714-11-24 12:00:00+00 BC'],
    ['Europe/Berlin', '294276-12-31 12:00:00', '294276-12-31 12:00:00+00'],
    ['Europe/Berlin', 'infinity', 'infinity'],
    ['Europe/Berlin', '2024-01-01 12:00:00', '2024-01-01T11:00:00Z'],
    ['Europe/Berlin', '9999-12-31 23:59:59', '9999-12-31T23:59:59Z'],
  ])('in %s: %s is %s', (timeZone, local, instant) => {
    expect(storedInstant(local, type, timeZone)).toBe(instant);
  });

  test.each([
    ['Europe/Berlin', '0012024-01-01t11:00:00z', '12024-01-01 12:00:00'],
    ['America/New_York', '10000-01-01T05:00:00Z', '10000-01-01 00:00:00'],
    ['Europe/Berlin', '0044-03-15 11:06:32+00 bc', '0044-03-15 12:00:00 BC'],
    ['Europe/Berlin', '-infinity', '-infinity'],
    ['Europe/Berlin', '2024-01-01T11:00:00Z', '2024-01-01T12:00:00'],
  ])('in %s: the instant %s is %s', (timeZone, instant, local) => {
    expect(storedLocal(instant, type, timeZone)).toBe(local);
  });
});
