import type { Dialect } from '../sql/dialect.ts';
import { postgresDialect } from '../sql/postgres/dialect.ts';
import type { DialectSettings } from '../sql/dialect.ts';
import { ProtocolError, type ErrorName } from '../base/errors.ts';

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
  if (state === '57014') {
    return {
      name: 'statementTimeout',
      message: 'The database took longer over this request than it may. Narrow the request.',
    };
  }
  const isConnection =
    /^(08|57P|53)/.test(state) ||
    /^(E[A-Z]+|ENOTFOUND)$/.test(state) ||
    /terminat|timeout|closed|not queryable/i.test(error instanceof Error ? error.message : '');
  if (isConnection) {
    return {
      name: 'databaseAway',
      message: 'The database cannot be reached at the moment. Try again later.',
    };
  }
  return { name: 'refusedByDatabase', message: 'The database refused the statement.' };
}
