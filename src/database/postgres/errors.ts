import type { DriverErrors } from '../driver.ts';
import { type DatabaseError, databaseErrors } from '../errors.ts';
import { isRaise, parameterOf, postgresViolation, stateOf } from './violation.ts';

/** Errors that are not those of a statement or its rows, by SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const transient: Readonly<Partial<Record<string, DatabaseError>>> = {
  // The transaction lost against another one; a new one may win.
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

/** Whether a kept statement must be parsed again, as an altered table has other columns. Its SQLSTATE is general, so the routine decides. */
export function isStale(error: unknown): boolean {
  return (
    stateOf(error) === '0A000' &&
    (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery'
  );
}

function refusedRead(error: unknown): DatabaseError {
  switch (stateOf(error)) {
    // Before version 16 the server cannot test whether text is JSON.
    case '22P02':
      return databaseErrors.unreadable;
    // A materialized view that was never filled (https://www.postgresql.org/docs/current/sql-refreshmaterializedview.html).
    case '55000':
      return isRaise(error) ? databaseErrors.refused : databaseErrors.unfilled;
    case '22P05':
      return databaseErrors.unencodable;
    default:
      return databaseErrors.refused;
  }
}

/** Whether the server has ended the connection, or the error is not the server's. */
export function isLost(error: unknown): boolean {
  // A trigger may raise any state.
  if (isRaise(error)) return false;
  const state = stateOf(error);
  // 25P03 and 25P04 end the session of a transaction that is idle, or open, for too long.
  return state === '' || /^(?:08|57P0|25P0[34])/.test(state);
}

/** The drivers refuse commands on a connection, or an embedded database, that they know to be closed. */
function wasSent(error: unknown): boolean {
  return !/not queryable|is clos/i.test(error instanceof Error ? error.message : '');
}

function classify(error: unknown): DatabaseError | null {
  const state = stateOf(error);
  if (state !== '') {
    // A trigger may raise any state.
    if (isRaise(error)) return null;
    if (isLost(error)) return databaseErrors.unavailable;
    if (isStale(error)) return databaseErrors.deadlock;
    // Types of extensions refuse values by it, too.
    if (state === 'XX000' && parameterOf(error) !== null) return null;
    return transient[state] ?? transient[state.slice(0, 2)] ?? null;
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  // The message of a driver: that of the server may hold any word.
  const isConnection =
    /^E[A-Z]+$/.test(String(code)) ||
    /terminat|timeout|closed|not queryable/i.test(String(message));
  return isConnection ? databaseErrors.unavailable : null;
}

/** Reasons why a connection fails, by SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const refusals: Readonly<Partial<Record<string, DatabaseError>>> = {
  // A wrong password, or a role that may not log in, or not from here.
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

/** The errors of PostgreSQL, on a server or embedded. */
export const postgresErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead,
  violation: postgresViolation,
};
