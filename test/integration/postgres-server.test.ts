import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { postgresTarget } from '../targets/postgres.ts';
import type { OpenTarget } from '../targets/target.ts';
import { query } from '../targets/sql.ts';

const missing = await postgresTarget.unavailable();

/** What only a server of its own can do: vanish, refuse, be slow. */
describe.skipIf(missing !== null)(
  `a PostgreSQL server${missing === null ? '' : ` (${missing})`}`,
  () => {
    let opened: OpenTarget;
    let url: string;
    beforeAll(async () => {
      opened = await postgresTarget.open();
      if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
      ({ url } = opened.database);
    });
    afterAll(() => opened.close());

    /** Runs a statement. @returns how many rows it is about */
    async function execute(sql: string): Promise<number | null> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rowCount } = await client.query(sql);
      await client.end();
      return rowCount;
    }

    /** Cuts every connection but the one that does it. */
    const cut = (): Promise<unknown> =>
      execute(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );

    /** Resolves when a session has come to `pg_sleep`. */
    const sleeping = (): Promise<void> =>
      vi.waitFor(
        async () => {
          const found = await execute(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
          );
          expect(found).toBe(1);
        },
        { timeout: 20_000, interval: 50 },
      );

    async function withGateway(work: (gateway: Gateway) => Promise<void>): Promise<void> {
      const gateway = await startGateway(opened.database);
      try {
        await work(gateway);
      } finally {
        await gateway.close();
      }
    }

    test('that cuts idle connections is not noticed for long', () =>
      withGateway(async (gateway) => {
        expect((await gateway.get('/rest/Company(1)')).status).toBe(200);
        await cut();
        const statuses: number[] = [];
        for (let attempt = 0; attempt < 5; attempt += 1) {
          statuses.push((await gateway.get('/rest/Company(1)')).status);
        }
        expect(statuses.slice(0, -1).every((status) => status === 200 || status === 503)).toBe(
          true,
        );
        expect(statuses.at(-1)).toBe(200);
        expect((await gateway.get('/health/ready')).status).toBe(200);
      }));

    test('has no connections kept that many had use for at once and nobody has any more', () =>
      withGateway(async (gateway) => {
        const own = (): Promise<number | null> =>
          execute(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'entitygate' AND query NOT LIKE '%pg_advisory%'`,
          );
        const before = (await own()) ?? 0;
        await Promise.all([1, 2, 3, 4].map(() => query(gateway.database, 'SELECT pg_sleep(0.2)')));
        expect(await own()).toBeGreaterThan(2);
        // One that is asked for again and again stays.
        const asking = setInterval(() => void gateway.get('/rest/Company(1)'), 200);
        try {
          await vi.waitFor(async () => expect(await own()).toBeLessThanOrEqual(before + 1), {
            timeout: 30_000,
            interval: 500,
          });
        } finally {
          clearInterval(asking);
        }
      }));

    test('that cuts a statement short is answered with 503, and heals', () =>
      withGateway(async (gateway) => {
        const answer = query(gateway.database, 'SELECT pg_sleep(20)').then(
          () => null,
          (error: unknown) => (error as { errorName?: unknown }).errorName,
        );
        await sleeping();
        await cut();
        expect(await answer).toBe('databaseUnavailable');
        expect((await gateway.get('/rest/Company(1)')).status).toBe(200);
      }));

    test.each<[title: string, change: (url: URL) => void, message: RegExp]>([
      [
        'has no such database',
        (to) => (to.pathname = '/nowhere'),
        /database "nowhere" does not exist\. Check the name of the database, and whether this user may open it\.$/,
      ],
      [
        'has no such user',
        (to) => (to.username = 'nobody'),
        /cannot be used: .*(?:nobody|password)/,
      ],
      ['does not listen', (to) => (to.port = '1'), /connect ECONNREFUSED/],
    ])('that %s', async (_title, change, message) => {
      const to = new URL(url);
      change(to);
      if (opened.database.engine !== 'postgres') return;
      const problem = await startGateway({ ...opened.database, url: to.href }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(problem).toBeInstanceOf(StartupError);
      expect((problem as StartupError).message).toMatch(message);
      expect((problem as StartupError).message).toMatch(/^config\.yaml:\d+:\d+: PostgreSQL at /);
    });

    test('whose answer is awaited while the gateway closes', async () => {
      const gateway = await startGateway(opened.database);
      const slow = query(gateway.database, 'SELECT pg_sleep(0.5), 1');
      const answer = gateway.get('/rest/Employee?$top=2');
      await answer;
      await gateway.close();
      expect(await slow).toHaveLength(1);
    });
  },
);
