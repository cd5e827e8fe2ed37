import { expect, test } from 'vitest';
import { shape } from './shapes/direct-updates.ts';
import { notUpdated, onEngines, refused, saved, type Told } from './shapes/engines.ts';

onEngines('a change of one entity with its stamp', shape, (served) => {
  /** Saves an entity, and counts the statements that it takes. */
  const save = async (
    path: string,
    body: object,
  ): Promise<{ readonly told: Told; readonly statements: number }> => {
    served.gateway.takeStatements();
    served.gateway.takeChanges();
    const told = await served.post(path, body);
    return { told, statements: served.gateway.takeStatements().length };
  };
  const read = async (path: string): Promise<Record<string, unknown>> =>
    (await served.get(path))[1] as Record<string, unknown>;
  const plain = (id: number, more: object, stamp: number): object =>
    saved('Plain', String(id), { id, ver: stamp, ...more }, stamp);
  const ofOne = {
    code: 'c1',
    price: 1,
    day: '2024-01-01',
    flag: true,
    note: 'x    ',
    coded: null,
    up: null,
    parent: null,
  };

  test('is one statement', async () => {
    const changed = { name: 'new', price: 2.5, day: null, flag: false };
    expect(await save('Plain', { __KEY: 1, __STAMP: 1, ...changed })).toEqual({
      told: [200, plain(1, { ...ofOne, ...changed }, 2)],
      statements: 1,
    });
    expect(
      await save('Plain(1)?$atomic=true&$attributes=name', { __STAMP: 2, name: 'two' }),
    ).toEqual({
      told: [200, saved('Plain', '1', { name: 'two' }, 3)],
      statements: 1,
    });
    expect(await read('Plain(1)')).toMatchObject({ name: 'two', price: 2.5, __STAMP: 3 });
  });

  test('also as it was read, and with a stamp that the engine keeps', async () => {
    const key = '00000000-0000-0000-0000-00000000000A';
    const before = await read(`Unversioned(${key})`);
    const { told, statements } = await save('Unversioned', { ...before, name: 'b' });
    expect([told, statements]).toMatchObject([[200, { name: 'b' }], 1]);
    const now = await read(`Unversioned(${key})`);
    expect(told[1]).toMatchObject({ __STAMP: now['__STAMP'], __KEY: now['__KEY'] });
    expect(now['__STAMP']).not.toBe(before['__STAMP']);
  });

  test('that changes nothing writes nothing', async () => {
    const before = await read('Plain(2)');
    const { told, statements } = await save('Plain', {
      __KEY: 2,
      __STAMP: 1,
      name: 'n2',
      price: 2,
    });
    expect([told, statements > 1]).toMatchObject([[200, { __STAMP: 1, name: 'n2' }], true]);
    expect(await read('Plain(2)')).toEqual(before);
    const some = await save('Plain', { __KEY: 2, __STAMP: 1, name: 'n2', price: 3 });
    expect(some).toMatchObject({ told: [200, { __STAMP: 2, price: 3 }], statements: 1 });
  });

  test('another session has locked is refused; its own lock is not a hindrance', async () => {
    const locked = await served.gateway.get('/rest/Plain(4)?$lock=true');
    expect(locked.body).toMatchObject({ result: true });
    const cookie = String([locked.headers['set-cookie']].flat()[0]).replace(/;.*/s, '');
    const change = { __KEY: 4, __STAMP: 1, name: 'mine' };
    expect(await served.post('Plain', change)).toEqual([
      409,
      notUpdated('Plain', '4', 9025, 'Plain(4) is locked by another session.'),
    ]);
    served.gateway.takeStatements();
    const own = await served.gateway.get('/rest/Plain', {
      method: 'POST',
      body: JSON.stringify(change),
      headers: { cookie },
    });
    expect(own.body).toMatchObject({ name: 'mine', __STAMP: 2 });
    expect(served.gateway.takeStatements()).toHaveLength(1);
  });

  test('is none where triggers hear of it, or text has a code page', async () => {
    const heard = await save('Heard', { __KEY: 1, __STAMP: 1, name: 'b' });
    expect(heard).toMatchObject({ told: [200, { name: 'b', total: 1, __STAMP: 2 }] });
    expect(heard.statements).toBeGreaterThan(1);
    // Where text has a code page, it is asked first whether that has all of its characters.
    const coded = await save('Plain', { __KEY: 9, __STAMP: 1, coded: 'ab' });
    expect(coded).toMatchObject({ told: [200, { coded: 'ab' }] });
    expect(coded.statements > 1).toBe(served.isSqlServer);
  });

  test('of two at once with one stamp one is saved', async () => {
    const bodies = Array.from({ length: 8 }, (_, at) => ({
      __KEY: 8,
      __STAMP: 1,
      price: 100 + at,
    }));
    const told = await Promise.all(bodies.map((body) => served.post('Plain', body)));
    expect(told.map(([status]) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await read('Plain(8)')).toMatchObject({ __STAMP: 2 });
  });
});

onEngines('changes of many entities with their stamps', shape, (served) => {
  /** Saves entities, and counts the statements that this takes. */
  const save = async (bodies: readonly object[], query = ''): Promise<readonly [Told, number]> => {
    served.gateway.takeStatements();
    served.gateway.takeChanges();
    const told = await served.post(`Counted${query}`, bodies);
    return [told, served.gateway.takeStatements().length];
  };
  const counted = (id: number, price: number, stamp = 2): object =>
    saved('Counted', String(id), { id, code: `c${id}`, price, ver: stamp }, stamp);
  const price = (id: number, to: number, stamp = 1): object => ({
    __KEY: id,
    __STAMP: stamp,
    price: to,
  });
  const all = (...entities: readonly object[]): Told => [200, { __ENTITIES: entities }];
  const rows = async (...ids: readonly number[]): Promise<unknown> =>
    (await served.get(`Counted(${ids.join()})?$attributes=code,price&$asArray=true`))[1];
  // Where other processes may lock entities, one more asks for that.
  const least = served.engine === 'pglite' ? 1 : 2;

  test.each(['', '?$atomic=true'])(
    'are one statement, in the order of the body %s',
    async (query) => {
      const [first, second] = query === '' ? [2, 1] : [4, 3];
      expect(await save([price(first, 5.5), price(second, 6)], query)).toEqual([
        all(counted(first, 5.5), counted(second, 6)),
        least,
      ]);
    },
  );

  test('leave those that are stale, gone or as they were to be explained', async () => {
    const [told, statements] = await save([
      price(5, 50),
      price(6, 60, 7),
      price(99, 1),
      price(7, 7),
    ]);
    expect(told).toMatchObject([
      200,
      {
        __ENTITIES: [
          counted(5, 50),
          { __KEY: '6', __STAMP: 1, price: 6, __STATUS: { status: 2, success: false } },
          refused('99', [1542, 'There is no entity Counted(99).']),
          counted(7, 7, 1),
        ],
      },
    ]);
    expect(statements).toBeGreaterThan(least);
    expect(await rows(5, 6, 7)).toMatchObject([
      { price: 50, __STAMP: 2 },
      { price: 6, __STAMP: 1 },
      { price: 7, __STAMP: 1 },
    ]);
  });

  test('of one entity are made twenty times; those that are more are refused', async () => {
    const stamps = Array.from({ length: 21 }, (_, at) => price(14, at, at + 1));
    const [[, told]] = await save(stamps);
    const { __ENTITIES: ended } = told as { readonly __ENTITIES: readonly unknown[] };
    expect(ended.slice(19)).toMatchObject([
      { price: 19, __STAMP: 21 },
      {
        __STATUS: { success: false },
        __ERROR: [
          {
            message:
              'The body holds Counted(14) more than 20 times: say at once all that changes of it.',
          },
        ],
      },
    ]);
    expect(await rows(14)).toMatchObject([{ price: 19, __STAMP: 21 }]);
  });

  test('of two at once, each with the stamp that both have read, are made once', async () => {
    const ids = [17, 18, 19, 20];
    const bodies = [ids, ids.toReversed(), ids, ids.toReversed()].map((order, at) =>
      order.map((id) => price(id, 100 + at)),
    );
    const told = await Promise.all(bodies.map((body) => served.post('Counted', body)));
    const won = told.flatMap(([, body]) =>
      (
        body as { __ENTITIES: { __STATUS: { success: boolean }; __KEY: string }[] }
      ).__ENTITIES.flatMap(({ __STATUS, __KEY }) => (__STATUS.success ? [Number(__KEY)] : [])),
    );
    expect(won.toSorted((a, b) => a - b)).toEqual(ids);
    expect(await rows(...ids)).toMatchObject(ids.map(() => ({ __STAMP: 2 })));
  });
});

onEngines('new entities', shape, (served) => {
  const save = async (path: string, body: object): Promise<readonly [Told, number]> => {
    served.gateway.takeStatements();
    const told = await served.post(path, body);
    return [told, served.gateway.takeStatements().length];
  };
  const late = (id: number): object =>
    saved('Late', String(id), { id, name: 'new', price: 1.5, ver: 1 }, 1);
  const body = (id: number): object => ({ id, name: 'new', price: 1.5 });

  test('are written and read by one statement, in the order of the body', async () => {
    expect(await save('Late', body(9))).toEqual([[200, late(9)], 1]);
    const entities = { __ENTITIES: [late(8), late(7)] };
    expect(await save('Late', [body(8), body(7)])).toEqual([[200, entities], 1]);
  });

  test('are read afterwards where several statements may change them', async () => {
    const other = { id: 32, price: 2 };
    const [told, statements] = await save('Counted', [
      { id: 31, code: 'c31' },
      other,
      { __KEY: 31, __STAMP: 1, price: 5 },
    ]);
    expect([told, statements > 2]).toMatchObject([
      [200, { __ENTITIES: [{ id: 31, price: 5 }, { id: 32 }, { id: 31, code: 'c31', price: 5 }] }],
      true,
    ]);
  });
});

onEngines('a delete of entities by their stamps', shape, (served) => {
  /** Deletes the entities of a body, and counts the statements that it takes. */
  const gone = async (path: string, body: object): Promise<readonly [Told, number]> => {
    served.gateway.takeStatements();
    const told = await served.post(`${path}$method=delete`, body);
    return [told, served.gateway.takeStatements().length];
  };
  const of = (id: number, stamp?: number): object => ({ __KEY: id, __STAMP: stamp });
  // Where other processes may lock entities, one more asks for that.
  const least = served.engine === 'pglite' ? 1 : 2;
  const ok = (id: number): object => ({ __STATUS: { success: true }, __KEY: String(id) });

  test('is one statement', async () => {
    const body = { ok: true, __ENTITIES: [ok(3), ok(1), ok(2)] };
    expect(await gone('Counted?', [of(3, 1), of(1, 1), of(2, 1)])).toEqual([[200, body], least]);
    expect(await gone('Counted?', [of(4), of(5)])).toMatchObject([[200, { ok: true }], least]);
    const [, left] = await served.get('Counted?$filter="id < 7"&$attributes=id&$asArray=true');
    expect(left).toMatchObject([{ id: 6 }]);
  });
});
