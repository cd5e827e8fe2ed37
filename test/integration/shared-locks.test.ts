import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/app.ts';
import { errorTable, ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import type { Config } from '../../src/config/config.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import type { Dataclass } from '../../src/model/types.ts';
import { sourceOn } from '../../src/run/run.ts';
import { refuseLockedKeys } from '../../src/run/write/lock.ts';
import type { LockHolder } from '../../src/state/lock/entity-locks.ts';
import { DatabaseKeeper, lockName } from '../../src/state/lock/keeper.ts';
import { SharedLocks } from '../../src/state/shared/shared-locks.ts';
import { StateStore } from '../../src/state/shared/state-store.ts';
import { openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { change, query, transaction } from '../targets/sql.ts';
import {
  inBrackets,
  noStateStore,
  openStateStore,
  type StateStoreTarget,
} from '../targets/state-store.ts';
import type { OpenTarget } from '../targets/target.ts';

const missing = (await postgresTarget.unavailable()) ?? noStateStore;

const ROWS = 6;

const table = { schema: 'public', name: 't' };
const dataclass = { name: 'T', table, key: [] } as unknown as Dataclass;

/** How often keepers compare their locks with the store in these tests, in milliseconds. */
const COMPARE = 250;

function nameOf(key: number): string {
  return lockName(table, [String(key)]);
}

function holder(session: string): LockHolder {
  return { session, host: 'api:8080', address: '10.0.0.1', userAgent: `browser of ${session}` };
}

const [ada, bob] = [holder('ada'), holder('bob')];

/** What a gateway has for locks. */
interface Instance {
  readonly database: Database;
  readonly store: StateStore;
  readonly locks: SharedLocks;
  readonly close: () => Promise<void>;
}

describe.skipIf(missing !== null)(`locks of several gateways${inBrackets(missing)}`, () => {
  let opened: OpenTarget;
  let target: StateStoreTarget;
  let instances: Instance[];
  beforeAll(async () => {
    opened = await openPostgresDatabase(
      `CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
       INSERT INTO t SELECT generate_series(1, ${ROWS});`,
    );
    target = await openStateStore();
  });
  afterAll(async () => {
    await target.close();
    await opened.close();
  });
  beforeEach(async () => {
    instances = await Promise.all([start(), start(), start()]);
  });
  afterEach(async () => {
    await Promise.all(instances.map(({ close }) => close()));
    await target.command('FLUSHALL');
  });

  async function start(): Promise<Instance> {
    const database = await openDatabase({
      database: { ...opened.database, poolSize: 4 },
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    } as Config);
    const { locks: statements } = database.dialect;
    if (statements === null) throw new Error('this engine has no locks');
    const store = await StateStore.open(target.settings);
    const locks = new SharedLocks(
      store,
      (onLost) => new DatabaseKeeper(database.dedicated, statements, onLost),
      COMPARE,
    );
    let closing: Promise<void> | null = null;
    const close = async (): Promise<void> => {
      await locks.close();
      store.close();
      await database.close();
    };
    return { database, store, locks, close: () => (closing ??= close()) };
  }

  function at(index: number): Instance {
    const instance = instances[index];
    if (instance === undefined) throw new Error(`there is no gateway ${index}`);
    return instance;
  }

  /** The locks of this database: others on the server are none of these tests. */
  const heldLocks =
    "pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

  /** Breaks the connections that hold locks. */
  async function cutKeepers(): Promise<void> {
    await query(
      at(0).database,
      `SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM ${heldLocks}) p`,
    );
  }

  async function heldCount(): Promise<number> {
    const [row] = await query(at(0).database, `SELECT count(*)::int FROM ${heldLocks}`);
    return Number(row?.[0]);
  }

  /** Counts a row up as a save does: under the lock of its row, where the locks let it. @returns the new number, or the code of the refusal */
  async function write(
    { database, locks }: Instance,
    key: number,
    session: string | null,
  ): Promise<number | string> {
    try {
      return await transaction(database, async (connection: Connection) => {
        await query(connection, `SELECT n FROM t WHERE id = ${key} FOR UPDATE`);
        const source = sourceOn(connection, { database, activity: gatewayContext } as never);
        const refused = { errorName: 'entityNotSaved', message: 'not saved' } as const;
        await refuseLockedKeys(
          [[String(key)]],
          dataclass,
          { locks: { entityLocks: locks, session, hasEnded: false }, source },
          refused,
        );
        const [row] = await change(
          connection,
          `UPDATE t SET n = n + 1 WHERE id = ${key} RETURNING n`,
        );
        return Number(row?.[0]);
      });
    } catch (error) {
      if (error instanceof ProtocolError) return String(errorTable[error.errorName].code);
      throw error;
    }
  }

  test('all locks of a session are free when it ends, wherever they are kept', async () => {
    const keys = [1, 2, 3, 4, 5, 6];
    for (const key of keys) await at(key % 3).locks.lock(nameOf(key), key === 6 ? bob : ada);
    await at(1).locks.release('ada');
    await at(1).locks.release('ada');
    const states = keys.map((key) => at(2).locks.state(nameOf(key), 'carl'));
    expect(await Promise.all(states)).toEqual([...Array<string>(5).fill('free'), bob]);
    expect(await heldCount()).toBe(2);
    expect(await target.command('KEYS', '*')).toHaveLength(2);
  });

  test('a lock of another program is respected', async () => {
    const { database, locks } = at(0);
    const connection = await database.dedicated(() => undefined);
    const { locks: statements } = database.dialect;
    if (statements === null) throw new Error('this engine has no locks');
    await connection.run({ statement: statements.acquire, values: [nameOf(3)] }, gatewayContext);
    expect(await locks.lock(nameOf(3), ada)).toBe('elsewhere');
    expect(await locks.state(nameOf(3), 'ada')).toBe('elsewhere');
    expect(await write(at(1), 3, 'ada')).toBe('9025');
    await connection.close();
    expect([locks.size, await locks.lock(nameOf(3), ada)]).toEqual([0, 'locked']);
  });

  describe('a lock whose keeper has died', () => {
    test.each([0, 1])('is lost, and its session is told at gateway %i', async (index) => {
      const name = nameOf(1);
      await at(0).locks.lock(name, ada);
      await cutKeepers();
      await vi.waitFor(async () => expect(await at(index).locks.state(name, 'ada')).toBe('lost'), {
        timeout: 20_000,
      });
      expect(await write(at(index), 1, 'ada')).toBe('9026');
      expect(await write(at(index), 1, 'bob')).toBeTypeOf('number');
      expect(await write(at(index), 1, 'ada')).toBe('9026');
      expect(await at(index).locks.unlock(name, 'ada')).toBe('lost');
      expect(await at(index).locks.unlock(name, 'ada')).toBe('free');
      expect(await write(at(index), 1, 'ada')).toBeTypeOf('number');
    });

    test('is free for others, and lost for its session until that takes it again', async () => {
      const name = nameOf(1);
      await at(0).locks.lock(name, ada);
      await at(0).close();
      expect(await at(1).locks.lock(name, bob)).toBe('locked');
      expect(await write(at(1), 1, 'ada')).toBe('9026');
      expect(await at(2).locks.state(name, 'ada')).toEqual(bob);
      expect(await at(2).locks.unlock(name, 'bob')).toBe('unlocked');
      expect(await at(2).locks.state(name, 'ada')).toBe('lost');
      expect(await write(at(1), 1, 'ada')).toBe('9026');
      expect(await at(2).locks.lock(name, ada)).toBe('locked');
      expect(await write(at(1), 1, 'ada')).toBeTypeOf('number');
    });
  });

  describe('the store', () => {
    test('has no say in whether a lock is held: an older record lets nobody write', async () => {
      const name = nameOf(1);
      const record = at(0).store.key('lock', name);
      await at(0).locks.lock(name, ada);
      const former = (await target.command('HGETALL', record)) as string[];
      await at(0).locks.unlock(name, 'ada');
      await at(0).locks.lock(name, bob);
      await target.command('DEL', record);
      await target.command('HSET', record, ...former);
      expect(await write(at(1), 1, 'ada')).toBe('9026');
    });

    test('that has lost its memory frees all locks soon', async () => {
      const name = nameOf(1);
      await at(0).locks.lock(name, ada);
      await target.stop('SIGKILL');
      await target.start();
      await vi.waitFor(async () => expect(await heldCount()).toBe(0), { timeout: 20_000 });
      await vi.waitFor(() => expect(at(1).store.problem).toBeNull(), { timeout: 20_000 });
      expect(await at(1).locks.lock(name, bob)).toBe('locked');
      expect(at(0).locks.size).toBe(0);
    });

    test('that is away takes no locks with it, and is needed by sessions alone', async () => {
      await at(0).locks.lock(nameOf(1), ada);
      target.freeze();
      const unavailable = String(errorTable.stateUnavailable.code);
      const [locking, held, others, free] = await Promise.all([
        at(1)
          .locks.lock(nameOf(2), bob)
          .catch((error: unknown) => (error as ProtocolError).errorName),
        write(at(1), 1, 'ada'),
        write(at(1), 1, null),
        write(at(1), 2, null),
      ]);
      expect([locking, held, others]).toEqual(['stateUnavailable', unavailable, '9025']);
      expect(free).toBeTypeOf('number');
      target.thaw();
      await vi.waitFor(() => expect(at(1).store.problem).toBeNull(), { timeout: 20_000 });
      expect(await write(at(1), 1, 'ada')).toBeTypeOf('number');
    });

    test('that loses the message of an unlocking only delays it', async () => {
      const name = nameOf(1);
      await at(0).locks.lock(name, ada);
      const publish = vi.spyOn(at(1).store, 'publish').mockResolvedValue();
      expect(await at(1).locks.unlock(name, 'ada')).toBe('unlocked');
      expect(publish).toHaveBeenCalledOnce();
      expect(await at(2).locks.lock(name, bob)).toBe('locked');
    });
  });
});
