import pg from 'pg';
import type { PostgresConfig } from '../config/config.ts';
import { StartupError } from '../base/errors.ts';
import { postgresSchemaQuery, readPostgresSchema } from '../schema/postgres.ts';
import type { BoundParameter, DialectSettings } from '../sql/dialect.ts';
import type { Database, Row } from './database.ts';
import {
  dialectFor,
  OLDEST_VERSION,
  postgresError,
  sessionSettings,
  versionQuery,
} from './postgres-session.ts';

/** Hands every value over as the text that came over the wire: the readers of the dialect know what it is. */
const asText = { getTypeParser: () => (value: unknown) => value };

/**
 * Opens a pool of connections to a PostgreSQL server.
 * @throws StartupError when the server cannot be reached, refuses the login or is too old
 */
export async function openPostgres(
  config: PostgresConfig,
  settings: DialectSettings,
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
    [found] = await query(versionQuery, []);
  } catch (error) {
    await pool.end();
    const cause = error instanceof Error ? error.cause : error;
    throw new StartupError([
      {
        where: 'database',
        message: `PostgreSQL at ${redacted(config.url)} cannot be used: ${reason(cause)}`,
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
    query,
    introspect: async () => {
      const rows = await query(postgresSchemaQuery, []);
      return readPostgresSchema(rows[0]?.[0] as string);
    },
    ping: async () => {
      await query('SELECT 1', []);
    },
    close: () => pool.end(),
  };
}

function reason(error: unknown): string {
  if (error instanceof AggregateError) return reason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The connection URL without its password. */
function redacted(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^@]*@/i, '$1:***@');
}
