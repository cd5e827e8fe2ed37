import { expect, test } from 'vitest';
import { mapped, type Served, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

const tables = [
  'CREATE TABLE app.counted (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver smallint NULL, at TIMESTAMP_TYPE NULL)',
  "INSERT INTO app.counted VALUES (1, 'a', 32767, NULL)",
  "INSERT INTO app.counted VALUES (2, 'b', NULL, NULL)",
  'CREATE TABLE app.wide (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver bigint NULL)',
  "INSERT INTO app.wide VALUES (1, 'a', 2147483647)",
  "INSERT INTO app.wide VALUES (2, 'b', 9223372036854775807)",
  'CREATE TABLE app.dated (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, on_day date NULL)',
  'CREATE TABLE app.zoned (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, at ZONED_TYPE NULL)',
  'CREATE TABLE app.hashed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, bytes BYTES_TYPE NULL, doc xml NULL)',
  "INSERT INTO app.hashed VALUES (1, 'a', NULL, '<a/>')",
  'CREATE TABLE app.unstamped (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.unstamped VALUES (1, 'a')",
  'CREATE TABLE app.opened (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, kept varchar(20) NULL)',
  "INSERT INTO app.opened VALUES (1, 'a', 'k')",
  'CREATE TABLE app.closed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.closed VALUES (1, 'a')",
];

/** Stamps and timestamps of every kind, and what is read only. */
export const shape: Shape = {
  ...inBothLanguages(tables, {
    TIMESTAMP_TYPE: ['timestamp(3)', 'datetime'],
    ZONED_TYPE: ['timestamptz', 'datetimeoffset'],
    BYTES_TYPE: ['bytea', 'varbinary(max)'],
  }),
  mappings: mapped(`
counted: {dataclass: Counted, table: app.counted, stamp: {counter: ver}, timestamp: at}
wide: {dataclass: Wide, table: app.wide, stamp: {counter: ver}}
dated: {dataclass: Dated, table: app.dated, stamp: hash, timestamp: on_day}
zoned: {dataclass: Zoned, table: app.zoned, stamp: hash, timestamp: at}
hashed: {dataclass: Hashed, table: app.hashed, stamp: {hash: [id, name, bytes, doc]}}
light: {dataclass: Light, table: app.hashed, stamp: hash, attributes: {id: id, name: name, bytes: bytes}}
unstamped: {dataclass: Unstamped, table: app.unstamped, stamp: none, requireStamp: false}
archive: {dataclass: Archive, table: app.unstamped, stamp: none}
open: {dataclass: Open, table: app.opened, stamp: hash, requireStamp: false, attributes: {id: id, name: name, kept: {column: kept, readOnly: true}}}
closed: {dataclass: Closed, table: app.closed, stamp: hash, readOnly: true}
`),
  settings: { timeZone: 'America/New_York' },
};

/** The same of a gateway that only reads. */
export const readOnly: Shape = { ...shape, settings: { ...shape.settings, readOnly: true } };

/** What depends on the day. */
export function timestamps(served: Served): void {
  test('a date is today in the database’s time zone', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'America/New_York' }).format();
    expect(await served.post('Dated', { id: 1, name: 'a' })).toMatchObject([200, { onDay: today }]);
  });
}
