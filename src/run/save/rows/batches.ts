import type { ProtocolError } from '../../../base/errors.ts';
import { addTo } from '../../../base/collections.ts';
import { mapInSlices } from '../../../base/time-slice.ts';
import { DatabaseRefusal } from '../../../database/violation.ts';
import type { RowCount } from '../../../sql/ir/ir.ts';
import { isBytes } from '../../convert/stored-value.ts';
import type { ColumnValue } from '../../convert/types.ts';
import { explainRefusal, type WriteKind } from '../../write/violation.ts';
import { Refused, type Attempt } from '../../write/attempt.ts';
import { failed, type Element, type Outcome } from '../../write/outcome.ts';
import { atomicError, consequence } from '../../write/write-errors.ts';

/** An element that one statement writes, alone or in a batch with others. */
export interface BatchItem {
  readonly element: Element;
  /** The columns that are given values. */
  readonly columns?: readonly ColumnValue[];
  /** The version that its row must have; null or left out where any will do. */
  readonly version?: readonly (string | null)[] | null;
}

/**
 * A text that is equal for items that one statement can write: with the same columns, all with a version or all without. Bytes are parameters
 * of a statement with one row.
 * @param isAlone whether a statement can write one of them only
 */
export function batchId(
  { element, columns = [], version = null }: BatchItem,
  isAlone: boolean,
): string {
  const names = columns.map(({ column }) => column.name);
  const isSingle = isAlone || columns.some(({ value }) => isBytes(value));
  return JSON.stringify([version !== null, ...names, ...(isSingle ? [element.index] : [])]);
}

/** Groups items by the text that identifies their batch; batches stand in the order of their first items. */
export async function intoBatches<Item>(
  items: readonly Item[],
  id: (item: Item) => string,
): Promise<Item[][]> {
  const batches = new Map<string, Item[]>();
  await mapInSlices(items, (item) => {
    addTo(batches, id(item), item);
  });
  return [...batches.values()];
}

/** How much text one statement is given, in characters: all of it is one parameter, which is encoded at once. */
const MOST_TEXT = 2_097_152;

/** Splits a batch, in its order, into parts of {@link MOST_TEXT}; a longer item is a part of its own. */
function inParts<Item extends BatchItem>(batch: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  let room = -1;
  for (const item of batch) {
    const length = textLength(item);
    if (length > room || parts.length === 0) {
      parts.push([]);
      room = MOST_TEXT;
    }
    parts.at(-1)?.push(item);
    room -= length;
  }
  return parts;
}

function textLength({ columns = [] }: BatchItem): number {
  let length = 0;
  for (const { value } of columns) length += value?.length ?? 0;
  return length;
}

/** Whether a statement for one row or for many serves these items. */
export function rowCount(items: readonly unknown[]): RowCount {
  return items.length === 1 ? 'one' : 'many';
}

/**
 * Writes batches one after the other; item by item, in the order of the body, where the attempt is one by one.
 * @param run writes the items of one batch by one statement
 * @throws as {@link refusable}
 */
export async function writeBatches<Item extends BatchItem>(
  batches: readonly (readonly Item[])[],
  kind: WriteKind,
  attempt: Attempt,
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const inOrder = attempt.oneByOne
    ? batches
        .flat()
        .sort((a, b) => a.element.index - b.element.index)
        .map((item) => [item])
    : batches.flatMap(inParts);
  for (const items of inOrder) {
    outcomes.push(...(await refusable(items, kind, attempt, () => run(items))));
  }
  return outcomes;
}

/**
 * Runs a statement for some elements.
 * @throws Refused where the database refuses it; ProtocolError where the element of an atomic request is known
 */
export function refusable<Result>(
  items: readonly BatchItem[],
  kind: WriteKind,
  attempt: Attempt,
  run: () => Promise<Result>,
): Promise<Result> {
  return run().catch((error: unknown) => {
    throw error instanceof DatabaseRefusal ? explained(error, items, kind, attempt) : error;
  });
}

function explained(
  refusal: DatabaseRefusal,
  items: readonly BatchItem[],
  kind: WriteKind,
  attempt: Attempt,
): Error {
  const { dataclass, model, atomic } = attempt;
  const [first] = items;
  if (first === undefined) return refusal;
  const given = (first.columns ?? []).map(({ column }) => column);
  const error = explainRefusal(refusal, { kind, dataclass, model, given });
  const about = ({ key }: Element): ProtocolError =>
    error.leadingTo(consequence(kind, key, dataclass));
  const isOfAll = refusal.violation.ofStatement === true;
  if (atomic && (isOfAll || items.length === 1)) {
    return atomicError(about(first.element), first.element, attempt);
  }
  const elements = isOfAll ? items.map(({ element }) => failed(element, about(element))) : [];
  return new Refused(about(first.element), elements, error);
}
