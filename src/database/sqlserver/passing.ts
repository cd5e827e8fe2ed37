import { databaseErrors, type DatabaseError } from '../errors.ts';
import { messagesOf } from './request-failure.ts';
import { isRaised } from './violation.ts';

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
  moving: [976, 983, 40197, 40613],
  busy: [10928, 10929, 40501, 49918, 49919, 49920],
  noMemory: [701, 802, 8645, 8651],
  // A file group, or the log, is full.
  noSpace: [1105, 9002],
} as const satisfies Partial<Record<keyof typeof databaseErrors, readonly number[]>>;

const passing: ReadonlyMap<number, DatabaseError> = new Map(
  Object.entries(numbersOf).flatMap(([name, numbers]) =>
    numbers.map((number) => [number, databaseErrors[name as keyof typeof numbersOf]] as const),
  ),
);

/**
 * From this severity on, an error is the server's own and not the statement's.
 * https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
 */
const SERVERS_OWN = 17;

/** What passes by itself, or is the server's own affair; null for what speaks of the statement or its rows. */
export function passingError(error: unknown): DatabaseError | null {
  const messages = messagesOf(error);
  const found = messages.flatMap(({ number }) => passing.get(number) ?? []);
  // Whatever a trigger made of it: the transaction is over.
  if (found.includes(databaseErrors.deadlock)) return databaseErrors.deadlock;
  if (messages.some(isRaised)) return null;
  const isServersOwn = messages.some((message) => message.class >= SERVERS_OWN);
  return found[0] ?? (isServersOwn ? databaseErrors.failing : null);
}
