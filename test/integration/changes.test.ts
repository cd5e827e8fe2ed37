import { expect, test } from 'vitest';
import { transaction, change } from '../targets/sql.ts';
import { changing, keys, settle } from './shapes/changes.ts';
import { errors, onEngines, type Served, type Told } from './shapes/engines.ts';

interface Page {
  readonly __REMOVED?: readonly string[];
  readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  readonly __SENT: number;
  readonly __MORE: boolean;
  readonly __TOKEN: string;
}

interface Errors {
  readonly __ERROR: readonly { readonly errCode: number }[];
}

/** Values that some types have, and others do not. */
const ODD = [
  ...['NaN', 'Infinity', '-infinity', '0044-03-15 BC', '12345-01-01', '4715-01-01 BC', '-1'],
  ...[
    '40000',
    '1.005',
    '1e400',
    '9'.repeat(400),
    '',
    "'",
    '\0',
    '\ud800',
    '24:00',
    'é'.repeat(3000),
  ],
];

onEngines('changes', changing, (served: Served) => {
  const ask = async (path: string, key = keys.all): Promise<Told> => {
    const { status, body } = await served.gateway.get(`/rest/${path}`, {
      headers: { 'api-key': key },
    });
    return [status, body];
  };

  const page = async (path: string, since?: string, key?: string): Promise<Page> => {
    const end = since === undefined ? '' : `${path.includes('?') ? '&' : '?'}since=${since}`;
    const [status, body] = await ask(`${path}${end}`, key);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as Page;
  };

  /** Reads a round to its end. */
  const round = async (path: string, since?: string, key?: string) => {
    if (since === undefined) await settle(served.gateway.database);
    const pages = [await page(path, since, key)];
    while (pages.at(-1)?.__MORE === true) pages.push(await page(path, pages.at(-1)?.__TOKEN, key));
    return {
      removed: pages.flatMap(({ __REMOVED }) => __REMOVED ?? []),
      entities: pages.flatMap(({ __ENTITIES }) => __ENTITIES),
      sent: pages.map(({ __SENT }) => __SENT),
      token: pages.at(-1)?.__TOKEN ?? '',
    };
  };

  /** Changes the database as another program does. */
  const write = async (sql: string): Promise<void> => {
    await served.run(sql);
    await settle(served.gateway.database);
  };

  const ids = (entities: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
    entities.map(({ __KEY }) => __KEY);

  test('are all entities without a token, and none with the token of now', async () => {
    const first = await page('Item/$changes?$attributes=grp,n&$top=4');
    expect(first).toEqual({
      __DATACLASS: 'Item',
      __entityModel: 'Item',
      __REMOVED: [],
      __ENTITIES: [1, 2, 3, 4].map((n) => ({
        __KEY: String(n),
        __STAMP: expect.any(Number),
        grp: n % 2 === 0 ? 'north' : 'south',
        n,
      })),
      __SENT: 4,
      __MORE: true,
      __TOKEN: expect.any(String),
    });
    const second = await page('Item/$changes?$attributes=grp,n&$top=4', first.__TOKEN);
    expect([ids(second.__ENTITIES), second.__MORE]).toEqual([['5', '6'], false]);
    const none = await page('Item/$changes', second.__TOKEN);
    expect({ ...none, __TOKEN: '' }).toEqual({
      __DATACLASS: 'Item',
      __entityModel: 'Item',
      __REMOVED: [],
      __ENTITIES: [],
      __SENT: 0,
      __MORE: false,
      __TOKEN: '',
    });
    const whole = await ask('Item?$attributes=grp,n');
    expect([...first.__ENTITIES, ...second.__ENTITIES]).toEqual((whole[1] as Page).__ENTITIES);
  });

  test('are what is new, what has changed, and the keys of what was deleted', async () => {
    const { token } = await round('Item/$changes');
    await write('UPDATE app.item SET n = 70 WHERE id = 3');
    await write("INSERT INTO app.item (id, grp, n) VALUES (8, 'north', 8), (9, 'north', 9)");
    await write('DELETE FROM app.item WHERE id = 8');
    const next = await page('Item/$changes?$attributes=n', token);
    expect({ ...next, __TOKEN: '' }).toEqual({
      __DATACLASS: 'Item',
      __entityModel: 'Item',
      __REMOVED: ['8'],
      __ENTITIES: [
        { __KEY: '3', __STAMP: expect.any(Number), n: 70 },
        { __KEY: '9', __STAMP: expect.any(Number), n: 9 },
      ],
      __SENT: 2,
      __MORE: false,
      __TOKEN: '',
    });
    // An old token tells the same once more, and what has changed since.
    await write('UPDATE app.item SET n = 3 WHERE id = 3');
    await write('DELETE FROM app.item WHERE id = 9');
    const again = await page('Item/$changes?$attributes=n', token);
    expect([again.__REMOVED, ids(again.__ENTITIES)]).toEqual([['8', '9'], ['3']]);
    const later = await page('Item/$changes?$attributes=n', next.__TOKEN);
    expect([later.__REMOVED, ids(later.__ENTITIES)]).toEqual([['9'], ['3']]);
  });

  test('have a deleted entity that is new again', async () => {
    const { token } = await round('Item/$changes');
    await write('DELETE FROM app.item WHERE id = 6');
    await write("INSERT INTO app.item (id, grp, n) VALUES (6, 'north', 6)");
    const { removed, entities } = await round('Item/$changes?$top=1', token);
    expect([removed, ids(entities)]).toEqual([[], ['6']]);
  });

  test('come in pages, between which entities may change', async () => {
    const { token } = await round('Pair/$changes');
    await write('UPDATE app.pair SET n = n + 100');
    const first = await page('Pair/$changes?$top=4', token);
    expect(ids(first.__ENTITIES)).toEqual([
      '{"a":0,"b":"b3"}',
      '{"a":0,"b":"b6"}',
      '{"a":0,"b":"b9"}',
      '{"a":1,"b":"b1"}',
    ]);
    await write("UPDATE app.pair SET n = 0 WHERE b IN ('b3', 'b4')");
    const second = await page('Pair/$changes?$top=4', first.__TOKEN);
    expect(ids(second.__ENTITIES)).toEqual([
      '{"a":1,"b":"b7"}',
      '{"a":2,"b":"b2"}',
      '{"a":2,"b":"b5"}',
      '{"a":2,"b":"b8"}',
    ]);
    const third = await round('Pair/$changes?$top=4', second.__TOKEN);
    expect(third.entities).toEqual([]);
    const next = await round('Pair/$changes', third.token);
    expect(ids(next.entities)).toEqual(['{"a":0,"b":"b3"}', '{"a":1,"b":"b4"}']);
    await write('UPDATE app.pair SET n = n - 100 WHERE n > 100');
  });

  test('of a filter are also the keys of what no longer meets it', async () => {
    const path = 'Item/$changes?$filter="n > 4"&$attributes=n';
    const { token, entities } = await round(path);
    expect(ids(entities)).toEqual(['5', '6']);
    await write('UPDATE app.item SET n = 40 WHERE id = 4');
    await write('UPDATE app.item SET n = NULL WHERE id = 5');
    await write('UPDATE app.item SET n = 60 WHERE id = 6');
    const next = await round(path, token);
    expect([next.removed, ids(next.entities)]).toEqual([['5'], ['4', '6']]);
    // The filter may stand before the token, with and without quotes.
    const [, bare] = await ask(`Item/$changes?$filter=n > 4&since=${next.token}`);
    const of = 'it was made for another dataclass, $filter, user or configuration';
    const outdated = errors([
      9068,
      `The token can no longer be used: ${of}. Read all entities again, without since.`,
    ]);
    expect((bare as Page).__ENTITIES).toEqual([]);
    expect(await ask(`Item/$changes?$filter="n > 5"&since=${next.token}`)).toEqual([410, outdated]);
    expect(await ask(`Item/$changes?since=${next.token}`)).toEqual([410, outdated]);
    expect(await ask(`Tag/$changes?since=${next.token}`)).toEqual([410, outdated]);
    for (const id of [4, 5, 6]) await write(`UPDATE app.item SET n = ${id} WHERE id = ${id}`);
  });

  test('have expanded relations; a change behind a relation is none of the entity', async () => {
    const { token } = await round('Item/$changes');
    await write("UPDATE app.tag SET word = 'newest' WHERE id = 2");
    expect((await round('Item/$changes?$expand=tags', token)).entities).toEqual([]);
    await write('UPDATE app.item SET n = 1 WHERE id = 1');
    const { entities } = await round('Item/$changes?$attributes=n,tags.word', token);
    expect(entities).toMatchObject([
      { __KEY: '1', n: 1, tags: { __ENTITIES: [{ word: 'old' }, { word: 'newest' }] } },
    ]);
  });

  test('of other users are not told', async () => {
    const path = 'Item/$changes?$attributes=grp';
    const north = await round(path, undefined, keys.north);
    const few = await round(path, undefined, keys.few);
    expect([ids(north.entities), ids(few.entities)]).toEqual([
      ['2', '4', '6'],
      ['1', '2', '3', '4', '5', '6'],
    ]);
    await write('UPDATE app.item SET n = 33 WHERE id = 3');
    await write('UPDATE app.item SET n = 44 WHERE id = 4');
    await write("INSERT INTO app.item (id, grp, n) VALUES (10, 'south', 10)");
    await write('DELETE FROM app.item WHERE id = 10');
    const told = await page(path, north.token, keys.north);
    expect([told.__REMOVED, ids(told.__ENTITIES)]).toEqual([undefined, ['4']]);
    const toFew = await page(path, few.token, keys.few);
    expect([toFew.__REMOVED, ids(toFew.__ENTITIES)]).toEqual([undefined, ['3', '4']]);
    expect((await ask(`${path}&since=${north.token}`, keys.south))[0]).toBe(410);
    expect((await ask(`${path}&since=${north.token}`, keys.all))[0]).toBe(410);
    expect((await ask('DeletedItem/$changes', keys.few))[0]).toBe(404);
    for (const id of [3, 4]) await write(`UPDATE app.item SET n = ${id} WHERE id = ${id}`);
  });

  test.skipIf(served.engine === 'pglite')(
    'of a transaction that is open are told when it has ended, and nothing is skipped',
    async () => {
      const { database } = served.gateway;
      const { token } = await round('Item/$changes');
      let during = token;
      let release = (): void => undefined;
      let started = (): void => undefined;
      const isStarted = new Promise<void>((resolve) => (started = resolve));
      const work = transaction(database, async (connection) => {
        await change(connection, 'UPDATE app.item SET n = 20 WHERE id = 2');
        started();
        await new Promise<void>((resolve) => (release = resolve));
      });
      await isStarted;
      await served.run('UPDATE app.item SET n = 50 WHERE id = 5');
      for (let times = 0; times < 3; times += 1) {
        const seen = await round('Item/$changes', during);
        expect(ids(seen.entities)).toEqual([]);
        during = seen.token;
      }
      release();
      await work;
      await settle(database);
      expect(ids((await round('Item/$changes', during)).entities)).toEqual(['2', '5']);
      for (const id of [2, 5]) await write(`UPDATE app.item SET n = ${id} WHERE id = ${id}`);
    },
  );

  test.skipIf(served.engine === 'pglite')(
    'have a row that was deleted and inserted again, whichever transaction began first',
    async () => {
      const { database } = served.gateway;
      const { token, entities } = await round('Item/$changes');
      expect(ids(entities)).toContain('6');
      let tags = 100;
      const opened = (
        work: string,
      ): { begun: Promise<void>; go: () => void; end: Promise<void> } => {
        let [begin, go] = [(): void => undefined, (): void => undefined];
        const begun = new Promise<void>((resolve) => (begin = resolve));
        const isOver = new Promise<void>((resolve) => (go = resolve));
        const end = transaction(database, async (connection) => {
          await change(connection, `INSERT INTO app.tag (id, item_id) VALUES (${(tags += 1)}, 1)`);
          begin();
          await isOver;
          if (work !== '') await change(connection, work);
        });
        return { begun, go: () => go(), end };
      };
      // Its changes have the version of its beginning on PostgreSQL.
      const early = opened("INSERT INTO app.item (id, grp, n) VALUES (6, 'north', 66)");
      await early.begun;
      const other = opened('');
      await other.begun;
      await served.run('DELETE FROM app.item WHERE id = 6');
      early.go();
      await early.end;
      // The other one holds back the deletion, and not the insertion.
      const first = await round('Item/$changes?$attributes=n', token);
      other.go();
      await other.end;
      await settle(database);
      const later = await round('Item/$changes?$attributes=n', first.token);
      const copy = new Map(first.entities.map(({ __KEY, n }) => [__KEY, n]));
      for (const key of later.removed) copy.delete(key);
      for (const { __KEY, n } of later.entities) copy.set(__KEY, n);
      expect([copy.get('6'), later.removed]).toEqual([66, []]);
      await write('UPDATE app.item SET n = 6 WHERE id = 6');
    },
  );

  test('by a time are told when their margin is over', async () => {
    const { token, entities } = await round('Note/$changes?$attributes=word');
    expect(ids(entities)).toEqual(['1', '2', '3']);
    const now = served.isSqlServer ? 'SYSUTCDATETIME()' : "now() AT TIME ZONE 'UTC'";
    await write(`UPDATE app.note SET word = 'x', changed_at = ${now} WHERE id = 2`);
    const at = Date.now();
    const early = await round('Note/$changes?$attributes=word', token);
    if (Date.now() - at < 900) expect(early.entities).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const late = await round('Note/$changes?$attributes=word', early.token);
    expect(ids([...early.entities, ...late.entities])).toEqual(['2']);
  });

  const why = (name: string, text: string): Told => [
    400,
    errors([1813, `The changes of ${name} cannot be read: ${text}.`]),
  ];

  test('cannot be read where related entities decide which there are', async () => {
    const others =
      'related entities decide which of its entities there are, and their changes are not reported';
    expect(await ask('Item/$changes', keys.tagged)).toEqual(why('Item', others));
    expect(await ask('Tagged/$changes')).toEqual(why('Tagged', others));
    expect(await ask('$changes/stream?dataclasses=Item', keys.tagged)).toEqual(why('Item', others));
    const ofFilter = (name: string, position: number): Told => [
      400,
      errors([
        1813,
        `The $filter of $changes takes attributes of Item alone: changes of what ${name} leads to are not reported (at position ${position} of $filter)`,
      ]),
    ];
    expect(await ask('Item/$changes?$filter="n > 1 AND tags.word = new"')).toEqual(
      ofFilter('tags', 11),
    );
    expect(await ask('Item/$changes?$filter="tags = null"')).toEqual(ofFilter('tags', 1));
    const [, catalog] = await ask('$catalog/$all', keys.tagged);
    const { dataClasses } = catalog as { dataClasses: { name: string; extraProperties: object }[] };
    expect(
      dataClasses.map(({ name, extraProperties }) => [
        name,
        (extraProperties as { tracking: unknown }).tracking,
      ]),
    ).toEqual([
      ['Item', null],
      ['Pair', { by: served.isSqlServer ? 'rowversion' : 'xmin', deleted: false }],
      ['Tag', { by: served.isSqlServer ? 'rowversion' : 'xmin', deleted: false }],
    ]);
  });

  test('cannot be read where nothing tells them', async () => {
    const byType = 'its key at has a type by which entities cannot be read page by page';
    expect(await ask('Moment/$changes')).toEqual(why('Moment', byType));
    expect(await ask('Still/$changes')).toEqual(why('Still', 'the gateway does not offer them'));
    const none = served.isSqlServer
      ? 'its table does not record which rows have changed'
      : 'it has no key';
    expect(await ask('Loose/$changes')).toEqual(why('Loose', none));
  });

  test('refuse what is not a request for them', async () => {
    const { token } = await round('Item/$changes?$top=5');
    const told = async (path: string): Promise<readonly [number, string]> => {
      const [status, body] = await ask(path);
      const [error] = (body as { __ERROR: { errCode: number; message: string }[] }).__ERROR;
      return [status, `${error?.errCode} ${error?.message}`];
    };
    const notToken =
      '9067 The value of since is not a token: expected the __TOKEN of an earlier answer, or no since for all entities (at position 1 of since)';
    expect(await told('Item/$changes?since=')).toEqual([400, notToken]);
    expect(await told('Item/$changes?since=yesterday')).toEqual([400, notToken]);
    expect(await told(`Item/$changes?since=${token.slice(0, -3)}`)).toEqual([400, notToken]);
    expect(await told('Item/$changes?$orderby=n')).toEqual([
      400,
      '1813 $orderby does not apply to $changes. (at position 21 of the URL)',
    ]);
    expect(await told('Item/$changes?$top=0')).toEqual([
      400,
      '9007 A page of changes has at least one entity.',
    ]);
    expect(await told('Item(1)/$changes')).toEqual([
      400,
      '1806 $changes stands behind a dataclass: expected /rest/Item/$changes, but found "/$changes". (at position 9 of the path)',
    ]);
    expect(await told('Itm/$changes')).toEqual([
      404,
      '1800 There is no dataclass Itm. Did you mean Item?',
    ]);
    const { status, body } = await served.gateway.get('/rest/Item/$changes', {
      method: 'POST',
      headers: { 'api-key': keys.all },
    });
    expect([status, body]).toEqual([
      405,
      errors([9004, 'POST does not apply to /rest/Item/$changes: it is read by GET.']),
    ]);
  });

  test('refuse a place that the column of a key cannot have, whatever its type', async () => {
    const { __TOKEN } = await page('Place/$changes?$top=1');
    const token = JSON.parse(Buffer.from(__TOKEN, 'base64url').toString()) as {
      round: { behind: readonly string[] };
    };
    const { behind } = token.round;
    const forged = async (path: string, changed: object): Promise<unknown> => {
      const text = Buffer.from(JSON.stringify(changed)).toString('base64url');
      const [status, body] = await ask(`${path}since=${text}`);
      return status === 200 || status === 410 ? status : (body as Errors).__ERROR[0]?.errCode;
    };
    const accepted: unknown[][] = behind.map(() => []);
    for (const [part, found] of accepted.entries()) {
      for (const value of ODD) {
        const round = { ...token.round, behind: behind.with(part, value) };
        const outcome = await forged('Place/$changes?', { ...token, round });
        if (outcome !== 9067) found.push(outcome === 200 ? value : { value, outcome });
      }
    }
    const infinities = ['Infinity', '-infinity'];
    const onPostgres = (...values: string[]): string[] => (served.isSqlServer ? [] : values);
    expect(accepted).toEqual([
      ['-1'],
      [...onPostgres('NaN', ...infinities), '-1', ...onPostgres('1.005')],
      onPostgres(...infinities, '0044-03-15 BC', '12345-01-01'),
      [],
      ['9'.repeat(400), ''],
      ODD.filter((value) => value !== '\0'),
    ]);
    const note = await page('Note/$changes?$attributes=word');
    const timed = JSON.parse(Buffer.from(note.__TOKEN, 'base64url').toString()) as object;
    const times = ['-000044-03-15T00:00:00.000Z', '+012345-01-01T00:00:00.000Z', 'NaN', 'infinity'];
    for (const until of times) {
      expect(await forged('Note/$changes?', { ...timed, until })).toBe(9067);
    }
  });

  test('refuse tokens that were changed, of another database, and of another time', async () => {
    const { __TOKEN } = await page('Item/$changes?$top=2');
    const token = JSON.parse(Buffer.from(__TOKEN, 'base64url').toString()) as {
      until: string;
      round: object;
    };
    const status = async (changed: object): Promise<number> => {
      const text = Buffer.from(JSON.stringify({ ...token, ...changed })).toString('base64url');
      return (await ask(`Item/$changes?since=${text}`))[0];
    };
    expect([
      await status({}),
      await status({ round: { ...token.round, behind: ['x'] } }),
      await status({ round: { ...token.round, behind: ['1', '2'] } }),
      await status({ until: '-1' }),
      await status({ until: "1'" }),
      await status({ extra: 1 }),
      await status({ database: 'another' }),
      await status({ until: String(BigInt(token.until) + 1_000_000n), round: undefined }),
      await status({ at: Date.now() - 31 * 86_400_000 }),
      await status({ of: 'other' }),
    ]).toEqual([200, 400, 400, 400, 400, 400, 410, 410, 410, 410]);
  });
});
