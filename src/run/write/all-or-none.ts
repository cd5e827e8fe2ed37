import { ProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
import type { Table } from '../../schema/types.ts';
import { type Attempt, Refused, transact, type WriteContext } from './attempt.ts';
import type { Execution } from '../run.ts';
import type { Element } from './outcome.ts';
import { refusedCommit, type Tree } from './refused-commit.ts';
import { atomicError, nothingDone } from './write-errors.ts';
import { reportingDoubt } from './write-report.ts';
import type { Reported } from './report-written.ts';

/**
 * Runs the work of a request in one transaction: all of it is done, or nothing (§3.3). It is tried again as a whole when it was the
 * victim of a deadlock, and with each element apart when several were refused together, to name the one that is wrong.
 * @param direct as that of {@link transact}
 * @param elements what is written, where the refusal of the commit may be about one of them
 * @throws ProtocolError naming the element, where that is known; what the database throws
 */
export function allOrNone<Result>(
  context: WriteContext,
  execution: Execution,
  work: (attempt: Attempt) => Promise<Result>,
  direct: (() => Promise<Result | null>) | null = null,
  elements: readonly Tree[] = [],
): Promise<Result> {
  return explainingEnd(
    context,
    () =>
      transact(context, execution, false, work, direct).catch((error: unknown) => {
        if (!(error instanceof Refused) || isByEachOther(error, context)) throw error;
        return transact(context, execution, true, work);
      }),
    elements,
  );
}

/**
 * The same of elements, telling who wants to hear of it what was written, and what may have been.
 * @throws as {@link allOrNone}
 */
export async function allOfIt<Done extends Element & Reported>(
  elements: readonly Tree[],
  context: WriteContext,
  execution: Execution,
  work: (attempt: Attempt) => Promise<readonly Done[]>,
  direct: (() => Promise<readonly Done[] | null>) | null = null,
): Promise<readonly Done[]> {
  const { report } = context;
  const done = await reportingDoubt(report, elements, () =>
    allOrNone(context, execution, work, direct, elements),
  );
  report?.committed(done);
  return done;
}

/**
 * Runs the transactions of a request of which all is done or nothing.
 * @throws ProtocolError where the database refused it: why, in the model's words, and that nothing was done; what the work throws
 */
export async function explainingEnd<Result>(
  context: WriteContext,
  work: () => Promise<Result>,
  elements: readonly Tree[] = [],
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // Of a statement that all elements share nobody knows which it was.
    if (error instanceof Refused) {
      throw (error.shared ?? error.explained).leadingTo(nothingDone(context.kind));
    }
    throw error instanceof DatabaseRefusal ? explainedEnd(error, elements, context) : error;
  }
}

/** Whether a delete was refused because of a row that refers to what is deleted. */
export function isStillReferredTo(error: unknown): boolean {
  const explained = error instanceof Refused ? error.explained : error;
  return explained instanceof ProtocolError && explained.errorName === 'brokenReference';
}

/**
 * Whether elements that are deleted each apart may be refused because of one another: what refers to the first one may be the second,
 * and no reason for the refusal of both together.
 */
function isByEachOther(error: Refused, { kind, dataclass }: WriteContext): boolean {
  return kind === 'delete' && isStillReferredTo(error) && refersToItself(dataclass.table);
}

function refersToItself({ schema, name, foreignKeys }: Table): boolean {
  return foreignKeys.some(
    ({ targetSchema, targetTable }) => targetSchema === schema && targetTable === name,
  );
}

function explainedEnd(
  refusal: DatabaseRefusal,
  elements: readonly Tree[],
  context: WriteContext,
): Error {
  const { reason, root } = refusedCommit(refusal, elements, context);
  return root === null
    ? reason.leadingTo(nothingDone(context.kind))
    : atomicError(reason, root, context);
}
