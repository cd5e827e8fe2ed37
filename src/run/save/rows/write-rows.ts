import { mapInSlices } from '../../../base/time-slice.ts';
import type { Row } from '../../../database/database.ts';
import type { Dataclass, Relation } from '../../../model/types.ts';
import { generatedKey, isInstead } from '../../../plan/write/save.ts';
import { heldColumns } from '../../../plan/write/write-queries.ts';
import type { Column } from '../../../schema/types.ts';
import type { Statement } from '../../../sql/ir/statement.ts';
import { entityName, isSameKey, keyMismatch, noEntity } from '../../body/entity-key.ts';
import { isBytes, isSameValue } from '../../convert/stored-value.ts';
import { type GivenValue, planningByForm, valuesAt } from '../../convert/given-value.ts';
import type { ColumnValue, KeyTexts, PlannedEntity } from '../../convert/types.ts';
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
import {
  changedColumns,
  newColumns,
  refuseRestricted,
  restrictedColumns,
  withoutRepetitions,
} from './changes.ts';
import {
  affectedKeys,
  assignedColumn,
  batchId,
  bytesOf,
  cells,
  type CurrentRow,
  currentRows,
  intoBatches,
  keyId,
  readVersion,
  rowCount,
  type WithRow,
  writeBatches,
  writeExisting,
} from './current-rows.ts';
import type { OwnRows } from './write-statements.ts';

/** A new entity with the columns of its row, and what identifies the batch of its statement. */
interface Creation {
  readonly element: Element;
  readonly columns: readonly ColumnValue[];
  readonly batch: string;
}

/** What is the same for new rows whose bodies give values and nulls to the same slots. */
interface RowForm {
  /** Where each of the row's columns stands among the values given. */
  readonly order: readonly number[];
  /** Null for rows that go in one by one. */
  readonly batch: string | null;
}

/** Null where two values are for one column: they have to be compared. @throws as {@link newColumns} */
function rowForm(given: readonly GivenValue[], dataclass: Dataclass): RowForm | null {
  const columns = newColumns(given, dataclass);
  const names = new Set(given.map(({ column: { name } }) => name));
  if (names.size < given.length) return null;
  const isSingle =
    isInsertedAlone(columns, dataclass) || columns.some(({ value }) => isBytes(value));
  return {
    order: columns.map((one) => given.indexOf(one)),
    batch: isSingle ? null : batchId({ element: NEW_ROW, columns }, false),
  };
}

const NEW_ROW: Element = { index: 0, key: null };

/** Works out the columns of new rows. @returns the function that does so; it throws as {@link newColumns} does */
function planningCreations(dataclass: Dataclass): (entity: PlannedEntity) => Creation {
  const formOf = planningByForm((given) => rowForm(given, dataclass));
  return ({ index, given }) => {
    const element = { index, key: null };
    const form = formOf(given);
    const columns = form === null ? newColumns(given, dataclass) : valuesAt(given, form.order);
    const batch = form?.batch ?? batchId({ element, columns }, isInsertedAlone(columns, dataclass));
    return { element, columns, batch };
  };
}

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
  const plan = planningCreations(dataclass);
  const planned = await mapInSlices(entities, (entity) =>
    orFailed(entity, 'create', dataclass, () => plan(entity)),
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
function isInsertedAlone(columns: readonly ColumnValue[], dataclass: Dataclass): boolean {
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
  const assigned = columns.map(assignedColumn);
  const statement = statements.insert(dataclass, assigned, rowCount(items), read);
  const rows = await source.run(statement, {
    rows: items.map((item) => cells(item.columns)),
    bytes: bytesOf(columns),
  });
  const hasGeneratedKey = generatedKey(columns, dataclass).length > 0;
  // Nothing tells which rows are missing: each has to go in alone.
  if (hasGeneratedKey && items.length > 1 && rows.length < items.length) {
    throw new Refused(notCreated(dataclass));
  }
  const keyOf = keyReader(columns, read?.own.readers.length ?? 0, statement, dataclass);
  const isRead = read !== null && rows.length === items.length;
  const isGuess = hasGeneratedKey && isInstead(dataclass, 'insert') && source.dialect.guessesKeys;
  const outcomes: Outcome[] = [];
  for (const [at, { element, columns: given }] of items.entries()) {
    const row = rows[at];
    if (hasGeneratedKey && row === undefined) {
      outcomes.push(failed(element, notCreated(dataclass)));
      continue;
    }
    const key = keyOf(given, row);
    const isKnown = key !== null && (!isGuess || (await isConfirmed(key, given, attempt)));
    const written = reported(attempt, () => {
      const changed = new Set(given.map(({ column }) => column.name));
      return { action: 'create', given, changed, before: null };
    });
    const answered = isRead && Number(row?.[0]) === 0 ? row : undefined;
    const { index } = element;
    outcomes.push({ kind: 'created', index, key: isKnown ? key : null, written, row: answered });
  }
  return failFast(outcomes, attempt);
}

/** Whether the row with a key may be the new one: it holds what was sent. Otherwise the key is another row's, or a trigger has changed the values. */
async function isConfirmed(
  key: KeyTexts,
  columns: readonly ColumnValue[],
  attempt: Attempt,
): Promise<boolean> {
  const sent = columns.filter(({ value }) => typeof value === 'string');
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
function isAnsweredAtOnce(columns: readonly ColumnValue[], dataclass: Dataclass): boolean {
  const { table, key, stamp } = dataclass;
  // PostgreSQL does not return xmin of rows that go into partitions.
  const isReturned = stamp.kind !== 'xmin' || table.updatesMore !== true;
  return (
    isReturned &&
    key.length > 0 &&
    table.kind === 'table' &&
    table.beforeInsert !== true &&
    !isInstead(dataclass, 'insert') &&
    !columns.some(({ value }) => isBytes(value))
  );
}

/** Finds the key of a new row, from the values that it was given and those that the statement returns; null where it is not known. */
type KeyOfRow = (given: readonly ColumnValue[], row: Row | undefined) => KeyTexts | null;

/** @param columns those of all rows @param keyAt the index of the first part in what the statement returns */
function keyReader(
  columns: readonly ColumnValue[],
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
  return (given, row) => {
    const key: string[] = [];
    for (const [part, at] of givenAt.entries()) {
      const value = given[at]?.value;
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

/** An entity to change, with its row. */
interface Change {
  readonly element: Element;
  readonly current: CurrentRow;
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: string | null;
  /** The version that its statement looks for; null for any. */
  readonly version: readonly (string | null)[] | null;
  /** The columns that the body names, changed or not: entities that name the same share a statement. */
  readonly columns: readonly ColumnValue[];
  /** The names of those whose values differ from the row's. */
  readonly changed: ReadonlySet<string>;
  /** The relations to which the body gives an entity. */
  readonly leading: ReadonlySet<Relation>;
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
  const differing = changes.filter(({ changed }) => changed.size > 0);
  const isAlone = isInstead(attempt.dataclass, 'update');
  const batches = await intoBatches(differing, (item) => batchId(item, isAlone));
  const written = await writeBatches(batches, 'update', attempt, (items) =>
    updateRows(items, attempt),
  );
  const unchanged = changes
    .filter(({ changed }) => changed.size === 0)
    .map(({ element, current }): Outcome => {
      const { index, key } = element;
      return { kind: 'unchanged', index, key, stamp: current.stamp };
    });
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
      stamp,
      version: readVersion(stamp, current, dataclass),
      columns,
      changed: new Set(given.keys()),
      leading: new Set(
        entity.given.flatMap(({ slot: { leading }, value }) =>
          leading === undefined || value === null ? [] : [leading],
        ),
      ),
    };
  });
  // Of what a body says of one place or list the first stands, also where that has changed no stamp.
  const places = isFailed(change) ? [] : [...change.changed];
  const lists =
    stamp === null
      ? []
      : entity.nested.map(({ relation: { name } }) => `${dataclass.name}.${name}`);
  const isSettled = [...places, ...lists].some((name) =>
    body?.isSettled(settledId(dataclass, current.key, name)),
  );
  return isSettled ? stale() : change;
}

function namedColumns(entities: readonly PlannedEntity[]): Column[] {
  return inTableOrder(entities.flatMap(({ given }) => given.map(({ column }) => column)));
}

/** All columns of the relations that entities clear: together they tell where the relations lead. */
function clearedReferences(entities: readonly PlannedEntity[]): Column[] {
  const relations = entities.flatMap(({ given }) =>
    given.flatMap(({ slot: { clearing = [] } }) => clearing),
  );
  return [...new Set(relations)].flatMap(({ hops }) => hops[0].from);
}

function inTableOrder(columns: readonly Column[]): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return [...byName.values()].sort((a, b) => a.position - b.position);
}

/** Writes changes by one statement, without the columns that none of them changes. */
async function updateRows(items: readonly Change[], attempt: Attempt): Promise<Outcome[]> {
  const isChanged = ({ column }: ColumnValue): boolean =>
    items.some(({ changed }) => changed.has(column.name));
  const columns = (items[0]?.columns ?? []).filter(isChanged);
  const stamped = items[0]?.version !== null;
  const statement = attempt.statements.update(
    attempt.dataclass,
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
  const isAlone = isInstead(attempt.dataclass, 'update');
  if (!isAlone) refuseMoved(items, met, attempt);
  return items.map(({ element: { index, key }, current, columns: given, changed }): Outcome => {
    const isMet = met.has(keyId(current.key)) || (isAlone && rows.length > 0);
    if (!isMet) return { kind: 'missed', index, key, stamped, before: current.stamp };
    const before = changesStamp(changed, attempt) ? current.stamp : null;
    const written = reported(attempt, () => {
      return { action: 'update', given, changed, before: current.column };
    });
    return { kind: 'changed', index, key, before, written };
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
  changed: ReadonlySet<string>,
  { dataclass: { stamp }, body }: Attempt,
): boolean {
  // A transaction that writes a row twice, as a nested save may, keeps its number.
  if (stamp.kind === 'none' || (stamp.kind === 'xmin' && body !== undefined)) return false;
  return stamp.kind !== 'hash' || stamp.columns.some(({ name }) => changed.has(name));
}
