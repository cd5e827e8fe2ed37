import { describe, expect, test } from 'vitest';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { rows } from '../rows.ts';
import {
  mappedAlike,
  notUpdated,
  onEngines,
  saved,
  type Served,
  type Shape,
  type Told,
} from './shapes/engines.ts';

/** How many items there are. */
const ITEMS = 60;

/** Tables whose rows many change at once: with a unique column, with a unique expression, with none as yet, with a check that may wait, and with a foreign key. */
const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, name varchar(9) NOT NULL CHECK (name <> 'bad'), code varchar(9) UNIQUE, note text, ver int);
INSERT INTO app.item SELECT n, 'n' || n, 'c' || n, null, 1 FROM generate_series(1, ${ITEMS}) n;
CREATE TABLE app.tag (id int PRIMARY KEY, name varchar(9), note text, ver int);
CREATE UNIQUE INDEX ON app.tag (lower(name));
INSERT INTO app.tag SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.later (id int PRIMARY KEY, name varchar(9), note text, ver int);
INSERT INTO app.later SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;
CREATE FUNCTION app.waits(name varchar) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF name = 'n5x' THEN PERFORM pg_advisory_xact_lock_shared(778); END IF;
  RETURN true;
END $$;
CREATE TABLE app.checked (id int PRIMARY KEY, name varchar(9) CHECK (app.waits(name)), ver int);
INSERT INTO app.checked SELECT n, 'n' || n, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.led (id int PRIMARY KEY, name varchar(9), later_id int REFERENCES app.later, ver int);
INSERT INTO app.led SELECT n, 'n' || n, null, 1 FROM generate_series(1, 9) n;`,
  sqlserver: [],
  // Whoever waits for a lock waits for longer than a test does.
  lockTimeoutSeconds: 25,
  mappings: {
    ...mappedAlike('Item Tag Later Checked', { stamp: { counter: 'ver' } }),
    led: 'dataclass: Led\ntable: app.led\nstamp: { counter: ver }\nrelations: {}\n',
  },
};

const item = (id: number, more: object, stamp: number): object =>
  saved('Item', String(id), { id, code: `c${id}`, note: null, ver: stamp, ...more }, stamp);

/** Changes several items at once, and counts the statements that it takes. */
async function together(
  served: Served,
  changes: readonly object[],
  dataclass = 'Item',
): Promise<{ readonly told: Told[]; readonly statements: number }> {
  // Connections that are there already have all of them come in one turn of the event loop.
  await Promise.all(changes.map(() => served.get(`${dataclass}(1)`)));
  served.gateway.takeStatements();
  const told = await Promise.all(changes.map((change) => served.post(dataclass, change)));
  served.gateway.takeChanges();
  return { told, statements: served.gateway.takeStatements().length };
}

/** Another program's transaction, that has run a statement. @returns what undoes it */
async function holding({ gateway }: Served, sql: string): Promise<() => Promise<void>> {
  let undo = (): void => undefined;
  const undone = new Promise<never>((_, reject) => {
    undo = () => reject(new Error('undone'));
  });
  return new Promise((resolve) => {
    const ended = gateway.database
      .transaction(async (connection) => {
        await connection.run({ statement: plainStatement(sql), values: [] }, gatewayContext);
        resolve(async () => {
          undo();
          await ended;
        });
        await undone;
      }, gatewayContext)
      .catch(() => undefined);
  });
}

onEngines('changes of several entities at once', shape, (served) => {
  const ids = Array.from({ length: ITEMS }, (_, index) => index + 1);

  test('are told each its own, by few statements', async () => {
    const { told, statements } = await together(
      served,
      ids.map((id) => ({ __KEY: id, __STAMP: 1, name: `"${id}\\`, note: `{${id},"é"}` })),
    );
    expect(told).toEqual(
      ids.map((id) => [200, item(id, { name: `"${id}\\`, note: `{${id},"é"}` }, 2)]),
    );
    expect(statements).toBeLessThan(ITEMS / 2);
    const [, page] = await served.get(`Item?$top=${ITEMS}&$attributes=name`);
    expect(page).toMatchObject({
      __ENTITIES: ids.map((id) => ({ __KEY: String(id), __STAMP: 2, name: `"${id}\\` })),
    });
    await served.run(`UPDATE app.item SET name = 'n' || id, note = NULL, ver = 1`);
  });

  test('of one entity are one change, and the others are told of it', async () => {
    const { told } = await together(
      served,
      ids.slice(0, 12).map((by) => ({ __KEY: 1, __STAMP: 1, name: `by${by}` })),
    );
    const done = told.filter(([status]) => status === 200);
    expect(done).toHaveLength(1);
    const [, changed] = done[0] as unknown as [number, { name: string }];
    const others = told.filter(([status]) => status !== 200);
    for (const other of others) {
      expect(other).toMatchObject([409, { __STAMP: 2, name: changed.name }]);
    }
    expect((await served.get('Item(1)'))[1]).toMatchObject({ name: changed.name, __STAMP: 2 });
    await served.run(`UPDATE app.item SET name = 'n' || id, ver = 1`);
  });

  test('that are refused, missing or outdated are so by themselves', async () => {
    const { told } = await together(served, [
      { __KEY: 2, __STAMP: 1, name: 'two' },
      { __KEY: 3, __STAMP: 1, name: 'bad' },
      { __KEY: 4, __STAMP: 9, name: 'late' },
      { __KEY: 99, __STAMP: 1, name: 'gone' },
      { __KEY: 5, __STAMP: 1, name: 'five' },
      { __KEY: 6, __STAMP: 1, code: 'c7' },
      { __KEY: 8, __STAMP: 1, code: 'eight' },
    ]);
    expect(told.map(([status]) => status)).toEqual([200, 409, 409, 404, 200, 409, 200]);
    expect([told[0], told[4]]).toEqual([
      [200, item(2, { name: 'two' }, 2)],
      [200, item(5, { name: 'five' }, 2)],
    ]);
    expect(told[1]?.[1]).toMatchObject({ __KEY: '3', __STATUS: { success: false } });
    expect(told[5]?.[1]).toEqual(
      notUpdated(
        'Item',
        '6',
        1115,
        'Item.code has to be unique, and another entity has this value already.',
      ),
    );
    const [, page] = await served.get('Item?$top=8&$attributes=name');
    const names = ['n1', 'two', 'n3', 'n4', 'five', 'n6', 'n7', 'n8'];
    expect(page).toMatchObject({ __ENTITIES: names.map((name) => ({ name })) });
    await served.run(`UPDATE app.item SET name = 'n' || id, code = 'c' || id, ver = 1`);
  });

  test('leave alone what another session has locked', async () => {
    const locked = await served.gateway.get('/rest/Item(10)?$lock=true');
    expect(locked.body).toMatchObject({ result: true });
    const { told } = await together(
      served,
      [9, 10, 11].map((id) => ({ __KEY: id, __STAMP: 1, name: 'free' })),
    );
    expect(told).toEqual([
      [200, item(9, { name: 'free' }, 2)],
      [409, notUpdated('Item', '10', 9025, 'Item(10) is locked by another session.')],
      [200, item(11, { name: 'free' }, 2)],
    ]);
  });

  test('that an index of an expression looks at are statements of their own', async () => {
    const changes = [1, 2, 3, 4, 5, 6].map((id) => ({ __KEY: id, __STAMP: 1, name: `t${id}` }));
    const named = await together(served, changes, 'Tag');
    expect(named.told.map(([status]) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(named.statements).toBe(6);
  });

  test('of a table that has had a foreign key or an index since it was looked at are made all the same', async () => {
    for (const sql of [
      'ALTER TABLE app.later ADD next int REFERENCES app.later',
      'CREATE UNIQUE INDEX later_name ON app.later (lower(name))',
    ]) {
      await served.run(sql);
      const changes = [1, 2, 3].map((id) => ({ __KEY: id, __STAMP: 1, note: 'new' }));
      const { told } = await together(served, changes, 'Later');
      expect(told.map(([status]) => status)).toEqual([200, 200, 200]);
      await served.run('UPDATE app.later SET note = NULL, ver = 1');
    }
    await served.run('DROP INDEX app.later_name');
    await served.run('ALTER TABLE app.later DROP next');
  });

  // The embedded database has one connection.
  describe.runIf(served.engine === 'postgres')('are not held up by the one', () => {
    test.each(rows`
      whose row another program has locked                 | Item    | SELECT 1 FROM app.item WHERE id = 5 FOR UPDATE
      that another program may be about to forestall       | Tag     | INSERT INTO app.tag VALUES (99, 'N5X', null, 1)
      that an index waits for which has come since         | Later   | INSERT INTO app.later VALUES (99, 'N5X', null, 1)
        | CREATE UNIQUE INDEX ON app.later (lower(name))
      whose check waits                                    | Checked | SELECT pg_advisory_xact_lock(778)
      that leads to a row which another program has locked | Led     | SELECT 1 FROM app.later WHERE id = 5 FOR UPDATE
    `)('%s', async (_, dataclass = '', held = '', before = '') => {
      const given = (id: number): object =>
        dataclass === 'Led' ? { laterId: id } : { name: `n${id}x` };
      if (before !== '') await served.run(before);
      await served.run(`UPDATE app.${dataclass.toLowerCase()} SET ver = 1`);
      const release = await holding(served, held);
      try {
        const all = ids.slice(0, 9);
        await Promise.all(all.map((id) => served.get(`${dataclass}(${id})`)));
        const changing = all.map((id) =>
          served.post(dataclass, { __KEY: id, __STAMP: 1, ...given(id) }),
        );
        const [waiting] = changing.splice(4, 1);
        let isWaiting = true;
        void waiting?.then(() => {
          isWaiting = false;
        });
        const others = await Promise.all(changing);
        expect(others.map(([status]) => status)).toEqual(changing.map(() => 200));
        expect(isWaiting).toBe(true);
        await release();
        expect(await waiting).toMatchObject([200, { __KEY: '5', __STAMP: 2 }]);
      } finally {
        await release();
        served.gateway.takeChanges();
      }
    });
  });
});
