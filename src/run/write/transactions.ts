import { isProtocolError, ProtocolError } from '../../base/errors.ts';
import { mapInSlices, TimeSlice } from '../../base/time.ts';
import type { Connection, Database } from '../../database/database.ts';
import { DatabaseRefusal } from '../../database/errors.ts';
import { retryingDeadlocks } from '../../database/connection.ts';
import type { RequestContext } from '../../base/observe/observer.ts';
import { sourceOn, type Execution } from '../run.ts';
import { Postponed } from '../save/body-names.ts';
import { type Attempt, Refused, type WriteContext } from './attempt.ts';
import { failed, type Failed, type Outcome } from './outcome.ts';
import { refusedCommit, type Tree } from './refused-commit.ts';
import { inBodyOrder, isCompound, piecesOf, unitsOf } from './units.ts';
import { type ReportContext, WriteReport } from './write-report.ts';
import {
  atomicError,
  endsRequest,
  nothingDone,
  notTried,
  withConsequence,
} from './write-errors.ts';

/** How many transactions of one request may be refused: to find a thousand wrong elements by halves takes as many. */
const MOST_REFUSED = 1000;

/** How many transactions a dry run takes: each one repeats all that was accepted before. */
const MOST_TRIALS = 400;

/** The report on what a request writes; null without an audit log. */
export function reportOn(
  { observer: { writes }, principal }: RequestContext,
  context: ReportContext,
): WriteReport | null {
  return writes === null ? null : new WriteReport(writes, principal, context);
}

/** An element of a request; one that was refused while it was read has its error. */
export type WriteItem = Tree & { readonly error?: ProtocolError };

/** Runs work in one transaction, and again when it was the victim of a deadlock, or another writer took a natural key; asks why it was refused where that is not clear. @param oneByOne whether each element has a statement of its own */
export function transact<Result>(
  context: WriteContext,
  execution: Execution,
  oneByOne: boolean,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const { database, locks, statements, activity } = execution;
  const { takenKey } = context;
  const run = (): Promise<Result> =>
    retryingDeadlocks(() =>
      database.transaction((connection) => {
        const source = sourceOn(connection, execution);
        return work({ source, statements, locks, oneByOne, ...context });
      }, activity),
    );
  return (takenKey === undefined ? run() : takenKey.retrying(run)).catch(async (error: unknown) => {
    const ask = error instanceof Refused ? error.ask : null;
    throw ask === null ? error : await ask(sourceOn(database, execution));
  });
}

/** An execution whose transactions are rolled back when their work is done. */
export function rollingBack(execution: Execution): Execution {
  const { database } = execution;
  const transaction: Database['transaction'] = async <Result>(
    work: (connection: Connection) => Promise<Result>,
    activity: Execution['activity'],
  ) => {
    const rollback = new Error('rolled back');
    const results: Result[] = [];
    const run = async (connection: Connection): Promise<never> => {
      results[0] = await work(connection);
      throw rollback;
    };
    await database.transaction(run, activity).catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
    return results[0] as Result;
  };
  return { ...execution, database: { ...database, transaction } };
}

/** Runs work in one transaction (§3.3). Where the database refuses several elements together, each is tried alone, to name the one at fault. */
export function allOrNone<Result>(
  context: WriteContext,
  execution: Execution,
  work: (attempt: Attempt) => Promise<Result>,
  elements: readonly Tree[] = [],
): Promise<Result> {
  const run = (): Promise<Result> =>
    transact(context, execution, false, work).catch((error: unknown) => {
      if (!(error instanceof Refused) || mayRefuseEachOther(error, context)) throw error;
      return transact(context, execution, true, work);
    });
  return explainingRefusal(context, run, elements);
}

/** Writes the elements of a request that are given, in a transaction that it is given. */
type Work<Item> = (items: readonly Item[], attempt: Attempt) => Promise<readonly Outcome[]>;

/** Writes elements: with `$atomic` all or none (§4.13), otherwise each stands or falls alone. */
export const writeElements: typeof writeIndependently = (elements, context, ...others) =>
  context.atomic
    ? writeAllOrNone(elements, context, ...others)
    : writeIndependently(elements, context, ...others);

/** Writes elements in one transaction as {@link allOrNone} does, and reports them, also where the outcome is not known. @param first may write them all before */
export async function writeAllOrNone<Item extends Tree>(
  elements: readonly Item[],
  context: WriteContext,
  execution: Execution,
  work: Work<Item>,
  first: First<Item> | null = null,
): Promise<readonly Outcome[]> {
  const { report } = context;
  const all = async (): Promise<readonly Outcome[]> => {
    const written = await explainingRefusal(context, async () => first?.(elements) ?? [], elements);
    if (written.length > 0) return written;
    return allOrNone(context, execution, (attempt) => work(elements, attempt), elements);
  };
  const done = await all().catch((error: unknown) => {
    if (isProtocolError(error, 'outcomeUnknown')) report?.unknown(error, elements);
    throw error;
  });
  report?.committed(done);
  return done;
}

/** Runs the transactions of an all-or-nothing request. @throws ProtocolError why the database refused it, and that nothing was done */
export async function explainingRefusal<Result>(
  context: WriteContext,
  work: () => Promise<Result>,
  elements: readonly Tree[] = [],
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const consequence = nothingDone(context.kind);
    if (error instanceof Refused) throw (error.shared ?? error.explained).leadingTo(consequence);
    if (!(error instanceof DatabaseRefusal)) throw error;
    const { reason, root } = refusedCommit(error, elements, context);
    throw root === null ? reason.leadingTo(consequence) : atomicError(reason, root, context);
  }
}

/** Whether a delete was refused because a row refers to what it deletes. */
export function isStillReferredTo(error: unknown): boolean {
  const cause = error instanceof Refused ? error.explained : error;
  return isProtocolError(cause, 'brokenReference');
}

/** Whether deletes one by one may be refused although those of all together are not: a row to delete may refer to another one. */
function mayRefuseEachOther(error: Refused, { kind, dataclass: { table } }: WriteContext): boolean {
  return (
    kind === 'delete' &&
    isStillReferredTo(error) &&
    table.foreignKeys.some(
      ({ targetSchema, targetTable }) =>
        targetSchema === table.schema && targetTable === table.name,
    )
  );
}

/** Writes elements in a transaction of its own, and returns those that it has written. */
type First<Item> = (items: readonly Item[]) => Promise<readonly Outcome[]>;

/** How far a request is whose elements stand or fall alone. */
interface Progress {
  /** The error of all that has not been tried yet. */
  ended: ProtocolError | null;
  /** The first error that is about no element. */
  thrown: ProtocolError | null;
  /** Whether any element has an outcome of its own. */
  hasOutcomes: boolean;
  /** How many transactions failed. */
  failures: number;
}

/**
 * Writes elements that stand or fall alone, in transactions of bounded size, see {@link bisect}. Returns the outcomes in the order of the items.
 * A transient error ends the request: it is the answer of all that was not committed by then, or thrown where nothing was done.
 * @param first may write some of the elements of a transaction before
 */
export async function writeIndependently<Item extends WriteItem>(
  items: readonly Item[],
  context: WriteContext,
  execution: Execution,
  work: Work<Item>,
  first: First<Item> | null = null,
): Promise<readonly Outcome[]> {
  const { report } = context;
  const done: Outcome[] = [];
  const end = (some: readonly Outcome[]): void => {
    done.push(...some);
    context.body?.end(some);
  };
  const postponed: Item[] = [];
  const state: Progress = { ended: null, thrown: null, hasOutcomes: false, failures: 0 };
  // Committed writes are reported also when the client has disconnected: no signal ends the loop.
  const slice = new TimeSlice();
  const fail = async (some: readonly Item[], error: ProtocolError): Promise<void> => {
    const one = (item: Item): Failed =>
      failed(item, item.error ?? withConsequence(error, item.key, context));
    end(await mapInSlices(some, one, slice));
  };
  const trial: Trial<Item> = {
    isDivisible,
    run: async (some, oneByOne) => {
      if (state.ended !== null) return fail(some, state.ended);
      try {
        const written = await transact(context, execution, oneByOne, (attempt) =>
          work(some, attempt),
        );
        state.hasOutcomes = true;
        report?.committed(written);
        end(written);
      } catch (error) {
        if (error instanceof Postponed) return void postponed.push(...some);
        state.failures += 1;
        if (state.failures === MOST_REFUSED) state.ended ??= ProtocolError.of('tooManyRefused');
        state.hasOutcomes ||= some.length > 1 && isDivisible(error);
        throw error;
      }
    },
    refuse: (refused) => {
      state.hasOutcomes = true;
      end(refused);
    },
    fail: async (some, error) => {
      const refusal = explanationOf(error, some[0], context);
      if (refusal !== null) {
        state.hasOutcomes = true;
        end(some.map((item) => failed(item, item.error ?? refusal)));
        return;
      }
      if (!(error instanceof ProtocolError)) throw error;
      state.thrown ??= error;
      if (endsRequest(error)) state.ended ??= notTried(error);
      await fail(some, error);
    },
  };
  /** Writes what can be written at once. @returns the others; none where that ended with an error */
  const begin = async (piece: readonly Item[]): Promise<readonly Item[]> => {
    if (first === null || state.ended !== null) return piece;
    try {
      const written = await first(piece);
      if (written.length === 0) return piece;
      state.hasOutcomes = true;
      done.push(...written);
      const indexes = new Set(written.map(({ index }) => index));
      return piece.filter(({ index }) => !indexes.has(index));
    } catch (error) {
      await trial.fail(piece, error);
      return [];
    }
  };
  for (const piece of await piecesOf(items, context)) {
    const others = await begin(piece);
    if (others.length > 0) await bisect(others, trial, context);
  }
  if (context.body !== undefined) context.body.waits = false;
  postponed.sort(inBodyOrder);
  for (const piece of await piecesOf(postponed, context)) await bisect(piece, trial, context);
  done.sort(inBodyOrder);
  report?.refused(done, items);
  if (state.thrown !== null && !state.hasOutcomes) throw state.thrown;
  return done;
}

/**
 * Finds out which elements of a request would be refused, and rolls all back; `work` gets those to try and those refused before. Where each stands or falls
 * alone, each transaction repeats all that was accepted before, so that two new entities with one key are found.
 */
export async function dryRun<Item extends WriteItem, Result>(
  items: readonly Item[],
  context: WriteContext,
  served: Execution,
  work: (items: readonly Item[], refused: readonly Failed[], attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const execution = rollingBack(served);
  if (context.atomic) return allOrNone(context, execution, (attempt) => work(items, [], attempt));
  const run = (some: readonly Item[], oneByOne = false): Promise<Result> =>
    transact(context, execution, oneByOne, (attempt) => work(some, refused, attempt));
  const refusalAlone = (item: Item): Promise<unknown> =>
    run([item]).then(
      () => null,
      (error: unknown) => error,
    );
  const refused: Failed[] = [];
  let accepted: readonly Item[] = [];
  let trials = 0;
  /** The result with all elements that were accepted; empty where some were refused since. */
  const latest: Result[] = [];
  const refuse = (failures: readonly Failed[]): void => {
    latest.length = 0;
    refused.push(...failures);
  };
  const trial: Trial<Item> = {
    isDivisible: isRefusal,
    run: async (some, oneByOne) => {
      trials += 1;
      if (trials > MOST_TRIALS) {
        const error = ProtocolError.of('tooManyRefused');
        refuse(some.map((item) => failed(item, item.error ?? error)));
        return;
      }
      const tried = [...accepted, ...some];
      latest[0] = await run(tried, oneByOne);
      accepted = tried;
    },
    refuse,
    fail: async ([item], error) => {
      if (item === undefined) throw error;
      // The elements that share its statement were accepted before: the error is not about them.
      const shared = accepted.length > 0 && error instanceof Refused ? error.shared : null;
      // It may name the attribute where it comes without them, too.
      const alone = shared?.member === null ? await refusalAlone(item) : null;
      const refusal =
        shared === null || alone !== null
          ? explanationOf(alone ?? error, item, context)
          : withConsequence(shared, item.key, context);
      if (refusal === null) throw alone ?? error;
      refuse([failed(item, item.error ?? refusal)]);
    },
  };
  await bisect(items, trial, context);
  const [result] = latest;
  return result === undefined ? run(accepted) : result;
}

/** How {@link bisect} tries elements, and what becomes of those that fail. */
interface Trial<Item> {
  readonly run: (items: readonly Item[], oneByOne: boolean) => Promise<void>;
  /** Whether fewer elements may succeed where several failed by this error. */
  readonly isDivisible: (error: unknown) => boolean;
  /** Takes the failures of elements that are refused whatever they hold. */
  readonly refuse: (failures: readonly Failed[]) => void;
  /** Takes elements that failed and are not tried in parts. @throws an error that ends the request */
  readonly fail: (items: readonly Item[], error: unknown) => Promise<void> | void;
}

/**
 * Tries elements in one transaction. Where the database refuses that, tries each half of their units, down to the elements at fault; where these are
 * known, tries all others again. A unit of several elements, or one with others within it, is tried once more, one by one.
 */
async function bisect<Item extends WriteItem>(
  items: readonly Item[],
  trial: Trial<Item>,
  context: WriteContext,
  oneByOne = false,
): Promise<void> {
  try {
    await trial.run(items, oneByOne);
  } catch (error) {
    const failures = new Map(
      error instanceof Refused ? error.elements.map((element) => [element.index, element]) : [],
    );
    const refused = items.flatMap(({ index }) => failures.get(index) ?? []);
    if (refused.length > 0) {
      trial.refuse(refused);
      const others = items.filter(({ index }) => !failures.has(index));
      if (others.length > 0) await bisect(others, trial, context);
      return;
    }
    const { body, dataclass } = context;
    // What waits for one another is saved together.
    const units = body?.waits === false ? [items] : await unitsOf(items, dataclass);
    const isOne = units.length === 1;
    const isLarge = items.length > 1 || items.some(isCompound);
    if (isOne && isLarge && error instanceof Refused && !oneByOne) {
      await bisect(items, trial, context, true);
    } else if (items.length > 1 && trial.isDivisible(error)) {
      const parts = isOne ? items.map((item) => [item]) : units;
      const middle = parts.length >> 1;
      await bisect(parts.slice(0, middle).flat().sort(inBodyOrder), trial, context);
      await bisect(parts.slice(middle).flat().sort(inBodyOrder), trial, context);
    } else {
      await trial.fail(items, error);
    }
  }
}

function isRefusal(error: unknown): error is Refused | DatabaseRefusal {
  return error instanceof Refused || error instanceof DatabaseRefusal;
}

/** Whether fewer elements may succeed. After a timeout, parts are not tried: they would take their time, too. */
function isDivisible(error: unknown): boolean {
  if (error instanceof Refused) return true;
  return (
    error instanceof ProtocolError && !endsRequest(error) && error.errorName !== 'statementTimeout'
  );
}

/** Explains why the database refused an element, a deferred constraint at the commit included; null for other errors. */
function explanationOf(
  error: unknown,
  element: WriteItem | undefined,
  context: WriteContext,
): ProtocolError | null {
  if (error instanceof Refused) return error.explained;
  if (!(error instanceof DatabaseRefusal)) return null;
  const { reason } = refusedCommit(error, element === undefined ? [] : [element], context);
  return withConsequence(reason, element?.key ?? null, context);
}
