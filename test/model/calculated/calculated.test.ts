import { expect, test } from 'vitest';
import type { SqlDialect } from '../../../src/model/calculated/sql-expression.ts';
import { isStored } from '../../../src/model/types.ts';
import { model, problems, table } from '../physical.ts';
import { parsed, rows } from '../../rows.ts';

const tables = [
  table('T', {
    columns: { ID: 'int', 'a.b': 'text', Pay: 'decimal', PAY: 'decimal', U_ID: 'int' },
    primaryKey: ['ID'],
  }),
  table('U', {
    columns: { ID: 'int', NAME: 'text', SECRET: 'text', PHOTO: 'binary' },
    primaryKey: ['ID'],
  }),
];

const u = `dataclass: U
table: S.U
attributes: { id: ID, name: NAME, photo: PHOTO, secret: { column: SECRET, exposed: false }, upper: { sql: upper(name), type: string } }
relations: { ts: { inverse: T.u } }`;

const t = (attributes: string): string => `dataclass: T
table: S.T
attributes: { id: ID, ${attributes} }
relations: { u: { to: U, columns: { U_ID: ID } } }`;

async function member(setting: string, dialect: SqlDialect = 'postgres'): Promise<unknown> {
  const built = await model(tables, { t: t(`x: ${setting}`), u }, { dialect });
  const found = built.dataclasses.get('T')?.members.get('x');
  if (found === undefined || !isStored(found)) return found;
  return [found.type, found.column.type, found.column.expression];
}

test.each(rows`
  bool                 | bool     | {kind: boolean, native: bit} | {kind: boolean, native: bool}
  byte                 | byte     | {kind: integer, bits: 8, signed: false, native: tinyint} | {kind: integer, bits: 16, signed: true, native: int2}
  number, scale: 3     | number   | {kind: decimal, precision: 38, scale: 3, native: 'decimal(38,3)'} | {kind: decimal, precision: 38, scale: 3, native: numeric}
  string, maxLength: 7 | string   | {kind: text, maxLength: 7, padded: false, native: nvarchar(7)} | {kind: text, maxLength: 7, padded: false, native: varchar}
  string               | string   | {kind: text, maxLength: null, padded: false, native: nvarchar(max)} | {kind: text, maxLength: null, padded: false, native: text}
  date                 | date     | {kind: date, native: date} | {kind: date, native: date}
  datetime             | date     | {kind: timestamp, zoned: false, native: datetime2(7)} | {kind: timestamp, zoned: false, native: timestamp}
  duration             | duration | {kind: time, native: time(7)} | {kind: time, native: time}
  uuid                 | uuid     | {kind: uuid, native: uniqueidentifier} | {kind: uuid, native: uuid}
`)('%s is a type of its own on each engine', async (written, type, tsql, postgres) => {
  const setting = `{ sql: id, type: ${written} }`;
  expect(await member(setting, 'tsql')).toMatchObject([type, parsed(tsql), expect.anything()]);
  expect(await member(setting)).toMatchObject([type, parsed(postgres), expect.anything()]);
});

test('an expression names columns as SQL does, and is converted to its type', async () => {
  expect(await member(`{ sql: 'id + "ID"', type: long }`)).toEqual([
    'long',
    expect.anything(),
    ['CAST((', '', { column: 'ID' }, ' + ', { column: 'ID' }, '', ') AS int4)'],
  ]);
  expect(await member(`{ sql: 'ID', type: number, scale: 2 }`)).toEqual([
    'number',
    expect.anything(),
    ['CAST((', '', { column: 'ID' }, '', ') AS numeric(38, 2))'],
  ]);
});

test('each dialect can have its own', async () => {
  const setting = `{ sql: { tsql: 'LEN("a.b")', postgres: 'length("a.b")' }, type: long }`;
  const start = (text: string): unknown => expect.arrayContaining([text, { column: 'a.b' }]);
  expect(await member(setting, 'tsql')).toMatchObject(['long', {}, start('LEN(')]);
  expect(await member(setting)).toMatchObject(['long', {}, start('length(')]);
});

test('a name with a dot is a column where there is one, and a path otherwise', async () => {
  expect(await member('a.b')).toMatchObject(['string', { kind: 'text' }, undefined]);
  expect(await member('u.name')).toMatchObject({ kind: 'alias', path: ['u', 'name'] });
  expect(await member('{ alias: u.upper }')).toMatchObject({
    kind: 'alias',
    aliased: { kind: 'calculated', type: 'string' },
  });
  expect(await member('{ alias: u.name, exposed: false }')).toBeUndefined();
});

test.each(rows`
  x: { sql: "ID; DROP", type: long }   | t.yaml:3:33: the SQL of x has ; at position 3, which no expression here may have
  x: { sql: pay, type: long }          | t.yaml:3:33: S.T has no column pay. Did you mean PAY, Pay?
  x: { sql: '"id"', type: long }       | t.yaml:3:33: S.T has no column id. Did you mean ID?
  x: { sql: { tsql: ID }, type: long } | t.yaml:3:28: has no expression for postgres, which the database speaks
  x: v.name                            | t.yaml:3:26: T has no relation to one v, and its table no column v.name. Known: u.
  x: u.nam                             | t.yaml:3:26: U has no attribute nam. Did you mean name?
  x: u.secret                          | t.yaml:3:26: U has no attribute secret. Known: id, name, photo, upper.
  x: u.photo                           | t.yaml:3:26: u.photo is of type blob, which clients ask its own entity for
  x: u.ts                              | t.yaml:3:26: u.ts leads to entities: an alias names an attribute
  x: u.ts.id                           | t.yaml:3:26: U.ts is not a relation to one: an alias has one value
  x: u.name, y: id.name                | t.yaml:3:37: T.id is not a relation to one: an alias has one value
  u: u.name                            | t.yaml:3:26: T already has a relation u
`)('%s is refused', async (attributes, message) => {
  expect(await problems(tables, { t: t(attributes), u })).toEqual([message]);
});
