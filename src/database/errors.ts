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
      'The database refuses the gateway’s login: its password, or its right to connect, is not what it was. Whoever runs the gateway has to see to that.',
  },
  missing: {
    name: 'databaseUnable',
    message:
      'The database of the gateway is not there any more, or its login may not open it. Whoever runs the gateway has to see to that.',
  },
  tooManyConnections: {
    name: 'databaseUnable',
    message: 'The database takes no more connections at the moment. Try again later.',
  },
  closed: {
    name: 'databaseUnable',
    message:
      'The database is closed at the moment: it is being restored, was taken offline, or is kept for somebody else. Try again later.',
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
    message: 'The database has too much to do. Try again later.',
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
    message: 'The database failed for a reason of its own. Its log says why.',
  },
  reopening: {
    name: 'databaseUnavailable',
    message: 'The embedded database is being opened again, which takes long. Try again later.',
  },
  notReopened: {
    name: 'databaseUnavailable',
    message:
      'The embedded database has ended, and does not start again. Whoever runs the gateway finds the reason in its log.',
  },
  vanished: {
    name: 'databaseUnavailable',
    message:
      'The embedded database has ended, and with it all that it kept in memory. Whoever runs the gateway has to start it again.',
  },
  unknown: { name: 'outcomeUnknown' },
  unreadable: {
    name: 'refusedByDatabase',
    message:
      'A value in the database is not of the kind that this request compares it as, such as text that is no JSON.',
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
