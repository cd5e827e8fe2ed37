import type { Attempt, WriteContext } from './attempt.ts';
import { retryingDeadlocks } from '../retry.ts';
import { sourceOn, type Execution } from '../run.ts';

/**
 * Attempts the work of a request in one transaction, and again when it was the victim of a deadlock.
 * @param oneByOne each element by a statement of its own
 * @param direct does the same by one statement, ahead of the transaction; what it comes to null for has changed nothing
 */
export function transact<Result>(
  context: WriteContext,
  execution: Execution,
  oneByOne: boolean,
  work: (attempt: Attempt) => Promise<Result>,
  direct: (() => Promise<Result | null>) | null = null,
): Promise<Result> {
  return retryingDeadlocks(async () => {
    const done = direct === null ? null : await direct();
    if (done !== null) return done;
    return execution.database.transaction(
      (connection) =>
        work({
          source: sourceOn(connection, execution),
          locks: execution.locks,
          oneByOne,
          ...context,
        }),
      execution.activity,
    );
  });
}
