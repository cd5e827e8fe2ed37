import { type ErrorName, type FixedErrorName, ProtocolError } from '../base/errors.ts';
import type { StatementParameter } from '../sql/ir/statement.ts';

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
    tooMuch: 'The request takes more than the database allows for one. Narrow the request.',
    noMemory: 'The database is out of memory. Try again later.',
    noSpace: 'The database has no space left to write to.',
    failing: 'The database failed. Its log says why.',
  }),
  ...errorsOf('refusedByDatabase', {
    unreadable:
      'A value in the database is not of the kind that this request compares it as, such as text that is not JSON.',
    unfilled:
      'A materialized view that this request reads was never filled. Tell the gateway’s operator.',
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

/** The characters of an engine's message that are searched. */
const MOST = 4000;

/** A quotation, in the quotes of any language; an apostrophe within a word is none. */
// eslint-disable-next-line regexp/no-super-linear-move -- of what is as short as that
const QUOTED = /(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])|"[^"]+"|«[^»]+»|[“„][^“”]+[“”]/gu;

/** The quotations in an engine's message, each once. */
export function quotedIn(message: string): readonly string[] {
  const quotations = message.slice(0, MOST).matchAll(QUOTED);
  return [...new Set(Array.from(quotations, ([whole]) => whole.slice(1, -1).trim()))];
}

/** The rules that can refuse a change, for all engines. */
export type ViolatedRule =
  /** Another row has the value. */
  | 'unique'
  /** A foreign key, of this table or to it, or a check. */
  | 'constraint'
  | 'notNull'
  | 'tooLong'
  | 'outOfRange'
  /** A value that the engine cannot read as the column's type. */
  | 'badValue'
  /** A calculated attribute fails for a row. */
  | 'notComputable'
  /** Text with characters that the database's encoding lacks. */
  | 'unencodable'
  /** A column that the database fills in itself. */
  | 'generated'
  /** A view that cannot be changed. */
  | 'notUpdatable'
  /** The gateway's user lacks the right. */
  | 'notAllowed'
  /** A table or column has gone, or has another type. */
  | 'outdated'
  /** The identity or sequence that numbers a column has no further number. */
  | 'exhausted'
  /** A trigger or procedure of the application refused. */
  | 'raised'
  /** An error that the engine has no state for. */
  | 'failed'
  | 'other';

/** Why the engine refused a change. */
export interface Violation {
  readonly rule: ViolatedRule;
  /** The constraints, indexes, tables and columns in the engine's message, as it writes them. */
  readonly names: readonly string[];
  /** The table of the rule, if the engine says it. */
  readonly table?: { readonly schema: string; readonly name: string };
  /** The engine's words about a key, with values: not for clients. */
  readonly detail?: string;
  /** The number of the statement's parameter whose value its type does not read, from 1. */
  readonly parameter?: number;
  /** The message that a trigger raised. */
  readonly text?: string;
  /** It refused the statement whatever its rows, such as for a missing right. */
  readonly ofStatement?: boolean;
}

/** A change that a rule of the database refuses, or a value that it cannot read; to be explained in the model's words. */
export class DatabaseRefusal extends ProtocolError {
  readonly violation: Violation;
  /** The refused statement's parameters, where it is known. */
  readonly parameters: readonly StatementParameter[];

  constructor(
    violation: Violation,
    message: string,
    cause: unknown,
    errorName: ErrorName = 'refusedByDatabase',
    parameters: readonly StatementParameter[] = [],
  ) {
    super(errorName, message, undefined, cause);
    this.name = 'DatabaseRefusal';
    this.violation = violation;
    this.parameters = parameters;
  }
}
