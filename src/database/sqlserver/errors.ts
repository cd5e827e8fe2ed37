import { ConnectionError, RequestError } from 'tedious';
import type { DriverErrors } from '../driver.ts';
import { type DatabaseError, databaseErrors } from '../errors.ts';
import { DatabaseRefusal } from '../violation.ts';
import {
  loginMessagesOf,
  messagesOf,
  RequestFailure,
  type ServerMessage,
} from './new-connection.ts';
import { isRaised, sqlServerViolation } from './violation.ts';

/**
 * What has nothing to do with the rows of a statement, by number.
 * https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
 */
const numbersOf = {
  // A transaction lost against another one, and a new one may win: a victim of a deadlock, a row that another one has changed
  // since a snapshot, or, of a system-versioned table, since BEGIN, or in memory:
  // https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/transactions-with-memory-optimized-tables
  deadlock: [1205, 3960, 13535, 41301, 41302, 41305, 41325],
  locked: [1222],
  readOnly: [978, 3906],
  // Not recovered yet; in transition; a replica of an availability group; the server stops, is paused or is being upgraded.
  moving: [921, 922, 952, 976, 979, 983, 6005, 17_142, 18_401, 40197, 40613],
  // For a single user; suspect; being restored; offline; without its files.
  closed: [924, 926, 927, 942, 945],
  tooManyConnections: [17_809],
  busy: [10928, 10929, 40501, 49918, 49919, 49920],
  noMemory: [701, 802, 8645, 8651],
  // The disk, a file group, or the log, is full.
  noSpace: [1101, 1105, 9002],
} as const satisfies Partial<Record<keyof typeof databaseErrors, readonly number[]>>;

/** What a login fails with, and nothing else. */
const loginNumbersOf = {
  // A password that is wrong, has run out or is to be changed; a login that is locked or disabled, or may not connect (916);
  // an address that Azure does not let in.
  loginRefused: [
    ...[916, 18_450, 18_451, 18_452, 18_456, 18_462, 18_470, 18_486, 18_487, 18_488],
    ...[40_532, 40_615],
  ],
  missing: [911, 4060, 4063, 4064],
} as const satisfies Partial<Record<keyof typeof databaseErrors, readonly number[]>>;

type Numbers = Partial<Record<keyof typeof databaseErrors, readonly number[]>>;

function byNumber(numbersOf: Numbers): ReadonlyMap<number, DatabaseError> {
  return new Map(
    Object.entries(numbersOf).flatMap(([name, numbers]) =>
      numbers.map((number) => [number, databaseErrors[name as keyof typeof databaseErrors]]),
    ),
  );
}

const transient = byNumber(numbersOf);
const refusals = byNumber(loginNumbersOf);

/**
 * Why a login failed. Of several errors the first is the reason: that the login failed (18456) comes behind a database that cannot be
 * opened.
 */
export function loginError(messages: readonly ServerMessage[]): DatabaseError | null {
  const [found] = messages.flatMap(
    ({ number }) => transient.get(number) ?? refusals.get(number) ?? [],
  );
  return found ?? null;
}

/**
 * From this severity on, an error is the server's own and not the statement's.
 * https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
 */
const SERVERS_OWN = 17;

/** What passes by itself, or is the server's own affair; null for what speaks of the statement or its rows. */
function transientError(error: unknown): DatabaseError | null {
  const messages = messagesOf(error);
  const found = messages.flatMap(({ number }) => transient.get(number) ?? []);
  // Whatever a trigger made of it: the transaction is over.
  if (found.includes(databaseErrors.deadlock)) return databaseErrors.deadlock;
  if (messages.some(isRaised)) return null;
  const isServersOwn = messages.some((message) => message.class >= SERVERS_OWN);
  return found[0] ?? (isServersOwn ? databaseErrors.failing : null);
}

/** The refusal of work whose transaction the server ended without an error, as a procedure's ROLLBACK does. */
export function rolledBackByServer(): DatabaseRefusal {
  return new DatabaseRefusal(
    { rule: 'raised', names: [] },
    databaseErrors.refused.message,
    new Error('The server rolled the transaction back, and reported no error.'),
  );
}

/** From this severity on, the server ends the connection. */
const FATAL = 20;

/** What the driver says of a request that it does not send, because its connection is gone already. */
const NOT_SENT = 'EINVALIDSTATE';

/** What the driver says of a request whose connection it closed. */
const CLOSED = 'ECLOSE';

/** Whether the connection is gone: the server said that it ends it, or nothing any more. */
function isLost(error: unknown): boolean {
  if (!(error instanceof RequestFailure)) return error instanceof ConnectionError;
  const { messages, cause } = error;
  if (messages.some((one) => one.class >= FATAL)) return true;
  if (cause instanceof RequestError) return [NOT_SENT, CLOSED].includes(cause.code ?? '');
  // Of several errors of the server the driver makes one; what else there is comes from the socket.
  return !(cause instanceof AggregateError);
}

function wasSent(error: unknown): boolean {
  const cause = error instanceof RequestFailure ? error.cause : null;
  return !(cause instanceof RequestError && cause.code === NOT_SENT);
}

/** What has nothing to do with the statement itself. */
function classify(error: unknown): DatabaseError | null {
  return isLost(error) ? databaseErrors.unavailable : transientError(error);
}

/** Why there is no connection. */
function connecting(error: unknown): DatabaseError {
  return loginError(loginMessagesOf(error)) ?? databaseErrors.unavailable;
}

/** SQL Server's errors, as the driver throws them. */
export const sqlServerErrors: DriverErrors = {
  isLost,
  wasSent,
  connecting,
  classify,
  refusedRead: () => databaseErrors.refused,
  violation: sqlServerViolation,
};
