import { mapInSlices } from '../../../base/time-slice.ts';
import type { Row } from '../../../database/database.ts';
import type { Dataclass } from '../../../model/types.ts';
import { generatedKey, isInstead } from '../../../plan/write/save.ts';
import { type AssignedColumn, heldColumns } from '../../../plan/write/write-queries.ts';
import type { Column } from '../../../schema/types.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import { entityName, isSameKey, keyMismatch, noEntity } from '../../body/entity-key.ts';
import { type EntityValues, perShape, type Shape } from '../../convert/entity-values.ts';
import { isSameValue, type StoredValue } from '../../convert/stored-value.ts';
import type { KeyTexts, PlannedEntity } from '../../convert/types.ts';
import { cellText } from '../../run.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { refuseLocked } from '../../write/lock.ts';
import {
  type Element,
  failed,
  type Failed,
  isFailed,
  type OrFailed,
  type Outcome,
  outcomeOf,
  reported,
} from '../../write/outcome.ts';
import {
  failFast,
  notCreated,
  notPermitted,
  orFailed,
  rolledBack,
  sortOut,
  stampChanged,
  vanished,
} from '../../write/write-errors.ts';
import { settledId } from '../body-names.ts';
import { assigned, byColumn, changedPlaces, newColumns, newRowColumns } from './columns.ts';
import {
  affectedKeys,
  batchId,
  columnValues,
  type CurrentRow,
  currentRows,
  inputsOf,
  intoBatches,
  keyId,
  readVersion,
  rowCount,
  type WithRow,
  writeBatches,
  writeExisting,
} from './current-rows.ts';
import { refuseRestricted, restrictedColumns, type WrittenRow } from './references.ts';
import { withoutRepetitions } from './repetitions.ts';
import type { OwnRows } from './write-statements.ts';

/** A new entity with its row, and what identifies the batch of its statement. */
interface Creation extends WrittenRow {
  readonly batch: string;
}

/** Works out the row of a new entity. @throws as {@link newColumns} */
function planCreation({ index, given }: PlannedEntity): Creation {
  const element = { index, key: null };
  const { columns, cells } = newColumns(given);
  const row = { element, columns, cells };
  const batch =
    batchOf(given.shape) ?? batchId(row, isInsertedAlone(columns, given.shape.dataclass));
  return { element, columns, cells, given, batch };
}

/** The batch of the new rows of a shape; null for rows that go in one by one. @throws as {@link newColumns} */
const batchOf = perShape((shape): string | null => {
  const columns = newRowColumns(shape);
  const isSingle =
    isInsertedAlone(columns, shape.dataclass) || columns.some(({ from }) => from === 'bytes');
  return isSingle ? null : batchId({ element: NEW_ROW, columns }, false);
});

const NEW_ROW: Element = { index: 0, key: null };

/**
 * Inserts new entities, by one statement for each set of columns, or for each entity where it has to go in alone.
 * @param answer reads the rows by the same statement, where there is only one; null where later ones may change them
 */
export async function createRows(
  entities: readonly PlannedEntity[],
  answer: OwnRows | null,
  attempt: Attempt,
): Promise<Outcome[]> {
  const { dataclass } = attempt;
  const planned = await mapInSlices(entities, (entity) =>
    orFailed(entity, 'create', dataclass, () => planCreation(entity)),
  );
  const failures: Failed[] = [];
  const creations = sortOut(planned, failures, attempt);
  const allowed = sortOut(await refuseRestricted(creations, 'create', attempt), failures, attempt);
  const batches = await intoBatches(allowed, ({ batch }) => batch);
  const outcomes = await writeBatches(batches, 'create', attempt, (items) =>
    insertRows(items, items.length === allowed.length ? answer : null, attempt),
  );
  return [...failures, ...outcomes];
}

/** Whether new rows go in one by one: where a trigger takes or drops rows, for rows of defaults, and where no identity tells generated keys apart. */
function isInsertedAlone(columns: readonly AssignedColumn[], dataclass: Dataclass): boolean {
  const generated = generatedKey(columns, dataclass);
  return (
    columns.length === 0 ||
    isInstead(dataclass, 'insert') ||
    dataclass.table.beforeInsert === true ||
    generated.some(({ identity }) => !identity || generated.length > 1)
  );
}

async function insertRows(
  items: readonly Creation[],
  answer: OwnRows | null,
  attempt: Attempt,
): Promise<readonly Outcome[]> {
  const { statements, source, dataclass } = attempt;
  const columns = items[0]?.columns ?? [];
  const read = answer !== null && isAnsweredAtOnce(columns, dataclass) ? answer : null;
  const statement = statements.insert(dataclass, columns, rowCount(items), read);
  const rows = await source.run(statement, inputsOf(items));
  const hasGeneratedKey = generatedKey(columns, dataclass).length > 0;
  // Nothing tells which rows are missing: each has to go in alone.
  if (hasGeneratedKey && items.length > 1 && rows.length < items.length) {
    throw new Refused(notCreated(dataclass));
  }
  const keyOf = keyReader(columns, read?.own.readers.length ?? 0, statement, dataclass);
  const isRead = read !== null && rows.length === items.length;
  const isGuess = hasGeneratedKey && isInstead(dataclass, 'insert') && source.dialect.guessesKeys;
  const outcomes: Outcome[] = [];
  for (const item of items) {
    const row = rows[outcomes.length];
    if (hasGeneratedKey && row === undefined) {
      outcomes.push(failed(item.element, notCreated(dataclass)));
      continue;
    }
    const key = keyOf(item.cells, row);
    const isKnown = key !== null && (!isGuess || (await isConfirmed(key, item, attempt)));
    const written = reported(attempt, () => {
      const changed = new Set(item.columns.map(({ column }) => column.name));
      return { action: 'create', given: columnValues(item), changed, before: null };
    });
    const answered = isRead && Number(row?.[0]) === 0 ? row : undefined;
    const element = { index: item.element.index, key: isKnown ? key : null };
    outcomes.push(outcomeOf('created', element, null, answered, written));
  }
  return failFast(outcomes, attempt);
}

/** Whether the row with a key may be the new one: it holds what was sent. Otherwise the key is another row's, or a trigger has changed the values. */
async function isConfirmed(key: KeyTexts, item: WrittenRow, attempt: Attempt): Promise<boolean> {
  const sent = columnValues(item).filter(({ value }) => typeof value === 'string');
  const sentColumns = sent.map(({ column }) => column);
  const { key: attributes } = attempt.dataclass;
  const [row] = await currentRows(attributes, [key], sentColumns, 'update', attempt);
  // A row that is missing is noticed when all are read again.
  if (row === undefined || row === null) return true;
  return (
    sent.length > 0 &&
    sent.every(({ column, type, value }) => isSameValue(row.column(column.name), value, type))
  );
}

/** Whether the statement that inserts rows can read them: it finds them by keys that are given or that it returns, and nothing stands in for it. */
function isAnsweredAtOnce(columns: readonly AssignedColumn[], dataclass: Dataclass): boolean {
  const { table, key, stamp } = dataclass;
  // PostgreSQL does not return xmin of rows that go into partitions.
  const isReturned = stamp.kind !== 'xmin' || table.updatesMore !== true;
  return (
    isReturned &&
    key.length > 0 &&
    table.kind === 'table' &&
    table.beforeInsert !== true &&
    !isInstead(dataclass, 'insert') &&
    !columns.some(({ from }) => from === 'bytes')
  );
}

/** Finds the key of a new row, from the values that it was given and those that the statement returns; null where it is not known. */
type KeyOfRow = (cells: readonly StoredValue[], row: Row | undefined) => KeyTexts | null;

/** @param columns those of all rows @param keyAt the index of the first part in what the statement returns */
function keyReader(
  columns: readonly AssignedColumn[],
  keyAt: number,
  statement: Statement,
  dataclass: Dataclass,
): KeyOfRow {
  const generated = generatedKey(columns, dataclass);
  const givenAt = dataclass.key.map(({ column }) =>
    generated.includes(column)
      ? -1
      : columns.findIndex((candidate) => candidate.column.name === column.name),
  );
  return (cells, row) => {
    const key: string[] = [];
    for (const [part, at] of givenAt.entries()) {
      const value = cells[at];
      const text =
        typeof value === 'string' || row === undefined
          ? value
          : cellText(statement, row, keyAt + part);
      if (typeof text !== 'string') return null;
      key.push(text);
    }
    return key.length > 0 ? key : null;
  };
}

/** An existing entity, with the key that addresses it. */
export type ExistingEntity = PlannedEntity & { readonly key: KeyTexts };

/** An entity to change, with its row. Its columns are those that the body names, changed or not: entities that name the same share a statement. */
interface Change extends WrittenRow {
  readonly current: CurrentRow;
  readonly changed: readonly boolean[];
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: string | null;
  /** The version that its statement looks for; null for any. */
  readonly version: readonly (string | null)[] | null;
}

/** Changes existing entities: writes the values that differ from those of the rows, where the stamp is still the one that was read. */
export function changeRows(
  entities: readonly ExistingEntity[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const { dataclass } = attempt;
  const columnsOf = (some: readonly ExistingEntity[]): readonly Column[] =>
    inTableOrder([
      ...namedColumns(some),
      ...clearedReferences(some),
      ...restrictedColumns(dataclass),
      ...heldColumns(dataclass),
    ]);
  return writeExisting(entities, columnsOf, 'update', attempt, async (found) =>
    changeEachOnce(await withoutRepetitions(found, attempt), attempt),
  );
}

async function changeEachOnce(
  found: readonly WithRow<ExistingEntity>[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const failures: Failed[] = [];
  const planned = await mapInSlices(found, ([entity, row]) => planChange(entity, row, attempt));
  const permitted = sortOut(planned, failures, attempt);
  const unlocked = sortOut(await refuseLocked(permitted, 'update', attempt), failures, attempt);
  const changes = sortOut(await refuseRestricted(unlocked, 'update', attempt), failures, attempt);
  const differing = changes.filter(({ changed }) => changed.includes(true));
  const isAlone = isInstead(attempt.dataclass, 'update');
  const batches = await intoBatches(differing, (item) => batchId(item, isAlone));
  const written = await writeBatches(batches, 'update', attempt, (items) =>
    updateRows(items, attempt),
  );
  const unchanged = changes
    .filter(({ changed }) => !changed.includes(true))
    .map(({ element, current }) => outcomeOf('unchanged', element, current.stamp));
  return [...failures, ...written, ...unchanged];
}

/** Works out which columns of an entity are to be written. */
function planChange(
  entity: ExistingEntity,
  current: CurrentRow | null,
  { dataclass, unique, nested, body }: Attempt,
): OrFailed<Change> {
  if (current === null) return failed(entity, noEntity(entity.key, dataclass, unique));
  // A nested entity may be sent back as it was read.
  if (!current.isPermitted && nested === undefined) {
    return failed(entity, notPermitted('update', current.key, dataclass));
  }
  const { index, ownKey, stamp } = entity;
  if (ownKey !== null && !isSameKey(ownKey, current.key, dataclass)) {
    const addressed = entityName(dataclass, entity.key, unique);
    return failed(entity, keyMismatch(addressed, ownKey));
  }
  const element = { index, key: current.key };
  const stale = (): Failed => failed(element, stampChanged('update', current.key, dataclass), true);
  if (stamp !== null && stamp !== current.stamp) return stale();
  const change = orFailed(entity, 'update', dataclass, (): Change => {
    const { given } = entity;
    const places = changedPlaces(given, ({ name }) => current.column(name));
    if (places.some((at) => at !== null)) {
      if (entity.denied !== null) throw entity.denied;
      if (!current.isPermitted) throw notPermitted('update', current.key, dataclass);
    }
    const version = readVersion(stamp, current, dataclass);
    return { element, current, stamp, version, given, ...changedRow(given, places, current) };
  });
  // Of what a body says of one place or list the first stands, also where that has changed no stamp.
  const places = isFailed(change) ? [] : changedNames(change);
  const lists =
    stamp === null
      ? []
      : entity.nested.map(({ relation: { name } }) => `${dataclass.name}.${name}`);
  const isSettled = [...places, ...lists].some((name) =>
    body?.isSettled(settledId(dataclass, current.key, name)),
  );
  return isSettled ? stale() : change;
}

/** The columns that a body names, with the values that they are given, or have. Bytes that stay as they are have not been read. */
function changedRow(
  { shape, values }: EntityValues,
  places: readonly (number | null)[],
  current: CurrentRow,
): Pick<Change, 'columns' | 'cells' | 'changed'> {
  const { slots, nulls } = shape;
  const columns: AssignedColumn[] = [];
  const cells: StoredValue[] = [];
  const changed: boolean[] = [];
  for (const [group, { column }] of byColumn(shape).entries()) {
    const at = places[group] ?? null;
    const slot = at === null ? undefined : slots[at];
    if (at !== null && slot !== undefined) {
      columns.push(assigned(slot, nulls[at] === true));
      cells.push(values[at] ?? null);
    } else if (column.type.kind !== 'binary') {
      columns.push({ column, type: column.type, from: 'cell' });
      cells.push(current.column(column.name));
    } else continue;
    changed.push(at !== null);
  }
  return { columns, cells, changed };
}

function changedNames({ columns, changed }: Pick<Change, 'columns' | 'changed'>): string[] {
  return columns.flatMap(({ column }, at) => (changed[at] === true ? [column.name] : []));
}

/** The columns that entities name. */
function namedColumns(entities: readonly PlannedEntity[]): Column[] {
  return [...shapesOf(entities)].flatMap((shape) => byColumn(shape).map(({ column }) => column));
}

/** All columns of the relations that entities clear: together they tell where the relations lead. */
function clearedReferences(entities: readonly PlannedEntity[]): Column[] {
  const slots = [...shapesOf(entities)].flatMap((shape) => shape.slots);
  const relations = slots.flatMap(({ clearing = [] }) => clearing);
  return [...new Set(relations)].flatMap(({ hops }) => hops[0].from);
}

function shapesOf(entities: readonly PlannedEntity[]): ReadonlySet<Shape> {
  return new Set(entities.map(({ given }) => given.shape));
}

function inTableOrder(columns: readonly Column[]): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return [...byName.values()].sort((a, b) => a.position - b.position);
}

/** Writes changes by one statement, without the columns that none of them changes. */
async function updateRows(items: readonly Change[], attempt: Attempt): Promise<Outcome[]> {
  const named = items[0]?.columns ?? [];
  const isWritten = named.map((_, at) => items.some(({ changed }) => changed[at] === true));
  const written = items.map(({ element, current, version, cells }) => ({
    element,
    current,
    version,
    columns: named.filter((_, at) => isWritten[at]),
    cells: cells.filter((_, at) => isWritten[at]),
  }));
  const stamped = items[0]?.version !== null;
  const statement = attempt.statements.update(
    attempt.dataclass,
    written[0]?.columns ?? [],
    stamped,
    rowCount(items),
  );
  const rows = await attempt.source.run(statement, inputsOf(written));
  const met = affectedKeys(statement, rows, attempt.dataclass);
  const isAlone = isInstead(attempt.dataclass, 'update');
  if (!isAlone) refuseMoved(items, met, attempt);
  return items.map((item): Outcome => {
    const { element, current } = item;
    const isMet = met.has(keyId(current.key)) || (isAlone && rows.length > 0);
    if (!isMet) return outcomeOf('missed', element, stamped ? current.stamp : null);
    const changed = changedNames(item);
    const before = changesStamp(changed, attempt) ? current.stamp : null;
    const report = reported(attempt, () => {
      const given = columnValues(item);
      return { action: 'update', given, changed: new Set(changed), before: current.column };
    });
    return outcomeOf('changed', element, before, null, report);
  });
}

/** Refuses a row that a trigger has given a key which its statement did not look for (PostgreSQL). Nothing tells which of several elements it is. */
function refuseMoved(items: readonly Change[], met: ReadonlySet<string>, attempt: Attempt): void {
  const sought = new Set(items.map(({ current }) => keyId(current.key)));
  const moved = items.find(({ current }) => !met.has(keyId(current.key)));
  if (moved === undefined || [...met].every((id) => sought.has(id))) return;
  const error = vanished(moved.current.key, attempt.dataclass);
  throw items.length > 1 ? new Refused(error) : rolledBack(moved.element, error, attempt);
}

/** Whether the stamp changes with columns: a hash is made of some columns only. */
function changesStamp(
  changed: readonly string[],
  { dataclass: { stamp }, body }: Attempt,
): boolean {
  // A transaction that writes a row twice, as a nested save may, keeps its number.
  if (stamp.kind === 'none' || (stamp.kind === 'xmin' && body !== undefined)) return false;
  return stamp.kind !== 'hash' || stamp.columns.some(({ name }) => changed.includes(name));
}
