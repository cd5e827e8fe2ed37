import { expect, test } from 'vitest';
import { mapped, saved, type Served, type Shape, type Told } from './engines.ts';

const tables = [
  'CREATE TABLE app.counted (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver smallint NULL, at TIMESTAMP_TYPE NULL)',
  "INSERT INTO app.counted VALUES (1, 'a', 32767, NULL)",
  "INSERT INTO app.counted VALUES (2, 'b', NULL, NULL)",
  'CREATE TABLE app.wide (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver bigint NULL)',
  "INSERT INTO app.wide VALUES (1, 'a', 2147483647)",
  "INSERT INTO app.wide VALUES (2, 'b', 9223372036854775807)",
  'CREATE TABLE app.dated (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, on_day date NULL)',
  'CREATE TABLE app.zoned (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, at ZONED_TYPE NULL)',
  'CREATE TABLE app.hashed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, bytes BYTES_TYPE NULL, doc XML_TYPE NULL)',
  "INSERT INTO app.hashed VALUES (1, 'a', NULL, '<a/>')",
  'CREATE TABLE app.unstamped (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.unstamped VALUES (1, 'a')",
  'CREATE TABLE app.opened (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, kept varchar(20) NULL)',
  "INSERT INTO app.opened VALUES (1, 'a', 'k')",
  'CREATE TABLE app.closed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.closed VALUES (1, 'a')",
];

function typed(types: Readonly<Record<string, string>>): string[] {
  return tables.map((table) => table.replace(/[A-Z]+_TYPE/g, (name) => types[name] ?? name));
}

/** Stamps and timestamps of every kind, and what is read only. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${typed({
    TIMESTAMP_TYPE: 'timestamp(3)',
    ZONED_TYPE: 'timestamptz',
    BYTES_TYPE: 'bytea',
    XML_TYPE: 'xml',
  }).join(';\n')};`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...typed({
      TIMESTAMP_TYPE: 'datetime',
      ZONED_TYPE: 'datetimeoffset',
      BYTES_TYPE: 'varbinary(max)',
      XML_TYPE: 'xml',
    }),
  ],
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

/** Times that depend on the clock. */
export function timestamps(served: Served): void {
  /** A time of the last minute. */
  const now = {
    asymmetricMatch: (text: unknown): boolean =>
      Math.abs(Date.parse(String(text)) - Date.now()) < 60_000,
  };

  test('a timestamp is set by each save, beside a counter', async () => {
    const told = (name: string, ver: number): Told => [
      200,
      { ...saved('Counted', '4', { id: 4, name, ver, at: now }, ver), __TIMESTAMP: now },
    ];
    expect(await served.post('Counted', { id: 4, name: 'c' })).toEqual(told('c', 1));
    await served.run('UPDATE app.counted SET at = NULL');
    const changed = { __KEY: 4, __STAMP: 1, name: 'z' };
    expect(await served.post('Counted', changed)).toEqual(told('z', 2));
  });

  test('a date is today in the database’s time zone, a time with an offset is the instant', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'America/New_York' }).format();
    expect(await served.post('Dated', { id: 1, name: 'a' })).toMatchObject([200, { onDay: today }]);
    expect(await served.post('Zoned', { id: 1, name: 'a' })).toMatchObject([
      200,
      { at: now, __TIMESTAMP: now },
    ]);
  });
}
