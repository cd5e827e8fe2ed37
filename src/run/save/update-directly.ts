import { mapInSlices } from '../../base/time.ts';
import type { Row } from '../../database/database.ts';
import type { Dataclass } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { AssignedColumn } from '../../plan/write/write-queries.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { lockName } from '../../state/lock/keeper.ts';
import { isSameKey } from '../body/entity-key.ts';
import { type EntityValues, perShape, type Slot } from '../convert/entity-values.ts';
import { isSameValue, type StoredValue } from '../convert/stored-value.ts';
import type { KeyTexts, PlannedEntity, ReadEntity } from '../convert/types.ts';
import {
  type Execution,
  type InputRow,
  sourceOn,
  stampReader,
  type StatementSource,
} from '../run.ts';
import type { WriteContext } from '../write/attempt.ts';
import { NotDirectly, orNone, writeDirectly } from '../write/directly.ts';
import { EntityWrite, type Outcome } from '../write/outcome.ts';
import { inBodyOrder } from '../write/units.ts';
import { assigned, byColumn } from './rows/columns.ts';
import { keyId, MOST_TEXT, textLength, textsIn } from './rows/current-rows.ts';

/** Updates entities of a body, and returns those that it has updated, in the order of the body. */
export type UpdateDirectly = (entities: readonly ReadEntity[]) => Promise<readonly Outcome[]>;

/**
 * Prepares to update the entities of a body by one statement, which finds them by key and stamp and reads them again; null where they are not all plain and of the
 * same columns. What it leaves alone, because a row was not found so, or a lock or the database was against it, is for the save that reads rows first and
 * can tell why.
 */
export async function directUpdate(
  { isPlain, answer }: SavePlan,
  entities: readonly ReadEntity[],
  context: WriteContext,
  execution: Execution,
): Promise<UpdateDirectly | null> {
  if (!isPlain || context.report !== null) return null;
  const { dataclass } = context;
  const { statements } = execution;
  const plain = await plainUpdates(entities, dataclass);
  const [first, ...others] = plain?.values() ?? [];
  if (plain === null || first === undefined) return null;
  // Text may have characters that a column's code page lacks.
  const { columns } = first;
  const bare = columns.map(({ column }) => column);
  if (statements.unencodable(dataclass, bare) !== null) return null;
  if (others.length === 0) {
    const statementFor: StatementFor = (isUnlocked) =>
      statements.updateDirectly(dataclass, columns, answer, 'one', isUnlocked);
    return () => updateOne(first, statementFor, dataclass, execution);
  }
  const statement = statements.updateDirectly(dataclass, columns, answer, 'many', false);
  if (statement === null) return null;
  const stampOf = stampReader(answer.stamp, statement.readers);
  return (some) => {
    const items = some.flatMap(({ index }) => plain.get(index) ?? []);
    return writeDirectly(items.length, context, execution, (source) =>
      updateMany(items, statement, stampOf, source),
    );
  };
}

/** The updates of a body by their indexes; null where one is not plain, or of other columns than the first one, where two have one key, or for too much text. */
async function plainUpdates(
  entities: readonly ReadEntity[],
  dataclass: Dataclass,
): Promise<ReadonlyMap<number, EntityWrite> | null> {
  const found = new Map<number, EntityWrite>();
  const keys = new Set<string>();
  let names: string | null = null;
  let length = 0;
  await mapInSlices(entities, (entity) => {
    if (found.size < keys.size || 'error' in entity) return;
    const { index, key, stamp, given } = entity;
    if (key === null || stamp === null || !isFlat(entity, dataclass)) return;
    const shape = plainShapeOf(given.shape);
    const cells = shape === null ? null : cellsOf(given, key, shape);
    keys.add(keyId(key));
    if (shape === null || cells === null) return;
    const update = new EntityWrite(entity);
    update.columns = shape.columns;
    update.cells = cells;
    names ??= shape.names;
    length += textLength(update);
    if (names === shape.names && length <= MOST_TEXT) found.set(index, update);
  });
  return found.size === entities.length && keys.size === entities.length ? found : null;
}

type StatementFor = (isUnlocked: boolean) => Statement | null;

/** Updates a single entity without a transaction around the statement, which other requests may share. */
async function updateOne(
  item: EntityWrite,
  statementFor: StatementFor,
  { table }: Dataclass,
  execution: Execution,
): Promise<readonly Outcome[]> {
  const { database, locks, activity } = execution;
  const name = lockName(table, item.key ?? []);
  const [standing] =
    locks === null ? ['own'] : await locks.entityLocks.standings([name], locks.session);
  if (standing !== 'own' && standing !== 'free') return [];
  const unlocked = standing === 'free' ? database.dialect.locks : null;
  const statement = statementFor(unlocked !== null);
  if (statement === null) return [];
  const { signal, observer, principal } = activity;
  const source = sourceOn(database, execution, { signal, observer, principal, batch: true });
  const lock = unlocked === null ? [] : [unlocked.given(name)];
  const rows = [[...inputOf(item), ...lock]];
  const found = await orNone(() => source.run(statement, { rows }));
  return found.map((row) => changed(item, row));
}

/** Updates entities by one statement. @throws NotDirectly where a row is not as it was to become: a trigger that is newer than the gateway's start has changed it */
async function updateMany(
  items: readonly EntityWrite[],
  statement: Statement,
  stampOf: (row: Row) => string,
  source: StatementSource,
): Promise<readonly Outcome[]> {
  const rows = await source.run(statement, { rows: items.map(inputOf) });
  const outcomes = await mapInSlices(rows, (row) => {
    const item = items[Number(row[0])];
    const stamp = stampOf(row);
    if (item === undefined || stamp === '' || stamp === item.stamp) throw new NotDirectly();
    return changed(item, row);
  });
  return outcomes.sort(inBodyOrder);
}

/** The key and the stamp that the statement looks for, and the values. */
function inputOf({ key, stamp, cells }: EntityWrite): InputRow {
  return [...(key ?? []), stamp, ...textsIn(cells)];
}

function changed(item: EntityWrite, row: Row): Outcome {
  item.kind = 'changed';
  item.before = item.stamp;
  item.row = row;
  return item;
}

/** What is the same for the plain entities of a shape. */
interface PlainShape {
  /** The columns that change, in table order. */
  readonly columns: readonly AssignedColumn[];
  /** Where their values stand among those given. */
  readonly places: readonly number[];
  /** The names of those columns. */
  readonly names: string;
  /** Where parts of the key stand there, which clients send back as they read them. */
  readonly repeated: readonly { readonly at: number; readonly part: number }[];
}

/** Null for a shape whose values have to be compared with the row first. */
const plainShapeOf = perShape((shape): PlainShape | null => {
  const { slots, nulls, dataclass } = shape;
  const parts = new Map(dataclass.key.map(({ column }, part) => [column.name, part]));
  const repeated: { at: number; part: number }[] = [];
  const places: number[] = [];
  const columns: AssignedColumn[] = [];
  for (const { column, places: same } of byColumn(shape)) {
    const [at, ...others] = same;
    const slot = slots[at];
    const part = parts.get(column.name);
    if (slot === undefined || others.length > 0) return null;
    if (part !== undefined) {
      repeated.push({ at, part });
      continue;
    }
    if (!isPlainSlot(slot, nulls[at] === true, dataclass)) return null;
    places.push(at);
    columns.push(assigned(slot, nulls[at] === true));
  }
  if (columns.length === 0) return null;
  return { columns, places, names: columns.map(({ column }) => column.name).join('\n'), repeated };
});

/** The values of the columns that an entity changes; null where it has another key in its values. */
function cellsOf(
  { shape, values, doubts }: EntityValues,
  key: KeyTexts,
  { places, repeated }: PlainShape,
): readonly StoredValue[] | null {
  if (doubts !== null) return null;
  for (const { at, part } of repeated) {
    const type = shape.slots[at]?.type;
    if (type === undefined || !isSameValue(key[part] ?? null, values[at] ?? null, type))
      return null;
  }
  return places.map((at) => values[at] ?? null);
}

/** Whether an entity is changed alone, by the key that its body has. */
function isFlat(
  { key, ownKey, related, nested, denied }: PlannedEntity,
  dataclass: Dataclass,
): boolean {
  if (key === null || denied !== null || related.length > 0 || nested.length > 0) return false;
  return ownKey === null || isSameKey(ownKey, key, dataclass);
}

/** Types whose values the engine compares as {@link isSameValue} does, or more loosely. */
const COMPARED: ReadonlySet<ColumnType['kind']> = new Set([
  'boolean',
  'integer',
  'decimal',
  'uuid',
  'date',
  'timestamp',
  'time',
  'text',
]);

/** Whether a slot is an attribute's own, whose column can be given any value whatever it holds. */
function isPlainSlot(slot: Slot, isNull: boolean, { stamp, timestamp }: Dataclass): boolean {
  const { column, type, readOnly, filled, leading, clearing } = slot;
  const stampColumn =
    stamp.kind === 'counter' || stamp.kind === 'rowversion' ? stamp.column.name : null;
  return (
    readOnly === null &&
    !column.computed &&
    !column.identity &&
    column.name !== stampColumn &&
    column.name !== timestamp?.name &&
    (filled ?? leading ?? clearing) === undefined &&
    (!isNull || column.nullable) &&
    column.expression === undefined &&
    type.kind === column.type.kind &&
    COMPARED.has(type.kind) &&
    !(type.kind === 'text' && type.padded)
  );
}
