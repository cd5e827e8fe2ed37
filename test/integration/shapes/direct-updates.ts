import { expect, test } from 'vitest';
import {
  mapped,
  notUpdated,
  refused,
  saved,
  type Served,
  type Shape,
  type Told,
} from './engines.ts';

/** Tables whose rows can be changed by one statement, and some for which something stands against it. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.plain (id int PRIMARY KEY, name varchar(5) NOT NULL, code varchar(5) UNIQUE,
  price numeric(6,2), day date, flag boolean, note char(5), coded varchar(5), up int REFERENCES app.plain, ver int);
INSERT INTO app.plain SELECT n, 'n' || n, 'c' || n, n, '2024-01-01', true, 'x', null, null, 1 FROM generate_series(1, 12) n;
CREATE TABLE app.counted (id int PRIMARY KEY, code varchar(9) CONSTRAINT counted_code UNIQUE, price numeric(6,2), ver int);
INSERT INTO app.counted SELECT n, 'c' || n, n, 1 FROM generate_series(1, 40) n;
CREATE TABLE app.unversioned (id uuid PRIMARY KEY, name text);
INSERT INTO app.unversioned VALUES ('00000000-0000-0000-0000-00000000000a', 'a');
CREATE TABLE app.heard (id int PRIMARY KEY, name text, total int, ver int);
INSERT INTO app.heard VALUES (1, 'a', 0, 1);
CREATE TABLE app.late (id int PRIMARY KEY, name text, price money, ver int);
INSERT INTO app.late VALUES (1, 'a', 1.5, 1);
CREATE FUNCTION app.hear() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN UPDATE app.heard SET total = total + 1 WHERE id = new.id AND pg_trigger_depth() = 1; RETURN NULL; END';
CREATE TRIGGER hear AFTER UPDATE ON app.heard FOR EACH ROW EXECUTE FUNCTION app.hear();
CREATE TABLE app.parted (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE app.parted_all PARTITION OF app.parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE app.partly (id int PRIMARY KEY, name text, kind text, ver int);
INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1);
CREATE TABLE app.twice (id int, name text, ver int);
INSERT INTO app.twice VALUES (1, 'one', 1), (1, 'two', 1), (2, 'three', 1);`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.plain (id int PRIMARY KEY, name nvarchar(5) NOT NULL, code nvarchar(5) NULL CONSTRAINT uq_code UNIQUE,
       price numeric(6,2) NULL, day date NULL, flag bit NULL, note nchar(5) NULL,
       coded varchar(5) NULL, up int NULL CONSTRAINT plain_up_fkey REFERENCES app.plain, ver int NULL)`,
    ...Array.from(
      { length: 12 },
      (_, at) =>
        `INSERT INTO app.plain VALUES (${at + 1}, 'n${at + 1}', 'c${at + 1}', ${at + 1}, '2024-01-01', 1, 'x', NULL, NULL, 1)`,
    ),
    'CREATE TABLE app.counted (id int PRIMARY KEY, code nvarchar(9) NULL CONSTRAINT counted_code UNIQUE, price numeric(6,2) NULL, ver int NULL)',
    ...Array.from(
      { length: 40 },
      (_, at) => `INSERT INTO app.counted VALUES (${at + 1}, 'c${at + 1}', ${at + 1}, 1)`,
    ),
    'CREATE TABLE app.unversioned (id uniqueidentifier PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
    "INSERT INTO app.unversioned (id, name) VALUES ('00000000-0000-0000-0000-00000000000a', 'a')",
    'CREATE TABLE app.heard (id int PRIMARY KEY, name nvarchar(20) NULL, total int NULL, ver int NULL)',
    "INSERT INTO app.heard VALUES (1, 'a', 0, 1)",
    'CREATE TABLE app.late (id int PRIMARY KEY, name nvarchar(20) NULL, price money NULL, ver int NULL)',
    "INSERT INTO app.late VALUES (1, 'a', 1.5, 1)",
    `CREATE TRIGGER app.hear ON app.heard AFTER UPDATE AS
       IF TRIGGER_NESTLEVEL() = 1 UPDATE app.heard SET total = total + 1 WHERE id IN (SELECT id FROM inserted)`,
    'CREATE TABLE app.parted (id int PRIMARY KEY, name nvarchar(20) NULL, ver rowversion)',
    'CREATE TABLE app.partly (id int PRIMARY KEY, name nvarchar(20) NULL, kind nvarchar(20) NULL, ver int NULL)',
    "INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1)",
    'CREATE TABLE app.twice (id int NULL, name nvarchar(20) NULL, ver int NULL)',
    "INSERT INTO app.twice VALUES (1, 'one', 1), (1, 'two', 1), (2, 'three', 1)",
  ],
  mappings: mapped(`
plain: {dataclass: Plain, table: app.plain, stamp: {counter: ver}, relations: {parent: {to: Plain, foreignKey: plain_up_fkey}}}
twice: {dataclass: Twice, table: app.twice, key: [id], stamp: {counter: ver}}
counted: {dataclass: Counted, table: app.counted, stamp: {counter: ver}}
unversioned: {dataclass: Unversioned, table: app.unversioned, attributes: {id: id, name: name}}
heard: {dataclass: Heard, table: app.heard, stamp: {counter: ver}}
parted: {dataclass: Parted, table: app.parted, attributes: {id: id, name: name}}
late: {dataclass: Late, table: app.late, stamp: {counter: ver}}
some: {dataclass: Some, table: app.partly, stamp: {counter: ver}, where: kind = mine}
`),
};

/** How many statements the change of one entity takes, and several changes at once. */
export function changesOfOne(served: Served): void {
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

  test('a change of one entity is one statement', async () => {
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

  test('a change of one entity is one, also as it was read, and with a stamp that the engine keeps', async () => {
    const key = '00000000-0000-0000-0000-00000000000A';
    const before = await read(`Unversioned(${key})`);
    const { told, statements } = await save('Unversioned', { ...before, name: 'b' });
    expect([told, statements]).toMatchObject([[200, { name: 'b' }], 1]);
    const now = await read(`Unversioned(${key})`);
    expect(told[1]).toMatchObject({ __STAMP: now['__STAMP'], __KEY: now['__KEY'] });
    expect(now['__STAMP']).not.toBe(before['__STAMP']);
  });

  test('a change of one entity that changes nothing writes nothing', async () => {
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

  test('a change of one entity that another session has locked is refused; its own lock is not a hindrance', async () => {
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

  test('a change of one entity takes several where triggers hear of it, or text has a code page', async () => {
    const heard = await save('Heard', { __KEY: 1, __STAMP: 1, name: 'b' });
    expect(heard).toMatchObject({ told: [200, { name: 'b', total: 1, __STAMP: 2 }] });
    expect(heard.statements).toBeGreaterThan(1);
    // Where text has a code page, it is asked first whether that has all of its characters.
    const coded = await save('Plain', { __KEY: 9, __STAMP: 1, coded: 'ab' });
    expect(coded).toMatchObject({ told: [200, { coded: 'ab' }] });
    expect(coded.statements > 1).toBe(served.isSqlServer);
  });

  test('of two changes of one entity at once, with one stamp, one is saved', async () => {
    const bodies = Array.from({ length: 8 }, (_, at) => ({
      __KEY: 8,
      __STAMP: 1,
      price: 100 + at,
    }));
    const told = await Promise.all(bodies.map((body) => served.post('Plain', body)));
    expect(told.map(([status]) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await read('Plain(8)')).toMatchObject({ __STAMP: 2 });
  });
}

/** How many statements the changes of many entities take, and several requests at once. */
export function changesOfMany(served: Served): void {
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
    'changes of many are one statement, in the order of the body %s',
    async (query) => {
      const [first, second] = query === '' ? [2, 1] : [4, 3];
      expect(await save([price(first, 5.5), price(second, 6)], query)).toEqual([
        all(counted(first, 5.5), counted(second, 6)),
        least,
      ]);
    },
  );

  test('changes of many leave those that are stale, gone or as they were to be explained', async () => {
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

  test('changes of many of one entity are made twenty times; those that are more are refused', async () => {
    const stamps = Array.from({ length: 21 }, (_, at) => price(9, at, at + 1));
    const [[, told]] = await save(stamps);
    const { __ENTITIES: ended } = told as { readonly __ENTITIES: readonly unknown[] };
    expect(ended.slice(19)).toMatchObject([
      { price: 19, __STAMP: 21 },
      {
        __STATUS: { success: false },
        __ERROR: [
          {
            message:
              'The body holds Counted(9) more than 20 times: say at once all that changes of it.',
          },
        ],
      },
    ]);
    expect(await rows(9)).toMatchObject([{ price: 19, __STAMP: 21 }]);
  });

  test('changes of many of two at once, each with the stamp that both have read, are made once', async () => {
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
}

/** How many statements new entities take. */
export function newEntities(served: Served): void {
  const save = async (path: string, body: object): Promise<readonly [Told, number]> => {
    served.gateway.takeStatements();
    const told = await served.post(path, body);
    return [told, served.gateway.takeStatements().length];
  };
  const late = (id: number): object =>
    saved('Late', String(id), { id, name: 'new', price: 1.5, ver: 1 }, 1);
  const body = (id: number): object => ({ id, name: 'new', price: 1.5 });

  test('new entities are written and read by one statement, in the order of the body', async () => {
    expect(await save('Late', body(9))).toEqual([[200, late(9)], 1]);
    const entities = { __ENTITIES: [late(8), late(7)] };
    expect(await save('Late', [body(8), body(7)])).toEqual([[200, entities], 1]);
  });

  test('new entities are read afterwards where several statements may change them', async () => {
    const other = { id: 42, price: 2 };
    const [told, statements] = await save('Counted', [
      { id: 41, code: 'c41' },
      other,
      { __KEY: 41, __STAMP: 1, price: 5 },
    ]);
    expect([told, statements > 2]).toMatchObject([
      [200, { __ENTITIES: [{ id: 41, price: 5 }, { id: 42 }, { id: 41, code: 'c41', price: 5 }] }],
      true,
    ]);
  });
}

/** How many statements a delete takes. */
export function deletes(served: Served): void {
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

  test('a delete is one statement', async () => {
    const body = { ok: true, __ENTITIES: [ok(35), ok(33), ok(34)] };
    expect(await gone('Counted?', [of(35, 1), of(33, 1), of(34, 1)])).toEqual([[200, body], least]);
    expect(await gone('Counted?', [of(36), of(37)])).toMatchObject([[200, { ok: true }], least]);
    const [, left] = await served.get(
      'Counted?$filter="id > 32 AND id < 39"&$attributes=id&$asArray=true',
    );
    expect(left).toMatchObject([{ id: 38 }]);
  });
}
