import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { AssignedValue } from '../../../src/sql/ir/ir.ts';
import { query } from '../../targets/sql.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { Rows } from './engine.ts';
import { pglite, postgres } from './postgres.ts';
import { read, stampOf, write } from './tables.ts';
import { sqlServer } from './tsql.ts';
import { everyType } from './types.ts';

/** How an insert is told to write one row or many whose keys nobody asks for. */
const one = { kind: 'insert', rows: 'one', returning: [], instead: false } as const;
const many = { ...one, rows: 'many' } as const;

for (const engine of [pglite, postgres, sqlServer]) {
  const why = engine.missing === null ? '' : ` (${engine.missing})`;
  describe.skipIf(engine.missing !== null)(`rows written to ${engine.name}${why}`, () => {
    const { names, first, second, nulls } = everyType(engine.language);
    const rows = new Rows();
    let target: OpenTarget;
    beforeAll(async () => {
      target = await engine.open();
      const config = { ...(await loadConfig('config.yaml', {})), timeZone: 'Europe/Paris' };
      const database = await openDatabase({ ...config, database: target.database });
      for (const text of engine.script) await query(database, text);
      rows.start(database, await database.introspect());
    });
    afterAll(async () => {
      await rows.database.close();
      await target.close();
    });

    test('every type, inserted', async () => {
      const { database } = rows;
      const every = rows.table('every_type');
      const into = { into: every.source, assignments: every.cells(...names) };
      const returning = [every.column('id')];
      expect(await write(database, { ...one, ...into, returning }, [first.cells])).toEqual([['1']]);
      expect(await write(database, { ...many, ...into }, [second.cells, nulls.cells])).toEqual([]);
      expect(await read(database, every, 'id')).toEqual([
        ['1', ...first.read],
        ['2', ...second.read],
        ['3', ...nulls.read],
      ]);
    });

    test('every type, updated many at once', async () => {
      const { database } = rows;
      const every = rows.table('every_type');
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
          ['1', ...second.cells],
          ['2', ...nulls.cells],
          ['3', ...first.cells],
          ['4', ...first.cells],
        ],
      );
      expect(changed.map(([key]) => key).sort()).toEqual(['1', '2', '3']);
      expect(await read(database, every, 'id')).toEqual([
        ['1', ...second.read],
        ['2', ...nulls.read],
        ['3', ...first.read],
      ]);
    });

    test('keys in the order of the rows', async (context) => {
      rows.skipOnBabelfish(context, 'Babelfish refuses ORDER BY together with OUTPUT');
      const { database } = rows;
      const every = rows.table('every_type');
      const keys = await write(
        database,
        {
          ...many,
          into: every.source,
          assignments: every.cells('nv'),
          returning: [every.column('id')],
        },
        [['c'], ['a'], ['b']],
      );
      const all = await read(database, every, 'id');
      const nv = every.columns.indexOf(every.column('nv'));
      expect(keys.map(([id]) => all.find((row) => row[0] === id)?.[nv])).toEqual(['c', 'a', 'b']);
    });

    test.for(engine.refused)('%s refuses %s', async ([column, value, rule], context) => {
      if (rule === 'outOfRange') {
        rows.skipOnBabelfish(context, 'Babelfish gives an overflow no number of SQL Server');
      }
      const every = rows.table('every_type');
      const insert = { ...one, into: every.source, assignments: every.cells(column) };
      const refused = write(rows.database, insert, [[value]]);
      await expect(refused).rejects.toMatchObject({ violation: { rule } });
    });

    test('bytes, and a row of defaults alone whose key is not asked for', async () => {
      const { database } = rows;
      const every = rows.table('every_type');
      const before = (await read(database, every, 'id')).length;
      const assignments = engine.contents.map(([name]) => ({
        column: every.column(name),
        value: { kind: 'bytes' } as const,
      }));
      const insert = { ...one, into: every.source };
      const given = engine.contents.map(([, bytes]) => bytes);
      await write(database, { ...insert, assignments }, [[]], given);
      await write(database, { ...insert, assignments: [] });
      const added = (await read(database, every, 'id')).slice(before);
      expect(added.map((row) => row.slice(1).filter((value) => value !== null))).toEqual([
        engine.contents.map(([, , back]) => back),
        [],
      ]);
    });

    test('a row of defaults alone', async (context) => {
      rows.skipOnBabelfish(context, 'Babelfish refuses DEFAULT VALUES together with OUTPUT');
      const audited = rows.table('audited');
      const insert = { ...one, into: audited.source, returning: [audited.column('id')] };
      const made = await write(rows.database, { ...insert, assignments: [] });
      expect((await read(rows.database, audited, 'id')).at(-1)).toEqual([made[0]?.[0], null]);
    });

    test('a table with the name of the rows, and a key of text and local time', async () => {
      const { database } = rows;
      const named = rows.table('k');
      const key = [named.column('code'), named.column('at_time')];
      const at = '2024-07-01T10:00:00.500Z';
      const insert = { ...one, into: named.source, returning: key };
      const assignments = named.cells('code', 'at_time', 'v');
      expect(await write(database, { ...insert, assignments }, [['Ä', at, 'x']])).toEqual([
        ['Ä', at],
      ]);
      const direct = {
        rows: 'many',
        table: named.source,
        match: { key, stamp: null, where: null },
        instead: false,
      } as const;
      const update = { ...direct, kind: 'update', assignments: named.cells('v') } as const;
      expect(await write(database, update, [[engine.likeUmlaut, at, 'y']])).toEqual([['Ä', at]]);
      expect(await read(database, named, 'v')).toEqual([['Ä', at, 'y']]);
      const both = [
        ['Ä', at],
        ['Ö', at],
      ];
      expect(await write(database, { ...direct, kind: 'deleteRows' }, both)).toEqual([['0']]);
    });

    test('counters, stamps and the present time', async () => {
      const { database } = rows;
      const counted = rows.table('counted');
      const direct = {
        rows: 'many',
        table: counted.source,
        match: {
          key: [counted.column('id')],
          stamp: { source: { kind: 'column', column: counted.column('n8') }, bits: 53 },
          where: null,
        },
        instead: false,
      } as const;
      await query(
        database,
        `INSERT INTO counted (id, n, n8) VALUES (1, ${engine.largestCount}, 7), (2, NULL, 9223372036854775807), (3, 1, 1),
          (4, 1, 9007199254740991)`,
      );
      const given = (value: AssignedValue) => (name: string) => ({
        column: counted.column(name),
        value,
      });
      const assignments = [
        ...['n', 'n8'].map(given({ kind: 'nextStamp', bits: 53 })),
        ...['stamped', 'zoned', 'day'].map(given({ kind: 'now' })),
      ];
      const changed = await write(database, { ...direct, kind: 'update', assignments }, [
        ['1', '7'],
        ['2', '9007199254740991'],
        ['3', '2'],
        ['4', '9007199254740991'],
      ]);
      expect(changed.map(([key]) => key).sort()).toEqual(['1', '2', '4']);
      const all = await read(database, counted, 'id');
      expect(all.map((row) => row.slice(0, 3))).toEqual([
        ['1', '1', '8'],
        ['2', '1', '1'],
        ['3', '1', '1'],
        // 9007199254740992 would be cut to the stamp that was there.
        ['4', '2', '9007199254740993'],
      ]);
      const [, , , stamped, zoned] = all[0] ?? [];
      for (const time of [stamped, zoned]) {
        expect(Math.abs(Date.parse(time ?? '') - Date.now())).toBeLessThan(300_000);
      }
      await write(database, { ...direct, kind: 'deleteRows' }, [
        ['1', '8'],
        ['2', '2'],
      ]);
      expect((await read(database, counted, 'id')).map(([id]) => id)).toEqual(['2', '3', '4']);
    });

    test('the engine’s own stamp', async () => {
      const { database } = rows;
      await query(database, 'DELETE FROM stamped');
      await query(database, "INSERT INTO stamped (id, v) VALUES (1, 'x')");
      const stamped = rows.table('stamped');
      const source = engine.stamp(stamped);
      const match = {
        key: [stamped.column('id')],
        stamp: { source, bits: 53 },
        where: null,
      } as const;
      const direct = { rows: 'many', table: stamped.source, match, instead: false } as const;
      const update = { ...direct, kind: 'update', assignments: stamped.cells('v') } as const;
      const before = await stampOf(database, stamped, source);
      expect(await write(database, update, [['1', before, 'y']])).toEqual([['1']]);
      expect(await write(database, update, [['1', before, 'z']])).toEqual([]);
      const after = await stampOf(database, stamped, source);
      const remove = { ...direct, kind: 'deleteRows' } as const;
      expect(await write(database, remove, [['1', before]])).toEqual([]);
      expect(await write(database, remove, [['1', after]])).toEqual([['0']]);
    });

    test('a table with a trigger', async () => {
      const { database } = rows;
      const audited = rows.table('audited');
      const key = [audited.column('id')];
      const insert = { ...one, into: audited.source, assignments: audited.cells('v') };
      const [made] = await write(database, { ...insert, returning: key }, [['new']]);
      const id = made?.[0] ?? null;
      expect((await read(database, audited, 'id')).at(-1)).toEqual([id, 'new']);
      const match = { key, stamp: null, where: null };
      const remove = { kind: 'deleteRows', table: audited.source, match, instead: false } as const;
      expect(await write(database, { ...remove, rows: 'many' }, [[id]])).toEqual([['0']]);
    });

    test('a view behind triggers', async () => {
      const { database } = rows;
      const view = rows.table('behind');
      const key = [view.column('id')];
      const assignments = view.cells('v');
      const insert = { ...one, into: view.source, instead: true, returning: key, assignments };
      await write(database, insert, [['new']]);
      const id = (await read(database, view, 'id')).at(-1)?.[0] ?? null;
      const behind = {
        rows: 'one',
        table: view.source,
        match: { key, stamp: null, where: null },
        instead: true,
      } as const;
      const update = { ...behind, kind: 'update', assignments } as const;
      expect(await write(database, update, [[id, 'newer']])).toEqual(engine.changedBehind(id));
      expect((await read(database, view, 'id')).at(-1)).toEqual([id, 'newer']);
      const remove = { ...behind, kind: 'deleteRows' } as const;
      expect(await write(database, remove, [[id]])).toEqual(engine.changedBehind('0'));
      expect((await read(database, view, 'id')).map(([found]) => found)).not.toContain(id);
    });

    test.each([
      ['a table', 'audited', false],
      ['a view behind triggers', 'behind', true],
    ])('%s: deletes by what a join adds', async (_, name, instead) => {
      const { database } = rows;
      const from = rows.table(name);
      const log = rows.table('log_of_audited');
      await query(database, "INSERT INTO audited (v) VALUES ('seen'), ('kept')");
      const what = { ...log.column('what'), alias: 't1' };
      const remove = {
        kind: 'deleteWhere',
        from: from.source,
        key: [from.column('id')],
        instead,
      } as const;
      await write(database, {
        ...remove,
        joins: [
          {
            type: 'left',
            table: { ...log.source, alias: 't1' },
            on: [[from.column('v'), what]],
            where: null,
          },
        ],
        where: { kind: 'isNull', negated: true, operand: what },
      });
      const left = (await read(database, from, 'id')).map(([, v]) => v);
      expect(left.filter((v) => v !== null)).toEqual(['kept']);
      await write(database, { ...remove, joins: [], where: null });
      expect(await read(database, from, 'id')).toEqual([]);
    });

    engine.own(rows);
  });
}
