import { postgresSchemaQuery, readPostgresSchema } from '../schema/postgres.ts';
import type { Dialect } from '../sql/dialect.ts';
import { postgresDialect } from '../sql/postgres/dialect.ts';
import type { DialectSettings } from '../sql/dialect.ts';
import { ProtocolError, type ErrorName } from '../base/errors.ts';
import type { Database } from './database.ts';
import { databaseErrors } from './errors.ts';

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

/**
 * The gateway's error for one of PostgreSQL's, by SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html) or by the driver's own code.
 */
export function postgresError(error: unknown): ProtocolError {
  const { name, message } = classify((error as { code?: unknown }).code, error);
  return new ProtocolError(name, message, undefined, error);
}

function classify(code: unknown, error: unknown): { name: ErrorName; message: string } {
  const state = typeof code === 'string' ? code : '';
  if (state === '57014') return databaseErrors.timeout;
  if (state === '40P01' || state === '40001') return databaseErrors.deadlock;
  // Before version 16 the server cannot be asked whether text is JSON without failing on text that is not.
  if (state === '22P02') return databaseErrors.unreadable;
  const isConnection =
    /^(08|57P|53)/.test(state) ||
    /^E[A-Z]+$/.test(state) ||
    /terminat|timeout|closed|not queryable/i.test(error instanceof Error ? error.message : '');
  return isConnection ? databaseErrors.away : databaseErrors.refused;
}
