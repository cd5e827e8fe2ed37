import { expect, test } from 'vitest';
import { notUpdated, onEngines, refused, saved, type Shape, type Told } from './shapes/engines.ts';

/** Tables whose rows can be changed by one statement, and some for which something stands against it. */
const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.plain (id int PRIMARY KEY, name varchar(5) NOT NULL, code varchar(5) UNIQUE,
  price numeric(6,2), day date, flag boolean, note char(5), coded varchar(5), up int REFERENCES app.plain, ver int);
INSERT INTO app.plain SELECT n, 'n' || n, 'c' || n, n, '2024-01-01', true, 'x', null, null, 1 FROM generate_series(1, 9) n;
CREATE TABLE app.counted (id int PRIMARY KEY, code varchar(9) CONSTRAINT counted_code UNIQUE, price numeric(6,2), ver int);
INSERT INTO app.counted SELECT n, 'c' || n, n, 1 FROM generate_series(1, 20) n;
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
INSERT INTO app.partly VALUES (1, 'a', 'mine', 1), (2, 'b', 'other', 1);`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.plain (id int PRIMARY KEY, name nvarchar(5) NOT NULL, code nvarchar(5) NULL CONSTRAINT uq_code UNIQUE,
       price numeric(6,2) NULL, day date NULL, flag bit NULL, note nchar(5) NULL,
       coded varchar(5) NULL, up int NULL CONSTRAINT plain_up_fkey REFERENCES app.plain, ver int NULL)`,
    ...Array.from(
      { length: 9 },
      (_, at) =>
        `INSERT INTO app.plain VALUES (${at + 1}, 'n${at + 1}', 'c${at + 1}', ${at + 1}, '2024-01-01', 1, 'x', NULL, NULL, 1)`,
    ),
    'CREATE TABLE app.counted (id int PRIMARY KEY, code nvarchar(9) NULL CONSTRAINT counted_code UNIQUE, price numeric(6,2) NULL, ver int NULL)',
    ...Array.from(
      { length: 20 },
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
  ],
  mappings: {
    plain: `
dataclass: Plain
table: app.plain
stamp: { counter: ver }
relations: { parent: { to: Plain, foreignKey: plain_up_fkey } }
`,
    counted: 'dataclass: Counted\ntable: app.counted\nstamp: { counter: ver }\n',
    unversioned:
      'dataclass: Unversioned\ntable: app.unversioned\nattributes: { id: id, name: name }\n',
    heard: 'dataclass: Heard\ntable: app.heard\nstamp: { counter: ver }\n',
    parted: 'dataclass: Parted\ntable: app.parted\nattributes: { id: id, name: name }\n',
    late: 'dataclass: Late\ntable: app.late\nstamp: { counter: ver }\n',
    some: `
dataclass: Some
table: app.partly
stamp: { counter: ver }
where: 'kind = mine'
`,
  },
};

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

  test.each(['0', 'NULL', '-3'])('also with a counter of %s', async (counter) => {
    await served.run(`UPDATE app.plain SET ver = ${counter} WHERE id = 6`);
    const { __STAMP: stamp, price } = await read('Plain(6)');
    const { told } = await save('Plain', { __KEY: 6, __STAMP: stamp, price: Number(price) + 1 });
    expect(told).toMatchObject([200, { price: Number(price) + 1 }]);
    const { __STAMP: next, price: now } = await read('Plain(6)');
    expect([now, told[1]]).toMatchObject([Number(price) + 1, { __STAMP: next }]);
    expect(next).not.toBe(stamp);
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

  test('somebody has changed, or that is not there, says so', async () => {
    const { told } = await save('Plain', { __KEY: 3, __STAMP: 9, name: 'late' });
    expect(told).toMatchObject([
      409,
      { __STATUS: { status: 2, success: false }, __STAMP: 1, name: 'n3' },
    ]);
    const gone = await save('Plain', { __KEY: 99, __STAMP: 9, name: 'late' });
    expect(gone.told).toEqual([404, refused('99', [1542, 'There is no entity Plain(99).'])]);
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

  test('that the database or the model refuses says why', async () => {
    const answer = async (body: object): Promise<unknown> =>
      (await save('Plain', { __KEY: 5, __STAMP: 1, ...body })).told;
    expect(await answer({ code: 'c6' })).toEqual([
      409,
      notUpdated(
        'Plain',
        '5',
        1115,
        'Plain.code has to be unique, and another entity has this value already.',
      ),
    ]);
    expect(await answer({ name: null })).toMatchObject([422, { __KEY: '5' }]);
    expect(await answer({ up: 77 })).toMatchObject([409, { __KEY: '5' }]);
    expect(await answer({ name: 'toolong' })).toMatchObject([422, { __KEY: '5' }]);
    expect(await answer({ id: 6, name: 'b' })).toMatchObject([422, { __KEY: '5' }]);
    expect(await read('Plain(5)')).toMatchObject({ name: 'n5', __STAMP: 1 });
  });

  test('is none where triggers hear of it, rows are restricted, or it has blanks behind it', async () => {
    const heard = await save('Heard', { __KEY: 1, __STAMP: 1, name: 'b' });
    expect(heard).toMatchObject({ told: [200, { name: 'b', total: 1, __STAMP: 2 }] });
    expect(heard.statements).toBeGreaterThan(1);
    const some = await save('Some', { __KEY: 1, __STAMP: 1, name: 'b', kind: 'other' });
    expect(some.told[0]).toBe(422);
    expect(await read('Some(1)')).toMatchObject({ name: 'a', __STAMP: 1 });
    // Where text has a code page, it is asked first whether that has all of its characters.
    const coded = await save('Plain', { __KEY: 9, __STAMP: 1, coded: 'ab' });
    expect(coded).toMatchObject({ told: [200, { coded: 'ab' }] });
    expect(coded.statements > 1).toBe(served.isSqlServer);
    const padded = await save('Plain', { __KEY: 7, __STAMP: 1, note: 'x' });
    expect(padded).toMatchObject({ told: [200, { __STAMP: 1, note: 'x    ' }] });
  });

  test('a trigger that came later takes back is refused, and nothing of it stays', async () => {
    const { told } = await save('Late', { __KEY: 1, __STAMP: 1, price: 2.25 });
    expect(told).toMatchObject([200, { price: 2.25, __STAMP: 2 }]);
    const trigger = served.isSqlServer
      ? 'CREATE TRIGGER app.late_back ON app.late AFTER UPDATE AS' +
        ' IF TRIGGER_NESTLEVEL() = 1 UPDATE app.late SET ver = d.ver, price = 9 FROM app.late JOIN deleted d ON d.id = app.late.id'
      : 'CREATE FUNCTION app.back() RETURNS trigger LANGUAGE plpgsql AS' +
        " 'BEGIN new.ver = old.ver; new.price = 9; RETURN new; END';" +
        ' CREATE TRIGGER late_back BEFORE UPDATE ON app.late FOR EACH ROW EXECUTE FUNCTION app.back()';
    for (const sql of trigger.split(/;(?= CREATE)/)) await served.run(sql);
    expect((await save('Late', { __KEY: 1, __STAMP: 2, name: 'b' })).told).toMatchObject([
      422,
      { __KEY: '1', __ERROR: [{ errCode: 1046 }, { errCode: 1517 }] },
    ]);
    expect(await read('Late(1)')).toMatchObject({ name: 'a', price: 2.25, __STAMP: 2 });
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
  const counted = (id: number, price: number, stamp = 2, code = `c${id}`): object =>
    saved('Counted', String(id), { id, code, price, ver: stamp }, stamp);
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

  test('are all made or none with $atomic', async () => {
    const [told] = await save([price(8, 80), price(9, 90, 7)], '?$atomic=true');
    expect(told).toMatchObject([409, { __ERROR: [{ errCode: 1263 }, {}, {}] }]);
    expect(await rows(8, 9)).toMatchObject([
      { price: 8, __STAMP: 1 },
      { price: 9, __STAMP: 1 },
    ]);
  });

  test('find the one that the database refuses, and save the others', async () => {
    const code = (id: number, to: string): object => ({ __KEY: id, __STAMP: 1, code: to });
    const [told] = await save([code(10, 'd10'), code(11, 'c20'), code(12, 'd12')]);
    expect(told).toEqual(
      all(
        counted(10, 10, 2, 'd10'),
        notUpdated(
          'Counted',
          '11',
          1115,
          'Counted.code has to be unique, and another entity has this value already.',
        ),
        counted(12, 12, 2, 'd12'),
      ),
    );
  });

  test('of one entity twice are made one after the other', async () => {
    const [told] = await save([price(13, 130), price(13, 131), price(14, 1)]);
    expect(told).toMatchObject([
      200,
      { __ENTITIES: [{ price: 130 }, { __STATUS: { status: 2, success: false } }, { price: 1 }] },
    ]);
    expect(await rows(13)).toMatchObject([{ price: 130, __STAMP: 2 }]);
  });

  test('of one entity are made twenty times; those that are more are refused', async () => {
    const stamps = Array.from({ length: 21 }, (_, at) => price(14, at, at + 2));
    const [[, told]] = await save(stamps);
    const { __ENTITIES: ended } = told as { readonly __ENTITIES: readonly unknown[] };
    expect(ended.slice(19)).toMatchObject([
      { price: 19, __STAMP: 22 },
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
    expect(await rows(14)).toMatchObject([{ price: 19, __STAMP: 22 }]);
  });

  test('leave alone what another session has locked', async () => {
    const { body } = await served.gateway.get('/rest/Counted(15)?$lock=true');
    expect(body).toMatchObject({ result: true });
    const [told] = await save([price(15, 1), price(16, 160)]);
    expect(told).toMatchObject([
      200,
      { __ENTITIES: [{ __ERROR: [{ errCode: 9025 }, {}] }, { price: 160, __STAMP: 2 }] },
    ]);
    expect(await rows(15)).toMatchObject([{ price: 15, __STAMP: 1 }]);
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
  const late = (id: number, more: object = {}): object =>
    saved('Late', String(id), { id, name: 'new', price: 1.5, ver: 1, ...more }, 1);
  const body = (id: number): object => ({ id, name: 'new', price: 1.5 });
  const number = (id: number): object => ({ id, code: `c${id}` });

  test('are written and read by one statement, in the order of the body', async () => {
    expect(await save('Late', body(9))).toEqual([[200, late(9)], 1]);
    const entities = { __ENTITIES: [late(8), late(7)] };
    expect(await save('Late', [body(8), body(7)])).toEqual([[200, entities], 1]);
  });

  test('are those of partitions, too', async () => {
    const bodies = [
      { id: 2, name: 'b' },
      { id: 1, name: 'a' },
    ];
    const [status, body] = await served.post('Parted', bodies);
    expect([status, body]).toMatchObject([200, { __ENTITIES: bodies }]);
    const now = await served.get('Parted?$orderby="id desc"');
    const stamps = (of: unknown): unknown =>
      (of as { __ENTITIES: { __STAMP: number }[] }).__ENTITIES.map(({ __STAMP }) => __STAMP);
    expect(stamps(now[1])).toEqual(stamps(body));
  });

  test('are read afterwards where several statements may change them', async () => {
    const other = { id: 32, price: 2 };
    const [told, statements] = await save('Counted', [
      number(31),
      other,
      { __KEY: 31, __STAMP: 1, price: 5 },
    ]);
    expect([told, statements > 2]).toMatchObject([
      [200, { __ENTITIES: [{ id: 31, price: 5 }, { id: 32 }, { id: 31, code: 'c31', price: 5 }] }],
      true,
    ]);
  });

  test('are answered as a trigger that came later has left them', async () => {
    const trigger = served.isSqlServer
      ? 'CREATE TRIGGER app.late_new ON app.late AFTER INSERT AS UPDATE app.late SET price = 9 WHERE id IN (SELECT id FROM inserted)'
      : "CREATE FUNCTION app.dearer() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE app.late SET price = 9 WHERE id = new.id; RETURN NULL; END';" +
        ' CREATE TRIGGER late_new AFTER INSERT ON app.late FOR EACH ROW EXECUTE FUNCTION app.dearer()';
    for (const sql of trigger.split(/;(?= CREATE)/)) await served.run(sql);
    const entities = { __ENTITIES: [late(6, { price: 9 }), late(5, { price: 9 })] };
    expect((await save('Late', [body(6), body(5)]))[0]).toEqual([200, entities]);
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
  const ids = async (filter: string): Promise<unknown> =>
    (
      (await served.get(`Counted?$filter="${filter}"&$attributes=id&$asArray=true`))[1] as {
        id: number;
      }[]
    ).map(({ id }) => id);

  test('is one statement', async () => {
    const body = { ok: true, __ENTITIES: [ok(3), ok(1), ok(2)] };
    expect(await gone('Counted?', [of(3, 1), of(1, 1), of(2, 1)])).toEqual([[200, body], least]);
    expect(await gone('Counted?', [of(4), of(5)])).toMatchObject([[200, { ok: true }], least]);
    expect(await ids('id < 7')).toEqual([6]);
  });

  test('leaves alone what has changed or is gone, and says so', async () => {
    const [told] = await gone('Counted?', [of(6, 1), of(7, 2), of(1, 1), of(8, 1), of(8, 1)]);
    const entities = [true, false, false, true, false].map((success) => ({
      __STATUS: { success },
    }));
    expect(told).toMatchObject([200, { ok: false, __ENTITIES: entities }]);
    expect(await ids('id < 10')).toEqual([7, 9]);
  });

  test('with $atomic, deletes all or none', async () => {
    const [[status]] = await gone('Counted?$atomic=true&', [of(9, 1), of(10, 2)]);
    expect([status, await ids('id < 11')]).toEqual([409, [7, 9, 10]]);
    expect((await gone('Counted?$atomic=true&', [of(9, 1), of(10, 1)]))[0][0]).toBe(200);
    expect(await ids('id < 11')).toEqual([7]);
  });

  test('leaves to others what they have locked', async () => {
    const { body } = await served.gateway.get('/rest/Counted(11)?$lock=true');
    expect(body).toMatchObject({ result: true });
    const [told] = await gone('Counted?', [of(11, 1), of(12, 1)]);
    expect(told).toMatchObject([
      200,
      { ok: false, __ENTITIES: [{ __ERROR: [{ errCode: 9025 }, {}] }, ok(12)] },
    ]);
    expect(await ids('id > 10 AND id < 13')).toEqual([11]);
  });

  test('is refused where others refer to one of them, which stays alone', async () => {
    await served.post('Plain', { __KEY: 2, __STAMP: 1, parent: { __KEY: 1 } });
    const [told] = await gone('Plain?', [of(1, 1), of(3, 1)]);
    expect(told).toMatchObject([
      200,
      {
        ok: false,
        __ENTITIES: [{ __STATUS: { success: false } }, { __STATUS: { success: true } }],
      },
    ]);
  });
});
