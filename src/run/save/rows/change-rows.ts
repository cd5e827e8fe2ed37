import type { ProtocolError } from '../../../base/errors.ts';
import { mapInSlices } from '../../../base/time.ts';
import { isInstead } from '../../../plan/write/save.ts';
import { type AssignedColumn, heldColumns } from '../../../plan/write/write-queries.ts';
import type { Column } from '../../../schema/types.ts';
import { entityName, isSameKey, keyMismatch, noEntity } from '../../body/entity-key.ts';
import type { Shape } from '../../convert/entity-values.ts';
import type { StoredValue } from '../../convert/stored-value.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { refuseLocked } from '../../write/lock.ts';
import { type CurrentRow, type EntityWrite, reported, unfailed } from '../../write/outcome.ts';
import {
  fail,
  failing,
  notOnly,
  notPermitted,
  rolledBack,
  stampChanged,
  vanished,
} from '../../write/write-errors.ts';
import { settledId } from '../body-names.ts';
import { assigned, byColumn, changedPlaces } from './columns.ts';
import {
  batchId,
  columnValues,
  inputsOf,
  intoBatches,
  keyId,
  readVersion,
  returnedKeys,
  rowCount,
  writeBatches,
  writeExisting,
} from './current-rows.ts';
import { refuseRestricted, restrictedColumns } from './references.ts';
import { withoutRepetitions } from './repetitions.ts';

/** Changes existing entities: writes the values that differ from those of the rows, where the stamp is still the one that was read. */
export function changeRows(items: readonly EntityWrite[], attempt: Attempt): Promise<void> {
  const { dataclass } = attempt;
  const columnsOf = (some: readonly EntityWrite[]): readonly Column[] =>
    inTableOrder([
      ...[...shapesOf(some)].flatMap((shape) => byColumn(shape).map(({ column }) => column)),
      ...clearedReferences(some),
      ...restrictedColumns(dataclass),
      ...heldColumns(dataclass),
    ]);
  return writeExisting(items, columnsOf, 'update', attempt, (met) => changeEachOnce(met, attempt));
}

async function changeEachOnce(items: readonly EntityWrite[], attempt: Attempt): Promise<void> {
  await withoutRepetitions(items, attempt);
  await mapInSlices(items, (item) => planChange(item, attempt));
  await refuseLocked(unfailed(items), 'update', attempt);
  await refuseRestricted(unfailed(items), 'update', attempt);
  const differing = unfailed(items).filter(({ changed }) => changed?.includes(true) === true);
  const isAlone = isInstead(attempt.dataclass, 'update');
  const batches = await intoBatches(differing, (item) => batchId(item, isAlone));
  await writeBatches(batches, 'update', attempt, (some) => updateRows(some, attempt));
}

/** Works out which columns of an entity are to be written. */
function planChange(item: EntityWrite, attempt: Attempt): void {
  const { dataclass, body } = attempt;
  const { entity, given, stamp, current } = item;
  if (current === null) {
    fail(item, noEntity(item.address, dataclass, attempt.unique), attempt);
    return;
  }
  const mismatch = mismatchOf(item, current, attempt);
  if (mismatch !== null) {
    fail(item, mismatch, attempt);
    return;
  }
  const { key, isPermitted } = current;
  const isStale = stamp !== null && stamp !== current.stamp;
  if (!isStale) {
    failing(item, 'update', attempt, () => {
      const places = changedPlaces(given, ({ name }) => current.column(name));
      if (places.some((at) => at !== null)) {
        if (entity.denied !== null) throw entity.denied;
        if (!isPermitted) throw notPermitted('update', key, dataclass);
      }
      item.version = readVersion(stamp, current, dataclass);
      takeChanges(item, places, current);
    });
    if (item.failure !== null) return;
  }
  item.key = key;
  item.kind = 'unchanged';
  item.before = current.stamp;
  // Of what a body says of one place or list the first stands, also where that has changed no stamp.
  const lists =
    stamp === null
      ? []
      : entity.nested.map(({ relation: { name } }) => `${dataclass.name}.${name}`);
  const isSettled = [...changedNames(item), ...lists].some((name) =>
    body?.isSettled(settledId(dataclass, key, name)),
  );
  if (isStale || isSettled) fail(item, stampChanged('update', key, dataclass), attempt, true);
}

/** Why a row is not the one to change; null where it is. */
function mismatchOf(
  { address, entity: { ownKey } }: EntityWrite,
  { key, isPermitted, isOnly }: CurrentRow,
  { dataclass, unique, nested }: Attempt,
): ProtocolError | null {
  if (!isOnly) return notOnly('update', key, dataclass);
  // A nested entity may be sent back as it was read.
  if (!isPermitted && nested === undefined) return notPermitted('update', key, dataclass);
  if (ownKey === null || isSameKey(ownKey, key, dataclass)) return null;
  return keyMismatch(entityName(dataclass, address ?? [], unique), ownKey);
}

/** Fills in the columns that a body names, with the values that they are given, or have. Bytes that stay as they are have not been read. */
function takeChanges(
  item: EntityWrite,
  places: readonly (number | null)[],
  current: CurrentRow,
): void {
  const { shape, values } = item.given;
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
  item.columns = columns;
  item.cells = cells;
  item.changed = changed;
}

function changedNames({ columns, changed }: EntityWrite): string[] {
  return columns.flatMap(({ column }, at) => (changed?.[at] === true ? [column.name] : []));
}

/** All columns of the relations that entities clear: together they tell where the relations lead. */
function clearedReferences(items: readonly EntityWrite[]): Column[] {
  const slots = [...shapesOf(items)].flatMap((shape) => shape.slots);
  const relations = slots.flatMap(({ clearing = [] }) => clearing);
  return [...new Set(relations)].flatMap(({ hops }) => hops[0].from);
}

function shapesOf(items: readonly EntityWrite[]): ReadonlySet<Shape> {
  return new Set(items.map(({ given }) => given.shape));
}

function inTableOrder(columns: readonly Column[]): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return [...byName.values()].sort((a, b) => a.position - b.position);
}

/** Writes changes by one statement, without the columns that none of them changes. */
async function updateRows(items: readonly EntityWrite[], attempt: Attempt): Promise<void> {
  const { dataclass, statements, source } = attempt;
  const named = items[0]?.columns ?? [];
  const isWritten = named.map((_, at) => items.some(({ changed }) => changed?.[at] === true));
  const columns = named.filter((_, at) => isWritten[at]);
  const isStamped = items[0]?.version !== null;
  const statement = statements.update(dataclass, columns, isStamped, rowCount(items));
  const inputs = inputsOf(
    items.map(({ current, version, cells }) => ({
      current,
      version,
      cells: cells.filter((_, at) => isWritten[at]),
    })),
  );
  const rows = await source.run(statement, inputs);
  const met = new Set(Array.from(returnedKeys(statement, rows, dataclass), keyId));
  const isAlone = isInstead(dataclass, 'update');
  if (!isAlone) refuseMoved(items, met, attempt);
  for (const item of items) {
    const { current, key } = item;
    if (!met.has(keyId(key ?? [])) && !(isAlone && rows.length > 0)) {
      item.kind = 'missed';
      if (!isStamped) item.before = null;
      continue;
    }
    const changed = changedNames(item);
    item.kind = 'changed';
    if (!changesStamp(changed, attempt)) item.before = null;
    item.written = reported(attempt, () => {
      const given = columnValues(item);
      return {
        action: 'update',
        given,
        changed: new Set(changed),
        before: current?.column ?? null,
      };
    });
  }
}

/** Refuses a row that a trigger has given a key which its statement did not look for (PostgreSQL). Nothing tells which of several elements it is. */
function refuseMoved(
  items: readonly EntityWrite[],
  met: ReadonlySet<string>,
  attempt: Attempt,
): void {
  const moved = items.find(({ key }) => !met.has(keyId(key ?? [])));
  if (moved === undefined) return;
  const sought = new Set(items.map(({ key }) => keyId(key ?? [])));
  if ([...met].every((id) => sought.has(id))) return;
  const error = vanished(moved.key ?? [], attempt.dataclass);
  throw items.length > 1 ? new Refused(error) : rolledBack(moved, error, attempt);
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
