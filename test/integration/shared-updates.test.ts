import { expect, test } from 'vitest';
import { plainStatement } from '../../src/sql/statement.ts';
import { unattended } from '../../src/observe/observer.ts';
import { notUpdated, onEngines, saved, type Served, type Told } from './shapes/engines.ts';
import { ITEMS, shape } from './shapes/shared-updates.ts';

const item = (id: number, more: object, stamp: number): object =>
  saved('Item', String(id), { id, code: `c${id}`, note: null, ver: stamp, ...more }, stamp);

/** Changes several items at once, and counts the statements that it takes. */
async function together(
  served: Served,
  changes: readonly object[],
): Promise<{ readonly told: Told[]; readonly statements: number }> {
  // Connections that are there already have all of them come in one turn of the event loop.
  await Promise.all(changes.map(() => served.get('Item(1)')));
  served.gateway.takeStatements();
  const told = await Promise.all(changes.map((change) => served.post('Item', change)));
  served.gateway.takeChanges();
  return { told, statements: served.gateway.takeStatements().length };
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

  test.runIf(served.engine === 'postgres')(
    'are not held up by the one whose row another program has locked',
    async () => {
      const { database } = served.gateway;
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let isHeld = (): void => undefined;
      const holding = new Promise<void>((resolve) => {
        isHeld = resolve;
      });
      const other = database.transaction(async (connection) => {
        const text = 'SELECT 1 FROM app.item WHERE id = 20 FOR UPDATE';
        await connection.run({ statement: plainStatement(text), values: [] }, unattended);
        isHeld();
        await held;
      }, unattended);
      await holding;
      try {
        await Promise.all([19, 20, 21].map((id) => served.get(`Item(${id})`)));
        const changing = [19, 20, 21].map((id) =>
          served.post('Item', { __KEY: id, __STAMP: 1, name: 'held' }),
        );
        expect(await Promise.all([changing[0], changing[2]])).toEqual([
          [200, item(19, { name: 'held' }, 2)],
          [200, item(21, { name: 'held' }, 2)],
        ]);
        release();
        expect(await changing[1]).toEqual([200, item(20, { name: 'held' }, 2)]);
      } finally {
        release();
        await other;
        served.gateway.takeChanges();
      }
    },
  );
});
