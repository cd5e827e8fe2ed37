import { expect, onTestFinished, test, vi } from 'vitest';
import { changing, keys, settle } from './shapes/changes.ts';
import { onEngines, type Served, type Shape } from './shapes/engines.ts';
import { EventReader } from './sse.ts';

/** Transactions of other tests on the same server hold back what is told, in milliseconds. */
const PATIENCE = 15_000;

const shape: Shape = {
  ...changing,
  settings: { ...changing.settings, changes: { pollSeconds: 0.05, maxStreams: 4 } },
};

onEngines('a stream of changes', shape, (served: Served) => {
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

  test('tells the keys of what changes, to all that listen', async () => {
    const first = await open('Item,Pair');
    const readers = [first, await open('Item,Pair'), await open('Pair')];
    await served.run('UPDATE app.item SET n = 30 WHERE id = 3');
    const item = { dataclass: 'Item', keys: ['3'], removed: [] };
    await vi.waitFor(() => expect(readers.map(told)).toEqual([[item], [item], []]), PATIENCE);
    await served.run("INSERT INTO app.item (id, grp, n) VALUES (20, 'north', 20)");
    await vi.waitFor(() => expect(told(first)).toHaveLength(2), PATIENCE);
    await served.run('DELETE FROM app.item WHERE id = 20');
    await served.run('UPDATE app.pair SET n = 11 WHERE a = 1');
    const pair = {
      dataclass: 'Pair',
      keys: [1, 4, 7].map((n) => `{"a":1,"b":"b${n}"}`),
      removed: [],
    };
    await vi.waitFor(
      () =>
        expect(readers.map((reader) => told(reader).slice(-1))).toEqual([[pair], [pair], [pair]]),
      PATIENCE,
    );
    expect(told(first).slice(1)).toEqual([
      { dataclass: 'Item', keys: ['20'], removed: [] },
      { dataclass: 'Item', keys: [], removed: ['20'] },
      pair,
    ]);
    await served.run('UPDATE app.item SET n = 3 WHERE id = 3');
  });

  test('tells keys whose columns are not exposed as attributes', async () => {
    const reader = await open('Blind');
    await served.run('UPDATE app.pair SET n = 8 WHERE a = 2 AND n = 8');
    const changed = { dataclass: 'Blind', keys: ['{"a":2,"b":"b8"}'], removed: [] };
    await vi.waitFor(() => expect(told(reader)).toEqual([changed]), PATIENCE);
  });

  test('goes on behind the last event', async () => {
    const first = await open('Item');
    const { lastId } = first;
    first.close();
    await served.run('UPDATE app.item SET n = 40 WHERE id = 4');
    await served.run('UPDATE app.item SET n = 4 WHERE id = 4');
    const second = await open('Item', keys.all, lastId);
    await vi.waitFor(
      () => expect(told(second)).toEqual([{ dataclass: 'Item', keys: ['4'], removed: [] }]),
      PATIENCE,
    );
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
    const changed = (reader: EventReader): unknown =>
      [
        ...new Set(
          told(reader).flatMap((data) => {
            const { keys: own, removed } = data as { keys: string[]; removed: string[] };
            return [...own, ...removed];
          }),
        ),
      ]
        .filter((key) => key !== '21')
        .toSorted();
    await vi.waitFor(
      () => expect([north, south, few].map(changed)).toEqual([['6'], ['5'], ['5', '6']]),
      PATIENCE,
    );
    const of =
      '9068 The token can no longer be used: it was made for another dataclass, $filter, user or configuration. Read all entities again, without since.';
    const [status, code, message] = await refused('$changes/stream?dataclasses=Item', {
      'api-key': keys.south,
      'last-event-id': north.lastId,
    });
    expect([status, `${String(code)} ${String(message)}`]).toEqual([410, of]);
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
    await vi.waitFor(() => {
      expect(told(reader)).toEqual([{ dataclass: 'Item', tooMany: true }]);
    }, PATIENCE);
    await served.run("DELETE FROM app.item WHERE grp = 'west'");
  });

  test('asks the database once for all that listen', async () => {
    const readers = [await open('Pair'), await open('Pair'), await open('Pair')];
    served.gateway.takeStatements();
    await served.run('UPDATE app.pair SET n = 5 WHERE a = 2');
    await vi.waitFor(() => {
      expect(readers.map((reader) => told(reader).length)).toEqual([1, 1, 1]);
    }, PATIENCE);
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
    await vi.waitFor(() => expect(reader.isEnded).toBe(true), PATIENCE);
    await served.run('UPDATE app.item SET n = 1 WHERE id = 1');
    const again = await open('Item', keys.all, reader.lastId);
    await vi.waitFor(
      () => expect(told(again)).toEqual([{ dataclass: 'Item', keys: ['1'], removed: [] }]),
      PATIENCE,
    );
  });
});
