import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type ChangedKeys,
  ChangesHub,
  type Channel,
} from '../../../src/server/changes/changes-hub.ts';
import { ProtocolError } from '../../../src/base/errors.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A database in which one number is the version, and the keys that changed with each version are known. */
class FakeDatabase {
  version = 1;
  reads = 0;
  bounds = 0;
  failure: Error | null = null;
  readonly #changes = new Map<number, readonly string[]>();

  change(...keys: string[]): void {
    this.#changes.set(this.version, keys);
    this.version += 1;
  }

  channel(dataclass: string, sees: (key: string) => boolean = () => true, view = ''): Channel {
    const id = `${dataclass} ${view}`;
    return {
      id,
      dataclass,
      boundId: 'version',
      unrestricted: view === '' ? null : this.channel(dataclass),
      check: () => undefined,
      readBound: () => {
        this.bounds += 1;
        if (this.failure !== null) return Promise.reject(this.failure);
        return Promise.resolve({ version: String(this.version), database: 'd', oldest: null });
      },
      read: (token, { version }): Promise<ChangedKeys> => {
        this.reads += 1;
        const keys = [...this.#changes]
          .filter(([at]) => at >= Number(token.until) && at < Number(version))
          .flatMap(([, changed]) => changed)
          .filter(sees);
        const next = { of: id, database: 'd', at: 0, until: version };
        return Promise.resolve({ keys, removed: [], areTooMany: false, token: next });
      },
    };
  }
}

function hubOf(onError: (error: Error) => void = () => undefined): ChangesHub {
  return new ChangesHub({ pollSeconds: 1, maxStreams: 3, onError });
}

/** What a stream holds for its client. */
function read(body: Readable): string {
  return String(body.read() ?? '');
}

const eventsIn = (text: string): unknown[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown);

const lastId = (text: string): string => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';

function until(id: string): unknown {
  const tokens = JSON.parse(Buffer.from(id, 'base64url').toString()) as object;
  return Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => [name, (token as { until: string }).until]),
  );
}

test('nobody is looked for where nobody listens', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const body = await hub.open([database.channel('A')], null);
  await vi.advanceTimersByTimeAsync(1000);
  expect([database.bounds > 0, hub.count]).toEqual([true, 1]);
  body.destroy();
  await vi.advanceTimersByTimeAsync(1000);
  database.bounds = 0;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([database.bounds, hub.count]).toEqual([0, 0]);
});

test('a view is looked at only where something has changed for anybody', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const odd = (key: string): boolean => Number(key) % 2 === 1;
  const body = await hub.open([database.channel('A', odd, 'odd')], null);
  read(body);
  await vi.advanceTimersByTimeAsync(3000);
  expect(database.reads).toBe(3);
  database.reads = 0;
  database.change('1', '2');
  await vi.advanceTimersByTimeAsync(1000);
  expect([eventsIn(read(body)), database.reads]).toEqual([
    [{ dataclass: 'A', keys: ['1'], removed: [] }],
    2,
  ]);
});

test('the last event of a look names where to go on; who comes with an older one is told what came since', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const channels = [database.channel('A'), database.channel('B')];
  const first = await hub.open(channels, null);
  const begin = read(first);
  expect(begin.startsWith('retry: 1000\nid: ')).toBe(true);
  expect(until(lastId(begin))).toEqual({ A: '1', B: '1' });
  database.change('1');
  await vi.advanceTimersByTimeAsync(1000);
  const text = read(first);
  const blocks = text.split('\n\n').filter((block) => block !== '');
  expect(blocks.map((block) => block.includes('id: '))).toEqual([false, true]);
  expect(until(lastId(text))).toEqual({ A: '2', B: '2' });
  const tokens = JSON.parse(Buffer.from(lastId(begin), 'base64url').toString()) as Parameters<
    ChangesHub['open']
  >[1];
  const second = await hub.open(channels, tokens);
  read(second);
  database.change('2');
  await vi.advanceTimersByTimeAsync(1000);
  const keysOf = (body: Readable): unknown[] =>
    eventsIn(read(body)).map((data) => (data as { keys: unknown }).keys);
  const one = [['2'], ['2']];
  expect([keysOf(first), keysOf(second)]).toEqual([one, one.map(() => ['1', '2'])]);
  // From then on they are one.
  database.reads = 0;
  database.change('3');
  await vi.advanceTimersByTimeAsync(1000);
  const both = [['3'], ['3']];
  expect([keysOf(first), keysOf(second), database.reads]).toEqual([both, both, 2]);
});

test('a client that does not read is dropped, and others are not', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const [slow, fast] = [
    await hub.open([database.channel('A')], null),
    await hub.open([database.channel('A')], null),
  ];
  const long = Array.from({ length: 3000 }, (_, index) => `key-${index}`);
  for (let times = 0; times < 4; times += 1) {
    database.change(...long);
    await vi.advanceTimersByTimeAsync(1000);
    read(fast);
  }
  expect([slow.destroyed, fast.destroyed, hub.count]).toEqual([true, false, 1]);
});

test('says something every quarter of a minute, and ends after ten minutes', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const body = await hub.open([database.channel('A')], null);
  const ended = vi.fn();
  body.on('end', ended);
  read(body);
  await vi.advanceTimersByTimeAsync(14_000);
  expect(read(body)).toBe('');
  await vi.advanceTimersByTimeAsync(3000);
  expect(read(body)).toMatch(/^:\nid: [\w-]+\n\n$/);
  body.resume();
  await vi.advanceTimersByTimeAsync(570_000);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(ended).toHaveBeenCalledOnce();
});

test('goes on when the database is there again, and tells of it once', async () => {
  const database = new FakeDatabase();
  const errors: string[] = [];
  const hub = hubOf(({ message }) => errors.push(message));
  const body = await hub.open([database.channel('A')], null);
  read(body);
  database.failure = new Error('away');
  await vi.advanceTimersByTimeAsync(5000);
  expect(errors).toEqual(['away']);
  database.failure = null;
  database.change('1');
  await vi.advanceTimersByTimeAsync(1000);
  expect(eventsIn(read(body))).toEqual([{ dataclass: 'A', keys: ['1'], removed: [] }]);
});

test('ends the streams whose tokens are outdated, and all once it is closed', async () => {
  const database = new FakeDatabase();
  const hub = hubOf();
  const body = await hub.open([database.channel('A')], null);
  const ended = vi.fn();
  body.on('end', ended);
  body.resume();
  database.failure = new ProtocolError('tokenOutdated', 'restored');
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).toHaveBeenCalledOnce();
  database.failure = null;
  const others = await Promise.all([1, 2, 3].map(() => hub.open([database.channel('A')], null)));
  const closed = vi.fn();
  for (const one of others) one.on('end', closed).resume();
  hub.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toHaveBeenCalledTimes(3);
});
