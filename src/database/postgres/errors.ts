import type { DriverErrors } from '../driver.ts';
import { type DatabaseError, databaseErrors } from '../errors.ts';
import { isRaise, postgresViolation, stateOf } from './violation.ts';

/**
 * What has nothing to do with the rows of a statement, by SQLSTATE or by its class.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const transient: Readonly<Partial<Record<string, DatabaseError>>> = {
  // A transaction lost against another one, and a new one may win.
  '40001': databaseErrors.deadlock,
  '40P01': databaseErrors.deadlock,
  // A standby, or one whose administrator has said so.
  '25006': databaseErrors.readOnly,
  '53': databaseErrors.busy,
  '53100': databaseErrors.noSpace,
  '53300': databaseErrors.tooManyConnections,
  '53200': databaseErrors.noMemory,
  // A limit that its administrator has set (configuration_limit_exceeded).
  '53400': databaseErrors.tooMuch,
  '55006': databaseErrors.locked,
  '55P03': databaseErrors.locked,
  '57': databaseErrors.unavailable,
  '57014': databaseErrors.timeout,
  '58': databaseErrors.failing,
  XX: databaseErrors.failing,
};

/**
 * Whether a statement that the server keeps parsed answers other columns than when it was parsed: a table was altered meanwhile. Parsed once more, it
 * is run. The number is that of whatever is not supported, so that the server's own routine tells.
 */
export function isStale(error: unknown): boolean {
  return (
    stateOf(error) === '0A000' &&
    (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery'
  );
}

/** What passes by itself, or is the server's own affair; null for what speaks of the statement or its rows. */
function transientError(error: unknown): DatabaseError | null {
  // A trigger may raise any state.
  if (isRaise(error)) return null;
  if (isStale(error)) return databaseErrors.deadlock;
  const state = stateOf(error);
  return transient[state] ?? transient[state.slice(0, 2)] ?? null;
}

/** What clients are told of a read that PostgreSQL refuses. */
function refusedRead(error: unknown): DatabaseError {
  switch (stateOf(error)) {
    // Before version 16 the server cannot be asked whether text is JSON without failing on text that is not.
    case '22P02':
      return databaseErrors.unreadable;
    // Of what a SELECT opens, a materialized view alone has to be made ready (https://www.postgresql.org/docs/current/sql-refreshmaterializedview.html).
    case '55000':
      return isRaise(error) ? databaseErrors.refused : databaseErrors.unfilled;
    case '22P05':
      return databaseErrors.unencodable;
    default:
      return databaseErrors.refused;
  }
}

/** Whether the connection is gone: the server said that it ends it, or said nothing any more. */
export function isLost(error: unknown): boolean {
  // A trigger may raise any state.
  if (isRaise(error)) return false;
  const state = stateOf(error);
  // 25P03 and 25P04 end the session of a transaction that is idle, or open, for too long.
  return state === '' || /^(?:08|57P0|25P0[34])/.test(state);
}

/** The drivers say it of a connection, or an embedded database, that they know to be gone already. */
function wasSent(error: unknown): boolean {
  return !/not queryable|is clos/i.test(error instanceof Error ? error.message : '');
}

/** What has nothing to do with the statement itself, by what the server or the driver says. */
function classify(error: unknown): DatabaseError | null {
  if (stateOf(error) !== '')
    return isLost(error) ? databaseErrors.unavailable : transientError(error);
  const { code, message } = error as { code?: unknown; message?: unknown };
  // Only where the server has not spoken do words tell: what a trigger raises may hold any of them.
  const isConnection =
    /^E[A-Z]+$/.test(String(code)) ||
    /terminat|timeout|closed|not queryable/i.test(String(message));
  return isConnection ? databaseErrors.unavailable : null;
}

/**
 * Why there is no connection, by SQLSTATE or by its class.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const refusals: Readonly<Partial<Record<string, DatabaseError>>> = {
  // An unknown password, a role that may not log in, or one that pg_hba.conf does not let in.
  '28': databaseErrors.loginRefused,
  // The right to connect to the database.
  '42501': databaseErrors.loginRefused,
  '3D000': databaseErrors.missing,
  '53300': databaseErrors.tooManyConnections,
  // ALLOW_CONNECTIONS is false.
  '55000': databaseErrors.closed,
  // It starts, stops or recovers.
  '57P03': databaseErrors.moving,
};

function connecting(error: unknown): DatabaseError {
  const state = stateOf(error);
  const refusal = refusals[state] ?? refusals[state.slice(0, 2)];
  return refusal ?? classify(error) ?? databaseErrors.unavailable;
}

/** PostgreSQL's errors, whether it runs on a server or in the process. */
export const postgresErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead,
  violation: postgresViolation,
};
