import { describe, expect, test, vi } from 'vitest';
import { ProtocolError, reason } from '../../src/base/errors.ts';
import { gatewayContext, noObserver } from '../../src/base/observe/observer.ts';
import { ClientGone } from '../../src/base/time.ts';
import type { DriverConnection, KeptConnection } from '../../src/database/driver.ts';
import { Pool, Semaphore, writePlaces } from '../../src/database/pool.ts';
import { doneFor, fakeDatabase } from './fake-driver.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { Probe } from '../../src/database/probe.ts';
import { connectRetrying } from '../../src/database/connect-at-start.ts';

/** A pool of connections of which each does what it is asked for at once. */
function poolOf(
  size: number,
  waitMilliseconds = Infinity,
  acquire?: () => Promise<DriverConnection>,
): Pool {
  const connect = acquire ?? (() => Promise.resolve(fakeDatabase().connection));
  const driver = { ...fakeDatabase().driver, sessionContext: null };
  return new Pool({ size, waitMilliseconds, connected: () => 0, acquire: connect }, driver);
}

const activity = gatewayContext;

async function errorOf(work: Promise<unknown>): Promise<unknown[]> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof ProtocolError)) throw error;
  return [error.errorName, error.status, error.message];
}

const BUSY = [
  'connectionsBusy',
  503,
  'All database connections for such requests are in use, and none became free in time. Try again later.',
];

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
  [7, 6],
  [8, 6],
  [16, 12],
  [1000, 750],
])('of %i connections writes have %i at most', (size, writes) => {
  expect(writePlaces(size)).toBe(writes);
});

test('writes leave a share of the connections to reads, and reads take all', async () => {
  const pool = poolOf(4, 5);
  const writing = [1, 2, 3].map(() => pool.acquire(activity, 'write'));
  const held = await Promise.all(writing);
  expect(await errorOf(pool.acquire(activity, 'write'))).toEqual(BUSY);
  expect(pool.usage).toEqual({ size: 4, used: 3, waiting: 0 });
  const read = await pool.acquire(activity, 'read');
  expect(await errorOf(pool.acquire(activity, 'read'))).toEqual(BUSY);
  pool.release(read, true);
  for (const connection of held) pool.release(connection, true);
  const reads = await Promise.all([1, 2, 3, 4].map(() => pool.acquire(activity, 'read')));
  expect(await errorOf(pool.acquire(activity, 'write'))).toEqual(BUSY);
  for (const connection of reads) pool.release(connection, true);
  // What failed to get one of them has kept no place of the writes.
  await Promise.all([1, 2, 3].map(() => pool.acquire(activity, 'write')));
  expect(pool.usage).toEqual({ size: 4, used: 3, waiting: 0 });
});

test.each([1, 2])('a pool of %i serves writes and reads', async (size) => {
  const pool = poolOf(size, 5);
  for (const use of ['write', 'read', 'write', 'read'] as const) {
    pool.release(await pool.acquire(activity, use), true);
  }
  const held = await pool.acquire(activity, 'write');
  expect(await errorOf(pool.acquire(activity, 'write'))).toEqual(BUSY);
  const read = pool.acquire(activity, 'read');
  if (size === 1) expect(await errorOf(read)).toEqual(BUSY);
  else pool.release(await read, true);
  pool.release(held, true);
  expect(pool.usage.used).toBe(0);
});

test('a write that waits is counted, leaves with its client, and is served in its turn', async () => {
  const pool = poolOf(2);
  const held = await pool.acquire(activity, 'write');
  const leaving = new AbortController();
  const left = pool.acquire({ ...activity, signal: leaving.signal }, 'write');
  const next = pool.acquire(activity, 'write');
  expect(pool.usage).toEqual({ size: 2, used: 1, waiting: 2 });
  leaving.abort();
  await expect(left).rejects.toThrow(ClientGone);
  pool.release(held, true);
  pool.release(await next, true);
  expect(pool.usage).toEqual({ size: 2, used: 0, waiting: 0 });
});

test.each<[string, unknown, string]>([
  ['is refused', Object.assign(new Error('x'), { code: '28P01' }), 'databaseUnable'],
  ['fails', new Error('connect ECONNREFUSED'), 'databaseUnavailable'],
])('a write whose connection %s keeps no place', async (_how, error, name) => {
  let isThere = false;
  const pool = poolOf(1, 5, () =>
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the driver throws it
    isThere ? Promise.resolve(fakeDatabase().connection) : Promise.reject(error),
  );
  expect((await errorOf(pool.acquire(activity, 'write')))[0]).toBe(name);
  isThere = true;
  pool.release(await pool.acquire(activity, 'write'), true);
  expect(pool.usage).toEqual({ size: 1, used: 0, waiting: 0 });
});

test('a connection that comes when its writer has gone goes to the next one', async () => {
  const arriving: ((connection: DriverConnection) => void)[] = [];
  const pool = poolOf(1, Infinity, () => new Promise((resolve) => arriving.push(resolve)));
  const leaving = new AbortController();
  const left = pool.acquire({ ...activity, signal: leaving.signal }, 'write');
  await Promise.resolve();
  const next = pool.acquire(activity, 'write');
  await expect.poll(() => arriving.length).toBe(1);
  leaving.abort();
  await expect(left).rejects.toThrow(ClientGone);
  expect(pool.usage).toEqual({ size: 1, used: 1, waiting: 1 });
  arriving[0]?.(fakeDatabase().connection);
  await expect.poll(() => arriving.length).toBe(2);
  arriving[1]?.(fakeDatabase().connection);
  pool.release(await next, true);
  expect(pool.usage.used).toBe(0);
});

test.each([
  ['53200', 'databaseUnable', 'The database is out of memory. Try again later.'],
  [
    '57P01',
    'databaseUnavailable',
    'The database cannot be reached at the moment. Try again later.',
  ],
  [
    '0A000',
    'databaseUnavailable',
    'The database cannot be reached at the moment. Try again later.',
  ],
])('a transaction that cannot begin for %s says why', async (code, name, message) => {
  const error = Object.assign(new Error('as the server says it'), { code });
  const { database, happened } = fakeDatabase({ begin: () => Promise.reject(error) });
  expect(await errorOf(database.transaction(() => Promise.resolve(), activity))).toEqual([
    ...[name, 503, message],
  ]);
  expect(happened).toEqual(['begin', 'broken off']);
});

/** The pool of a server that takes a number of connections, and what its requests were warned of. */
function poolOfServer(size: number, accepted: number, waitMilliseconds = Infinity) {
  const server = { accepted, attempts: 0, connected: 0 };
  const idle: DriverConnection[] = [];
  const acquire = async (): Promise<DriverConnection> => {
    const kept = idle.pop();
    if (kept !== undefined) return kept;
    server.attempts += 1;
    await Promise.resolve();
    if (server.connected === server.accepted) {
      throw Object.assign(new Error('too many connections for role "x"'), { code: '53300' });
    }
    server.connected += 1;
    const connection: DriverConnection = {
      ...fakeDatabase().connection,
      release: () => idle.push(connection),
    };
    return connection;
  };
  const driver = { ...fakeDatabase().driver, sessionContext: null };
  const connected = (): number => server.connected;
  const warnings = new Set<string>();
  const observer = { ...activity.observer, warned: (text: string) => void warnings.add(text) };
  return {
    server,
    warnings,
    pool: new Pool({ size, waitMilliseconds, connected, acquire }, driver),
    activity: { ...activity, observer },
  };
}

test('while the server refuses further connections, requests wait for those there are, and more are tried later', async () => {
  vi.useFakeTimers();
  try {
    const { pool, server, warnings, activity } = poolOfServer(4, 2);
    const order: number[] = [];
    const works = [1, 2, 3, 4, 5].map(async (number) => {
      const connection = await pool.acquire(activity, number === 4 ? 'write' : 'read');
      order.push(number);
      return connection;
    });
    const [first, second] = await Promise.all(works.slice(0, 2));
    await vi.advanceTimersByTimeAsync(0);
    expect(pool.usage).toEqual({ size: 2, used: 2, waiting: 3 });
    expect(server.attempts).toBe(4);
    for (const connection of [first, second]) if (connection) pool.release(connection, true);
    await vi.advanceTimersByTimeAsync(0);
    expect(order.toSorted()).toEqual([1, 2, 3, 4]);
    expect([...warnings]).toEqual([
      'The database refuses further connections, so that the pool has fewer than database.poolSize: too many connections for role "x"',
    ]);
    // One that is refused again waits on; once the server takes more, the pool grows to its size.
    await vi.advanceTimersByTimeAsync(5000);
    expect(pool.usage).toEqual({ size: 2, used: 2, waiting: 1 });
    expect(server.attempts).toBe(5);
    server.accepted = 4;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order.length).toBe(5);
    expect(pool.usage).toEqual({ size: 4, used: 3, waiting: 0 });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a request waits no longer for one of fewer connections than for one of all, and not at all for one of none', async () => {
  const { pool, server, activity } = poolOfServer(4, 1, 5);
  const held = await pool.acquire(activity, 'write');
  expect(await errorOf(pool.acquire(activity, 'read'))).toEqual(BUSY);
  expect(await pool.acquireFree()).toBeNull();
  pool.release(held, true);
  pool.release(await pool.acquire(activity, 'write'), true);
  expect(pool.usage).toEqual({ size: 1, used: 0, waiting: 0 });
  server.accepted = 0;
  const { pool: none } = poolOfServer(4, 0);
  const refused = [1, 2].map(() => errorOf(none.acquire(activity, 'read')));
  expect((await Promise.all(refused)).map(([name]) => name)).toEqual([
    ...['databaseUnable', 'databaseUnable'],
  ]);
});

const { signal } = new AbortController();

const tooLate = (): Error => new Error('too late');

test('places are given in the order in which they were asked for', async () => {
  const places = new Semaphore(2);
  const order: number[] = [];
  const take = async (number: number): Promise<void> => {
    await places.acquire(signal, Infinity, tooLate);
    order.push(number);
  };
  const all = [1, 2, 3, 4].map(take);
  await Promise.all(all.slice(0, 2));
  expect(order).toEqual([1, 2]);
  places.release();
  places.release();
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4]);
});

test('who waits too long, or leaves, takes nobody’s place', async () => {
  const places = new Semaphore(1);
  await places.acquire(signal, Infinity, tooLate);
  const leaving = new AbortController();
  const left = places.acquire(leaving.signal, Infinity, tooLate);
  leaving.abort();
  await expect(left).rejects.toThrow(ClientGone);
  await expect(places.acquire(signal, 10, tooLate)).rejects.toThrow('too late');
  await expect(places.acquire(leaving.signal, Infinity, tooLate)).rejects.toThrow(ClientGone);
  const last = places.acquire(signal, Infinity, tooLate);
  places.release();
  await last;
  places.release();
  await places.acquire(signal, 0, tooLate);
});

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test.each([
  ['42501', 'permission denied for sequence shipper_id_seq'],
  ['23514', 'new row for relation "orders" violates check constraint "ck_dates"'],
  ['23503', 'update on table "a" violates foreign key constraint "fk_b"'],
])('what an operator may have to change is told, once for each change: %s', async (code, words) => {
  expect(await warnings(code, words)).toEqual([`The database refused a change: ${words}`]);
});

test.each(['23505', '22P02', '40001'])(
  'what holds values, or passes by itself, is not told: %s',
  async (code) => {
    expect(await warnings(code, 'Key (name)=(Ada) exists')).toEqual([]);
  },
);

async function warnings(code: string, words: string): Promise<string[]> {
  const heard: string[] = [];
  const refused = Object.assign(new Error(words), { code });
  const { database } = fakeDatabase({ run: () => Promise.reject(refused) });
  const observer = { ...noObserver, warned: (text: string) => heard.push(text) };
  const statement = plainStatement('UPDATE t SET a = 1', 'write');
  const changing = database.run({ statement, values: [] }, doneFor('ada', { observer }));
  await expect(changing).rejects.toThrow();
  return heard;
}

type Answer = () => Promise<void>;

/** A probe of a pool with one connection, whose connections answer one after the other as the test says, and what happened. */
function probeOf(
  answers: readonly Answer[],
  { pooled, beside }: { readonly pooled?: Error; readonly beside?: Error } = {},
) {
  const rest = [...answers];
  const happened: string[] = [];
  const answer = async (): Promise<void> => {
    happened.push('ask');
    await rest.shift()?.();
  };
  const { connection, driver } = fakeDatabase({ run: answer }, null);
  const release = (isClean: boolean): void => {
    happened.push(isClean ? 'give back' : 'give up');
  };
  const acquire = (): Promise<typeof connection> => {
    happened.push('acquire');
    return pooled === undefined
      ? Promise.resolve({ ...connection, release })
      : Promise.reject(pooled);
  };
  const pool = new Pool({ ...driver.reading, connected: () => 0, acquire }, driver);
  const open = (): Promise<KeptConnection> => {
    happened.push('open');
    if (beside !== undefined) return Promise.reject(beside);
    const close = (): Promise<void> => {
      happened.push('close');
      return Promise.resolve();
    };
    return Promise.resolve({ connection, close });
  };
  return { probe: new Probe(pool, open), pool, happened };
}

const breaking = (): Promise<never> => Promise.reject(new Error('ECONNRESET'));
const silence = (): Promise<never> => new Promise(() => undefined);
const AWAY = { errorName: 'databaseUnavailable' };
const REFUSAL = new ProtocolError('databaseUnable', 'It takes no more connections.');

test('a free connection of the pool is asked, once by all who ask at the same time', async () => {
  const { probe, happened } = probeOf([]);
  await Promise.all([1, 2, 3].map(() => probe.ask(signal)));
  expect(happened).toEqual(['acquire', 'ask', 'give back']);
});

test.each([
  ['has broken unnoticed', breaking],
  ['says nothing any more', silence],
])('a connection that %s is given up, and another one asked', async (_how, first) => {
  const { probe, happened } = probeOf([first]);
  await probe.ask(signal);
  expect(happened).toEqual(['acquire', 'ask', 'give up', 'open', 'ask', 'close']);
});

test('a database that does not answer a new connection either is away, and asked anew', async () => {
  const { probe, happened } = probeOf([breaking, breaking, breaking, silence]);
  const asked = ['acquire', 'ask', 'give up', 'open', 'ask', 'close'];
  for (let time = 0; time < 2; time += 1)
    await expect(probe.ask(signal)).rejects.toMatchObject(AWAY);
  await probe.ask(signal);
  expect(happened).toEqual([...asked, ...asked, 'acquire', 'ask', 'give back']);
});

test('what keeps the pool from connecting is told, although a connection beside it could be had', async () => {
  const { probe, happened } = probeOf([], { pooled: REFUSAL });
  await expect(probe.ask(signal)).rejects.toBe(REFUSAL);
  expect(happened).toEqual(['acquire']);
});

test.each<[string, Error | undefined, object | null]>([
  ['answers', undefined, null],
  ['refuses a further connection', REFUSAL, null],
  ['is away', new Error('ECONNREFUSED'), AWAY],
])('while all connections are in use, a database that %s', async (_what, beside, expected) => {
  const { probe, pool, happened } = probeOf([], beside && { beside });
  await pool.acquire(gatewayContext, 'read');
  const asked = probe.ask(signal);
  if (expected === null) await asked;
  else await expect(asked).rejects.toMatchObject(expected);
  expect(happened).toEqual(['acquire', 'open', ...(beside ? [] : ['ask', 'close'])]);
});

test('a broken connection, and no further one, is not an answer', async () => {
  await expect(probeOf([breaking], { beside: REFUSAL }).probe.ask(signal)).rejects.toBe(REFUSAL);
});

test('who has waited long enough leaves the others waiting', async () => {
  let answer: () => void = () => undefined;
  const { probe, happened } = probeOf([() => new Promise((resolve) => (answer = resolve))]);
  const leaving = new AbortController();
  const left = probe.ask(leaving.signal);
  const patient = probe.ask(signal);
  leaving.abort(new Error('two seconds'));
  await expect(left).rejects.toThrow('two seconds');
  answer();
  await patient;
  expect(happened).toEqual(['acquire', 'ask', 'give back']);
  await expect(probe.ask(leaving.signal)).rejects.toThrow('two seconds');
});

describe('connectRetrying', () => {
  const away = new Error('connect ECONNREFUSED');
  const patience = {
    name: 'the server',
    seconds: 30,
    isTransient: (error: unknown) => error === away,
  };

  test('tries again while the server does not answer, and says so', async () => {
    const lines: string[] = [];
    const answers = [away, 'connected'];
    const connection = await connectRetrying(
      () => {
        const answer = answers.shift();
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      { ...patience, onWait: (line) => lines.push(line) },
    );
    expect(connection).toBe('connected');
    expect(lines).toEqual([
      expect.stringMatching(/^waiting for the server: connect ECONNREFUSED \(\d+ s of 30 s\)$/),
    ]);
  });

  test('does not wait for what does not pass by itself', async () => {
    const refused = new Error('Login failed');
    const lines: string[] = [];
    await expect(
      connectRetrying(() => Promise.reject(refused), {
        ...patience,
        onWait: (line) => lines.push(line),
      }),
    ).rejects.toBe(refused);
    expect(lines).toEqual([]);
  });

  test('gives up when no time is left', async () => {
    const lines: string[] = [];
    await expect(
      connectRetrying(() => Promise.reject(away), {
        ...patience,
        seconds: 0,
        onWait: (line) => lines.push(line),
      }),
    ).rejects.toBe(away);
    expect(lines).toEqual([]);
  });
});

describe('reason', () => {
  const several = new AggregateError([new Error('a'), new Error('b'), new Error('a')], 'several');
  test.each<[title: string, error: unknown, expected: string]>([
    ['several errors', several, 'a; b'],
    ['what several are behind', new Error('no', { cause: several }), 'a; b'],
    [
      'what the driver wraps twice',
      Object.assign(new Error('no'), { originalError: new Error('no', { cause: several }) }),
      'a; b',
    ],
    ['one error', new Error('no', { cause: new Error('a') }), 'no'],
    ['a text', 'text', 'text'],
  ])('of %s', (_title, error, expected) => {
    expect(reason(error)).toBe(expected);
  });
});
