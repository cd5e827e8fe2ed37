import pg from 'pg';
import type { PostgresConfig } from '../config/config.ts';
import { ProtocolError, StartupError } from '../base/errors.ts';
import type { BoundParameter, DialectSettings } from '../sql/dialect.ts';
import type { Database, Row } from './database.ts';
import {
  dialectFor,
  OLDEST_VERSION,
  postgresError,
  sessionQueries,
  sessionSettings,
  versionQuery,
} from './postgres-session.ts';
import { connectPatiently, reason, type OnWait } from './wait.ts';

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

  const query = async (
    text: string,
    values: readonly BoundParameter[],
  ): Promise<readonly Row[]> => {
    try {
      const result = await pool.query<unknown[]>({
        text,
        values: values.map(({ value }) => value),
        rowMode: 'array',
      });
      return result.rows;
    } catch (error) {
      throw postgresError(error);
    }
  };

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
    close: () => pool.end(),
  };
}

/** The connection URL without its password. */
function redacted(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/i, '$1:***@');
}
