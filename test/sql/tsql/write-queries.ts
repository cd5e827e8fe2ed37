import type {
  Assignment,
  ColumnRef,
  Join,
  RowMatch,
  TableSource,
  WriteQuery,
} from '../../../src/sql/ir/ir.ts';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';

const text = (native: string, maxLength: number | null, more: object = {}): ColumnType => ({
  kind: 'text',
  maxLength,
  padded: false,
  native,
  ...more,
});

const latin = { collation: 'Latin1_General_CI_AS' };

export const tsqlTypes = {
  boolean: { kind: 'boolean', native: 'bit' },
  counter: { kind: 'integer', bits: 8, signed: false, native: 'tinyint' },
  id: { kind: 'integer', bits: 32, signed: true, native: 'int' },
  long: { kind: 'integer', bits: 64, signed: true, native: 'bigint' },
  decimal: decimalType('decimal', 12, 2),
  money: readType({ name: 'money', bytes: 8, precision: 19, scale: 4, collation: null }),
  float: { kind: 'float', bits: 64, native: 'float' },
  text: text('nvarchar(20)', 20, latin),
  padded: text('char(5)', 5, { padded: true, ...latin }),
  uuid: { kind: 'uuid', native: 'uniqueidentifier' },
  date: { kind: 'date', native: 'date' },
  local: { kind: 'timestamp', zoned: false, native: 'datetime' },
  zoned: { kind: 'timestamp', zoned: true, native: 'datetimeoffset(7)' },
  time: { kind: 'time', native: 'time(7)' },
  json: { kind: 'json', asText: true, native: 'nvarchar(max)' },
  jsonText: { kind: 'json', asText: true, native: 'varchar(max)' },
  binary: { kind: 'binary', native: 'varbinary' },
  opaque: { kind: 'opaque', native: 'geography' },
  geometry: { kind: 'opaque', native: 'geometry' },
  hierarchy: { kind: 'opaque', native: 'hierarchyid' },
  xml: { kind: 'opaque', native: 'xml' },
} as const satisfies Readonly<Record<string, ColumnType>>;

/** A statement of each kind, over a table with those types, each column named like its type. */
export function writeQueries(): Readonly<Record<string, WriteQuery>> {
  const types = tsqlTypes;
  const table: TableSource = { schema: 'S', name: 'T "1"', alias: 't0' };
  const rows: TableSource = { schema: 'S', name: 'K', alias: 't0' };
  const other: TableSource = { schema: 'S', name: 'OTHER', alias: 't1' };
  const ref = (name: string, type: ColumnType, alias = 't0'): ColumnRef => ({
    kind: 'column',
    alias,
    name,
    type,
    nullable: false,
  });
  const id = ref('ID', types.id);
  const cell = (column: ColumnRef): Assignment => ({ column, value: { kind: 'cell' } });
  const every = Object.entries(types).map(([name, type]) => cell(ref(name, type)));
  const label = cell(ref('LABEL', types.text));
  const counter = ref('VER', types.counter);
  const match: RowMatch = {
    key: [id],
    stamp: { source: { kind: 'column', column: counter }, bits: 53 },
    where: null,
  };
  const byKey: RowMatch = {
    key: [ref('CODE', types.text), ref('AT', types.local)],
    stamp: null,
    where: null,
  };
  const join: Join = {
    type: 'left',
    table: other,
    on: [[ref('OTHER_ID', types.id), ref('ID', types.id, 't1')]],
    where: null,
  };
  const where = {
    kind: 'compare',
    operator: '=',
    left: ref('NAME', types.text, 't1'),
    right: {
      kind: 'parameter',
      source: { from: 'request', parameter: 0 },
      type: types.text,
      use: 'value',
      meets: 'name',
    },
  } as const;
  const insert = { kind: 'insert', into: table, instead: false } as const;
  const inView = { instead: true } as const;
  const direct = { instead: false } as const;
  const stamps: Assignment[] = [
    { column: counter, value: { kind: 'nextStamp', bits: 53 } },
    { column: ref('LONG', types.long), value: { kind: 'nextStamp', bits: 53 } },
    { column: ref('LOCAL', types.local), value: { kind: 'now' } },
    { column: ref('ZONED', types.zoned), value: { kind: 'now' } },
    { column: ref('DAY', types.date), value: { kind: 'now' } },
  ];
  const contents: Assignment[] = ['A', 'B'].map((name) => ({
    column: ref(name, types.binary),
    value: { kind: 'bytes' },
  }));
  return {
    'insert-every-type': { ...insert, assignments: every, returning: [], rows: 'many' },
    'insert-one': {
      ...insert,
      assignments: [label, { column: counter, value: { kind: 'firstStamp' } }, ...contents],
      returning: [id],
      rows: 'one',
    },
    'insert-many': { ...insert, assignments: [label], returning: [id], rows: 'many' },
    'insert-defaults': { ...insert, assignments: [], returning: [id], rows: 'one' },
    'insert-stamp-alone': {
      ...insert,
      assignments: [{ column: counter, value: { kind: 'firstStamp' } }],
      returning: [],
      rows: 'one',
    },
    'insert-instead': { ...insert, ...inView, assignments: [label], returning: [id], rows: 'one' },
    'update-every-type': {
      kind: 'update',
      rows: 'many',
      table,
      match: { key: [id], stamp: null, where: null },
      assignments: every,
      ...direct,
    },
    'update-stamps': {
      kind: 'update',
      rows: 'many',
      table,
      match,
      assignments: [label, ...stamps, ...contents],
      ...direct,
    },
    'update-named-like-rows': {
      kind: 'update',
      rows: 'many',
      table: rows,
      match: byKey,
      assignments: [label],
      ...direct,
    },
    'update-instead': {
      kind: 'update',
      rows: 'one',
      table,
      match,
      assignments: [label, cell(ref('AT', types.local)), cell(ref('SHAPE', types.opaque))],
      ...inView,
    },
    'update-one': {
      kind: 'update',
      rows: 'one',
      table,
      match,
      assignments: [label, ...stamps, ...contents],
      ...direct,
    },
    'delete-one': { kind: 'deleteRows', rows: 'one', table, match: byKey, ...direct },
    'delete-rows': { kind: 'deleteRows', rows: 'many', table, match, ...direct },
    'delete-rows-instead': { kind: 'deleteRows', rows: 'one', table, match: byKey, ...inView },
    'delete-all': { kind: 'deleteWhere', from: table, joins: [], where: null, key: [], ...direct },
    'delete-where': {
      kind: 'deleteWhere',
      from: table,
      joins: [],
      where: { ...where, left: ref('NAME', types.text) },
      key: [id],
      ...direct,
    },
    'delete-joined': {
      kind: 'deleteWhere',
      from: table,
      joins: [join],
      where,
      key: [id],
      ...direct,
    },
    'delete-joined-instead': {
      kind: 'deleteWhere',
      from: table,
      joins: [join],
      where,
      key: [id],
      ...inView,
    },
  };
}

/** Columns of which the first and the last can lose characters on SQL Server. */
export const unencodableColumns: readonly ColumnRef[] = [
  text('varchar(20)', 20, latin),
  text('nvarchar(20)', 20, latin),
  text('varchar(20)', 20, { collation: 'Latin1_General_100_CI_AS_SC_UTF8' }),
  text('varchar(20)', 20),
  text('text', null, { collation: 'Cyrillic_General_CI_AS' }),
].map((type, index) => ({
  kind: 'column',
  alias: 't0',
  name: `C${index}`,
  type,
  nullable: true,
}));
