import { describe, expect, test } from 'vitest';
import { decimalType, readType } from '../../../src/schema/sqlserver/types.ts';
import type { ColumnType } from '../../../src/schema/types.ts';
import type {
  Assignment,
  ColumnRef,
  InsertQuery,
  Join,
  RowMatch,
  TableSource,
  WriteQuery,
} from '../../../src/sql/ir/ir.ts';
import type { DialectSettings } from '../../../src/sql/dialect.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { GoldenFile, packed } from '../../fixtures/golden-file.ts';

const text = (native: string, maxLength: number | null, more: object = {}): ColumnType => ({
  kind: 'text',
  maxLength,
  padded: false,
  native,
  ...more,
});

const latin = { collation: 'Latin1_General_CI_AS' };

const tsqlTypes = {
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
function writeQueries(): Readonly<Record<string, WriteQuery>> {
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
const unencodableColumns: readonly ColumnRef[] = [
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

const settings: DialectSettings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };
const tsql = tsqlDialect(settings);

const goldens = new GoldenFile(new URL('writes.golden', import.meta.url));

const unencodable: WriteQuery = { kind: 'unencodable', columns: unencodableColumns };

/** A statement, and what its parameters are. */
function golden({ text, parameters, readers }: Statement): string {
  const lines = text.replace(
    /(?<=;) |(?<!LEFT|DEFAULT|ctid) (?=(?:FROM|LEFT JOIN|JOIN|WHERE|ORDER BY|OUTPUT|RETURNING|SELECT|VALUES) )/g,
    '\n',
  );
  const said = parameters.map((parameter) => {
    switch (parameter.kind) {
      case 'rows': {
        const parts = parameter.types.map(({ native }) => `, ${native}`).join('');
        return `rows [ordinal${parts}]`;
      }
      case 'rowField':
        return `part ${parameter.index}, ${parameter.type.native}`;
      case 'bytes':
        return `bytes ${parameter.index}`;
      case 'parameter':
      case 'listItem':
      case 'offset':
      case 'constant':
      case 'keys':
      case 'keyList':
      case 'slice':
        return parameter.kind;
    }
  });
  const given = said.map((text, index) => `${index + 1}: ${text}; `);
  return `${packed(lines)};\n-- ${given.join('')}${readers.length} columns\n`;
}

test.each(Object.entries({ ...writeQueries(), unencodable }))('%s', (title, query) => {
  const statement = tsql.printWrite(query);
  goldens.expect(title, 'tsql', statement === null ? null : golden(statement));
});

describe('what cannot be lost or known', () => {
  test('columns that lose nothing are not asked for', () => {
    expect(
      tsql.printWrite({ kind: 'unencodable', columns: unencodableColumns.slice(1, 4) }),
    ).toBeNull();
  });

  test('keys that are not numbers', () => {
    const insert = writeQueries()['insert-one'] as InsertQuery;
    const returning = insert.returning.map((column) => ({ ...column, type: tsqlTypes.uuid }));
    expect(() => tsql.printWrite({ ...insert, returning, rows: 'many' })).toThrow(
      /only an identity/,
    );
    // What a trigger makes of them is not known.
    expect(tsql.printWrite({ ...insert, returning, instead: true })?.text).toMatch(
      /; SELECT k\."k0" FROM \(SELECT CONVERT\(uniqueidentifier, NULL\) AS "k0"\) k$/,
    );
  });

  test('a view behind a trigger whose rows have no key', () => {
    const query = writeQueries()['delete-joined-instead'];
    if (query?.kind !== 'deleteWhere') throw new Error('no such query');
    expect(() => tsql.printWrite({ ...query, key: [] })).toThrow(/no key/);
  });

  test('a counter that is not an integer', () => {
    const [column] = unencodableColumns;
    if (column === undefined) throw new Error('no column');
    const query: WriteQuery = {
      kind: 'update',
      rows: 'many',
      table: { schema: 'S', name: 'T', alias: 't0' },
      match: { key: [column], stamp: null, where: null },
      assignments: [{ column, value: { kind: 'nextStamp', bits: 53 } }],
      instead: false,
    };
    expect(() => tsql.printWrite(query)).toThrow(/cannot count/);
  });
});

test('a change of rows that tells what they hold then, where the lock of one is looked at', () => {
  const { 'update-one': update } = writeQueries();
  if (update?.kind !== 'update') throw new Error('there is no update of one row');
  const { table, match, assignments } = update;
  const [label] = assignments;
  if (label === undefined) throw new Error('it changes nothing');
  for (const [title, rows, unlocked] of [
    ['update-directly', 'one', true],
    ['update-directly-unasked', 'one', false],
    ['update-directly-many', 'many', false],
  ] as const) {
    const isOne = rows === 'one';
    const statement = tsql.printDirectUpdate({
      ...{ kind: 'directUpdate', rows, table, match, unlocked },
      assignments: assignments.filter(({ value }) => value.kind !== 'bytes'),
      outputs: [{ kind: 'value', operand: label.column }],
      uncontended: isOne ? [2, 5] : null,
    });
    const together = statement?.together?.() ?? null;
    const printed = [statement, together]
      .map((one) => (one === null ? '' : golden(one)))
      .join('\n');
    goldens.expect(title, 'tsql', printed);
    expect(statement?.commitsItself).toBe(isOne ? 'batch' : undefined);
  }
});
