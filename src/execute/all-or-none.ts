import { DatabaseRefusal } from '../database/violation.ts';
import { explainRefusal } from '../values/violation.ts';
import { Refused, type Attempt, type WriteContext } from './attempt.ts';
import { retryingDeadlocks } from './retry.ts';
import { sourceOn, type Execution } from './run.ts';
import { nothingDone } from './write-errors.ts';

/**
 * Runs the work of a request in one transaction: all of it is done, or nothing (§3.3). It is tried again as a whole when it was the
 * victim of a deadlock, and with each element apart when several were refused together, to name the one that is wrong.
 * @throws ProtocolError naming the element, where that is known; what the database throws
 */
export async function allOrNone<Result>(
  context: WriteContext,
  execution: Execution,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const transact = (apart: boolean): Promise<Result> =>
    retryingDeadlocks(() =>
      execution.database.transaction(
        (connection) => work({ ...context, source: sourceOn(connection, execution), apart }),
        execution.activity,
      ),
    );
  try {
    return await transact(false).catch((error: unknown) => {
      if (error instanceof Refused) return transact(true);
      throw error;
    });
  } catch (error) {
    // A constraint that is checked no sooner than at the commit: nobody knows which element it was.
    throw error instanceof DatabaseRefusal ? explainedEnd(error, context) : error;
  }
}

function explainedEnd(refusal: DatabaseRefusal, { dataclass, model, kind }: WriteContext): Error {
  const change = { kind: kind === 'save' ? 'update' : 'delete', dataclass, model } as const;
  return explainRefusal(refusal, change).leadingTo(nothingDone(kind));
}
