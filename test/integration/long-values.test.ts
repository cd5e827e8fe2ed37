import { expect, test } from 'vitest';
import { errors, mapped, onEngines, type Shape } from './shapes/engines.ts';

/** How many entities there are of a million characters each: so much that a page of them is more than a process should hold at once. */
const WIDE = 140;

/** Columns of every type that holds a text of any length. */
const longValues: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.long (id int PRIMARY KEY, ver int NOT NULL DEFAULT 1, tx text, vc varchar, js json, jb jsonb, jt text);
CREATE VIEW app.wide AS SELECT n AS id, repeat('x', 1000000) AS tx FROM generate_series(1, ${WIDE}) n;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.long (id int NOT NULL PRIMARY KEY, ver int NOT NULL DEFAULT 1, tx nvarchar(max), vc varchar(max), js nvarchar(max), jb nvarchar(max), jt varchar(max))',
    'CREATE TABLE app.num (id int NOT NULL PRIMARY KEY)',
    `INSERT INTO app.num VALUES ${Array.from({ length: WIDE }, (_, at) => `(${at + 1})`).join(', ')}`,
    "CREATE VIEW app.wide AS SELECT id, REPLICATE(CONVERT(varchar(max), 'x'), 1000000) AS tx FROM app.num",
  ],
  mappings: mapped(`
long: {dataclass: Long, table: app.long, stamp: {counter: ver}, attributes: {id: id, tx: tx, vc: vc, js: {column: js, type: object},
  jb: {column: jb, type: object}, jt: {column: jt, type: object}}}
wide: {dataclass: Wide, view: app.wide, key: [id], stamp: none, attributes: {id: id, tx: tx}}
`),
};

/** Characters of 1 to 4 bytes in UTF-8, and such as JSON escapes. */
const MIXED = 'plain "é"\\\n\t€ 日本 😀';
/** Those that SQL Server's default code page has. */
const LATIN = 'plain "é"\\\n\t ÿ€';

interface Long {
  readonly [name: string]: unknown;
  readonly __KEY: string;
  readonly __STAMP: number;
}

/** Whether one is the other: what is compared by a test is printed where it is not. */
function same(found: unknown, expected: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(expected);
}

onEngines('texts and JSON of megabytes', longValues, (served) => {
  /** Sends and reads as clients do: the gateway of tests keeps all digits, which takes long of megabytes. */
  const send = async (path: string, given?: object): Promise<unknown> => {
    const method = given === undefined ? 'GET' : 'POST';
    const body = given === undefined ? null : JSON.stringify(given);
    const url = `http://127.0.0.1:${served.gateway.port}/rest/${path}`;
    const answer = await fetch(url, { method, body });
    const text = await answer.text();
    expect([answer.status, answer.ok ? '' : text]).toEqual([200, '']);
    return JSON.parse(text);
  };
  const read = async (id: number): Promise<Long> => (await send(`Long(${id})`)) as Long;
  const save = async (given: object): Promise<Long> => {
    const saved = (await send('Long?$method=update', given)) as Long;
    expect(saved['__STATUS']).toEqual({ success: true });
    return saved;
  };
  const values = {
    tx: MIXED.repeat(60_000),
    vc: LATIN.repeat(20_000),
    js: { a: MIXED.repeat(20_000) },
    jb: null,
    jt: [1.5, LATIN.repeat(20_000), { b: [null] }],
  };

  test('are saved and answered character by character, several in a row, and beside null', async () => {
    const made = await save({ id: 1, ...values });
    const list = await send('Long?$filter="id=1"');
    const [listed] = (list as { readonly __ENTITIES: readonly Long[] }).__ENTITIES;
    for (const found of [made, await read(1), listed]) {
      for (const [name, value] of Object.entries(values)) {
        expect([name, same(found?.[name], value)]).toEqual([name, true]);
      }
    }
  });

  test.each(['tx', 'vc', 'js', 'jb', 'jt'])('replace others: %s', async (name) => {
    const given = (text: string): unknown => (name.startsWith('j') ? { a: text } : text);
    const id = 10 + Object.keys(values).indexOf(name);
    const before = await save({ id, [name]: given('x') });
    const long = given((name === 'vc' || name === 'jt' ? LATIN : MIXED).repeat(20_000));
    const saved = await save({ __KEY: before.__KEY, __STAMP: before.__STAMP, [name]: long });
    const found = await read(id);
    expect([same(saved[name], long), same(found[name], long)]).toEqual([true, true]);
    const { __KEY, __STAMP, [name]: said } = found;
    const again = await save({ __KEY, __STAMP, [name]: said });
    // Sent back as it was read, it changes nothing; but PostgreSQL writes jsonb with blanks, and long JSON is compared as it is written.
    if (name !== 'jb' || served.isSqlServer) expect(again.__STAMP).toBe(__STAMP);
    const shorter = await save({ __KEY, __STAMP: again.__STAMP, [name]: given('y') });
    expect(shorter[name]).toEqual(given('y'));
  });

  test.each([262_143, 262_144, 262_145])('of %i bytes or characters', async (length) => {
    const [ascii, other] = ['x'.repeat(length), 'é'.repeat(length)];
    const id = 100 + (length % 100);
    const saved = await save({ id, tx: ascii, vc: other, js: { a: other } });
    for (const found of [saved, await read(id)]) {
      expect([found['tx'] === ascii, found['vc'] === other]).toEqual([true, true]);
      expect(same(found['js'], { a: other })).toBe(true);
    }
  });

  test('that are not JSON are answered as text, and may be sent back', async () => {
    await served.run(
      served.isSqlServer
        ? "INSERT INTO app.long (id, jt) VALUES (200, REPLICATE(CONVERT(varchar(max), 'no \"JSON'), 100000))"
        : "INSERT INTO app.long (id, jt) VALUES (200, repeat('no \"JSON', 100000))",
    );
    const found = await read(200);
    expect(found['jt'] === 'no "JSON'.repeat(100_000)).toBe(true);
    const { __KEY, __STAMP } = found;
    const saved = await save({ __KEY, __STAMP, jt: found['jt'] });
    expect(saved.__STAMP).toBe(__STAMP);
    // Text that holds JSON is not an object: it is stored as the text that it is.
    const json = JSON.stringify({ a: 'x'.repeat(300_000) });
    const object = await save({ id: 201, jt: { a: 'x'.repeat(300_000) } });
    const text = await save({ __KEY: '201', __STAMP: object.__STAMP, jt: json });
    expect([text.__STAMP === object.__STAMP, text['jt'] === json]).toEqual([false, true]);
  });

  test('are refused in a page that would not fit into memory, and sent by pages that are read in slices', async () => {
    const refused = await served.gateway.get('/rest/Wide?$top=500');
    expect(refused.bytes.length).toBeLessThan(1000);
    expect([refused.status, refused.body]).toEqual([
      400,
      errors([
        9012,
        'The database answers more than 128 MB to one statement of this request: ask for fewer attributes, or for fewer entities at once.',
      ]),
    ]);
    expect((await served.get('Wide?$top=2'))[0]).toBe(200);
    const answer = await fetch(
      `http://127.0.0.1:${served.gateway.port}/rest/Wide?$top=501&$asArray=true`,
    );
    const sent = (await answer.json()) as readonly { id: number; tx: string }[];
    expect(sent.map(({ id, tx }) => [id, tx.length])).toEqual(
      Array.from({ length: WIDE }, (_, at) => [at + 1, 1_000_000]),
    );
  });
});
