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
