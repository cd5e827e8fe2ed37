import { ProtocolError, type ErrorName, type FixedErrorName } from '../base/errors.ts';

/** An error of a database: its message is its own, or that of the table of errors. */
export type DatabaseError =
  | { readonly name: ErrorName; readonly message: string }
  | { readonly name: FixedErrorName; readonly message?: never };

function unavailable(message: string): DatabaseError {
  return { name: 'databaseUnavailable', message };
}

function unable(message: string): DatabaseError {
  return { name: 'databaseUnable', message };
}

/** The messages for clients, for all engines; the engine's own message goes to the log. */
export const databaseErrors = {
  unavailable: unavailable('The database cannot be reached at the moment. Try again later.'),
  exhausted: { name: 'connectionsBusy' },
  loginRefused: unable(
    'The database refuses the gateway’s login: its password or its right to connect has changed. Tell the gateway’s operator.',
  ),
  missing: unable(
    'The gateway’s database no longer exists, or its login may not open it. Tell the gateway’s operator.',
  ),
  tooManyConnections: unable(
    'The database accepts no more connections at the moment. Try again later.',
  ),
  closed: unable(
    'The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.',
  ),
  timeout: { name: 'statementTimeout' },
  deadlock: { name: 'deadlock' },
  locked: { name: 'lockedByAnother' },
  readOnly: unable('The database can only be read at the moment.'),
  moving: unable('The database is being started or moved to another server. Try again later.'),
  busy: unable('The database is overloaded. Try again later.'),
  tooMuch: unable(
    'The request takes more than the database’s settings allow for one, such as temp_file_limit. Narrow the request.',
  ),
  noMemory: unable('The database is out of memory. Try again later.'),
  noSpace: unable('The database has no space left to write to.'),
  failing: unable('The database failed. Its log says why.'),
  reopening: unavailable(
    'The embedded database is being opened again, which takes long. Try again later.',
  ),
  notReopened: unavailable(
    'The embedded database has ended and does not start again. The gateway’s log says why.',
  ),
  vanished: unavailable(
    'The embedded database has ended, and its data in memory is lost. The gateway has to be restarted.',
  ),
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

/** The error for clients, with the engine's own error as its cause. */
export function databaseError(error: DatabaseError, cause: unknown): ProtocolError {
  return error.message === undefined
    ? ProtocolError.of(error.name, cause)
    : new ProtocolError(error.name, error.message, undefined, cause);
}
