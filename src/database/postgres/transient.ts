import { databaseErrors, type DatabaseError } from '../errors.ts';
import { isRaise, stateOf } from './violation.ts';

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
export function transientError(error: unknown): DatabaseError | null {
  // A trigger may raise any state.
  if (isRaise(error)) return null;
  if (isStale(error)) return databaseErrors.deadlock;
  const state = stateOf(error);
  return transient[state] ?? transient[state.slice(0, 2)] ?? null;
}
