import { postgresSchemaQuery, readPostgresSchema } from '../schema/postgres.ts';
import type { Dialect } from '../sql/dialect.ts';
import { postgresDialect } from '../sql/postgres/dialect.ts';
import type { DialectSettings } from '../sql/dialect.ts';
import type { Database } from './database.ts';

/**
 * The session settings that fix how PostgreSQL writes values as text, whatever the server, database or role defaults.
 * https://www.postgresql.org/docs/current/runtime-config-client.html
 */
export const sessionSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
} as const;

/** The statement that asks for the version number and the version string. */
export const versionQuery =
  "SELECT current_setting('server_version_num'), current_setting('server_version'), version()";

/** The oldest major version whose catalogs and functions the gateway relies on. */
export const OLDEST_VERSION = 14;

/** The dialect for a server that answered {@link versionQuery} with this number (`150018`). */
export function dialectFor(versionNumber: string, settings: DialectSettings): Dialect {
  return postgresDialect(settings, { version: Math.floor(Number(versionNumber) / 10_000) });
}

/** What a session asks on the gateway's own behalf, by its way of running a statement. */
export function sessionQueries(
  query: Database['query'],
): Pick<Database, 'query' | 'introspect' | 'ping'> {
  return {
    query,
    introspect: async () => {
      const rows = await query(postgresSchemaQuery, []);
      return readPostgresSchema(rows[0]?.[0] as string);
    },
    ping: async () => {
      await query('SELECT 1', []);
    },
  };
}
