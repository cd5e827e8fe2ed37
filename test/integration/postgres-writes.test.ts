import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { PostgresConfig } from '../../src/config/config.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres/open.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { DatabaseRefusal } from '../../src/database/errors.ts';
import { postgresTarget } from '../targets/postgres.ts';
import type { OpenTarget } from '../targets/target.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';

const missing = await postgresTarget.unavailable();

/** Changes and transactions where several sessions meet, and where connections break. */
describe.skipIf(missing !== null)(
  `writes on a PostgreSQL server${missing === null ? '' : ` (${missing})`}`,
  () => {
    let opened: OpenTarget;
    let url: string;
    let database: Database;
    /** A session besides the gateway's. */
    let other: pg.Client;
    beforeAll(async () => {
      opened = await postgresTarget.open();
      if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
      ({ url } = opened.database);
      other = new pg.Client({ connectionString: url });
      await other.connect();
      await other.query('CREATE TABLE num (id int PRIMARY KEY, n int)');
    });
    beforeEach(async () => {
      await other.query('TRUNCATE num');
      await other.query('INSERT INTO num VALUES (1, 0), (2, 0)');
      await open();
    });
    afterEach(() => database.close());
    afterAll(async () => {
      await other.end();
      await opened.close();
    });

    /** Opens the gateway's database. With one connection, whoever does not give it back is found out by the next one. */
    async function open(limits: Partial<PostgresConfig> = {}): Promise<void> {
      database = await openPostgres(
        {
          engine: 'postgres',
          url,
          ...SERVER_SETTINGS,
          poolSize: 1,
          preparedStatements: true,
          connectTimeoutSeconds: 30,
          ...limits,
        },
        { timeZone: 'UTC', bigNumbersAsStrings: false },
      );
    }

    async function reopen(limits: Partial<PostgresConfig>): Promise<void> {
      await database.close();
      await open(limits);
    }

    /** Ends the gateway's sessions, and waits for their end. */
    const cut = (): Promise<unknown> =>
      other.query(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'entitygate'`,
      );

    /** Resolves when a session of the gateway has come to `pg_sleep`. */
    const sleeping = (): Promise<void> =>
      vi.waitFor(
        async () => {
          const { rowCount } = await other.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'entitygate' AND wait_event = 'PgSleep'`,
          );
          expect(rowCount).toBe(1);
        },
        { timeout: 20_000, interval: 20 },
      );

    async function failure(work: Promise<unknown>): Promise<ProtocolError> {
      const error: unknown = await work.then(
        () => new Error('it did not fail'),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof ProtocolError)) throw error;
      return error;
    }

    async function numbers(): Promise<unknown[]> {
      const { rows } = await other.query<{ n: number }>('SELECT n FROM num ORDER BY id');
      return rows.map(({ n }) => n);
    }

    const add = (on: Connection): Promise<unknown> =>
      change(on, 'UPDATE num SET n = n + 1 WHERE id = 1');

    /** The connection is back in the pool, without a transaction in it. */
    async function stillWorks(): Promise<void> {
      const [before] = await numbers();
      await change(database, 'UPDATE num SET n = n + 1 WHERE id = 1');
      await transaction(database, add);
      expect((await numbers())[0]).toBe(Number(before) + 2);
    }

    test('a transaction is seen by nobody else before it is committed', async () => {
      await transaction(database, async (session) => {
        await add(session);
        expect(await query(session, 'SELECT n FROM num WHERE id = 1')).toEqual([['1']]);
        expect(await numbers()).toEqual([0, 0]);
        const level = await query(session, 'SHOW transaction_isolation');
        expect(level).toEqual([['read committed']]);
      });
      expect(await numbers()).toEqual([1, 0]);
      await stillWorks();
    });

    test('work that throws is rolled back', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        throw new RangeError('changed my mind');
      });
      await expect(work).rejects.toThrow(RangeError);
      expect(await numbers()).toEqual([0, 0]);
      await stillWorks();
    });

    test('a connection that is lost before the commit: nothing was done', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        await cut();
        await query(session, 'SELECT 1');
      });
      expect((await failure(work)).errorName).toBe('databaseUnavailable');
      expect(await numbers()).toEqual([0, 0]);
      await stillWorks();
    });

    test('a connection that is lost between two statements, and is noticed: nothing was done', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        await cut();
        // What the server has sent comes in while nothing is asked.
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
      expect((await failure(work)).errorName).toBe('databaseUnavailable');
      expect(await numbers()).toEqual([0, 0]);
      await stillWorks();
    });

    test('a connection that is lost in the middle of a change: nothing was done', async () => {
      const work = failure(change(database, 'UPDATE num SET n = 1 WHERE pg_sleep(10) IS NOT NULL'));
      await sleeping();
      await cut();
      const error = await work;
      expect([error.errorName, error.status]).toEqual(['databaseUnavailable', 503]);
      await stillWorks();
    });

    test('a connection that is lost in the middle of a change that commits itself: nobody knows', async () => {
      const { statement, values } = command(
        'UPDATE num SET n = 1 WHERE pg_sleep(10) IS NOT NULL',
        'write',
      );
      const own = { statement: { ...statement, commitsItself: 'statement' }, values } as const;
      const work = failure(database.run(own, gatewayContext));
      await sleeping();
      await cut();
      expect((await work).errorName).toBe('outcomeUnknown');
      await stillWorks();
    });

    test('a connection that is lost while committing: nobody knows', async () => {
      await other.query(`
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(10); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON num DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION slow()`);
      try {
        const work = failure(transaction(database, add));
        await sleeping();
        await cut();
        expect((await work).errorName).toBe('outcomeUnknown');
      } finally {
        await other.query('DROP FUNCTION slow CASCADE');
      }
      await stillWorks();
    });

    test('no connection to be had: nothing was done', async () => {
      await reopen({ connectTimeoutSeconds: 1 });
      let release = (): void => undefined;
      const held = transaction(database, () => new Promise<void>((resolve) => (release = resolve)));
      const waiting = [change(database, 'SELECT 1'), transaction(database, add)];
      for (const error of await Promise.all(waiting.map(failure))) {
        expect(error.errorName).toBe('connectionsBusy');
      }
      release();
      await held;
      await stillWorks();
    });

    test('a statement that takes too long is rolled back with its transaction', async () => {
      await reopen({ statementTimeoutSeconds: 0.5 });
      const work = transaction(database, async (session) => {
        await add(session);
        await change(session, 'SELECT pg_sleep(30)');
      });
      expect((await failure(work)).errorName).toBe('statementTimeout');
      expect(await numbers()).toEqual([0, 0]);
      await stillWorks();
    });

    test('a deadlock', async () => {
      // Theirs is patient, so that ours is the one that the server gives up.
      await other.query(`SET deadlock_timeout = '60s'; BEGIN; UPDATE num SET n = 5 WHERE id = 2`);
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const theirsWaits = `SELECT 1 FROM pg_locks WHERE pid = ${rows[0]?.pid ?? 0} AND NOT granted`;
      let theirs: Promise<unknown> | undefined;
      const ours = failure(
        transaction(database, async (session) => {
          await add(session);
          theirs = other.query('UPDATE num SET n = 5 WHERE id = 1');
          await vi.waitFor(
            async () => {
              expect(await query(session, theirsWaits)).toHaveLength(1);
            },
            { timeout: 20_000, interval: 20 },
          );
          await change(session, 'UPDATE num SET n = 1 WHERE id = 2');
        }),
      );
      expect((await ours).errorName).toBe('deadlock');
      await theirs;
      await other.query('COMMIT; RESET deadlock_timeout');
      expect(await numbers()).toEqual([5, 5]);
    });

    test('a rule of the database refuses the change, and the connection lives on', async () => {
      const pid = async (): Promise<unknown> =>
        (await query(database, 'SELECT pg_backend_pid()'))[0]?.[0];
      const before = await pid();
      const error = await failure(change(database, 'INSERT INTO num VALUES (1)'));
      expect(error).toBeInstanceOf(DatabaseRefusal);
      expect(error).toMatchObject({ violation: { rule: 'unique', names: ['num_pkey', 'num'] } });
      expect(await pid()).toBe(before);
      await stillWorks();
    });

    test('work that passes over a failure does not pass for done', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        await change(session, 'INSERT INTO num VALUES (1)').catch(() => undefined);
      });
      expect(await failure(work)).toBeInstanceOf(DatabaseRefusal);
      expect(await numbers()).toEqual([0, 0]);
    });

    test('statements of one transaction wait for each other', async () => {
      await transaction(database, (session) =>
        Promise.all([add(session), add(session), add(session)]),
      );
      expect(await numbers()).toEqual([3, 0]);
    });
  },
);
