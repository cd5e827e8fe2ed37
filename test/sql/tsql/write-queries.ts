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
  const insert = (
    assignments: readonly Assignment[],
    returning: readonly ColumnRef[],
    rows: 'one' | 'many',
    instead = false,
  ): WriteQuery => ({ kind: 'insert', into: table, assignments, returning, rows, instead });
  const update = (
    assignments: readonly Assignment[],
    rows: 'one' | 'many',
    more: Partial<Extract<WriteQuery, { kind: 'update' }>> = {},
  ): WriteQuery => ({ kind: 'update', rows, table, match, assignments, instead: false, ...more });
  const deleteRows = (of: RowMatch, rows: 'one' | 'many', instead = false): WriteQuery => ({
    ...{ kind: 'deleteRows', rows, table, match: of, instead },
  });
  const deleteWhere = (
    more: Partial<Extract<WriteQuery, { kind: 'deleteWhere' }>>,
  ): WriteQuery => ({
    ...{ kind: 'deleteWhere', from: table, joins: [], where: null, key: [id], instead: false },
    ...more,
  });
  const firstStamp: Assignment = { column: counter, value: { kind: 'firstStamp' } };
  const shape = [label, cell(ref('AT', types.local)), cell(ref('SHAPE', types.opaque))];
  return {
    'insert-every-type': insert(every, [], 'many'),
    'insert-one': insert([label, firstStamp, ...contents], [id], 'one'),
    'insert-many': insert([label], [id], 'many'),
    'insert-defaults': insert([], [id], 'one'),
    'insert-stamp-alone': insert([firstStamp], [], 'one'),
    'insert-instead': insert([label], [id], 'one', true),
    'update-every-type': update(every, 'many', { match: { ...match, stamp: null } }),
    'update-stamps': update([label, ...stamps, ...contents], 'many'),
    'update-named-like-rows': update([label], 'many', { table: rows, match: byKey }),
    'update-instead': update(shape, 'one', { instead: true }),
    'update-one': update([label, ...stamps, ...contents], 'one'),
    'delete-one': deleteRows(byKey, 'one'),
    'delete-rows': deleteRows(match, 'many'),
    'delete-rows-instead': deleteRows(byKey, 'one', true),
    'delete-all': deleteWhere({ key: [] }),
    'delete-where': deleteWhere({ where: { ...where, left: ref('NAME', types.text) } }),
    'delete-joined': deleteWhere({ joins: [join], where }),
    'delete-joined-instead': deleteWhere({ joins: [join], where, instead: true }),
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
