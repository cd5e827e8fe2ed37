import { addTo } from '../../../base/collections.ts';
import type { ProtocolError } from '../../../base/errors.ts';
import { mapInSlices } from '../../../base/time.ts';
import type { Row } from '../../../database/database.ts';
import { DatabaseRefusal } from '../../../database/errors.ts';
import { type Dataclass, isEngineStamp } from '../../../model/types.ts';
import { isFolded } from '../../../plan/condition/keys.ts';
import {
  type Addressing,
  type AssignedColumn,
  heldColumns,
} from '../../../plan/write/write-queries.ts';
import { isReadByType } from '../../../schema/type-rules.ts';
import type { Column } from '../../../schema/types.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import type { RowCount, RowLock } from '../../../sql/ir/ir.ts';
import { heldTooOften, MOST_TIMES } from '../../body/entity-key.ts';
import { isBytes, type StoredValue } from '../../convert/stored-value.ts';
import type { ColumnValue, KeyTexts } from '../../convert/types.ts';
import { cellJson, cellText, type InputRow, type Inputs, stampReader } from '../../run.ts';
import { type Attempt, Refused, type WriteContext } from '../../write/attempt.ts';
import { type CurrentRow, type Element, failed, type RowWrite } from '../../write/outcome.ts';
import { inBodyOrder } from '../../write/units.ts';
import { explainRefusal, type WriteKind } from '../../write/violation.ts';
import { atomicError, consequence, fail } from '../../write/write-errors.ts';
import { doubtfulColumns, withUnreadColumn } from './unread-values.ts';

/** Writes existing rows by one statement, after reading and locking them; those that a body holds several times, one after the other. */
export async function writeExisting<Item extends RowWrite>(
  items: readonly Item[],
  columnsOf: (items: readonly Item[]) => readonly Column[],
  lock: RowLock,
  attempt: Attempt,
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  let waiting = items;
  for (let times = 0; waiting.length > 0; times += 1) {
    if (times === MOST_TIMES) {
      refuseRest(waiting, attempt);
      return;
    }
    const keys = waiting.map(({ address }) => address ?? []);
    const columns = columnsOf(waiting);
    const sought = waiting.map((item) => soughtItem(item, attempt));
    const rows = await refusable(sought, lock, attempt, () =>
      addressedRows(keys, columns, lock, attempt),
    );
    const { first, again } = eachRowOnce(waiting, rows);
    await write(first);
    waiting = again;
  }
}

/** A row by its key, whose values only the database may be able to read: one of them is at fault where it refuses the key. */
function soughtItem({ index, key, address }: RowWrite, { attributes }: WriteContext): BatchItem {
  const parts = attributes
    .map(({ column, columnType: type }, part) => ({ column, type, part }))
    .filter(({ type }) => isReadByType(type));
  return { index, key, columns: parts, cells: parts.map(({ part }) => address?.[part] ?? null) };
}

/** Gives items their rows, and parts them from those whose row one before them changes. */
export function eachRowOnce<Item extends Pick<RowWrite, 'current'>>(
  items: readonly Item[],
  rows: readonly (CurrentRow | null)[],
): { readonly first: readonly Item[]; readonly again: readonly Item[] } {
  const seen = new Set<string>();
  const first: Item[] = [];
  const again: Item[] = [];
  for (const [at, item] of items.entries()) {
    const row = rows[at] ?? null;
    const id = row === null ? null : keyId(row.key);
    if (id !== null && seen.has(id)) {
      again.push(item);
      continue;
    }
    if (id !== null) seen.add(id);
    item.current = row;
    first.push(item);
  }
  return { first, again };
}

/** Refuses items that a body holds too often. @throws as {@link fail} */
function refuseRest(items: readonly RowWrite[], context: WriteContext): void {
  const { dataclass, unique } = context;
  for (const item of items) {
    fail(item, heldTooOften(item.address ?? [], dataclass, unique), context);
  }
}

/** Reads the rows that a request addresses. Where case is folded, a value is compared as it is written, else in one case, as reads do. */
export async function addressedRows(
  keys: readonly KeyTexts[],
  columns: readonly Column[],
  lock: RowLock | null,
  attempt: Attempt,
): Promise<(CurrentRow | null)[]> {
  const { attributes, unique } = attempt;
  const rows = await currentRows(attributes, keys, columns, lock, attempt);
  if (unique === null || !attributes.every(isFolded)) return rows;
  const missing = keys.filter((_, at) => rows[at] === null);
  const folded = await currentRows(attributes, missing, columns, lock, attempt, 'folded');
  return rows.map((row) => row ?? folded.shift() ?? null);
}

/**
 * Reads rows before they are changed, by one statement, and locks them where the engine can and `lock` names a change. Returns for each key its row,
 * the first in key order, or null. `attributes` address the rows, `columns` are read, `comparison` says whether case is folded.
 */
export async function currentRows(
  attributes: readonly Addressing[],
  keys: readonly KeyTexts[],
  columns: readonly Column[],
  lock: RowLock | null,
  { dataclass, statements, source }: Attempt,
  comparison: 'exact' | 'folded' = 'exact',
): Promise<(CurrentRow | null)[]> {
  if (keys.length === 0) return [];
  const { plan, statement } = statements.current(dataclass, attributes, columns, lock, comparison);
  const stampOf = stampReader(plan.stamp, statement.readers);
  const found = keys.map((): CurrentRow | null => null);
  for (const row of await source.run(statement, { rows: keys })) {
    const key = plan.key.map((index) => cellText(statement, row, index) ?? '');
    const first = found[Number(row[0])];
    // Rows whose keys are equal but for case are several entities, of which the first is meant.
    if (first?.key.every((text, part) => text === key[part]) === true) first.isOnly = false;
    found[Number(row[0])] ??= {
      key,
      stamp: stampOf(row),
      isOnly: true,
      isPermitted: plan.permitted === null || cellText(statement, row, plan.permitted) === 'true',
      column: (name) => {
        const presence = plan.presences.get(name);
        // The bytes of an image or BLOB are not read: they equal no value given.
        if (presence !== undefined)
          return cellText(statement, row, presence) === 'true' ? '' : null;
        const index = plan.columns.get(name);
        if (index === undefined) throw new Error(`column ${name} was not read`);
        return cellText(statement, row, index);
      },
      json: (name) => {
        const index = plan.columns.get(name);
        return index === undefined ? null : cellJson(statement, row, index);
      },
    };
  }
  return found;
}

/** A text that is equal for equal keys. */
export function keyId(key: readonly (string | null)[]): string {
  return JSON.stringify(key);
}

/** The keys that a statement returns, each made of its row, in key order, when it is asked for. */
export function* returnedKeys(
  statement: Statement,
  rows: readonly Row[],
  { key }: Dataclass,
): Generator<KeyTexts> {
  for (const row of rows) yield key.map((_, part) => cellText(statement, row, part) ?? '');
}

/** The version that the statement which changes a row looks for, in spite of locks: the stamp, or the values of a hash's columns; null for any. */
export function readVersion(
  stamp: string | null,
  { column }: CurrentRow,
  dataclass: Dataclass,
): readonly (string | null)[] | null {
  if (stamp === null || dataclass.stamp.kind === 'none') return null;
  if (isEngineStamp(dataclass.stamp)) return [stamp];
  const held = heldColumns(dataclass).map(({ name }) => column(name));
  // Half a surrogate pair does not come back as it was read.
  return held.every((text) => text === null || text.isWellFormed()) ? held : null;
}

/** An element that one statement writes, alone or in a batch with others. */
export interface BatchItem extends Element {
  readonly columns?: readonly Pick<AssignedColumn, 'column' | 'type'>[];
  /** The values of the columns. */
  readonly cells?: readonly StoredValue[];
  /** The row that the statement looks for. */
  readonly current?: CurrentRow | null;
  /** The version that its row must have; null or left out where any will do. */
  readonly version?: readonly (string | null)[] | null;
}

/** Equal for items that one statement can write: with the same columns and version. Bytes and items that stand alone take one for one row. */
export function batchId(
  { index, columns = [], cells = [], version = null }: BatchItem,
  isAlone: boolean,
): string {
  const positions = columns.map(({ column }) => column.position).join();
  const isSingle = isAlone || cells.some(isBytes);
  return `${version !== null} ${positions} ${isSingle ? index : ''}`;
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
export const MOST_TEXT = 2_097_152;

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

/** How many characters the values of an item have. */
export function textLength({ cells = [] }: Pick<BatchItem, 'cells'>): number {
  let length = 0;
  for (const value of cells) length += value?.length ?? 0;
  return length;
}

/** Whether a statement for one row or for many serves these items. */
export function rowCount(items: readonly unknown[]): RowCount {
  return items.length === 1 ? 'one' : 'many';
}

/** Writes batches one after the other by `run`; item by item, in the order of the body, where the attempt is one by one. */
export async function writeBatches<Item extends BatchItem>(
  batches: readonly (readonly Item[])[],
  kind: WriteKind,
  attempt: Attempt,
  run: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  const inOrder = attempt.oneByOne
    ? batches
        .flat()
        .sort(inBodyOrder)
        .map((item) => [item])
    : batches.flatMap(inParts);
  for (const items of inOrder) await refusable(items, kind, attempt, () => run(items));
}

/** Runs a statement for some elements. @throws Refused where the database refuses it; ProtocolError where the element of an atomic request is known */
export function refusable<Result>(
  items: readonly BatchItem[],
  kind: WriteKind,
  attempt: Attempt,
  run: () => Promise<Result>,
): Promise<Result> {
  return run().catch((error: unknown) => {
    if (!(error instanceof DatabaseRefusal)) throw error;
    const [only, ...more] = items;
    const isOne = only !== undefined && more.length === 0;
    const doubtful = isOne ? doubtfulColumns(error, columnValues(only)) : [];
    throw refusalOf(error, items, kind, attempt, doubtful);
  });
}

function refusalOf(
  refusal: DatabaseRefusal,
  items: readonly BatchItem[],
  kind: WriteKind,
  attempt: Attempt,
  doubtful: readonly ColumnValue[] = [],
): Error {
  const { dataclass, model, atomic, oneByOne, showsColumns = false } = attempt;
  const [first] = items;
  if (first === undefined) return refusal;
  const given = columnValues(first)
    .filter(({ value }) => value !== null)
    .map(({ column }) => column);
  const error = explainRefusal(refusal, { kind, dataclass, model, showsColumns, given });
  const about = ({ key }: Element): ProtocolError =>
    error.leadingTo(consequence(kind, key, dataclass));
  if (doubtful.length > 0) {
    return new Refused(about(first), [], error, async (source) => {
      const asked = await withUnreadColumn(refusal, doubtful, attempt, source);
      return refusalOf(asked, items, kind, attempt);
    });
  }
  const isOfAll = refusal.violation.ofStatement === true;
  if (atomic && (isOfAll || items.length === 1)) return atomicError(about(first), first, attempt);
  const isKnown = isOfAll || (oneByOne && items.length === 1);
  const elements = isKnown ? items.map((item) => failed(item, about(item))) : [];
  return new Refused(about(first), elements, error);
}

/** The columns of an item with their values. */
export function columnValues({ columns = [], cells = [] }: BatchItem): ColumnValue[] {
  return columns.map(({ column, type }, at) => ({ column, type, value: cells[at] ?? null }));
}

/** The rows of a statement for items: the key and the version that it looks for, and all values but bytes, which are parameters of their own. */
export function inputsOf(
  items: readonly Pick<BatchItem, 'cells' | 'version' | 'current'>[],
): Pick<Inputs, 'rows' | 'bytes'> {
  const rows: InputRow[] = [];
  for (const { current = null, version, cells = [] } of items) {
    const texts = textsIn(cells);
    rows.push(current === null ? texts : [...current.key, ...(version ?? []), ...texts]);
  }
  return { rows, bytes: (items[0]?.cells ?? []).filter(isBytes) };
}

function areTexts(cells: readonly StoredValue[]): cells is InputRow {
  return !cells.some(isBytes);
}

/** The values that are no bytes. */
export function textsIn(cells: readonly StoredValue[]): InputRow {
  if (areTexts(cells)) return cells;
  return cells.filter((value): value is string | null => !isBytes(value));
}
