import { ProtocolError, type ErrorName } from '../base/errors.ts';

/** What clients are told of a database's failures, whatever the engine; the engine's own words go to the log. */
export const databaseErrors = {
  away: {
    name: 'databaseAway',
    message: 'The database cannot be reached at the moment. Try again later.',
  },
  exhausted: {
    name: 'databaseAway',
    message:
      'All connections to the database are in use, and none became free in time. Try again later.',
  },
  timeout: {
    name: 'statementTimeout',
    message: 'The database took longer over this request than it may. Narrow the request.',
  },
  deadlock: {
    name: 'deadlock',
    message: 'The database gave this request up in favour of another one. Try again.',
  },
  unknown: {
    name: 'outcomeUnknown',
    message:
      'The connection to the database was lost before it told whether the change was made. ' +
      'Look at the data before you send the request again.',
  },
  unreadable: {
    name: 'refusedByDatabase',
    message:
      'A value in the database is not of the kind that this request compares it as, such as text that is no JSON.',
  },
  refused: { name: 'refusedByDatabase', message: 'The database refused the statement.' },
} as const satisfies Record<string, { name: ErrorName; message: string }>;

/** One of {@link databaseErrors}, with the engine's own error as its cause. */
export function databaseError(
  { name, message }: { readonly name: ErrorName; readonly message: string },
  cause: unknown,
): ProtocolError {
  return new ProtocolError(name, message, undefined, cause);
}

/**
 * What becomes of a change when the connection is lost on the way: nobody knows, or, in a transaction that is not being
 * committed yet, the server rolls it back.
 */
export type WhenLost = 'unknown' | 'rolledBack';
