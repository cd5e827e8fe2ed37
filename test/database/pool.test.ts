import { expect, test } from 'vitest';
import { ClientGone } from '../../src/base/abort.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import type { DriverConnection } from '../../src/database/driver.ts';
import { Pool, writePlaces } from '../../src/database/pool.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { fakeDatabase } from './fake-driver.ts';

/** A pool of connections of which each does what it is asked for at once. */
function poolOf(
  size: number,
  waitMilliseconds = Infinity,
  acquire?: () => Promise<DriverConnection>,
): Pool {
  const connect = acquire ?? (() => Promise.resolve(fakeDatabase().connection));
  const driver = { ...fakeDatabase().driver, sessionContext: null };
  return new Pool({ size, waitMilliseconds, acquire: connect }, driver);
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
