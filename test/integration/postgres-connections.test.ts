import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { ClientGone } from '../../src/base/time.ts';
import { gatewayContext, type RequestContext } from '../../src/base/observe/observer.ts';
import { NOBODY } from '../../src/base/principal.ts';
import type { PostgresConfig } from '../../src/config/config.ts';
import { retryingDeadlocks } from '../../src/database/connection.ts';
import type { Parameter } from '../../src/sql/ir/ir.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import { DatabaseRefusal } from '../../src/database/errors.ts';
import { openPostgres } from '../../src/database/postgres/open.ts';
import { describeWith } from '../targets/missing.ts';
import { startGateway } from '../targets/gateway.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';
import { change, command, query, transaction } from '../targets/sql.ts';
import type { OpenTarget } from '../targets/target.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';

const missing = await postgresTarget.unavailable();

async function nameOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof ProtocolError ? error.errorName : String(error);
}

/** Opens a database of one connection for a test: whoever does not give it back is found out by the next one. */
async function openOne(
  url: string,
  seconds: number,
  more: Partial<PostgresConfig> = {},
): Promise<Database> {
  const limits = { statementTimeoutSeconds: seconds, connectTimeoutSeconds: seconds };
  const settings = { ...SERVER_SETTINGS, poolSize: 1, preparedStatements: true, ...limits };
  const opened = await openPostgres(
    { engine: 'postgres', url, ...settings, ...more },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  onTestFinished(() => opened.close());
  return opened;
}

/** How many statements the server keeps that read the table, and the first and the last of their texts. */
const KEPT =
  'SELECT count(*), min(statement), max(statement) FROM pg_prepared_statements' +
  " WHERE statement LIKE '% FROM kept%' AND statement NOT LIKE '%pg_prepared%' AND statement LIKE 'SELECT%'";

const by = (name: string, signal?: AbortSignal): Partial<RequestContext> => ({
  ...{ ...gatewayContext, principal: { ...NOBODY, name } },
  ...(signal !== undefined && { signal }),
});

const UPDATE = 'UPDATE num SET n = n + 1 WHERE id = 1';
const SLOW = 'UPDATE num SET n = 1 WHERE pg_sleep(10) IS NOT NULL';
const add = (on: Connection): Promise<unknown> => change(on, UPDATE);

describeWith(missing, 'connections to a PostgreSQL server', () => {
  let opened: OpenTarget;
  let url: string;
  /** A session besides the gateway's. */
  let other: pg.Client;
  let database: Database;
  beforeAll(async () => {
    opened = await postgresTarget.open();
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    ({ url } = opened.database);
    other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('CREATE TABLE num (id int PRIMARY KEY, n int)');
  });
  beforeEach(async () => {
    await other.query('TRUNCATE num; INSERT INTO num VALUES (1, 0), (2, 0)');
  });
  afterAll(async () => {
    await other.end();
    await opened.close();
  });

  /** Ends the gateway's sessions, and waits for their end. */
  const cut = (): Promise<unknown> =>
    other.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'entitygate'`,
    );

  /** How many sessions the gateway has of which a condition holds. */
  async function sessions(condition: string): Promise<number | null> {
    const { rowCount } = await other.query(
      `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'entitygate' AND ${condition}`,
    );
    return rowCount;
  }

  /** Resolves when a session of the gateway has come to `pg_sleep`. */
  const sleeping = (): Promise<void> =>
    expect.poll(() => sessions("wait_event = 'PgSleep'"), { interval: 20 }).toBe(1);

  async function numbers(): Promise<unknown[]> {
    const { rows } = await other.query<{ n: number }>('SELECT n FROM num ORDER BY id');
    return rows.map(({ n }) => n);
  }

  describe('that are lost', () => {
    beforeEach(async () => {
      database = await openOne(url, 30);
    });
    afterEach(async () => {
      // The connection is back in the pool, without a transaction in it.
      const [before] = await numbers();
      await change(database, UPDATE);
      await transaction(database, add);
      expect((await numbers())[0]).toBe(Number(before) + 2);
    });

    test('between two statements, which is noticed: nothing was done', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        await cut();
        // What the server has sent comes in while nothing is asked.
        await pause(100);
      });
      expect(await nameOf(work)).toBe('databaseUnavailable');
      expect(await numbers()).toEqual([0, 0]);
    });

    const { statement, values } = command(SLOW, 'write');
    const own = { statement: { ...statement, commitsItself: 'statement' }, values } as const;
    test.each<[string, string, (on: Database) => Promise<unknown>]>([
      ['a change: nothing was done', 'databaseUnavailable', (on) => change(on, SLOW)],
      [
        'a change that commits itself: nobody knows',
        'outcomeUnknown',
        (on) => on.run(own, gatewayContext),
      ],
    ])('in the middle of %s', async (_, name, write) => {
      const work = nameOf(write(database));
      await sleeping();
      await cut();
      expect(await work).toBe(name);
    });

    test('while committing: nobody knows', async () => {
      await other.query(`
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(10); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON num DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION slow()`);
      try {
        const work = nameOf(transaction(database, add));
        await sleeping();
        await cut();
        expect(await work).toBe('outcomeUnknown');
      } finally {
        await other.query('DROP FUNCTION slow CASCADE');
      }
    });

    test('are not: work that passes over a failure does not pass for done, and its statements wait for each other', async () => {
      const work = transaction(database, async (session) => {
        await add(session);
        await change(session, 'INSERT INTO num VALUES (1)').catch(() => undefined);
      });
      await expect(work).rejects.toThrow(DatabaseRefusal);
      expect(await numbers()).toEqual([0, 0]);
      await transaction(database, (on) => Promise.all([add(on), add(on), add(on)]));
      expect(await numbers()).toEqual([3, 0]);
    });
  });

  describe('that fall silent', () => {
    let proxy: CuttingProxy;
    beforeEach(async () => {
      proxy = await cuttingProxy(opened.database);
      database = await openOne(proxy.settings.url ?? '', 2);
      // What the database waits for breaks first.
      onTestFinished(() => proxy.close());
    });

    test('while they are made', async () => {
      database = await openOne(proxy.settings.url ?? '', 2, { statementTimeoutSeconds: 30 });
      const held = nameOf(query(database, 'SELECT pg_sleep(20)'));
      await sleeping();
      proxy.cut('now');
      expect(await held).toBe('databaseUnavailable');
      proxy.fallSilent();
      expect(await nameOf(query(database, 'SELECT 1'))).toBe('databaseUnavailable');
    });

    test.each<[string, string, (on: Database) => Promise<unknown>]>([
      ['SELECT 7', 'statementTimeout', (on) => query(on, 'SELECT 7')],
      ['BEGIN', 'databaseUnavailable', (on) => transaction(on, add)],
      ['UPDATE', 'databaseUnavailable', (on) => transaction(on, add)],
      // With the end of its text: READ COMMITTED holds it, too.
      ['COMMIT\0', 'outcomeUnknown', (on) => transaction(on, add)],
      [
        'ROLLBACK',
        'RangeError: changed my mind',
        (on) => transaction(on, () => Promise.reject(new RangeError('changed my mind'))),
      ],
    ])('at %s', async (word, name, work) => {
      proxy.fallSilent(word);
      expect(await nameOf(work(database))).toBe(name);
    });
  });

  describe('that clients leave, or use for long', () => {
    beforeEach(async () => {
      database = await openOne(url, 30);
    });

    test('a client that goes takes its statement with it, and what its transaction did, and the connection lives on', async () => {
      const pid = await query(database, 'SELECT pg_backend_pid()');
      const [first, second] = [new AbortController(), new AbortController()];
      const work = query(database, 'SELECT pg_sleep(25)', { signal: first.signal });
      await sleeping();
      first.abort();
      await expect(work).rejects.toThrow(ClientGone);
      expect(await sessions("state = 'active'")).toBe(0);
      const change = database.transaction(
        async (on) => {
          await add(on);
          second.abort();
        },
        { ...gatewayContext, signal: second.signal },
      );
      await expect(change).rejects.toThrow(ClientGone);
      expect(await numbers()).toEqual([0, 0]);
      expect(await query(database, 'SELECT pg_backend_pid()')).toEqual(pid);
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
      expect(await sessions("state <> 'idle'")).toBe(0);
      expect(await query(database, 'SELECT 1')).toEqual([['1']]);
    });

    test('a slow reader of a stream is not cut off', async () => {
      database = await openOne(url, 1, { connectTimeoutSeconds: 30 });
      const rows = command('SELECT i FROM generate_series(1, 600) AS s(i)');
      let taken = 0;
      for await (const batch of database.stream(rows, gatewayContext)) {
        taken += batch.length;
        await pause(600);
      }
      expect(taken).toBe(600);
    });

    test('settings of a role or a URL do not change how values are read', async () => {
      const odd = new URL(url);
      odd.searchParams.set('options', '-c DateStyle=German -c TimeZone=Asia/Tokyo');
      const there = await openOne(odd.href, 7);
      const text =
        "SELECT timestamptz '2024-02-29 12:00:00Z', current_setting('statement_timeout')";
      expect(await query(there, text)).toEqual([['2024-02-29 12:00:00+00', '7s']]);
    });
  });

  describe('that tell who asks', () => {
    const whoAsks = "SELECT current_setting('entitygate.user', true)";

    test('shows rows by a policy that sees who asks', async () => {
      database = await openOne(url, 30, { tellUser: true });
      const role = `told_policy_${process.pid}`;
      try {
        await change(database, 'CREATE TABLE own_note (id int PRIMARY KEY, owner text NOT NULL)');
        await change(database, `INSERT INTO own_note VALUES (1, 'ann'), (2, 'bob'), (3, 'ann')`);
        await change(database, 'ALTER TABLE own_note ENABLE ROW LEVEL SECURITY');
        const policy = "owner = current_setting('entitygate.user', true)";
        await change(database, `CREATE POLICY own ON own_note USING (${policy})`);
        await change(database, `CREATE ROLE ${role}`);
        await change(database, `GRANT SELECT, UPDATE ON own_note TO ${role}`);
        const own = new URL(url);
        own.searchParams.set('options', `-c role=${role}`);
        const limited = await openOne(own.href, 30, { tellUser: true });
        const ids = async (activity: Partial<RequestContext>): Promise<unknown> =>
          (await query(limited, 'SELECT id FROM own_note ORDER BY id', activity)).flat();
        expect(await Promise.all([ids(by('ann')), ids(by('bob')), ids({})])).toEqual([
          ['1', '3'],
          ['2'],
          [],
        ]);
        const moved = 'UPDATE own_note SET id = id + 10 RETURNING id';
        expect(await change(limited, moved, by('bob'))).toEqual([['12']]);
      } finally {
        await change(database, `DROP OWNED BY ${role}`);
        await change(database, `DROP ROLE ${role}`);
      }
    });

    test('forgets who asked when a statement is cancelled or takes too long', async () => {
      database = await openOne(url, 10, { tellUser: true });
      const running =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep' AND query LIKE '%(9.91)%'";
      const leaving = new AbortController();
      const { signal } = leaving;
      const pid = await query(database, 'SELECT pg_backend_pid()');
      const left = query(database, 'SELECT pg_sleep(9.91)', by('ann', signal));
      const isRunning = async (): Promise<unknown> => (await other.query(running)).rowCount;
      await expect.poll(isRunning, { timeout: 9000 }).toBe(1);
      leaving.abort();
      await expect(left).rejects.toThrow(ClientGone);
      expect(await query(database, whoAsks)).toEqual([['']]);
      const late = query(database, 'SELECT pg_sleep(20)', by('ann'));
      await expect(late).rejects.toThrow('took too long');
      expect(await query(database, whoAsks)).toEqual([['']]);
      // It was the same connection all the time.
      expect(await query(database, 'SELECT pg_backend_pid()')).toEqual(pid);
    });
  });

  describe('that keep statements', () => {
    /** Opens a database of so many connections, with a table of two rows. */
    async function open(poolSize: number, more: Partial<PostgresConfig> = {}): Promise<void> {
      database = await openOne(url, 30, { poolSize, ...more });
      await change(database, 'DROP TABLE IF EXISTS kept');
      await change(database, 'CREATE TABLE kept AS SELECT n FROM generate_series(1, 2) n');
    }

    test('are as many as may be, those that were run last', async () => {
      await open(1);
      for (let n = 0; n < 300; n += 1) await query(database, `SELECT n FROM kept WHERE n > ${n}`);
      // The question is kept, too, in the place of the oldest one that was left.
      expect(await query(database, KEPT)).toEqual([
        ['256', 'SELECT n FROM kept WHERE n > 100', 'SELECT n FROM kept WHERE n > 99'],
      ]);
      expect(await query(database, KEPT)).toEqual([
        ['255', 'SELECT n FROM kept WHERE n > 100', 'SELECT n FROM kept WHERE n > 99'],
      ]);
    });

    test('are told who asks again behind a transaction that could not be committed', async () => {
      await open(1, { tellUser: true });
      await change(database, 'ALTER TABLE kept ADD UNIQUE (n) DEFERRABLE INITIALLY DEFERRED');
      const twice = transaction(database, (on) => change(on, 'INSERT INTO kept VALUES (1)'));
      await expect(twice).rejects.toThrow();
      const principal = { ...NOBODY, name: 'ada' };
      const asked = "SELECT current_setting('entitygate.user', true)";
      expect(await query(database, asked, { principal })).toEqual([['ada']]);
    });

    test('are planned once where all values are alike, and otherwise each time', async () => {
      await open(1);
      const type = { kind: 'integer', native: 'int4', bits: 32, signed: true } as const;
      const value: Parameter = {
        kind: 'parameter',
        source: { from: 'request', parameter: 0 },
        type,
        use: 'value',
        meets: 'n',
      };
      const one = command('SELECT n AS one FROM kept WHERE n = $1::int', 'read', [[value, '1']]);
      const few = command('SELECT n AS few FROM kept WHERE n > $1::int', 'read', [[value, '0']]);
      const keyed = { ...one, statement: { ...one.statement, findsOne: true as const } };
      for (let time = 0; time < 10; time += 1) {
        for (const asked of [keyed, few]) {
          await transaction(database, (connection) => connection.run(asked, gatewayContext));
        }
        // What is rolled back takes the session's setting back.
        const failing = transaction(database, async (connection) => {
          await connection.run(time % 2 === 0 ? keyed : few, gatewayContext);
          throw new Error('back');
        });
        await expect(failing).rejects.toThrow('back');
      }
      const counts =
        'SELECT substring(statement, 13, 3), generic_plans, custom_plans FROM pg_prepared_statements' +
        " WHERE statement LIKE '% FROM kept WHERE%' AND statement NOT LIKE '%pg_prepared%' ORDER BY 1";
      expect(await query(database, counts)).toEqual([
        ['few', '0', '15'],
        ['one', '10', '5'],
      ]);
    });

    test('answer other columns when a table has them', async () => {
      await open(2);
      const text = 'SELECT * FROM kept ORDER BY n';
      const both = (): Promise<unknown[]> =>
        Promise.all([1, 2].map(() => database.run(command(text), gatewayContext)));
      const [before] = await both();
      expect(before).toEqual({ columns: ['n'], rows: [['1'], ['2']] });
      await change(database, 'ALTER TABLE kept ADD COLUMN m text');
      const after = {
        columns: ['n', 'm'],
        rows: [
          ['1', null],
          ['2', null],
        ],
      };
      expect(await both()).toEqual([after, after]);
    });

    test('in a transaction, too, which is begun again', async () => {
      await open(1);
      const text = 'SELECT * FROM kept ORDER BY n';
      const read = (): Promise<unknown> =>
        retryingDeadlocks(() => transaction(database, (connection) => query(connection, text)));
      await read();
      await change(database, 'ALTER TABLE kept ALTER COLUMN n TYPE text');
      expect(await read()).toEqual([['1'], ['2']]);
    });
  });

  test('that the server cuts while they are idle are not missed for long, and those that nobody needs any more are given up', async () => {
    const gateway = await startGateway(opened.database);
    onTestFinished(gateway.close);
    const statusOf = async (): Promise<number> => (await gateway.get('/rest/Company(1)')).status;
    expect(await statusOf()).toBe(200);
    await cut();
    const statuses = [await statusOf(), await statusOf(), await statusOf(), await statusOf()];
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await statusOf()).toBe(200);
    const own = async (): Promise<number> =>
      (await sessions("query NOT LIKE '%pg_advisory%'")) ?? 0;
    const before = await own();
    const busy = async (): Promise<number> => {
      await Promise.all([1, 2, 3, 4].map(() => query(gateway.database, 'SELECT pg_sleep(0.2)')));
      return own();
    };
    await expect.poll(busy).toBeGreaterThan(2);
    // One that is asked for again and again stays.
    const asking = setInterval(() => void statusOf(), 200);
    onTestFinished(() => clearInterval(asking));
    const poll = { timeout: 30_000, interval: 500 };
    await expect.poll(own, poll).toBeLessThanOrEqual(before + 1);
    clearInterval(asking);
    const slow = query(gateway.database, 'SELECT pg_sleep(0.5), 1');
    await gateway.close();
    expect(await slow).toHaveLength(1);
  });
});
