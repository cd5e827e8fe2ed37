import { ProtocolError, type ErrorName, type FixedErrorName } from '../base/errors.ts';

/** An error of a database: its message is its own, or that of the table of errors. */
export type DatabaseError =
  | { readonly name: ErrorName; readonly message: string }
  | { readonly name: FixedErrorName; readonly message?: never };

/** Errors of one name, by their messages. */
function errorsOf<Key extends string>(
  name: ErrorName,
  messages: Readonly<Record<Key, string>>,
): Readonly<Record<Key, { readonly name: ErrorName; readonly message: string }>> {
  const entries = Object.entries<string>(messages);
  const errors = entries.map(([key, message]) => [key, { name, message }] as const);
  return Object.fromEntries(errors) as ReturnType<typeof errorsOf<Key>>;
}

/** The messages for clients, for all engines; the engine's own error is their cause. */
export const databaseErrors = {
  exhausted: { name: 'connectionsBusy' },
  timeout: { name: 'statementTimeout' },
  deadlock: { name: 'deadlock' },
  locked: { name: 'rowLockTimeout' },
  unknown: { name: 'outcomeUnknown' },
  outdated: { name: 'schemaChanged' },
  ...errorsOf('databaseUnavailable', {
    unavailable: 'The database cannot be reached at the moment. Try again later.',
    reopening: 'The embedded database is being opened again, which takes long. Try again later.',
    notReopened:
      'The embedded database has ended and does not start again. The gateway’s log says why.',
    vanished:
      'The embedded database has ended, and its data in memory is lost. The gateway has to be restarted.',
  }),
  ...errorsOf('databaseUnable', {
    loginRefused:
      'The database refuses the gateway’s login: its password or its right to connect has changed. Tell the gateway’s operator.',
    missing:
      'The gateway’s database no longer exists, or its login may not open it. Tell the gateway’s operator.',
    tooManyConnections: 'The database accepts no more connections at the moment. Try again later.',
    hangsUp: 'The database closes new connections at the moment. Try again later.',
    closed:
      'The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.',
    readOnly: 'The database can only be read at the moment.',
    moving: 'The database is being started or moved to another server. Try again later.',
    busy: 'The database is overloaded. Try again later.',
    tooMuch:
      'The request takes more than the database’s settings allow for one, such as temp_file_limit. Narrow the request.',
    noMemory: 'The database is out of memory. Try again later.',
    noSpace: 'The database has no space left to write to.',
    failing: 'The database failed. Its log says why.',
  }),
  ...errorsOf('refusedByDatabase', {
    unreadable:
      'A value in the database is not of the kind that this request compares it as, such as text that is not JSON.',
    unfilled:
      'A materialized view of the database was never filled: REFRESH MATERIALIZED VIEW fills it.',
    refused: 'The database refused the statement.',
  }),
  ...errorsOf('wrongType', {
    unencodable: 'A text of this request holds characters that the encoding of the database lacks.',
  }),
  ...errorsOf('tooLarge', {
    overflow:
      'What is to be computed is larger than the numbers of the database. Narrow the request.',
  }),
  ...errorsOf('mayNotRead', {
    mayNotRead: 'The gateway’s user of the database may not read what this request asks for.',
  }),
} as const satisfies Record<string, DatabaseError>;

/** Whether the database answers, and says that it cannot serve. */
export function isUnable(error: unknown): boolean {
  return error instanceof ProtocolError && error.errorName === 'databaseUnable';
}

/** The error for clients, with the engine's own error as its cause. */
export function databaseError(error: DatabaseError, cause: unknown): ProtocolError {
  return error.message === undefined
    ? ProtocolError.of(error.name, cause)
    : new ProtocolError(error.name, error.message, undefined, cause);
}
