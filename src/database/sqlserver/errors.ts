import { ConnectionError, RequestError } from 'tedious';
import { before } from '../../base/text.ts';
import type { DriverErrors } from '../driver.ts';
import {
  type DatabaseError,
  databaseErrors,
  DatabaseRefusal,
  quotedIn,
  type ViolatedRule,
  type Violation,
} from '../errors.ts';
import {
  loginMessagesOf,
  messagesOf,
  RequestFailure,
  type ServerMessage,
} from './new-connection.ts';

type Numbers = Partial<Record<keyof typeof databaseErrors, readonly number[]>>;

/** Errors that are not of a statement or its rows (https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues). */
const transient = byNumber({
  // The transaction lost against another one, and a new one may win: a deadlock; a row that has changed since a snapshot, or, in a
  // system-versioned table, since BEGIN; tables in memory:
  // https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/transactions-with-memory-optimized-tables
  deadlock: [1205, 3960, 13535, 41301, 41302, 41305, 41325],
  locked: [1222],
  readOnly: [978, 3906],
  // Recovering; in transition; a replica of an availability group; the server stops, is paused or is being upgraded.
  moving: [921, 922, 952, 976, 979, 983, 6005, 17_142, 18_401, 40197, 40613],
  // For a single user; suspect; being restored; offline; without its files.
  closed: [924, 926, 927, 942, 945],
  tooManyConnections: [17_809],
  busy: [10928, 10929, 40501, 49918, 49919, 49920],
  noMemory: [701, 802, 8645, 8651],
  // The disk, a file group, or the log, is full.
  noSpace: [1101, 1105, 9002],
});

/** Errors of a login alone. */
const refusals = byNumber({
  // A wrong or expired password, a locked or disabled login, one that may not connect (916), an address that Azure does not let in.
  loginRefused: [
    ...[916, 18_450, 18_451, 18_452, 18_456, 18_462, 18_470, 18_486, 18_487, 18_488],
    ...[40_532, 40_615],
  ],
  missing: [911, 4060, 4063, 4064],
});

function byNumber(numbersOf: Numbers): ReadonlyMap<number, DatabaseError> {
  return new Map(
    Object.entries(numbersOf).flatMap(([name, numbers]) =>
      numbers.map((number) => [number, databaseErrors[name as keyof typeof databaseErrors]]),
    ),
  );
}

/** Why a login failed. The first error is the reason: that the login failed (18456) comes after a database that cannot be opened. */
export function loginError(messages: readonly ServerMessage[]): DatabaseError | null {
  const [found] = messages.flatMap(
    ({ number }) => transient.get(number) ?? refusals.get(number) ?? [],
  );
  return found ?? null;
}

/** The least severity of a server's errors (https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities). */
const SERVERS_OWN = 17;

function classify(error: unknown): DatabaseError | null {
  if (isLost(error)) return databaseErrors.unavailable;
  const messages = messagesOf(error);
  const found = messages.flatMap(({ number }) => transient.get(number) ?? []);
  // The transaction is over, even if a trigger raised another error.
  if (found.includes(databaseErrors.deadlock)) return databaseErrors.deadlock;
  if (messages.some(isRaised)) return null;
  const isServersOwn = messages.some((message) => message.class >= SERVERS_OWN);
  return found[0] ?? (isServersOwn ? databaseErrors.failing : null);
}

/** The error for a transaction that the server rolled back without an error, as a procedure's ROLLBACK does. */
export function rolledBackByServer(): DatabaseRefusal {
  return new DatabaseRefusal(
    { rule: 'raised', names: [] },
    databaseErrors.refused.message,
    new Error('The server rolled the transaction back, and reported no error.'),
  );
}

/** From this severity on, the server ends the connection. */
const FATAL = 20;

/** The driver did not send a request, because its connection was closed before. */
const NOT_SENT = 'EINVALIDSTATE';

/** The driver closed the connection of a request. */
const CLOSED = 'ECLOSE';

function isLost(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return error instanceof ConnectionError;
  const { messages, cause } = error;
  if (messages.some((one) => one.class >= FATAL)) return true;
  if (cause instanceof RequestError) return [NOT_SENT, CLOSED].includes(cause.code ?? '');
  // The driver joins several errors of the server in one; all others come from the socket.
  return !(cause instanceof AggregateError);
}

function wasSent(error: unknown): boolean {
  const cause = error instanceof RequestFailure ? error.cause : null;
  return !(cause instanceof RequestError && cause.code === NOT_SENT);
}

/** A server with as many connections as it may have (`user connections`) writes 17809 into its log, and closes the connection. */
function connecting(error: unknown): DatabaseError {
  const isClosed = error instanceof Error && error.message.startsWith('Connection lost');
  const silent = isClosed ? databaseErrors.hangsUp : databaseErrors.unavailable;
  return loginError(loginMessagesOf(error)) ?? silent;
}

/** The errors of SQL Server. */
export const sqlServerErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead: () => databaseErrors.refused,
  violation: sqlServerViolation,
};

/**
 * The rules of SQL Server's errors, by number, as texts are in the login's language
 * (https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors).
 */
const numbersOf: Readonly<
  Record<
    Exclude<ViolatedRule, 'notComputable' | 'unencodable' | 'raised' | 'failed' | 'other'>,
    readonly number[]
  >
> = {
  unique: [2601, 2627],
  // A foreign key or a check; WITH CHECK OPTION of a view.
  constraint: [547, 550],
  notNull: [515],
  // A value (https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-8152-database-engine-error), a row or an index.
  tooLong: [511, 1946, 2628, 8152],
  outOfRange: [220, 232, 244, 246, 248, 517, 535, 1007, 8115],
  // Text that is not a number, money, date-time, GUID, XML (9400 to 9465; from 6900 on against its schema), JSON, or .NET type such as geometry (6522);
  // parts that are no date (289), lengths below 0 (536, 537), what has no logarithm or root (3623), a division by zero (8134).
  badValue: [
    ...[235, 241, 242, 245, 289, 293, 295, 296, 536, 537, 3623, 6522, 8114, 8134, 8169, 13609],
    ...range(6900, 6999),
    ...range(9400, 9465),
  ],
  // A sequence; of an identity it is an overflow (8115).
  exhausted: [11_728],
  // Identity, computed, rowversion and GENERATED ALWAYS columns.
  generated: [271, 272, 273, 339, 544, 8102, 13536, 13537],
  // Views; a column set beside its columns (360); a column that OUTPUT may not name (4186); the history of a system-versioned table.
  notUpdatable: [
    ...[414, 415, 4403, 4405, 4406, 4415, 4416, 4417, 4418, 4421, 4422, 4423, 4427, 4431, 4436],
    360,
    4186,
    ...range(13559, 13561),
  ],
  // Columns, tables, procedures and functions that have gone; types that no longer match.
  outdated: [206, 207, 208, 257, 402, 2812, 4121],
  // Rights on an object, a column, a statement, the server, the database; a row-level security policy.
  notAllowed: [229, 230, 262, 297, 300, 916, 33_504],
};

const rules: ReadonlyMap<number, ViolatedRule> = new Map(
  Object.entries(numbersOf).flatMap(([rule, numbers]) =>
    numbers.map((number) => [number, rule as ViolatedRule] as const),
  ),
);

/** The first number of an application's own messages (https://learn.microsoft.com/sql/t-sql/language-elements/raiserror-transact-sql). */
const FIRST_RAISED = 50_000;

/** A row-level security policy refuses a row: the only missing right that depends on the row. */
const ROW_POLICY = 33_504;

/** Errors that do not depend on the rows. */
const ofStatements: ReadonlySet<number> = new Set([
  ...[102, 156],
  ...numbersOf.outdated,
  ...numbersOf.generated,
  ...numbersOf.notUpdatable,
  ...numbersOf.notAllowed.filter((number) => number !== ROW_POLICY),
]);

/** A trigger rolled back, or caught an error, without a message. */
const ENDED_IN_TRIGGER: readonly number[] = [3609, 3616];

/** Babelfish's number for errors of PostgreSQL that have none: it is not the application's. */
const WITHOUT_NUMBER = 33_557_097;

export function isRaised({ number }: ServerMessage): boolean {
  return number >= FIRST_RAISED && number !== WITHOUT_NUMBER;
}

/** Reads the violation from the server's errors. An error of the application goes first: others, such as 3609, follow from it. */
export function sqlServerViolation(error: unknown): Violation {
  const errors = messagesOf(error);
  const raised = errors.find(isRaised);
  if (raised !== undefined) return { rule: 'raised', names: [], text: raised.message };
  const known = errors.find(({ number }) => rules.has(number)) ?? errors[0];
  if (known === undefined) return { rule: 'other', names: [] };
  if (ENDED_IN_TRIGGER.includes(known.number)) return { rule: 'raised', names: [] };
  const found = isIdentityOverflow(known) ? 'exhausted' : (rules.get(known.number) ?? 'other');
  // A trigger's own statements were never known.
  const rule = found === 'outdated' && !isOfStatement(known) ? 'other' : found;
  return {
    rule,
    names: namesIn(known, rule),
    ...(isOfStatement(known) ? { ofStatement: true } : {}),
  };
}

/** An error in a trigger may depend on the rows; the gateway's own statements are run by sp_executesql. */
function isOfStatement({ number, procName }: ServerMessage): boolean {
  return ofStatements.has(number) && (procName === '' || procName === 'sp_executesql');
}

/** Arithmetic overflow error converting IDENTITY to data type int. */
function isIdentityOverflow({ number, message }: ServerMessage): boolean {
  return number === 8115 && /\bIDENTITY\b/.test(message);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The names in the quotations of a message, without the values that some messages end with. */
function namesIn({ number, message }: ServerMessage, rule: ViolatedRule): readonly string[] {
  if (rule === 'badValue' || rule === 'outOfRange') return [];
  // … 'UQ_EMP'. … 'dbo.EMP'. The duplicate key value is (O'Neill).
  if (rule === 'unique') return quotedIn(before(message, '('));
  // … in table 'dbo.EMP', column 'NM'. Truncated value: 'O'Neill'.
  if (number === 2628) return quotedIn(message).slice(0, 2);
  return quotedIn(message);
}
