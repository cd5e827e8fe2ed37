import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { Database } from '../../src/database/database.ts';
import { openPostgres } from '../../src/database/postgres/open.ts';
import { rows } from '../rows.ts';
import { describeWith } from '../targets/missing.ts';
import { executeScript, openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { change, query } from '../targets/sql.ts';
import type { OpenTarget } from '../targets/target.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';

const missing = await postgresTarget.unavailable();

const ROLE = `entitygate_refused_${process.pid}`;

/** What the administrator of a server can do to a gateway that runs: each has words of its own, and passes. */
describeWith(missing, 'a PostgreSQL server that refuses', () => {
  let opened: OpenTarget;
  let administrator: pg.Client;
  let url: URL;
  let name: string;
  let database: Database;
  beforeAll(async () => {
    opened = await openPostgresDatabase(
      `CREATE TABLE num (id int PRIMARY KEY, n int); INSERT INTO num VALUES (1, 0);
         CREATE ROLE ${ROLE} LOGIN PASSWORD 'first'; GRANT ALL ON num TO ${ROLE}`,
    );
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    url = new URL(opened.database.url);
    name = url.pathname.slice(1);
    const server = new URL(url);
    server.pathname = '/postgres';
    administrator = new pg.Client({ connectionString: server.href });
    await administrator.connect();
    url.username = ROLE;
    url.password = 'first';
  });
  beforeEach(async () => {
    database = await openPostgres(
      {
        engine: 'postgres',
        url: url.href,
        ...SERVER_SETTINGS,
        poolSize: 2,
        statementTimeoutSeconds: 10,
        lockTimeoutSeconds: 5,
        preparedStatements: true,
        connectTimeoutSeconds: 10,
      },
      { timeZone: 'UTC', bigNumbersAsStrings: false },
    );
  });
  afterEach(() => database.close());
  afterAll(async () => {
    await opened.close();
    await administrator.query(`DROP ROLE ${ROLE}`);
    await administrator.end();
  });

  /** Ends the gateway's connections, so that it has to make others. */
  const cut = (): Promise<unknown> =>
    administrator.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1',
      [name],
    );

  async function told(work: Promise<unknown>): Promise<unknown[]> {
    const error: unknown = await work.then(
      () => new Error('it did not fail'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ProtocolError)) throw error;
    return [error.errorName, error.message];
  }

  const read = (): Promise<unknown> => query(database, 'SELECT n FROM num');
  const write = (): Promise<unknown> => change(database, 'UPDATE num SET n = n + 1');

  /** Asks until the connections are gone that were cut while nobody used them. */
  async function refused(): Promise<unknown[]> {
    let last = await told(read());
    for (let more = 0; more < 3 && last[0] === 'databaseUnavailable'; more += 1) {
      last = await told(read());
    }
    return last;
  }

  const TELL = 'Tell the gateway’s operator.';
  const LOGIN = `The database refuses the gateway’s login: its password or its right to connect has changed. ${TELL}`;

  test.each(rows`
      the role may not log in any more | ALTER ROLE @role NOLOGIN | ALTER ROLE @role LOGIN | ${LOGIN}
      the right to connect is gone | REVOKE CONNECT ON DATABASE @name FROM PUBLIC | GRANT CONNECT ON DATABASE @name TO PUBLIC | ${LOGIN}
      the role may have no more connections | ALTER ROLE @role CONNECTION LIMIT 0 | ALTER ROLE @role CONNECTION LIMIT -1
        | The database accepts no more connections at the moment. Try again later.
      the database takes no connections | ALTER DATABASE @name ALLOW_CONNECTIONS false | ALTER DATABASE @name ALLOW_CONNECTIONS true
        | The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.
      the database has another name | ALTER DATABASE @name RENAME TO @name_gone | ALTER DATABASE @name_gone RENAME TO @name
        | The gateway’s database no longer exists, or its login may not open it. ${TELL}
    `)('%s', async (_title, ...[first = '', second = '', message = '']) => {
    const [refusing, back] = [first, second].map((text) =>
      text.replaceAll('@role', ROLE).replaceAll('@name', name),
    ) as [string, string];
    const expected = ['databaseUnable', message];
    await read();
    const renames = refusing.includes('RENAME');
    if (renames) await cut();
    await administrator.query(refusing);
    await cut();
    try {
      expect(await refused()).toEqual(expected);
      expect(await told(write())).toEqual(expected);
      expect(await told(database.dedicated(() => undefined))).toEqual(expected);
      expect(await told(database.ping(new AbortController().signal))).toEqual(expected);
    } finally {
      await administrator.query(back);
    }
    expect(await read()).toHaveLength(1);
    await database.ping(new AbortController().signal);
  });

  test('the role may have fewer connections than the pool: requests wait for one, and the database answers', async () => {
    await read();
    await cut();
    await administrator.query(`ALTER ROLE ${ROLE} CONNECTION LIMIT 1`);
    try {
      await read().catch(() => undefined);
      const { signal } = new AbortController();
      const works = [1, 2, 3].map(() => query(database, 'SELECT n, pg_sleep(0.1) FROM num'));
      const waiting = [...works, write(), database.ping(signal)];
      await Promise.all([...waiting, database.introspect()]);
      await database.ping(signal);
      // After some seconds it tries for more again.
      const usage = async (): Promise<unknown> => {
        await Promise.all([read(), read()]);
        return database.pool();
      };
      await expect.poll(usage).toEqual({ size: 1, used: 0, waiting: 0 });
    } finally {
      await administrator.query(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`);
    }
  });

  test('the schema may take longer to read than a statement of a request', async () => {
    const waits: string[] = [];
    const config = opened.database as Parameters<typeof openPostgres>[0];
    const busy = await openPostgres(
      { ...config, statementTimeoutSeconds: 2 },
      { timeZone: 'UTC', bigNumbersAsStrings: false },
      (message) => waits.push(message),
    );
    const other = new pg.Client({ connectionString: config.url });
    await other.connect();
    try {
      await other.query('BEGIN; LOCK TABLE pg_catalog.pg_constraint');
      const reading = busy.introspect();
      await expect(query(busy, 'SELECT pg_sleep(20)')).rejects.toMatchObject({
        errorName: 'statementTimeout',
      });
      await expect.poll(() => waits).not.toEqual([]);
      await other.query('COMMIT');
      expect((await reading).tables.map((table) => table.name)).toEqual(['num']);
      expect(waits[0]).toMatch(/^reading the schema of the database takes long: \d s so far$/);
      // The limit of the server is the short one again.
      expect(await query(busy, "SELECT current_setting('statement_timeout')")).toEqual([['2s']]);
    } finally {
      await other.end();
      await busy.close();
    }
  });

  test('a right on a table is gone', async () => {
    const owner = opened.database.engine === 'postgres' ? opened.database.url : '';
    await executeScript(owner, `REVOKE ALL ON num FROM ${ROLE}`);
    try {
      expect(await told(read())).toEqual([
        'mayNotRead',
        'The gateway’s user of the database may not read what this request asks for.',
      ]);
      await expect(write()).rejects.toMatchObject({
        violation: { rule: 'notAllowed', ofStatement: true },
      });
    } finally {
      await executeScript(owner, `GRANT ALL ON num TO ${ROLE}`);
    }
    expect(await write()).toEqual([]);
  });
});
