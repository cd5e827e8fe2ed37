import type { Attempt, WriteContext } from './attempt.ts';
import { retryingDeadlocks } from './retry.ts';
import { sourceOn, type Execution } from './run.ts';

/**
 * Attempts the work of a request in one transaction, and again when it was the victim of a deadlock.
 * @param apart each element by a statement of its own
 */
export function transact<Result>(
  context: WriteContext,
  execution: Execution,
  apart: boolean,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  return retryingDeadlocks(() =>
    execution.database.transaction(
      (connection) =>
        work({
          ...context,
          source: sourceOn(connection, execution),
          locks: execution.locks,
          apart,
        }),
      execution.activity,
    ),
  );
}
