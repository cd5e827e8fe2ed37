import { expect, test } from 'vitest';
import { errors, onEngines, refused, saved, type Shape } from './shapes/engines.ts';

const tables = [
  'CREATE TABLE app.counted (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, ver smallint NULL, at TIMESTAMP_TYPE NULL)',
  "INSERT INTO app.counted VALUES (1, 'a', 32767, NULL)",
  "INSERT INTO app.counted VALUES (2, 'b', NULL, NULL)",
  'CREATE TABLE app.dated (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, on_day date NULL)',
  'CREATE TABLE app.zoned (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, at ZONED_TYPE NULL)',
  'CREATE TABLE app.hashed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, bytes BYTES_TYPE NULL, doc XML_TYPE NULL)',
  "INSERT INTO app.hashed VALUES (1, 'a', NULL, '<a/>')",
  'CREATE TABLE app.unstamped (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.unstamped VALUES (1, 'a')",
  'CREATE TABLE app.opened (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, kept varchar(20) NULL)',
  "INSERT INTO app.opened VALUES (1, 'a', 'k')",
  'CREATE TABLE app.closed (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.closed VALUES (1, 'a')",
];

function typed(types: Readonly<Record<string, string>>): string[] {
  return tables.map((table) => table.replace(/[A-Z]+_TYPE/g, (name) => types[name] ?? name));
}

/** Stamps and timestamps of every kind, and what is read only. */
const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${typed({
    TIMESTAMP_TYPE: 'timestamp(3)',
    ZONED_TYPE: 'timestamptz',
    BYTES_TYPE: 'bytea',
    XML_TYPE: 'xml',
  }).join(';\n')};`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...typed({
      TIMESTAMP_TYPE: 'datetime',
      ZONED_TYPE: 'datetimeoffset',
      BYTES_TYPE: 'varbinary(max)',
      XML_TYPE: 'xml',
    }),
  ],
  mappings: {
    counted: 'dataclass: Counted\ntable: app.counted\nstamp: { counter: ver }\ntimestamp: at\n',
    dated: 'dataclass: Dated\ntable: app.dated\nstamp: hash\ntimestamp: on_day\n',
    zoned: 'dataclass: Zoned\ntable: app.zoned\nstamp: hash\ntimestamp: at\n',
    hashed: 'dataclass: Hashed\ntable: app.hashed\nstamp: { hash: [id, name, bytes, doc] }\n',
    light: `
dataclass: Light
table: app.hashed
stamp: hash
attributes: { id: id, name: name, bytes: bytes }
`,
    unstamped: `
dataclass: Unstamped
table: app.unstamped
stamp: none
requireStamp: false
`,
    archive: 'dataclass: Archive\ntable: app.unstamped\nstamp: none\n',
    open: `
dataclass: Open
table: app.opened
stamp: hash
requireStamp: false
attributes: { id: id, name: name, kept: { column: kept, readOnly: true } }
`,
    closed: 'dataclass: Closed\ntable: app.closed\nstamp: hash\nreadOnly: true\n',
  },
  settings: { timeZone: 'America/New_York' },
};

onEngines('stamps, timestamps and what is read only', shape, (served) => {
  const read = async (path: string): Promise<{ __STAMP: number; __TIMESTAMP?: string }> => {
    const [status, body] = await served.get(path);
    expect(status).toBe(200);
    return body as { __STAMP: number };
  };

  /** A time of the last minute. */
  const now = {
    asymmetricMatch: (text: unknown): boolean =>
      Math.abs(Date.parse(String(text)) - Date.now()) < 60_000,
  };

  test('a counter begins with 1, and again with 1 behind its maximum and null', async () => {
    const made = { id: 3, name: 'c', ver: 1, at: now };
    expect(await served.post('Counted', { id: 3, name: 'c' })).toEqual([
      200,
      { ...saved('Counted', '3', made, 1), __TIMESTAMP: now },
    ]);
    for (const id of [1, 2]) {
      const { __STAMP } = await read(`Counted(${id})`);
      expect(await served.post('Counted', { __KEY: id, __STAMP, name: 'z' })).toMatchObject([
        200,
        { __STATUS: { success: true }, __STAMP: 1, ver: 1, name: 'z', __TIMESTAMP: now },
      ]);
    }
    expect(await served.post('Counted', { __KEY: 3, __STAMP: 1, ver: 8 })).toEqual([
      422,
      refused('3', [1516, 'Counted.ver is read-only: the gateway sets it.']),
    ]);
    expect(await served.post('Counted', { __KEY: 3, __STAMP: 1, ver: 1 })).toMatchObject([
      200,
      { __STAMP: 1 },
    ]);
  });

  test('a date is today in the database’s time zone, a time with an offset is the instant', async () => {
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'America/New_York' }).format();
    expect(await served.post('Dated', { id: 1, name: 'a' })).toMatchObject([200, { onDay: today }]);
    expect(await served.post('Zoned', { id: 1, name: 'a' })).toMatchObject([
      200,
      { at: now, __TIMESTAMP: now },
    ]);
  });

  test('a hash that names them tells bytes and XML apart, and a second save by the stamp of the first', async () => {
    const first = await read('Hashed(1)');
    const bytes = Buffer.from([1, 2, 3]).toString('base64');
    const [status, body] = await served.post('Hashed', {
      __KEY: 1,
      __STAMP: first.__STAMP,
      bytes,
    });
    const { __STAMP: second } = body as { __STAMP: number };
    expect([status, second === first.__STAMP]).toEqual([200, false]);
    expect(await served.post('Hashed', { __KEY: 1, ...first, name: 'late' })).toMatchObject([
      409,
      { __STATUS: { status: 2 }, __STAMP: second },
    ]);
    const [, after] = await served.post('Hashed', { __KEY: 1, __STAMP: second, doc: '<b/>' });
    const { __STAMP: third } = after as { __STAMP: number };
    expect(after).toMatchObject({ __STATUS: { success: true }, doc: '<b/>' });
    expect(new Set([first.__STAMP, second, third]).size).toBe(3);
    await served.run("UPDATE app.hashed SET doc = '<c/>'");
    expect(await served.post('Hashed', { __KEY: 1, __STAMP: third, name: 'x' })).toMatchObject([
      409,
      { __STATUS: { status: 2 }, doc: '<c/>' },
    ]);
  });

  test('a hash that names no columns sees no large ones: the stamp stays, and the save holds', async () => {
    const { __STAMP } = await read('Light(1)');
    const bytes = Buffer.from([7, 8, 9]).toString('base64');
    expect(await served.post('Light', { __KEY: 1, __STAMP, bytes })).toMatchObject([
      200,
      { __STATUS: { success: true }, __STAMP },
    ]);
    expect(await served.post('Light', { __KEY: 1, __STAMP, name: 'seen' })).toMatchObject([
      200,
      { __STATUS: { success: true }, name: 'seen' },
    ]);
    expect(await served.post('Light', { __KEY: 1, __STAMP, bytes })).toMatchObject([
      409,
      { __STATUS: { status: 2 }, name: 'seen' },
    ]);
  });

  test('what one body changes and changes back is saved, though its stamp is the one before', async () => {
    const { name } = (await read('Open(1)')) as { name?: string };
    const end = { __STATUS: { success: true }, name };
    expect(
      await served.post('Open', [
        { __KEY: 1, name: 'there' },
        { __KEY: 1, name },
      ]),
    ).toMatchObject([200, { __ENTITIES: [end, end] }]);
  });

  test('no stamp is 1, always', async () => {
    expect(await served.post('Unstamped', { __KEY: 1, __STAMP: 1, name: 'b' })).toEqual([
      200,
      saved('Unstamped', '1', { id: 1, name: 'b' }, 1),
    ]);
    expect(await served.post('Unstamped', { __KEY: 1, __STAMP: 2, name: 'c' })).toMatchObject([
      409,
      { __STATUS: { status: 2 }, __STAMP: 1, name: 'b' },
    ]);
    expect(await served.post('Unstamped', { id: 2, name: 'n' })).toMatchObject([
      200,
      { __STAMP: 1 },
    ]);
    expect(await served.delete('Unstamped(2)')).toMatchObject([200, { ok: true }]);
    for (const stamp of [{ __STAMP: 1 }, {}]) {
      expect(await served.post('Archive', { __KEY: 1, ...stamp, name: 'c' })).toEqual([
        403,
        refused('1', [
          1558,
          'Entities of Archive cannot be updated: it is read-only, as it has no stamp (see stamp and requireStamp in its mapping file).',
        ]),
      ]);
    }
  });

  test('a stamp is needed, but where the mapping file lets it be left out', async () => {
    expect(await served.post('Hashed', { __KEY: 1, name: 'x' })).toEqual([
      400,
      refused('1', [
        1263,
        'Hashed(1) cannot be updated without its __STAMP: send the __STAMP that it was read with.',
      ]),
    ]);
    expect(await served.post('Open', { __KEY: 1, name: 'x' })).toEqual([
      200,
      saved('Open', '1', { id: 1, name: 'x', kept: 'k' }),
    ]);
  });

  test('a read-only attribute may be sent back as it is', async () => {
    expect(await served.post('Open', { __KEY: 1, name: 'y', kept: 'k' })).toEqual([
      200,
      saved('Open', '1', { id: 1, name: 'y', kept: 'k' }),
    ]);
    expect(await served.post('Open', { __KEY: 1, kept: 'other' })).toEqual([
      422,
      refused('1', [1516, 'Open.kept is read-only: see readOnly in its mapping file.']),
    ]);
    expect(await served.post('Open', { id: 2, kept: 'other' })).toEqual([
      422,
      refused(null, [1516, 'Open.kept is read-only: see readOnly in its mapping file.']),
    ]);
  });

  test('a read-only dataclass', async () => {
    expect(await served.post('Closed', { id: 2 })).toEqual([
      403,
      refused(null, [
        1559,
        'Entities of Closed cannot be created: it is read-only (see readOnly in its mapping file).',
      ]),
    ]);
    const { __STAMP } = await read('Closed(1)');
    expect(await served.post('Closed', { __KEY: 1, __STAMP, name: 'b' })).toEqual([
      403,
      refused('1', [
        1558,
        'Entities of Closed cannot be updated: it is read-only (see readOnly in its mapping file).',
      ]),
    ]);
    expect(await served.delete('Closed(1)')).toEqual([
      403,
      errors([
        1560,
        'Entities of Closed cannot be deleted: it is read-only (see readOnly in its mapping file).',
      ]),
    ]);
  });
});

onEngines('a gateway that only reads', { ...shape, settings: { readOnly: true } }, (served) => {
  test('refuses every write', async () => {
    expect(await served.post('Open', { id: 2 })).toEqual([
      403,
      refused(null, [
        1559,
        'Entities of Open cannot be created: it is read-only (see readOnly in config.yaml).',
      ]),
    ]);
    expect(await served.post('Open?$filter="id=1"&$method=delete')).toEqual([
      403,
      errors([
        1560,
        'Entities of Open cannot be deleted: it is read-only (see readOnly in config.yaml).',
      ]),
    ]);
  });
});
