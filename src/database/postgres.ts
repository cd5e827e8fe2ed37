import pg from 'pg';
import type { PostgresConfig } from '../config/config.ts';
import { ProtocolError, StartupError } from '../base/errors.ts';
import type { BoundParameter, DialectSettings } from '../sql/dialect.ts';
import type { Database, Row, Session } from './database.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { isLost, postgresChangeError, postgresError } from './postgres-errors.ts';
import {
  dialectFor,
  OLDEST_VERSION,
  sessionQueries,
  sessionSettings,
  versionQuery,
} from './postgres-session.ts';
import { connectPatiently, reason, type OnWait } from './wait.ts';
import { inTransaction, type OpenTransaction } from './work.ts';

/** Hands every value over as the text that came over the wire: the readers of the dialect know what it is. */
const asText = { getTypeParser: () => (value: unknown) => value };

/**
 * Opens a pool of connections to a PostgreSQL server.
 * @throws StartupError when the server cannot be reached, refuses the login or is too old
 */
export async function openPostgres(
  config: PostgresConfig,
  settings: DialectSettings,
  onWait: OnWait = () => undefined,
): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.poolSize,
    connectionTimeoutMillis: config.connectTimeoutSeconds * 1000,
    statement_timeout: config.statementTimeoutSeconds * 1000,
    application_name: 'entitygate',
    keepAlive: true,
    options: Object.entries(sessionSettings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    types: asText,
  });
  // An idle connection that breaks must not end the process: the pool drops it and the next request opens another.
  pool.on('error', () => undefined);

  const query = reader(pool);

  let found: Row | undefined;
  try {
    [found] = await connectPatiently(() => query(versionQuery, []), {
      name: `PostgreSQL at ${redacted(config.url)}`,
      seconds: config.startupWaitSeconds,
      mayPass: (error) => error instanceof ProtocolError && error.errorName === 'databaseAway',
      onWait,
    });
  } catch (error) {
    await pool.end();
    throw new StartupError([
      {
        where: 'database',
        message: `PostgreSQL at ${redacted(config.url)} cannot be used: ${reason(error)}`,
      },
    ]);
  }
  const [number, release, version] = found as [string, string, string];
  if (Number(number) < OLDEST_VERSION * 10_000) {
    await pool.end();
    throw new StartupError([
      {
        where: 'database',
        message: `PostgreSQL ${release} is too old: ${OLDEST_VERSION} and later are supported`,
      },
    ]);
  }
  return {
    dialect: dialectFor(number, settings),
    version,
    ...sessionQueries(query),
    primary: {
      query,
      change: async (text, values) => {
        const client = await acquire(pool);
        try {
          const rows = await run(client, text, values);
          giveBack(client, false);
          return rows;
        } catch (error) {
          giveBack(client, isLost(error));
          throw postgresChangeError(error, 'unknown');
        }
      },
    },
    transaction: async (work) => inTransaction(await begin(pool), work),
    close: () => pool.end(),
  };
}

async function run(
  on: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly BoundParameter[],
): Promise<readonly Row[]> {
  const result = await on.query<unknown[]>({
    text,
    values: values.map(({ value }) => value),
    rowMode: 'array',
  });
  return result.rows;
}

function reader(on: pg.Pool | pg.PoolClient): Session['query'] {
  return async (text, values) => {
    try {
      return await run(on, text, values);
    } catch (error) {
      throw postgresError(error);
    }
  };
}

/** A connection of its own: whatever keeps it from coming, nothing has been done yet. */
async function acquire(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    const client = await pool.connect();
    // Outside of the pool nobody else listens: a break between two statements would end the process.
    client.on('error', ignore);
    return client;
  } catch (error) {
    throw databaseError(databaseErrors.away, error);
  }
}

function giveBack(client: pg.PoolClient, isBroken: boolean): void {
  client.release(isBroken);
  client.off('error', ignore);
}

function ignore(): void {
  // The statement that meets the break tells of it.
}

async function begin(pool: pg.Pool): Promise<OpenTransaction> {
  const client = await acquire(pool);
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  } catch (error) {
    giveBack(client, true);
    throw databaseError(databaseErrors.away, error);
  }
  return {
    session: {
      query: reader(client),
      change: async (text, values) => {
        try {
          return await run(client, text, values);
        } catch (error) {
          throw postgresChangeError(error, 'rolledBack');
        }
      },
    },
    commit: async () => {
      try {
        await client.query('COMMIT');
        giveBack(client, false);
      } catch (error) {
        giveBack(client, isLost(error));
        throw postgresChangeError(error, 'unknown');
      }
    },
    rollback: async () => {
      try {
        await client.query('ROLLBACK');
        giveBack(client, false);
      } catch {
        giveBack(client, true);
      }
    },
  };
}

/** The connection URL without its password. */
function redacted(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/i, '$1:***@');
}
