import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { openDatabase } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/database/database.ts';
import type { StampSource } from '../../../src/query/ir.ts';
import { sqlServerTarget } from '../../targets/sqlserver.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { find, read, stampOf, write, type Found, type Part } from './tables.ts';

const script = [
  'CREATE TABLE stamped (id int PRIMARY KEY, v nvarchar(20), rv rowversion)',
  `CREATE TABLE every_type (
    id int IDENTITY PRIMARY KEY, yes bit, n1 tinyint, n2 smallint, n4 int, n8 bigint, d38 decimal(38,10),
    whole numeric(38,0), cash money, coins smallmoney, f4 real, f8 float, c char(5), nc nchar(5), v varchar(10),
    nv nvarchar(10), vm varchar(max), nm nvarchar(max), t text, nt ntext, g uniqueidentifier, day date, dt datetime,
    sdt smalldatetime, dt2 datetime2(7), dt3 datetime2(3), dto datetimeoffset(7), tm time(7), by_tes varbinary(max),
    img image, x xml, sv sql_variant)`,
  'CREATE TABLE counted (id int PRIMARY KEY, n1 tinyint, n8 bigint, stamped datetime2(7), zoned datetimeoffset(7), day date)',
  'CREATE TABLE k (code nvarchar(20) COLLATE Latin1_General_CI_AS, at_time datetime2(7), v nvarchar(20), PRIMARY KEY (code, at_time))',
  'CREATE TABLE audited (id int IDENTITY PRIMARY KEY, v nvarchar(20))',
  'CREATE TABLE log_of_audited (n int IDENTITY(1000,1) PRIMARY KEY, what varchar(10))',
  `CREATE TRIGGER audit ON audited AFTER INSERT, UPDATE, DELETE AS INSERT INTO log_of_audited (what) VALUES ('seen')`,
  'CREATE VIEW behind AS SELECT id, v FROM audited',
  `CREATE TRIGGER behind_insert ON behind INSTEAD OF INSERT AS INSERT INTO audited (v) SELECT v FROM inserted`,
  `CREATE TRIGGER behind_update ON behind INSTEAD OF UPDATE AS
     UPDATE a SET v = i.v FROM audited a JOIN inserted i ON i.id = a.id`,
  `CREATE TRIGGER behind_delete ON behind INSTEAD OF DELETE AS
     DELETE FROM audited WHERE id IN (SELECT id FROM deleted)`,
];

/** Each column's cell, and how it reads back. */
const first: Readonly<Record<string, readonly [cell: Part, read?: Part]>> = {
  yes: ['true'],
  n1: ['255'],
  n2: ['-32768'],
  n4: ['2147483647'],
  n8: ['-9223372036854775808'],
  d38: ['1234567890123456789012345678.0123456789'],
  whole: ['-99999999999999999999999999999999999999'],
  cash: ['-922337203685477.5808'],
  coins: ['214748.3647'],
  f4: ['3.4028235e+38'],
  f8: ['-1.7976931348623157e+308'],
  c: ['a b', 'a b  '],
  nc: ['é🚀', 'é🚀  '],
  v: ["';--$1@p1é"],
  nv: ["';--$1🚀ж"],
  vm: ['v'.repeat(4000)],
  nm: ['ж'.repeat(4000)],
  t: ["it's é"],
  nt: ['ж🚀'],
  g: ['c0ffee00-0000-4000-8000-00000000000a'],
  day: ['0001-01-01'],
  dt: ['2024-07-01T10:00:00.997Z'],
  sdt: ['2024-07-01T10:01:00.000Z'],
  dt2: ['2024-07-01T10:00:00.123456Z'],
  dt3: ['2024-07-01T10:00:00.123456789Z', '2024-07-01T10:00:00.123Z'],
  dto: ['9999-12-31T23:59:59.999999Z'],
  tm: ['23:59:59.999999'],
  by_tes: ['00ff'],
  img: ['fe'],
  x: ['<a> <b>ж</b> </a>'],
  sv: ['ж'],
};

const names = Object.keys(first);
const nulls: typeof first = Object.fromEntries(names.map((name) => [name, [null] as const]));

const second: typeof first = {
  ...nulls,
  yes: ['false'],
  n1: ['0'],
  n8: ['9223372036854775807'],
  d38: ['-9999999999999999999999999999.9999999999'],
  whole: ['99999999999999999999999999999999999999'],
  cash: ['922337203685477.5807'],
  f4: ['0.1'],
  f8: ['0.1'],
  nm: [''],
  day: ['9999-12-31'],
  // The hour that the clock repeats in autumn is told apart in UTC, not in local time.
  dt2: ['2024-10-27T01:30:00.000Z'],
  dto: ['0001-01-01T00:00:00.000Z'],
  tm: ['00:00:00'],
};

const cellsOf = (row: typeof first): Part[] => names.map((name) => row[name]?.[0] ?? null);
const readOf = (row: typeof first): Part[] =>
  names.map((name) => {
    const [cell, back] = row[name] ?? [null];
    return back === undefined ? cell : back;
  });

const BABELFISH = {
  order: 'Babelfish refuses ORDER BY together with OUTPUT',
  defaults: 'Babelfish refuses DEFAULT VALUES together with OUTPUT',
  text: 'OPENJSON of Babelfish cuts text after 4000 characters, and leaves its escapes in it',
  overflow: 'Babelfish gives an overflow no number of SQL Server',
  codePages: 'Babelfish keeps all text in UTF-8, whatever its collation says',
};

describe('rows written to SQL Server', async () => {
  const reason = await sqlServerTarget.unavailable();
  let target: OpenTarget;
  let database: Database;
  let table: (name: string) => Found;

  beforeAll(async () => {
    if (reason !== null) return;
    target = await sqlServerTarget.open();
    const base = await loadConfig('config.yaml', {});
    database = await openDatabase({ ...base, database: target.database, timeZone: 'Europe/Paris' });
    for (const text of script) await database.query(text, []);
    const schema = await database.introspect();
    table = (name) => find(schema, name);
  });

  afterAll(async () => {
    if (reason !== null) return;
    await database.close();
    await target.close();
  });

  const skipOnBabelfish = (context: TestContext, why: string): void => {
    if (database.version.includes('Babelfish')) context.skip(why);
  };

  test.skipIf(reason !== null)('every type, inserted', async () => {
    const every = table('every_type');
    const insert = {
      kind: 'insert',
      into: every.source,
      assignments: every.cells(...names),
      instead: false,
    } as const;
    const returning = [every.column('id')];
    expect(await write(database, { ...insert, returning, rows: 'one' }, [cellsOf(first)])).toEqual([
      ['1'],
    ]);
    await write(database, { ...insert, returning: [], rows: 'many' }, [
      cellsOf(second),
      cellsOf(nulls),
    ]);
    expect(await read(database, every, 'id')).toEqual([
      ['1', ...readOf(first)],
      ['2', ...readOf(second)],
      ['3', ...readOf(nulls)],
    ]);
  });

  test.skipIf(reason !== null)('every type, updated many at once', async () => {
    const every = table('every_type');
    const changed = await write(
      database,
      {
        kind: 'update',
        rows: 'many',
        table: every.source,
        match: { key: [every.column('id')], stamp: null, where: null },
        assignments: every.cells(...names),
        instead: false,
      },
      [
        ['1', ...cellsOf(second)],
        ['2', ...cellsOf(nulls)],
        ['3', ...cellsOf(first)],
        ['4', ...cellsOf(first)],
      ],
    );
    expect(changed.map(([key]) => key).sort()).toEqual(['1', '2', '3']);
    expect(await read(database, every, 'id')).toEqual([
      ['1', ...readOf(second)],
      ['2', ...readOf(nulls)],
      ['3', ...readOf(first)],
    ]);
  });

  test.skipIf(reason !== null)('identities in the order of the rows', async (context) => {
    skipOnBabelfish(context, BABELFISH.order);
    const every = table('every_type');
    const keys = await write(
      database,
      {
        kind: 'insert',
        into: every.source,
        assignments: every.cells('nv'),
        returning: [every.column('id')],
        rows: 'many',
        instead: false,
      },
      [['c'], ['a'], ['b']],
    );
    const rows = await read(database, every, 'id');
    const nv = every.columns.findIndex(({ name }) => name === 'nv');
    expect(keys.map(([id]) => rows.find((row) => row[0] === id)?.[nv])).toEqual(['c', 'a', 'b']);
  });

  test.skipIf(reason !== null)('a row of defaults alone', async (context) => {
    skipOnBabelfish(context, BABELFISH.defaults);
    const audited = table('audited');
    const made = await write(database, {
      kind: 'insert',
      into: audited.source,
      assignments: [],
      returning: [audited.column('id')],
      rows: 'one',
      instead: false,
    });
    expect((await read(database, audited, 'id')).at(-1)).toEqual([made[0]?.[0], null]);
  });

  test.skipIf(reason !== null)('long text, and text that JSON has to escape', async (context) => {
    skipOnBabelfish(context, BABELFISH.text);
    const every = table('every_type');
    const names = ['nv', 'vm', 'nm', 't', 'nt'];
    const cells = [
      '"\\\r\n\t\u2028',
      'v'.repeat(9000),
      'ж"\\'.repeat(3000),
      't\n'.repeat(9000),
      '🚀'.repeat(9000),
    ];
    const [made] = await write(
      database,
      {
        kind: 'insert',
        into: every.source,
        assignments: every.cells(...names),
        returning: [every.column('id')],
        rows: 'one',
        instead: false,
      },
      [cells],
    );
    const row = (await read(database, every, 'id')).find(([id]) => id === made?.[0]);
    expect(names.map((name) => row?.[every.columns.indexOf(every.column(name))])).toEqual(cells);
  });

  test.skipIf(reason !== null).for<[column: string, value: string, rule: string]>([
    ['v', '12345678901', 'tooLong'],
    ['c', '123456', 'tooLong'],
    ['nv', '12345678901', 'tooLong'],
    ['d38', '99999999999999999999999999999', 'outOfRange'],
  ])('%s refuses %s', async ([column, value, rule], context) => {
    if (rule === 'outOfRange') skipOnBabelfish(context, BABELFISH.overflow);
    const every = table('every_type');
    const refused = write(
      database,
      {
        kind: 'insert',
        into: every.source,
        assignments: every.cells(column),
        returning: [every.column('id')],
        rows: 'one',
        instead: false,
      },
      [[value]],
    );
    await expect(refused).rejects.toMatchObject({ violation: { rule } });
  });

  test.skipIf(reason !== null)(
    'bytes, and a row of defaults alone whose key is not asked for',
    async () => {
      const every = table('every_type');
      const into = every.source;
      const shared = { kind: 'insert', into, returning: [], rows: 'one', instead: false } as const;
      const before = (await read(database, every, 'id')).length;
      const contents = ['by_tes', 'img'].map((name) => ({
        column: every.column(name),
        value: { kind: 'bytes' } as const,
      }));
      await write(
        database,
        { ...shared, assignments: contents },
        [[]],
        [Buffer.from([0, 1, 254, 255]), Buffer.from([7])],
      );
      await write(database, { ...shared, assignments: [] });
      const rows = (await read(database, every, 'id')).slice(before);
      expect(rows.map((row) => row.slice(1).filter((value) => value !== null))).toEqual([
        ['0001feff', '07'],
        [],
      ]);
    },
  );

  test.skipIf(reason !== null)(
    'a table with the name of the rows, and a key of text and local time',
    async () => {
      const named = table('k');
      const key = [named.column('code'), named.column('at_time')];
      const at = '2024-07-01T10:00:00.500Z';
      const made = await write(
        database,
        {
          kind: 'insert',
          into: named.source,
          assignments: named.cells('code', 'at_time', 'v'),
          returning: key,
          rows: 'one',
          instead: false,
        },
        [['Ä', at, 'x']],
      );
      expect(made).toEqual([['Ä', at]]);
      const match = { key, stamp: null, where: null };
      const update = {
        kind: 'update',
        rows: 'many',
        table: named.source,
        match,
        instead: false,
      } as const;
      expect(
        await write(database, { ...update, assignments: named.cells('v') }, [['ä', at, 'y']]),
      ).toEqual([['Ä', at]]);
      expect(await read(database, named, 'v')).toEqual([['Ä', at, 'y']]);
      expect(
        await write(
          database,
          { kind: 'deleteRows', rows: 'many', table: named.source, match, instead: false },
          [
            ['Ä', at],
            ['Ö', at],
          ],
        ),
      ).toEqual([['Ä', at]]);
    },
  );

  test.skipIf(reason !== null)('counters, stamps and the present time', async () => {
    const counted = table('counted');
    const match = {
      key: [counted.column('id')],
      stamp: { source: { kind: 'column', column: counted.column('n8') }, bits: 53 },
      where: null,
    } as const;
    await database.query(
      'INSERT INTO counted (id, n1, n8) VALUES (1, 255, 7), (2, NULL, 9223372036854775807), (3, 1, 1)',
      [],
    );
    const now = ['stamped', 'zoned', 'day'].map((name) => ({
      column: counted.column(name),
      value: { kind: 'now' } as const,
    }));
    const stamps = ['n1', 'n8'].map((name) => ({
      column: counted.column(name),
      value: { kind: 'nextStamp' } as const,
    }));
    const changed = await write(
      database,
      {
        kind: 'update',
        rows: 'many',
        table: counted.source,
        match,
        assignments: [...stamps, ...now],
        instead: false,
      },
      [
        ['1', '7'],
        ['2', '9007199254740991'],
        ['3', '2'],
      ],
    );
    expect(changed.map(([key]) => key).sort()).toEqual(['1', '2']);
    const rows = await read(database, counted, 'id');
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['1', '1', '8'],
      ['2', '1', '1'],
      ['3', '1', '1'],
    ]);
    for (const time of rows[0]?.slice(3, 5) ?? []) {
      expect(Math.abs(Date.parse(time ?? '') - Date.now())).toBeLessThan(60_000);
    }
    await write(
      database,
      { kind: 'deleteRows', rows: 'many', table: counted.source, match, instead: false },
      [
        ['1', '8'],
        ['2', '2'],
      ],
    );
    expect((await read(database, counted, 'id')).map(([id]) => id)).toEqual(['2', '3']);
  });

  test.skipIf(reason !== null).each<[name: string, source: (table: Found) => StampSource]>([
    ['a rowversion', (table) => ({ kind: 'rowversion', column: table.column('rv') })],
    ['a hash of the row', ({ columns }) => ({ kind: 'hash', columns: columns.slice(0, 2) })],
  ])('%s as the stamp', async (_, sourceOf) => {
    await database.query('DELETE FROM stamped', []);
    await database.query("INSERT INTO stamped (id, v) VALUES (1, 'x')", []);
    const stamped = table('stamped');
    const source = sourceOf(stamped);
    const key = [stamped.column('id')];
    const match = { key, stamp: { source, bits: 53 }, where: null } as const;
    const shared = { table: stamped.source, match, instead: false } as const;
    const update = {
      kind: 'update',
      rows: 'many',
      assignments: stamped.cells('v'),
      ...shared,
    } as const;
    const before = await stampOf(database, stamped, source);
    expect(await write(database, update, [['1', before, 'y']])).toEqual([['1']]);
    expect(await write(database, update, [['1', before, 'z']])).toEqual([]);
    const after = await stampOf(database, stamped, source);
    const remove = { kind: 'deleteRows', rows: 'many', ...shared } as const;
    expect(await write(database, remove, [['1', before]])).toEqual([]);
    expect(await write(database, remove, [['1', after]])).toEqual([['1']]);
  });

  test.skipIf(reason !== null)('a table with a trigger', async () => {
    const audited = table('audited');
    const key = [audited.column('id')];
    const insert = { kind: 'insert', into: audited.source, rows: 'one', instead: false } as const;
    const [made] = await write(
      database,
      { ...insert, assignments: audited.cells('v'), returning: key },
      [['new']],
    );
    const id = made?.[0] ?? null;
    expect((await read(database, audited, 'id')).at(-1)).toEqual([id, 'new']);
    const match = { key, stamp: null, where: null };
    expect(
      await write(
        database,
        { kind: 'deleteRows', rows: 'many', table: audited.source, match, instead: false },
        [[id]],
      ),
    ).toEqual([[id]]);
  });

  test.skipIf(reason !== null)('a view behind triggers', async () => {
    const view = table('behind');
    const key = [view.column('id')];
    const insert = { kind: 'insert', into: view.source, rows: 'one', instead: true } as const;
    await write(database, { ...insert, assignments: view.cells('v'), returning: key }, [['new']]);
    const id = (await read(database, view, 'id')).at(-1)?.[0] ?? null;
    const match = { key, stamp: null, where: null };
    const changed = await write(
      database,
      {
        kind: 'update',
        rows: 'one',
        table: view.source,
        match,
        assignments: view.cells('v'),
        instead: true,
      },
      [[id, 'newer']],
    );
    expect((await read(database, view, 'id')).at(-1)).toEqual([id, 'newer']);
    const deleted = await write(
      database,
      { kind: 'deleteRows', rows: 'one', table: view.source, match, instead: true },
      [[id]],
    );
    expect(await read(database, view, 'id')).toEqual([]);
    expect([changed, deleted]).toEqual([[['1']], [['1']]]);
  });

  test.skipIf(reason !== null).each([
    ['a table', 'audited', false],
    ['a view behind triggers', 'behind', true],
  ])('%s: deletes by what a join adds', async (_, name, instead) => {
    const from = table(name);
    const log = table('log_of_audited');
    await database.query("INSERT INTO audited (v) VALUES (N'seen'), (N'kept')", []);
    const what = { ...log.column('what'), alias: 't1' };
    await write(database, {
      kind: 'deleteWhere',
      from: from.source,
      joins: [
        {
          type: 'left',
          table: { ...log.source, alias: 't1' },
          on: [[from.column('v'), what]],
          where: null,
        },
      ],
      where: { kind: 'isNull', negated: true, operand: what },
      key: [from.column('id')],
      instead,
    });
    expect((await read(database, from, 'id')).map(([, v]) => v)).toEqual(['kept']);
    await write(database, {
      kind: 'deleteWhere',
      from: from.source,
      joins: [],
      where: null,
      key: [from.column('id')],
      instead,
    });
    expect(await read(database, from, 'id')).toEqual([]);
  });

  test.skipIf(reason !== null)('cells that a code page lacks', async (context) => {
    skipOnBabelfish(context, BABELFISH.codePages);
    const every = table('every_type');
    const columns = ['v', 'nv', 'c', 't'].map((name) => every.column(name));
    expect(
      await write(database, { kind: 'loss', columns }, [
        ['a', 'ж', 'a', 'a'],
        ['ж', 'ж', null, '🚀'],
      ]),
    ).toEqual([
      ['1', '0'],
      ['1', '3'],
    ]);
  });
});
