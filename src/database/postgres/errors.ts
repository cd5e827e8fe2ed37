import type { ProtocolError } from '../../base/errors.ts';
import type { DriverErrors } from '../driver.ts';
import { databaseError, databaseErrors, type DatabaseError, type WhenLost } from '../errors.ts';
import { isRaise, postgresViolation, stateOf } from './violation.ts';
import { DatabaseRefusal } from '../violation.ts';

/**
 * The gateway's error for one of PostgreSQL's that a read met, by SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html) or by the driver's own code.
 */
function ofRead(error: unknown): ProtocolError {
  // Before version 16 the server cannot be asked whether text is JSON without failing on text that is not.
  if (stateOf(error) === '22P02') return databaseError(databaseErrors.unreadable, error);
  return databaseError(classify(error) ?? databaseErrors.refused, error);
}

/** The gateway's error for one of PostgreSQL's that a write, or a commit, met. */
function ofWrite(error: unknown, whenLost: WhenLost): ProtocolError {
  if (isLost(error)) {
    const outcome = whenLost === 'unknown' && wasSent(error) ? 'unknown' : 'away';
    return databaseError(databaseErrors[outcome], error);
  }
  const passing = classify(error);
  if (passing !== null) return databaseError(passing, error);
  return new DatabaseRefusal(postgresViolation(error), databaseErrors.refused.message, error);
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

/** What has nothing to do with the statement itself. */
function classify(error: unknown): DatabaseError | null {
  const state = stateOf(error);
  if (state === '57014' && !isRaise(error)) return databaseErrors.timeout;
  if (state === '40P01' || state === '40001') return databaseErrors.deadlock;
  const { code, message } = error as { code?: unknown; message?: unknown };
  // Only where the server has not spoken do words tell: what a trigger raises may hold any of them.
  const isConnection =
    state === ''
      ? /^E[A-Z]+$/.test(String(code)) ||
        /terminat|timeout|closed|not queryable/i.test(String(message))
      : isLost(error) || (/^(?:57P|53)/.test(state) && !isRaise(error));
  return isConnection ? databaseErrors.away : null;
}

/** PostgreSQL's errors, whether it runs on a server or in the process. */
export const postgresErrors: DriverErrors = { ofRead, ofWrite, isLost };
