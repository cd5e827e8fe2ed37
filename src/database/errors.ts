import { ProtocolError, type ErrorName, type FixedErrorName } from '../base/errors.ts';

/** An error of a database: its message is its own, or that of the table of errors. */
export type DatabaseError =
  | { readonly name: ErrorName; readonly message: string }
  | { readonly name: FixedErrorName; readonly message?: never };

/** What clients are told of a database's failures, whatever the engine; the engine's own words go to the log. */
export const databaseErrors = {
  unavailable: {
    name: 'databaseUnavailable',
    message: 'The database cannot be reached at the moment. Try again later.',
  },
  exhausted: { name: 'connectionsBusy' },
  loginRefused: {
    name: 'databaseUnable',
    message:
      'The database refuses the gateway’s login: its password or its right to connect has changed. Tell the gateway’s operator.',
  },
  missing: {
    name: 'databaseUnable',
    message:
      'The gateway’s database no longer exists, or its login may not open it. Tell the gateway’s operator.',
  },
  tooManyConnections: {
    name: 'databaseUnable',
    message: 'The database accepts no more connections at the moment. Try again later.',
  },
  closed: {
    name: 'databaseUnable',
    message:
      'The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.',
  },
  timeout: { name: 'statementTimeout' },
  deadlock: { name: 'deadlock' },
  locked: { name: 'lockedByAnother' },
  readOnly: { name: 'databaseUnable', message: 'The database can only be read at the moment.' },
  moving: {
    name: 'databaseUnable',
    message: 'The database is being started or moved to another server. Try again later.',
  },
  busy: {
    name: 'databaseUnable',
    message: 'The database is overloaded. Try again later.',
  },
  tooMuch: {
    name: 'databaseUnable',
    message:
      'The request takes more than the database’s settings allow for one, such as temp_file_limit. Narrow the request.',
  },
  noMemory: {
    name: 'databaseUnable',
    message: 'The database is out of memory. Try again later.',
  },
  noSpace: { name: 'databaseUnable', message: 'The database has no space left to write to.' },
  failing: {
    name: 'databaseUnable',
    message: 'The database failed. Its log says why.',
  },
  reopening: {
    name: 'databaseUnavailable',
    message: 'The embedded database is being opened again, which takes long. Try again later.',
  },
  notReopened: {
    name: 'databaseUnavailable',
    message:
      'The embedded database has ended and does not start again. The gateway’s log says why.',
  },
  vanished: {
    name: 'databaseUnavailable',
    message:
      'The embedded database has ended, and its data in memory is lost. The gateway has to be restarted.',
  },
  unknown: { name: 'outcomeUnknown' },
  unreadable: {
    name: 'refusedByDatabase',
    message:
      'A value in the database is not of the kind that this request compares it as, such as text that is not JSON.',
  },
  unfilled: {
    name: 'refusedByDatabase',
    message:
      'A materialized view of the database was never filled: REFRESH MATERIALIZED VIEW fills it.',
  },
  unencodable: {
    name: 'wrongType',
    message: 'A text of this request holds characters that the encoding of the database lacks.',
  },
  overflow: {
    name: 'tooLarge',
    message:
      'What is to be computed is larger than the numbers of the database. Narrow the request.',
  },
  mayNotRead: {
    name: 'mayNotRead',
    message: 'The gateway’s user of the database may not read what this request asks for.',
  },
  outdated: { name: 'schemaChanged' },
  refused: { name: 'refusedByDatabase', message: 'The database refused the statement.' },
} as const satisfies Record<string, DatabaseError>;

/** One of {@link databaseErrors}, with the engine's own error as its cause. */
export function databaseError(error: DatabaseError, cause: unknown): ProtocolError {
  return error.message === undefined
    ? ProtocolError.of(error.name, cause)
    : new ProtocolError(error.name, error.message, undefined, cause);
}

/**
 * What becomes of a change when the connection is lost on the way: nobody knows, or, in a transaction that is not being
 * committed yet, the server rolls it back.
 */
export type WhenLost = 'unknown' | 'rolledBack';
