import { DatabaseRefusal } from '../database/violation.ts';
import { explainRefusal } from '../values/violation.ts';
import { Refused, type Attempt, type WriteContext } from './attempt.ts';
import type { Execution } from './run.ts';
import { transact } from './transact.ts';
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
  try {
    return await transact(context, execution, false, work).catch((error: unknown) => {
      if (error instanceof Refused) return transact(context, execution, true, work);
      throw error;
    });
  } catch (error) {
    // A constraint that is checked no sooner than at the commit, or a statement that all elements share: nobody knows which it was.
    if (error instanceof Refused) {
      throw (error.shared ?? error.explained).leadingTo(nothingDone(context.kind));
    }
    throw error instanceof DatabaseRefusal ? explainedEnd(error, context) : error;
  }
}

function explainedEnd(refusal: DatabaseRefusal, { dataclass, model, kind }: WriteContext): Error {
  const change = { kind: kind === 'save' ? 'update' : 'delete', dataclass, model } as const;
  return explainRefusal(refusal, change).leadingTo(nothingDone(kind));
}
