import { mapInSlices } from '../../../base/time-slice.ts';
import type { Relation } from '../../../model/types.ts';
import type { Column } from '../../../schema/types.ts';
import { heldColumns } from '../../../plan/write/write-queries.ts';
import { entityName, type KeyTexts, noEntity } from '../../body/body-key.ts';
import {
  assignedColumn,
  bytesOf,
  cells,
  changedColumns,
  type ColumnValue,
} from '../../body/changes.ts';
import { isSameKey, keyMismatch } from '../../body/entity-key.ts';
import type { PlannedEntity } from '../../convert/types.ts';
import { type Attempt, Refused } from '../../write/attempt.ts';
import { batchId, intoBatches, refusable, rowCount, writeBatches } from './batches.ts';
import { addressedRows, type CurrentRow, keyId, readVersion } from './current-rows.ts';
import { MOST_TIMES } from '../../convert/held-too-often.ts';
import {
  type Element,
  failed,
  isFailed,
  type Outcome,
  ready,
  type Step,
} from '../../write/outcome.ts';
import { affectedKeys } from './affected-keys.ts';
import { refuseLocked } from '../../write/refuse-locked.ts';
import { eachRowOnce, tooOften, withoutRepetitions, type WithRow } from './repetitions.ts';
import { refuseRestricted, restrictedColumns } from '../nested/restricted-references.ts';
import {
  failAtOnce,
  failFast,
  notPermitted,
  orFailed,
  rolledBack,
  stampChanged,
  vanished,
} from '../../write/write-errors.ts';
import { reported } from '../../write/report-written.ts';

/** An existing entity, with the key that addresses it. */
export type ExistingEntity = PlannedEntity & { readonly key: KeyTexts };

/** An entity to change, with what its row holds. */
interface Change {
  readonly element: Element;
  readonly current: CurrentRow;
  /** The version that its statement looks for; null for any. */
  readonly version: readonly (string | null)[] | null;
  /** What the body names, changed or not: entities that name the same share a statement. */
  readonly columns: readonly ColumnValue[];
  /** The names of those that differ from what the row holds. */
  readonly changed: ReadonlySet<string>;
  /** The relations that the body leads somewhere. */
  readonly leading: ReadonlySet<Relation>;
}

/**
 * Changes existing entities. Their rows are read and locked first, all by one statement, and only what differs from what they
 * hold is written, where the engine can tell under the condition that the stamp is still the one that was read. An entity that a body holds twice is changed
 * twice, one after the other.
 */
export async function changeRows(
  entities: readonly ExistingEntity[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let waiting = entities;
  for (let times = 0; waiting.length > 0; times += 1) {
    if (times === MOST_TIMES) return [...outcomes, ...tooOften(waiting, attempt)];
    const sought = waiting;
    const rows = await refusable(
      sought.map((element) => ({ element })),
      'update',
      attempt,
      () =>
        addressedRows(
          sought.map(({ key }) => key),
          inTableOrder([
            ...namedColumns(sought),
            ...clearedReferences(sought),
            ...restrictedColumns(attempt.dataclass),
            ...heldColumns(attempt.dataclass),
          ]),
          'update',
          attempt,
        ),
    );
    const { first, again } = eachRowOnce(waiting, rows);
    const found = await withoutRepetitions(first, attempt);
    for (const outcome of await changeEachOnce(found, attempt)) outcomes.push(outcome);
    waiting = again;
  }
  return outcomes;
}

async function changeEachOnce(
  found: readonly WithRow<ExistingEntity>[],
  attempt: Attempt,
): Promise<Outcome[]> {
  const steps = await mapInSlices(found, ([entity, row]) => {
    const step = planChange(entity, row, attempt);
    return failAtOnce(step, attempt);
  });
  const unlocked = failFast(await refuseLocked(ready(steps), 'update', attempt), attempt);
  const allowed = await refuseRestricted(ready(unlocked), 'update', attempt);
  const changes = ready(failFast(allowed, attempt));
  const differing = changes.filter(({ changed }) => changed.size > 0);
  const isAlone = isChangedAlone(attempt);
  const batches = await intoBatches(differing, (item) => batchId(item, isAlone));
  const written = await writeBatches(batches, 'update', attempt, (items) =>
    updateRows(items, attempt),
  );
  const unchanged = changes
    .filter(({ changed }) => changed.size === 0)
    .map(({ element, current }): Outcome => {
      return { kind: 'unchanged', ...element, stamp: current.stamp };
    });
  const refused = [...steps, ...unlocked, ...allowed].filter(isFailed);
  return [...refused, ...written, ...unchanged];
}

/** What of an entity is to be written. */
function planChange(
  entity: ExistingEntity,
  current: CurrentRow | null,
  { dataclass, unique, nested }: Attempt,
): Step<Change> {
  if (current === null) return failed(entity, noEntity(entity.key, dataclass, unique));
  // One within another may be sent back as it was read.
  if (!current.isPermitted && nested === undefined) {
    return failed(entity, notPermitted('update', current.key, dataclass));
  }
  const { index, ownKey, stamp } = entity;
  if (ownKey !== null && !isSameKey(ownKey, current.key, dataclass)) {
    const addressed = entityName(dataclass, entity.key, unique);
    return failed(entity, keyMismatch(addressed, ownKey));
  }
  const element = { index, key: current.key };
  if (stamp !== null && stamp !== current.stamp) {
    return failed(element, stampChanged('update', current.key, dataclass), true);
  }
  return orFailed(entity, 'update', dataclass, () => {
    const differing = changedColumns(entity.given, dataclass, ({ name }) => current.column(name));
    if (differing.length > 0) {
      if (entity.denied !== null) throw entity.denied;
      if (!current.isPermitted) throw notPermitted('update', current.key, dataclass);
    }
    const given = new Map(differing.map((value) => [value.column.name, value]));
    const columns = namedColumns([entity])
      .filter(({ type, name }) => type.kind !== 'binary' || given.has(name))
      .map(
        (column): ColumnValue =>
          given.get(column.name) ?? {
            column,
            type: column.type,
            value: current.column(column.name),
          },
      );
    return {
      element,
      current,
      version: readVersion(stamp, current, dataclass),
      columns,
      changed: new Set(given.keys()),
      leading: new Set(
        entity.given.flatMap(({ leading, value }) =>
          leading === undefined || value === null ? [] : [leading],
        ),
      ),
    };
  });
}

/** The columns that entities give a value. */
function namedColumns(entities: readonly PlannedEntity[]): Column[] {
  return inTableOrder(entities.flatMap(({ given }) => given.map(({ column }) => column)));
}

/** All columns of the relations that entities are to be rid of: what they hold together tells where the relations lead. */
function clearedReferences(entities: readonly PlannedEntity[]): Column[] {
  const relations = entities.flatMap(({ given }) => given.flatMap(({ clearing = [] }) => clearing));
  return [...new Set(relations)].flatMap(({ hops }) => hops[0]?.from ?? []);
}

/** Each column once. */
function inTableOrder(columns: readonly Column[]): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return [...byName.values()].sort((a, b) => a.position - b.position);
}

/** A trigger that stands in for the statement takes one row. */
function isChangedAlone({ dataclass }: Attempt): boolean {
  return dataclass.table.instead?.includes('update') ?? false;
}

/** Of what the entities name, what none of them changes is left out. */
async function updateRows(items: readonly Change[], attempt: Attempt): Promise<Outcome[]> {
  const isChanged = ({ column }: ColumnValue): boolean =>
    items.some(({ changed }) => changed.has(column.name));
  const columns = (items[0]?.columns ?? []).filter(isChanged);
  const stamped = items[0]?.version !== null;
  const statement = attempt.statements.update(
    columns.map(assignedColumn),
    stamped,
    rowCount(items),
  );
  const rows = await attempt.source.run(statement, {
    rows: items.map(({ current, version, columns: own }) => [
      ...current.key,
      ...(version ?? []),
      ...cells(own.filter(isChanged)),
    ]),
    bytes: bytesOf(columns),
  });
  const met = affectedKeys(statement, rows, attempt.dataclass);
  if (!isChangedAlone(attempt)) refuseMoved(items, met, attempt);
  const isMet = (key: KeyTexts): boolean =>
    met.has(keyId(key)) || (isChangedAlone(attempt) && rows.length > 0);
  return items.map(({ element, current, columns: own, changed }): Outcome => {
    if (!isMet(current.key)) return { kind: 'missed', ...element, stamped, before: current.stamp };
    const before = tellsOf(changed, attempt) ? current.stamp : null;
    const written = reported(attempt, () => ({
      action: 'update',
      given: own,
      changed,
      before: current.column,
    }));
    return { kind: 'changed', ...element, before, ...written };
  });
}

/**
 * A row that a statement has changed under a key that it did not look for: a trigger of the database's own has given it that key
 * (PostgreSQL). Of several elements, none is known to be the one.
 */
function refuseMoved(items: readonly Change[], met: ReadonlySet<string>, attempt: Attempt): void {
  const sought = new Set(items.map(({ current }) => keyId(current.key)));
  const moved = items.find(({ current }) => !met.has(keyId(current.key)));
  if (moved === undefined || [...met].every((id) => sought.has(id))) return;
  const error = vanished(moved.current.key, attempt.dataclass);
  throw items.length > 1 ? new Refused(error) : rolledBack(moved.element, error, attempt);
}

/** Whether the stamp changes with columns: a hash is one of some columns only. */
function tellsOf(changed: ReadonlySet<string>, { dataclass: { stamp }, named }: Attempt): boolean {
  // Where a transaction writes a row twice, as one may that saves entities within others, its own number stays.
  if (stamp.kind === 'none' || (stamp.kind === 'xmin' && named !== undefined)) return false;
  return stamp.kind !== 'hash' || stamp.columns.some(({ name }) => changed.has(name));
}
