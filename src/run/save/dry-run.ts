import { ProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
import { type Attempt, Refused, transact, type WriteContext } from '../write/attempt.ts';
import {
  explained,
  isCompound,
  refusedWhatever,
  type WriteItem,
} from '../write/write-independently.ts';
import { failed, type Failed } from '../write/outcome.ts';
import type { Execution } from '../run.ts';
import { toldOf } from '../write/write-errors.ts';

/** How often elements are tried: each time with all that would be done before them. */
const MOST_ATTEMPTS = 400;

/** Ends a transaction of which nothing is kept but what it came to. */
class RolledBack<Result> extends Error {
  readonly result: Result;

  constructor(result: Result) {
    super('undone');
    this.result = result;
  }
}

/** The same with transactions that are rolled back when their work is done. */
export function rollingBack(execution: Execution): Execution {
  const { database } = execution;
  return {
    ...execution,
    database: {
      ...database,
      transaction: async <Result>(
        work: Parameters<typeof database.transaction<Result>>[0],
        activity: Execution['activity'],
      ) => {
        try {
          return await database.transaction<Result>(async (connection) => {
            throw new RolledBack(await work(connection));
          }, activity);
        } catch (error) {
          if (error instanceof RolledBack) return error.result as Result;
          throw error;
        }
      },
    },
  };
}

/**
 * Finds which elements of a request would be refused, each standing or falling alone. All that would be done before an element
 * is done again in the transaction that tries it, so that two new entities with one key are found as they would be; with it, where it
 * is the only one that can be refused: elements share statements, so that their number does not grow with what was accepted.
 * @param execution one whose transactions are {@link rollingBack}
 * @param work is given the elements to try, and those that were refused before
 * @returns what the work comes to with all elements that are not refused
 */
export async function dryRun<Item extends WriteItem, Result>(
  items: readonly Item[],
  context: WriteContext,
  execution: Execution,
  work: (items: readonly Item[], refused: readonly Failed[], attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  let accepted: readonly Item[] = [];
  const refused: Failed[] = [];
  const tried = (some: readonly Item[], oneByOne = false): Promise<Result> =>
    transact(context, execution, oneByOne, (attempt) => work(some, refused, attempt));
  let attempts = 0;
  const attempt = async (some: readonly Item[], oneByOne = false): Promise<Result | null> => {
    const [first, ...others] = some;
    attempts += 1;
    if (attempts > MOST_ATTEMPTS) {
      const error = ProtocolError.of('tooManyRefused');
      refused.push(...some.map((item) => failed(item, item.error ?? error)));
      return null;
    }
    try {
      const result = await tried([...accepted, ...some], oneByOne);
      accepted = [...accepted, ...some];
      return result;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof DatabaseRefusal)) throw error;
      if (first === undefined) throw error;
      const sorted = refusedWhatever(error, some);
      if (sorted.refused.length > 0) {
        refused.push(...sorted.refused);
        return sorted.others.length === 0 ? null : attempt(sorted.others);
      }
      if (others.length === 0 && !oneByOne && isCompound(first)) return attempt(some, true);
      // Who shared a statement with it was accepted before.
      const shared = accepted.length > 0 && error instanceof Refused ? error.shared : null;
      const refusal =
        shared === null ? explained(error, first, context) : toldOf(first.key, shared, context);
      if (others.length === 0 && refusal !== null) {
        refused.push(failed(first, first.error ?? refusal));
        return null;
      }
      const middle = some.length >> 1;
      await attempt(some.slice(0, middle));
      await attempt(some.slice(middle));
      return null;
    }
  };
  return (await attempt(items)) ?? tried(accepted);
}
