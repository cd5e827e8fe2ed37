import { expect, test, vi } from 'vitest';
import { ProtocolError, reason } from '../../src/base/errors.ts';
import { gatewayContext, noObserver } from '../../src/base/observe/observer.ts';
import { ClientGone } from '../../src/base/time.ts';
import type { DriverConnection, KeptConnection } from '../../src/database/driver.ts';
import { Pool, writePlaces } from '../../src/database/pool.ts';
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

test('of the connections writes have three quarters, and one at least', () => {
  expect([1, 2, 3, 4, 7, 8, 16, 1000].map(writePlaces)).toEqual([1, 1, 2, 3, 6, 6, 12, 750]);
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

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test('an operator is told, once for each, what may have to be changed, and nothing that holds values or passes by itself', async () => {
  const ofRight = 'permission denied for sequence shipper_id_seq';
  const ofCheck = 'new row for relation "orders" violates check constraint "ck_dates"';
  expect([await warnings('42501', ofRight), await warnings('23514', ofCheck)]).toEqual([
    [`The database refused a change: ${ofRight}`],
    [`The database refused a change: ${ofCheck}`],
  ]);
  for (const code of ['23505', '22P02', '40001']) {
    expect(await warnings(code, 'Key (name)=(Ada) exists')).toEqual([]);
  }
});

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

const broken = new Error('ECONNRESET');
const REFUSAL = new ProtocolError('databaseUnable', 'It takes no more connections.');
const { signal } = new AbortController();
const GIVEN_UP = 'acquire, ask, give up, open';

interface Asked {
  /** What becomes of the questions, one after the other; the others are answered. */
  readonly answers?: readonly (Error | 'silence' | null)[];
  /** What keeps the pool, or a connection beside it, from connecting. */
  readonly pooled?: Error;
  readonly beside?: Error;
  /** All connections of the pool are in use. */
  readonly isFull?: boolean;
}

/** A probe of a pool with one connection, and what happens. */
async function probeOf({ answers = [], pooled, beside, isFull = false }: Asked) {
  const rest = [...answers];
  const happened: string[] = [];
  const answer = (): Promise<void> => {
    happened.push('ask');
    const next = rest.shift() ?? null;
    if (next === null) return Promise.resolve();
    return next === 'silence' ? new Promise(() => undefined) : Promise.reject(next);
  };
  const { connection, driver } = fakeDatabase({ run: answer }, null);
  const release = (isClean: boolean): void => void happened.push(isClean ? 'give back' : 'give up');
  const acquire = (): Promise<typeof connection> => {
    happened.push('acquire');
    return pooled === undefined
      ? Promise.resolve({ ...connection, release })
      : Promise.reject(pooled);
  };
  const pool = new Pool({ ...driver.reading, connected: () => 0, acquire }, driver);
  if (isFull) await pool.acquire(gatewayContext, 'read');
  const open = (): Promise<KeptConnection> => {
    happened.push('open');
    const close = (): Promise<void> => Promise.resolve(void happened.push('close'));
    return beside === undefined ? Promise.resolve({ connection, close }) : Promise.reject(beside);
  };
  return { probe: new Probe(pool, open), happened };
}

const away = 'databaseUnavailable';

test.each<[title: string, asked: Asked, happened: string, error?: string]>([
  ['answers', {}, 'acquire, ask, give back'],
  ['has broken unnoticed', { answers: [broken] }, `${GIVEN_UP}, ask, close`],
  ['is silent', { answers: ['silence'] }, `${GIVEN_UP}, ask, close`],
  ['is broken, as all are', { answers: [broken, broken] }, `${GIVEN_UP}, ask, close`, away],
  ['has broken, alone', { answers: [broken], beside: REFUSAL }, GIVEN_UP, 'databaseUnable'],
  ['is refused to the pool', { pooled: REFUSAL }, 'acquire', 'databaseUnable'],
  ['is in use', { isFull: true }, 'acquire, open, ask, close'],
  ['is in use, as all that may be', { isFull: true, beside: REFUSAL }, 'acquire, open'],
  ['is in use, of what is away', { isFull: true, beside: broken }, 'acquire, open', away],
])('a probe asks by a connection that %s', async (_, asked, expected, error) => {
  const { probe, happened } = await probeOf(asked);
  const found = await probe.ask(signal).then(
    () => undefined,
    (thrown: unknown) => (thrown as ProtocolError).errorName,
  );
  expect([happened.join(', '), found]).toEqual([expected, error]);
});

test('all who ask at the same time ask once, and who has waited long enough leaves the others waiting', async () => {
  const { probe, happened } = await probeOf({});
  const leaving = new AbortController();
  const left = probe.ask(leaving.signal);
  const others = [1, 2].map(() => probe.ask(signal));
  leaving.abort(new Error('two seconds'));
  await expect(left).rejects.toThrow('two seconds');
  await Promise.all(others);
  expect(happened).toEqual(['acquire', 'ask', 'give back']);
});

test.each<
  [title: string, answers: (Error | string)[], seconds: number, result: string, waits: number]
>([
  ['waits while there is no answer', [broken, 'connected'], 30, 'connected', 1],
  ['does not wait for what does not pass', [REFUSAL], 30, 'It takes no more connections.', 0],
  ['gives up when no time is left', [broken], 0, 'ECONNRESET', 0],
])('a start %s', async (_, answers, seconds, expected, waits) => {
  const lines: string[] = [];
  const connect = (): Promise<string> => {
    const answer = answers.shift() ?? '';
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const found = await connectRetrying(connect, {
    ...{ name: 'the server', seconds, isTransient: (error: unknown) => error === broken },
    onWait: (line) => lines.push(line),
  }).catch((error: unknown) => (error as Error).message);
  const wait = /^waiting for the server: ECONNRESET \(\d+ s of 30 s\)$/;
  expect([found, lines.map((line) => wait.test(line))]).toEqual([
    ...[expected, Array(waits).fill(true)],
  ]);
});

const several = new AggregateError([new Error('a'), new Error('b'), new Error('a')], 'several');
const wrapped = Object.assign(new Error('no'), {
  originalError: new Error('no', { cause: several }),
});

test.each<[title: string, error: unknown, expected: string]>([
  ['several errors', several, 'a; b'],
  ['what several are behind', new Error('no', { cause: several }), 'a; b'],
  ['what the driver wraps twice', wrapped, 'a; b'],
  ['one error', new Error('no', { cause: new Error('a') }), 'no'],
  ['a text', 'text', 'text'],
])('the reason of %s', (_title, error, expected) => {
  expect(reason(error)).toBe(expected);
});
