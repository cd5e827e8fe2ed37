import { isProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { ReadPlan, SlicedReadPlan } from '../../plan/condition/types.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { StoredKeys } from '../../state/entity-set/keys.ts';
import {
  cellText,
  type FoundRows,
  type Inputs,
  readingFrom,
  type StatementSource,
} from '../run.ts';
import { readPage, type SetPage } from '../sets/entity-set.ts';
import { chosenKeys } from '../sets/narrow-keys.ts';
import type { SetRequest } from '../sets/set-keys.ts';
import {
  checkAddressed,
  fetchChildren,
  globalStampOf,
  pageStatement,
  parameterNumber,
  type ReadResult,
  rowsOf,
} from './read.ts';

/** How many entities one statement reads: as many rows as can be held for each client at once, with what is related to them. */
export const SLICE = 500;

/** How many it reads where they are short and nothing is related to them. */
const LONG_SLICE = 8000;

/** How many characters those of one statement should have. */
const SLICE_LENGTH = 1_000_000;

/** Entities that are read at once. */
export type Slice = Omit<ReadResult, 'count' | 'first'> & Partial<Pick<SetPage, 'rowOf'>>;

/** Entities that are sent as they are read. */
export interface SlicedRead {
  /** The first of them, so that what cannot be read at all is told before an answer begins. */
  readonly first: Slice;
  /** How many there are, as far as that is known at the beginning. */
  readonly size: number;
  /** Whether there may be as many as were asked for. */
  readonly isFull: boolean;
  /** Whether there may be more than the first. */
  readonly hasMore: boolean;
  /** All others, slice by slice: each is read when it is asked for. Once only. @param length that of the first ones' text, in characters */
  readonly rest: (length: number) => AsyncGenerator<Slice>;
  /** Gives up the room that keys take; nothing is read any more. It may be called again. */
  readonly close: () => void;
}

/**
 * Reads any number of entities in slices, a statement each, so that slow clients keep no connection and no transaction.
 * @param encoded whether the rows are wanted as they came
 */
export function readInSlices(
  plan: SlicedReadPlan | EntitySetPlan,
  request: SetRequest,
  encoded: boolean,
): Promise<SlicedRead> {
  return 'behind' in plan
    ? slicesInOrder(plan, request, encoded)
    : slicesByKeys(plan, request, encoded);
}

/** How many entities the next statement reads. */
export class SliceSize {
  #size = SLICE;

  /** Whether the slices are longer than they are at first. */
  get isGrown(): boolean {
    return this.#size > SLICE;
  }

  /** Reads a slice; rows that hold much are read fewer at a time. @param most how many are wanted */
  async read<Result>(most: number, read: (size: number) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await read(Math.min(this.#size, most));
      } catch (error) {
        if (!isProtocolError(error, 'answerTooLarge') || this.#size === 1) throw error;
        this.#size = Math.max(1, Math.floor(this.#size / 8));
      }
    }
  }

  /** Reads fewer at a time where a slice was long, and more where it was short. @param length that of its text, in characters */
  fit(length: number, mayGrow: boolean): void {
    const fitting = Math.max(1, Math.floor((this.#size * SLICE_LENGTH) / length));
    const most = mayGrow && this.#size === SLICE ? LONG_SLICE : this.#size;
    this.#size = Math.min(fitting, most);
  }
}

/** Begins each slice behind the last row of the one before. Each entity is as it is when it is read; one that changes its place meanwhile may be read twice, or not at all. */
async function slicesInOrder(
  plan: SlicedReadPlan,
  request: SetRequest,
  encoded: boolean,
): Promise<SlicedRead> {
  const { values } = request;
  const { fetch, top } = plan;
  const source = readingFrom(request, { encoded });
  const wanted = parameterNumber(top, values);
  const size = new SliceSize();
  let left = wanted;
  let lastRow: readonly (string | null)[] = [];
  let behind: readonly Statement[] = [];
  let isClosed = false;
  const read = async (statement: Statement): Promise<Slice> => {
    const { slice, length, most } = await size.read(left, async (some) => {
      const inputs = { values: withNumber(values, top, some), lastRow };
      return {
        ...(await readSlice(plan, some === 0 ? null : statement, inputs, source)),
        most: some,
      };
    });
    left -= length;
    const last = length < most || left === 0 ? null : lastRowOf(slice);
    if (last !== null) {
      lastRow = plan.order.map((column) => cellText(statement, last, column));
      behind = plan.behind(lastRow.map((value) => value === null));
    }
    return slice;
  };
  const begin = (): Promise<Slice> | null => {
    const [next, ...others] = behind;
    if (next === undefined || left === 0 || isClosed) return null;
    behind = others;
    const reading = read(next);
    // Nobody waits for it where the client has left.
    reading.catch(() => undefined);
    return reading;
  };
  const first = await read(pageStatement(plan, values));
  if (left === wanted && plan.origin !== null) {
    await checkAddressed(plan.origin, plan.addressed, values, source);
  }
  return {
    first,
    size: wanted - left,
    isFull: left === 0 || behind.length > 0,
    hasMore: behind.length > 0,
    async *rest(length) {
      size.fit(length, fetch.children.length === 0);
      let next = begin();
      while (next !== null) {
        const slice = await next;
        // A slice of short rows is read while the one before is written.
        const following = size.isGrown ? begin() : null;
        yield slice;
        next = following ?? begin();
      }
    },
    close: () => void (isClosed = true),
  };
}

/** Reads entities by one statement, with what is related to them; none where it is null. */
export async function readSlice(
  plan: ReadPlan,
  statement: Statement | null,
  inputs: Inputs,
  source: StatementSource,
): Promise<{ readonly slice: Slice; readonly length: number }> {
  const { rows, encoded }: FoundRows =
    statement === null ? { rows: [] } : await rowsOf(statement, inputs, source);
  const length = encoded?.length ?? rows.length;
  const { lastRow = [], values = [] } = inputs;
  // An empty slice behind others needs no stamp.
  const stampColumn = length > 0 || lastRow.length === 0 ? plan.globalStampColumn : null;
  const [globalStamp, children] = await Promise.all([
    globalStampOf(encoded ?? rows, stampColumn, plan.globalStamp, source),
    fetchChildren(plan.fetch, rows, values, source),
  ]);
  const slice: Slice = {
    fetched: { rows, children },
    globalStamp,
    ...(encoded !== undefined && { encoded }),
  };
  return { slice, length };
}

/** The last row of a slice; null where it is empty. */
export function lastRowOf({ fetched: { rows }, encoded }: Slice): Row | null {
  if (encoded === undefined) return rows.at(-1) ?? null;
  const cursor = encoded.cursor();
  for (let rows = encoded.length; rows > 0; rows -= 1) cursor.next();
  return cursor.row();
}

/** Selects the keys at once and keeps them in memory. Which entities and in which order is fixed at the beginning; one that is gone when it is to be read is left out. */
async function slicesByKeys(
  plan: EntitySetPlan,
  request: SetRequest,
  encoded: boolean,
): Promise<SlicedRead> {
  const { values, access } = request;
  const workspace = access.sets.workspace();
  const close = (): void => workspace.close();
  try {
    const selecting = { workspace, ...request, values: fetchable(plan, values) };
    const keys = await chosenKeys(plan, selecting);
    const { from, to } = windowOf(plan, keys, values);
    let next = from;
    const size = new SliceSize();
    const slice = (): Promise<Slice> =>
      size.read(to - next, async (some) => {
        const page = await readPage(plan, keys, { from: next, to: next + some }, request, encoded);
        next += some;
        return page;
      });
    const first = await slice();
    return {
      first,
      size: to - from,
      isFull: to - from === parameterNumber(plan.top, values),
      hasMore: next < to,
      async *rest(length) {
        size.fit(length, plan.page.children.length === 0);
        while (next < to) yield await slice();
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** SQL Server refuses to fetch 0 rows: where none are asked for, one key is read and not looked at. */
function fetchable({ top }: EntitySetPlan, values: readonly Literal[]): readonly Literal[] {
  return parameterNumber(top, values) > 0 ? values : withNumber(values, top, 1);
}

/** The values of a request with another number for one of them. */
export function withNumber(
  values: readonly Literal[],
  { parameter }: ParameterRef,
  number: number,
): readonly Literal[] {
  return values.map((value, index) =>
    index === parameter ? { ...value, value: String(number) } : value,
  );
}

/** The keys of a selection are cut by the statement that reads them, those of a stored set here. */
function windowOf(
  { source, top: topParameter, skip }: EntitySetPlan,
  { size }: StoredKeys,
  values: readonly Literal[],
): { readonly from: number; readonly to: number } {
  const top = parameterNumber(topParameter, values);
  if (source.kind === 'selection') return { from: 0, to: Math.min(top, size) };
  const from = Math.min(parameterNumber(skip, values), size);
  return { from, to: Math.min(from + top, size) };
}
