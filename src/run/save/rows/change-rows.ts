import { mapInSlices } from '../../../base/time-slice.ts';
import { isInstead } from '../../../plan/write/save.ts';
import { type AssignedColumn, heldColumns } from '../../../plan/write/write-queries.ts';
import type { Column } from '../../../schema/types.ts';
import { entityName, isSameKey, keyMismatch, noEntity } from '../../body/entity-key.ts';
import { type EntityValues, type Shape } from '../../convert/entity-values.ts';
import { type StoredValue } from '../../convert/stored-value.ts';
import type { KeyTexts, PlannedEntity } from '../../convert/types.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { refuseLocked } from '../../write/lock.ts';
import {
  failed,
  type Failed,
  isFailed,
  type OrFailed,
  type Outcome,
  outcomeOf,
  reported,
} from '../../write/outcome.ts';
import {
  notPermitted,
  orFailed,
  rolledBack,
  sortOut,
  stampChanged,
  vanished,
} from '../../write/write-errors.ts';
import { settledId } from '../body-names.ts';
import { assigned, byColumn, changedPlaces } from './columns.ts';
import {
  affectedKeys,
  batchId,
  columnValues,
  type CurrentRow,
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
