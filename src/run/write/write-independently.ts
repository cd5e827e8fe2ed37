import { ProtocolError } from '../../base/errors.ts';
import { mapInSlices, TimeSlice } from '../../base/time-slice.ts';
import { DatabaseRefusal } from '../../database/violation.ts';
import { type Attempt, Refused, transact, type WriteContext } from './attempt.ts';
import { type Element, failed, type Failed, type Step } from './outcome.ts';
import type { Execution } from '../run.ts';
import { refusedCommit, type Tree } from './refused-commit.ts';
import type { Reported } from './report-written.ts';
import { changeOf, isTransient, notTried, toldOf, withConsequence } from './write-errors.ts';

/**
 * How many entities are written in one transaction: SQL Server locks a whole table where one statement holds 5,000 locks on it
 * (https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide#lock-escalation).
 */
const MOST_TOGETHER = 1000;

/** How many transactions of one request may be refused: with each of a thousand elements wrong, halving them takes as many. */
const MOST_REFUSED = 1000;

interface State {
  /** Why what has not been tried is not tried any more. */
  ended: ProtocolError | null;
  /** What the first transaction came to that the database did not refuse for an element's sake. */
  thrown: ProtocolError | null;
  /** Whether any element has an outcome of its own. */
  hasOutcomes: boolean;
  /** How many transactions were refused. */
  refused: number;
}

/** An element that may have been refused while it was read, or that has others within it. */
export type WriteItem = Tree & { readonly error?: ProtocolError };

/** Whether an element is written by the same statements as others are: those within it. */
export function isCompound({ nested = [] }: Pick<Tree, 'nested'>): boolean {
  return nested.length > 0;
}

/** How many entities an element is, those within it counted as well. */
function sizeOf({ nested = [] }: Pick<Tree, 'nested'>): number {
  return nested
    .flatMap(({ entities }) => entities)
    .reduce((size, inner) => size + sizeOf(inner), 1);
}

/** Elements in their order, in pieces of {@link MOST_TOGETHER} entities, or of the one that is more. */
function piecesOf<Item extends Pick<Tree, 'nested'>>(items: readonly Item[]): Item[][] {
  const pieces: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const piece = pieces.at(-1);
    if (piece === undefined || size > room) {
      pieces.push([item]);
      room = MOST_TOGETHER - size;
    } else {
      piece.push(item);
      room -= size;
    }
  }
  return pieces;
}

/**
 * Runs the work of a request whose elements stand or fall alone, in transactions of bounded size. Where the database refuses one,
 * each half is tried in one of its own, and so on down to the elements that are wrong; where it refuses a statement, whatever the
 * elements hold, all others are tried again together. One that has others within it is tried once more, one by one. An error that passes by itself ends it: what
 * has not been committed by then is answered with that.
 * @param direct as that of {@link transact}, where there is one element
 * @returns what each came to, in the order of the items
 * @throws ProtocolError where nothing was done because of an error that speaks of no element
 */
export async function writeIndependently<Item extends WriteItem, Done extends Element & Reported>(
  items: readonly Item[],
  context: WriteContext,
  execution: Execution,
  work: (items: readonly Item[], attempt: Attempt) => Promise<readonly Step<Done>[]>,
  direct: (() => Promise<readonly Step<Done>[] | null>) | null = null,
): Promise<readonly Step<Done>[]> {
  const state: State = { ended: null, thrown: null, hasOutcomes: false, refused: 0 };
  // What has been written is told, also where the client has gone: no signal ends it.
  const slice = new TimeSlice();
  const bisect = async (
    some: readonly Item[],
    oneByOne = false,
  ): Promise<readonly Step<Done>[]> => {
    const { ended } = state;
    if (ended !== null) {
      return mapInSlices(some, (item) => unexplained(item, ended, context), slice);
    }
    try {
      const done = await transact(
        context,
        execution,
        oneByOne,
        (attempt) => work(some, attempt),
        direct,
      );
      state.hasOutcomes = true;
      context.report?.committed(done);
      return done;
    } catch (error) {
      state.refused += 1;
      if (state.refused === MOST_REFUSED) state.ended ??= ProtocolError.of('tooManyRefused');
      const { refused, others } = refusedWhatever(error, some);
      if (refused.length > 0) {
        state.hasOutcomes = true;
        return others.length === 0 ? refused : [...refused, ...(await bisect(others))];
      }
      if (some.length > 1 && isDivisible(error)) {
        state.hasOutcomes = true;
        const middle = some.length >> 1;
        const before = await bisect(some.slice(0, middle));
        return [...before, ...(await bisect(some.slice(middle)))];
      }
      // Which of those within it is wrong is found one by one.
      if (error instanceof Refused && !oneByOne && some.some(isCompound)) return bisect(some, true);
      const refusal = explained(error, some[0], context);
      if (refusal !== null) {
        state.hasOutcomes = true;
        return some.map((item) => failed(item, item.error ?? refusal));
      }
      if (!(error instanceof ProtocolError)) throw error;
      state.thrown ??= error;
      if (isTransient(error)) state.ended ??= notTried(error);
      return mapInSlices(some, (item) => unexplained(item, error, context), slice);
    }
  };
  const done: Step<Done>[] = [];
  for (const piece of piecesOf(items)) done.push(...(await bisect(piece)));
  done.sort((a, b) => a.index - b.index);
  context.report?.refused(done, items);
  if (state.thrown !== null && !state.hasOutcomes) throw state.thrown;
  return done;
}

/** Of elements that were tried together, those that the database refuses whatever they hold, and the others. */
export function refusedWhatever<Item extends Element>(
  error: unknown,
  some: readonly Item[],
): { readonly refused: readonly Failed[]; readonly others: readonly Item[] } {
  const whatever = error instanceof Refused ? error.whatever : [];
  const byIndex = new Map(whatever.map((step) => [step.index, step]));
  return {
    refused: some.flatMap(({ index }) => byIndex.get(index) ?? []),
    others: some.filter(({ index }) => !byIndex.has(index)),
  };
}

/** Whether less of it may succeed. What took too long is not tried in parts: they would take their time, too. */
function isDivisible(error: unknown): boolean {
  if (error instanceof Refused) return true;
  return (
    error instanceof ProtocolError && !isTransient(error) && error.errorName !== 'statementTimeout'
  );
}

/** Why the database refused an element; null where it did not. A constraint may be checked no sooner than at the commit. */
export function explained(
  error: unknown,
  element: WriteItem | undefined,
  context: WriteContext,
): ProtocolError | null {
  if (error instanceof Refused) return error.explained;
  if (!(error instanceof DatabaseRefusal)) return null;
  const { reason } = refusedCommit(error, element === undefined ? [] : [element], context);
  return toldOf(element?.key ?? null, reason, context);
}

function unexplained(
  item: WriteItem,
  error: ProtocolError,
  { dataclass, kind }: WriteContext,
): Failed {
  const change = changeOf(kind, item.key);
  return failed(item, item.error ?? withConsequence(error, change, item.key, dataclass));
}
