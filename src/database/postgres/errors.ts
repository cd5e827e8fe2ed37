import type { DriverErrors } from '../driver.ts';
import { databaseErrors, type DatabaseError } from '../errors.ts';
import { transientError } from './transient.ts';
import { isRaise, postgresViolation, stateOf } from './violation.ts';

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
