import type { ErrorName, ProtocolError } from '../base/errors.ts';
import { databaseError, databaseErrors, type WhenLost } from './errors.ts';
import { errorsOf, type DriverError } from './sqlserver-driver-errors.ts';
import { sqlServerViolation } from './sqlserver-violation.ts';
import { DatabaseRefusal } from './violation.ts';

/** The gateway's error for one of the driver's that a read met. */
export function sqlServerError(error: unknown): ProtocolError {
  return databaseError(classify(error) ?? databaseErrors.refused, error);
}

/** The gateway's error for one of the driver's that a change met. */
export function sqlServerChangeError(error: unknown, whenLost: WhenLost): ProtocolError {
  if (isLost(error)) {
    const outcome = whenLost === 'unknown' && wasSent(error) ? 'unknown' : 'away';
    return databaseError(databaseErrors[outcome], error);
  }
  const passing = classify(error);
  if (passing !== null) return databaseError(passing, error);
  return new DatabaseRefusal(sqlServerViolation(error), databaseErrors.refused.message, error);
}

/** The gateway's error for one of the driver's that a commit met: one that is given up may have been made. */
export function sqlServerCommitError(error: unknown): ProtocolError {
  if (isTimeout(error)) return databaseError(databaseErrors.unknown, error);
  return sqlServerChangeError(error, 'unknown');
}

/** The refusal of work whose transaction the server ended without an error, as a procedure's ROLLBACK does. */
export function rolledBackByServer(): DatabaseRefusal {
  return new DatabaseRefusal(
    { rule: 'raised', names: [] },
    databaseErrors.refused.message,
    new Error('The server rolled the transaction back, and reported no error.'),
  );
}

/** The class of what the driver's pool throws when no connection becomes free in time. */
const POOL_TIMEOUT = 'TimeoutError';

/** https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-1205-database-engine-error */
const DEADLOCK_VICTIM = 1205;

/** From this severity on, the server ends the connection. */
const FATAL = 20;

/** Whether the connection is gone, or was not to be had: the server said that it ends it, or said nothing any more. */
function isLost(error: unknown): boolean {
  const errors = errorsOf(error);
  if (errors.some((one) => Number(one.class) >= FATAL)) return true;
  const last = errors.at(-1);
  if (typeof last?.number === 'number') return false;
  return !isTimeout(last);
}

/** The server acknowledged that it gave the statement up: the driver asked it to, because it took too long. */
function isTimeout(error: unknown): boolean {
  const { code, originalError } = error as { code?: unknown; originalError?: unknown };
  // Where the acknowledgement did not come either, it is the connection that the driver reports as lost.
  return (
    code === 'ETIMEOUT' &&
    (originalError as object | undefined)?.constructor.name !== 'ConnectionError'
  );
}

/** What the driver says, before it sends anything, of a connection that is gone already or of a parameter. */
function wasSent(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return !['EINVALIDSTATE', 'EPARAM', 'ECANCEL'].includes(String(code));
}

/** What has nothing to do with the statement itself. */
function classify(error: unknown): { name: ErrorName; message: string } | null {
  if (error instanceof Error && error.constructor.name === POOL_TIMEOUT) return databaseErrors.away;
  const errors = errorsOf(error);
  if (errors.some(({ number }) => number === DEADLOCK_VICTIM)) return databaseErrors.deadlock;
  if (errors.some((one) => Number(one.class) >= FATAL)) return databaseErrors.away;
  const code = String((error as DriverError).code);
  if (code === 'ETIMEOUT') return databaseErrors.timeout;
  // The driver's own words for a connection that is gone, and those of the socket below it.
  return /^E(?:CONN|SOCKET|NOTOPEN|NOCONN|LOGIN|ABORT|PIPE|HOST|NET|TIMEDOUT|CLOSE|INVALIDSTATE)/.test(
    code,
  )
    ? databaseErrors.away
    : null;
}
