import { expect, test, onTestFinished, vi } from 'vitest';
import { transaction, change } from '../targets/sql.ts';
import { changing, keys, settle } from './shapes/changes.ts';
import { onEngines, type Served, type Told, type Shape } from './shapes/engines.ts';
import { EventReader } from './sse.ts';

interface Page {
  readonly __REMOVED?: readonly string[];
  readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  readonly __TOKEN: string;
}

/** Values that some types have, and others do not. */
const ODD = [
  ...['NaN', 'Infinity', '-infinity', '0044-03-15 BC', '12345-01-01', '4715-01-01 BC', '-1'],
  ...['40000', '1.005', '1e400', '9'.repeat(400), '', "'", '\0', '\ud800', '24:00'],
  'é'.repeat(3000),
];

onEngines('changes', changing, (served: Served) => {
  const ask = async (path: string): Promise<Told> => {
    const headers = { 'api-key': keys.all };
    const { status, body } = await served.gateway.get(`/rest/${path}`, { headers });
    return [status, body];
  };

  const page = async (path: string, since?: string): Promise<Page> => {
    const end = since === undefined ? '' : `${path.includes('?') ? '&' : '?'}since=${since}`;
    const [status, body] = await ask(`${path}${end}`);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as Page;
  };

  const ids = ({ __ENTITIES: entities }: Page): unknown[] => entities.map(({ __KEY }) => __KEY);

  /** Begins a transaction with a change, which makes another one when it may end. */
  const open = async (first: string, last?: string): Promise<() => Promise<void>> => {
    let [begin, end] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    const work = transaction(served.gateway.database, async (connection) => {
      await change(connection, first);
      begin();
      await mayEnd;
      if (last !== undefined) await change(connection, last);
    });
    await begun;
    return () => {
      end();
      return work;
    };
  };

  test.skipIf(served.engine === 'pglite')(
    'of a transaction that is open are told when it has ended, and nothing is skipped',
    async () => {
      await settle(served.gateway.database);
      let { __TOKEN: during } = await page('Item/$changes');
      const end = await open('UPDATE app.item SET n = 20 WHERE id = 2');
      await change(served.gateway.database, 'UPDATE app.item SET n = 50 WHERE id = 5');
      for (let times = 0; times < 3; times += 1) {
        const seen = await page('Item/$changes', during);
        expect(ids(seen)).toEqual([]);
        during = seen.__TOKEN;
      }
      await end();
      await settle(served.gateway.database);
      expect(ids(await page('Item/$changes', during))).toEqual(['2', '5']);
      await served.run('UPDATE app.item SET n = id WHERE id IN (2, 5)');
    },
  );

  test.skipIf(served.engine === 'pglite')(
    'have a row that was deleted and inserted again, whichever transaction began first',
    async () => {
      const { database } = served.gateway;
      await settle(database);
      const before = await page('Item/$changes');
      expect(ids(before)).toContain('6');
      const tag = (id: number): string => `INSERT INTO app.tag (id, item_id) VALUES (${id}, 1)`;
      // Its changes have the version of its beginning on PostgreSQL.
      const insert = "INSERT INTO app.item (id, grp, n) VALUES (6, 'north', 66)";
      const endEarly = await open(tag(101), insert);
      const endOther = await open(tag(102));
      await change(database, 'DELETE FROM app.item WHERE id = 6');
      await endEarly();
      // The other one holds back the deletion, and not the insertion.
      const first = await page('Item/$changes?$attributes=n', before.__TOKEN);
      await endOther();
      await settle(database);
      const later = await page('Item/$changes?$attributes=n', first.__TOKEN);
      const copy = new Map(first.__ENTITIES.map(({ __KEY, n }) => [__KEY, n]));
      for (const key of later.__REMOVED ?? []) copy.delete(key);
      for (const { __KEY, n } of later.__ENTITIES) copy.set(__KEY, n);
      expect([copy.get('6'), later.__REMOVED]).toEqual([66, []]);
      await served.run('UPDATE app.item SET n = 6 WHERE id = 6');
    },
  );

  test('by a time are told when their margin is over', async () => {
    const path = 'Note/$changes?$attributes=word';
    const before = await page(path);
    expect(ids(before)).toEqual(['1', '2', '3']);
    const now = served.isSqlServer ? 'SYSUTCDATETIME()' : "now() AT TIME ZONE 'UTC'";
    await served.run(`UPDATE app.note SET word = 'x', changed_at = ${now} WHERE id = 2`);
    const at = Date.now();
    const early = await page(path, before.__TOKEN);
    if (Date.now() - at < 900) expect(early.__ENTITIES).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect([...ids(early), ...ids(await page(path, early.__TOKEN))]).toEqual(['2']);
  });

  /** What a token says. */
  const read = (token: string): Record<string, unknown> & { round: { behind: string[] } } =>
    JSON.parse(Buffer.from(token, 'base64url').toString()) as never;

  /** The status of a token that says something else, or the code of its error where it is none. */
  const forged = async (path: string, token: object): Promise<unknown> => {
    const text = Buffer.from(JSON.stringify(token)).toString('base64url');
    const [status, body] = await ask(`${path}/$changes?since=${text}`);
    return status === 400
      ? (body as { __ERROR: { errCode: number }[] }).__ERROR[0]?.errCode
      : status;
  };

  test('refuse a place that the column of a key cannot have, whatever its type', async () => {
    const token = read((await page('Place/$changes?$top=1')).__TOKEN);
    const { behind } = token.round;
    const accepted: unknown[][] = behind.map(() => []);
    for (const [part, found] of accepted.entries()) {
      for (const value of ODD) {
        const round = { ...token.round, behind: behind.with(part, value) };
        const outcome = await forged('Place', { ...token, round });
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
    const timed = read((await page('Note/$changes?$attributes=word')).__TOKEN);
    const times = ['-000044-03-15T00:00:00.000Z', '+012345-01-01T00:00:00.000Z', 'NaN', 'infinity'];
    for (const until of times) expect(await forged('Note', { ...timed, until })).toBe(9067);
  });

  test('refuse tokens that were changed, of another database, and of another time', async () => {
    const token = read((await page('Item/$changes?$top=2')).__TOKEN);
    const later = String(BigInt(token['until'] as string) + 1_000_000n);
    const forgeries: [object, number][] = [
      [{}, 200],
      [{ round: { ...token.round, behind: ['x'] } }, 9067],
      [{ round: { ...token.round, behind: ['1', '2'] } }, 9067],
      [{ until: '-1' }, 9067],
      [{ until: "1'" }, 9067],
      [{ extra: 1 }, 9067],
      [{ database: 'another' }, 410],
      [{ until: later, round: undefined }, 410],
      [{ at: Date.now() - 31 * 86_400_000 }, 410],
      [{ of: 'other' }, 410],
    ];
    for (const [changed, outcome] of forgeries) {
      expect([changed, await forged('Item', { ...token, ...changed })]).toEqual([changed, outcome]);
    }
  });
});

/** Transactions of other tests on the same server hold back what is told, in milliseconds. */
const PATIENCE = { timeout: 15_000 };

const streaming: Shape = {
  ...changing,
  isDocumented: false,
  settings: { ...changing.settings, changes: { pollSeconds: 0.05, maxStreams: 4 } },
};

onEngines('a stream of changes', streaming, (served: Served) => {
  const open = async (dataclasses: string, key = keys.all, lastId = ''): Promise<EventReader> => {
    await settle(served.gateway.database);
    const path = `/rest/$changes/stream?dataclasses=${dataclasses}`;
    const reader = await EventReader.open(served.gateway.port, path, {
      'api-key': key,
      ...(lastId === '' ? {} : { 'last-event-id': lastId }),
    });
    onTestFinished(() => reader.close());
    // Where it begins is said at once.
    await vi.waitFor(() => expect(reader.lastId).not.toBe(''), PATIENCE);
    return reader;
  };

  const told = (reader: EventReader): unknown[] => reader.events.map(({ data }) => data);

  const refused = async (path: string, headers: object = {}): Promise<readonly unknown[]> => {
    const { status, body } = await served.gateway.get(`/rest/${path}`, {
      headers: { 'api-key': keys.all, ...headers },
    });
    const [error] = (body as { __ERROR: { errCode: number; message: string }[] }).__ERROR;
    return [status, error?.errCode, error?.message];
  };

  test('tells the keys of what changes, to all that listen, exposed or not', async () => {
    const first = await open('Item,Pair');
    const readers = [first, await open('Item,Pair'), await open('Pair')];
    // The columns of its key are no attributes.
    const blind = await open('Blind');
    await served.run('UPDATE app.item SET n = 30 WHERE id = 3');
    const item = { dataclass: 'Item', keys: ['3'], removed: [] };
    await expect.poll(() => readers.map(told), PATIENCE).toEqual([[item], [item], []]);
    await served.run("INSERT INTO app.item (id, grp, n) VALUES (20, 'north', 20)");
    await expect.poll(() => told(first), PATIENCE).toHaveLength(2);
    await served.run('DELETE FROM app.item WHERE id = 20');
    await served.run('UPDATE app.pair SET n = 11 WHERE a = 1');
    const keysOfPairs = [1, 4, 7].map((n) => `{"a":1,"b":"b${n}"}`);
    const pair = { dataclass: 'Pair', keys: keysOfPairs, removed: [] };
    const last = (): unknown[] => readers.map((reader) => told(reader).at(-1));
    await expect.poll(() => last(), PATIENCE).toEqual([pair, pair, pair]);
    expect(told(first).slice(1)).toEqual([
      { dataclass: 'Item', keys: ['20'], removed: [] },
      { dataclass: 'Item', keys: [], removed: ['20'] },
      pair,
    ]);
    const unseen = [{ ...pair, dataclass: 'Blind' }];
    await expect.poll(() => told(blind), PATIENCE).toEqual(unseen);
    await served.run('UPDATE app.item SET n = 3 WHERE id = 3');
  });

  test('goes on behind the last event', async () => {
    const first = await open('Item');
    const { lastId } = first;
    first.close();
    await served.run('UPDATE app.item SET n = 40 WHERE id = 4');
    await served.run('UPDATE app.item SET n = 4 WHERE id = 4');
    const second = await open('Item', keys.all, lastId);
    await expect
      .poll(() => told(second), PATIENCE)
      .toEqual([{ dataclass: 'Item', keys: ['4'], removed: [] }]);
    // By the URL, too, as a first request of EventSource cannot name an event.
    const { status } = await served.gateway.get(
      `/rest/$changes/stream?dataclasses=Pair&since=${second.lastId}`,
      { headers: { 'api-key': keys.all } },
    );
    expect(status).toBe(410);
  });

  test('tells each user what that user sees', async () => {
    const north = await open('Item', keys.north);
    const south = await open('Item', keys.south);
    const few = await open('Item', keys.few);
    await served.run('UPDATE app.item SET n = 50 WHERE id IN (5, 6)');
    await served.run("INSERT INTO app.item (id, grp, n) VALUES (21, 'south', 21)");
    await served.run('DELETE FROM app.item WHERE id = 21');
    await served.run('UPDATE app.item SET n = id WHERE id IN (5, 6)');
    const changed = (reader: EventReader): unknown => {
      const events = told(reader) as { keys: string[]; removed: string[] }[];
      const all = new Set(events.flatMap(({ keys: own, removed }) => [...own, ...removed]));
      return [...all].filter((key) => key !== '21').toSorted();
    };
    await expect
      .poll(() => [north, south, few].map(changed), PATIENCE)
      .toEqual([['6'], ['5'], ['5', '6']]);
    expect(
      await refused('$changes/stream?dataclasses=Item', {
        'api-key': keys.south,
        'last-event-id': north.lastId,
      }),
    ).toEqual([
      410,
      9068,
      'The token can no longer be used: it was made for another dataclass, $filter, user or configuration. Read all entities again, without since.',
    ]);
  });

  test('lists no keys where they are too many', async () => {
    const rows = Array.from({ length: 1001 }, (_, index) => `(${index + 1000}, 'west', 1)`);
    // SQL Server takes 1,000 rows at once.
    for (const some of [rows.slice(0, 600), rows.slice(600)]) {
      await served.run(`INSERT INTO app.item (id, grp, n) VALUES ${some.join()}`);
    }
    const before = await open('Item');
    before.close();
    await served.run("UPDATE app.item SET n = 2 WHERE grp = 'west'");
    const reader = await open('Item', keys.all, before.lastId);
    await expect.poll(() => told(reader), PATIENCE).toEqual([{ dataclass: 'Item', tooMany: true }]);
    await served.run("DELETE FROM app.item WHERE grp = 'west'");
  });

  test('asks the database once for all that listen', async () => {
    const readers = [await open('Pair'), await open('Pair'), await open('Pair')];
    served.gateway.takeStatements();
    await served.run('UPDATE app.pair SET n = 5 WHERE a = 2');
    await expect
      .poll(() => readers.map((reader) => told(reader).length), PATIENCE)
      .toEqual([1, 1, 1]);
    const reads = served.gateway.takeStatements().filter((text) => /^SELECT.*pair/.test(text));
    // Others write to the same server: a look may find that nothing of these has changed.
    expect(reads.length).toBeLessThan(readers.length);
  });

  test('is refused where there are too many', async () => {
    for (let count = 0; count < 4; count += 1) await open('Item');
    expect(await refused('$changes/stream?dataclasses=Item')).toEqual([
      ...[503, 9070, 'There are 4 streams of changes already. Try again later.'],
    ]);
  });

  test('ends where the gateway reloads, and its client comes again', async () => {
    // Those of the test before may not have left yet.
    const reader = await vi.waitFor(() => open('Item'), PATIENCE);
    const { status } = await served.gateway.get('/rest/$info/reload', {
      method: 'POST',
      headers: { 'api-key': keys.admin },
    });
    expect(status).toBe(200);
    await expect.poll(() => reader.isEnded, PATIENCE).toBe(true);
    await served.run('UPDATE app.item SET n = 1 WHERE id = 1');
    const again = await open('Item', keys.all, reader.lastId);
    await expect
      .poll(() => told(again), PATIENCE)
      .toEqual([{ dataclass: 'Item', keys: ['1'], removed: [] }]);
  });
});
