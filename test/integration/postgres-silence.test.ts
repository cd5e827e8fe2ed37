import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres/open.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import type { OpenTarget } from '../targets/target.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';

const missing = await postgresTarget.unavailable();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function nameOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof ProtocolError ? error.errorName : String(error);
}

/** Opens a database of one connection, with which nothing may take longer than a second. */
function openImpatiently(url = ''): Promise<Database> {
  return openPostgres(
    {
      engine: 'postgres',
      url,
      ...SERVER_SETTINGS,
      poolSize: 1,
      statementTimeoutSeconds: 1,
      preparedStatements: true,
      connectTimeoutSeconds: 1,
    },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
}

/** A server that stops answering, clients that go, and streams: what is given up, on both sides. */
describe.skipIf(missing !== null)(
  `a PostgreSQL server that falls silent${missing === null ? '' : ` (${missing})`}`,
  () => {
    let opened: OpenTarget;
    let proxy: CuttingProxy;
    let database: Database;
    /** A session besides the gateway's, not by way of the proxy. */
    let other: pg.Client;
    beforeAll(async () => {
      opened = await postgresTarget.open();
      if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
      other = new pg.Client({ connectionString: opened.database.url });
      await other.connect();
      await other.query('CREATE TABLE num (id int PRIMARY KEY, n int)');
    });
    beforeEach(async () => {
      proxy = await cuttingProxy(opened.database);
      database = await openImpatiently(proxy.settings.url);
    });
    afterEach(async () => {
      await proxy.close();
      await database.close();
    });
    afterAll(async () => {
      await other.end();
      await opened.close();
    });

    /** How many statements the server runs for the gateway. */
    async function running(text: string): Promise<number> {
      const { rowCount } = await other.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'entitygate'
           AND state = 'active' AND query LIKE $1`,
        [`%${text}%`],
      );
      return rowCount ?? 0;
    }

    test('while connecting', async () => {
      const holding = new AbortController();
      const held = query(database, 'SELECT pg_sleep(20)', { signal: holding.signal });
      await pause(100);
      proxy.cut('now');
      expect(await nameOf(held)).toBe('databaseUnavailable');
      proxy.fallSilent();
      expect(await nameOf(query(database, 'SELECT 1'))).toBe('databaseUnavailable');
    });

    test.each([
      ['BEGIN', 'databaseUnavailable'],
      ['UPDATE', 'databaseUnavailable'],
      // With the end of its text: READ COMMITTED holds it, too.
      ['COMMIT\0', 'outcomeUnknown'],
    ])(
      'at %s',
      async (word, name) => {
        proxy.fallSilent(word);
        const work = transaction(database, (on) => change(on, 'UPDATE num SET n = 1'));
        expect(await nameOf(work)).toBe(name);
      },
      20_000,
    );

    test('at a read', async () => {
      proxy.fallSilent('SELECT 7');
      expect(await nameOf(query(database, 'SELECT 7'))).toBe('statementTimeout');
    });

    test('at a ROLLBACK, of which nobody is told', async () => {
      proxy.fallSilent('ROLLBACK');
      const work = transaction(database, () => Promise.reject(new RangeError('changed my mind')));
      expect(await nameOf(work)).toBe('RangeError: changed my mind');
    }, 20_000);

    test('a client that goes takes its statement with it, and the connection lives on', async () => {
      const pid = (await query(database, 'SELECT pg_backend_pid()'))[0]?.[0];
      const leaving = new AbortController();
      const work = query(database, 'SELECT pg_sleep(0.9)', { signal: leaving.signal });
      await pause(200);
      expect(await running('pg_sleep(0.9)')).toBe(1);
      leaving.abort();
      await expect(work).rejects.toThrow(ClientGone);
      expect(await running('pg_sleep(0.9)')).toBe(0);
      expect((await query(database, 'SELECT pg_backend_pid()'))[0]?.[0]).toBe(pid);
    });

    test('a client that goes in a transaction leaves nothing behind', async () => {
      await other.query('INSERT INTO num VALUES (1, 0)');
      const leaving = new AbortController();
      const { signal } = leaving;
      const work = database.transaction(
        async (on) => {
          await change(on, 'UPDATE num SET n = 5');
          leaving.abort();
        },
        { ...gatewayContext, signal },
      );
      await expect(work).rejects.toThrow(ClientGone);
      expect((await other.query('SELECT n FROM num')).rows).toEqual([{ n: 0 }]);
      expect(await query(database, 'SELECT n FROM num')).toEqual([['0']]);
    });

    test('an exhausted pool says so', async () => {
      const held = transaction(database, () => pause(1500));
      await vi.waitFor(() => expect(database.pool().used).toBe(1), { timeout: 20_000 });
      expect(await nameOf(query(database, 'SELECT 1'))).toBe('connectionsBusy');
      await held;
    });

    test('of a stream of a million rows no more is fetched than is taken', async () => {
      const many = command("SELECT i, repeat('x', 500) FROM generate_series(1, 1000000) AS s(i)");
      const before = process.memoryUsage().rss;
      let last: unknown;
      let taken = 0;
      for await (const rows of database.stream(many, gatewayContext)) {
        taken += rows.length;
        last = rows.at(-1)?.[0];
        if (taken >= 10_000) break;
      }
      expect([taken, last]).toEqual([10_240, '10240']);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
      const { rows } = await other.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'entitygate' AND state <> 'idle'`,
      );
      expect(rows).toEqual([{ n: 0 }]);
      expect(await query(database, 'SELECT 1')).toEqual([['1']]);
    });

    test('a slow reader of a stream is not cut off', async () => {
      const rows = command('SELECT i FROM generate_series(1, 600) AS s(i)');
      let taken = 0;
      for await (const batch of database.stream(rows, gatewayContext)) {
        taken += batch.length;
        await pause(600);
      }
      expect(taken).toBe(600);
    });

    test('settings of a role or a URL do not change how values are read', async () => {
      const url = new URL(opened.database.engine === 'postgres' ? opened.database.url : '');
      url.searchParams.set('options', '-c DateStyle=German -c TimeZone=Asia/Tokyo');
      const other = await openImpatiently(url.href);
      const text =
        "SELECT timestamptz '2024-02-29 12:00:00Z', current_setting('statement_timeout')";
      expect(await query(other, text)).toEqual([['2024-02-29 12:00:00+00', '1s']]);
      await other.close();
    });

    test('a procedure answers what goes out', async () => {
      await other.query(
        'CREATE PROCEDURE twice(a int, INOUT b int, OUT c text) LANGUAGE plpgsql AS ' +
          "'BEGIN b := a * 2 + b; c := a::text; END'",
      );
      const type = { kind: 'integer', bits: 32, signed: true, native: 'int4' } as const;
      const call = command('CALL twice($1, $2, NULL)', 'write', [
        [{ kind: 'rowField', index: 0, type }, '20'],
        [{ kind: 'rowField', index: 1, type }, '2'],
      ]);
      expect(await database.call(call, gatewayContext)).toEqual([
        { columns: ['b', 'c'], rows: [['42', '20']] },
      ]);
    });

    test('an owner of a connection is told of its loss, once', async () => {
      const lost: string[] = [];
      const kept = await database.dedicated(({ message }) => lost.push(message));
      const pid = (await query(kept, 'SELECT pg_backend_pid()'))[0]?.[0];
      await query(kept, 'SELECT pg_advisory_lock(5)');
      const closed = await database.dedicated(() => lost.push('closed by its owner'));
      await closed.close();
      await other.query('SELECT pg_terminate_backend($1)', [pid]);
      await pause(200);
      expect(lost).toHaveLength(1);
      expect(lost[0]).toMatch(/terminating connection|terminated/);
      expect(await nameOf(query(kept, 'SELECT 1'))).toBe('databaseUnavailable');
    });
  },
);
