import {
  isEngineStamp,
  type Dataclass,
  type Member,
  type Relation,
  type Stamp,
  type StorageAttribute,
} from '../../model/types.ts';
import type {
  AssignedValue,
  Assignment,
  DeleteRowsQuery,
  DirectUpdateQuery,
  InsertQuery,
  UnencodableQuery,
  KeyedQuery,
  RowCount,
  RowLock,
  RowMatch,
  UpdateQuery,
} from '../../sql/ir/ir.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';
import { generatedKey } from './save.ts';
import {
  answeredColumn,
  KEYED_OFFSET,
  keyOrder,
  OutputList,
  planStamp,
  stampSource,
  type ProjectionSettings,
} from '../read/projection.ts';
import { neededFor } from './rights.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import type { StampField } from '../condition/types.ts';

/** A column that a statement gives values: the cells of its rows, or the bytes that are a parameter of its only row. */
export interface AssignedColumn {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  readonly from: 'cell' | 'bytes';
}

/** The rows that have given values in some columns, which arrive as one parameter. */
function byKeyQuery(scope: Scope, columns: readonly Column[], outputs: OutputList): KeyedQuery {
  return {
    kind: 'keyed',
    keyColumns: columns.map((column) => scope.column(column)),
    outputs: outputs.items,
    from: scope.source,
    joins: scope.joins,
    where: scope.restriction,
    orderBy: [],
  };
}

/** Reads the entities that a save is about to change: their keys, their stamps, and what some columns hold. */
export interface CurrentRowsPlan {
  readonly query: KeyedQuery;
  /** Where a row has the parts of its key. */
  readonly key: readonly number[];
  readonly stamp: StampField;
  /** Where a row has what a column holds, by the column's name. */
  readonly columns: ReadonlyMap<string, number>;
  /** Where a row has whether a column of bytes holds any, by the column's name. */
  readonly presences: ReadonlyMap<string, number>;
  /** Where a row has whether it may be changed as is planned; null where each may. */
  readonly permitted: number | null;
}

/**
 * Plans to read what columns hold, of the rows that have given values of some attributes, and to lock those rows until the
 * transaction ends: what is compared with them holds when they are changed. The engine is asked for the order of
 * their keys, in which PostgreSQL then locks them, so that of two requests one waits for the other.
 * https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
 * @param lock what they are locked for; null where they are not
 * @param comparison whether values are compared as their columns compare, or in one case
 */
export function planCurrentRows(
  dataclass: Dataclass,
  attributes: readonly StorageAttribute[],
  columns: readonly Column[],
  lock: RowLock | null,
  comparison: 'exact' | 'folded',
  settings: ProjectionSettings,
): CurrentRowsPlan {
  const scope = Scope.root(dataclass, new Aliases());
  const outputs = new OutputList(KEYED_OFFSET);
  const key = dataclass.key.map(({ column }) =>
    outputs.add({ kind: 'value', operand: scope.column(column) }),
  );
  const stamp = planStamp(scope, outputs, settings);
  // The content of images and BLOBs is never compared, so it is not read.
  const located = (wanted: readonly Column[], kind: 'value' | 'presence'): Map<string, number> =>
    new Map(
      wanted.map((column) => {
        const operand = answeredColumn(scope, column);
        return [column.name, outputs.add({ kind, operand })];
      }),
    );
  const current = located(
    columns.filter(({ type }) => type.kind !== 'binary'),
    'value',
  );
  const needed = neededFor(dataclass, lock ?? 'update');
  const permitted =
    needed === null ? null : outputs.add({ kind: 'meets', condition: scope.meeting(needed) });
  const presences = located(
    columns.filter(({ type }) => type.kind === 'binary'),
    'presence',
  );
  return {
    query: {
      ...byKeyQuery(
        scope,
        attributes.map(({ column }) => column),
        outputs,
      ),
      orderBy: keyOrder(scope),
      ...(comparison === 'folded' ? { folded: true } : {}),
      ...(lock === null || dataclass.table.unlockable === true ? {} : { lock }),
    },
    key,
    stamp,
    columns: current,
    presences,
    permitted,
  };
}

/** Plans to look for related entities by their keys, for the columns that a relation stands on. */
export function planRelatedRows({ target, hops }: Relation): KeyedQuery {
  return foundRows(target, keyColumns(target), hops[0]?.to ?? []);
}

/** Plans to look for the related entities that the columns of a relation lead to, for the columns that it leads to. */
export function planReferredRows({ target, hops }: Relation): KeyedQuery {
  const to = hops[0]?.to ?? [];
  return foundRows(target, to, to);
}

/** Plans to look for the entities that a relation to many leads to, for what the columns that it begins with hold: their keys. */
export function planOwnedRows({ target, hops }: Relation): KeyedQuery {
  return foundRows(target, hops[0]?.to ?? [], keyColumns(target));
}

/** What some columns hold of the entities that have given values in others. */
function foundRows(
  dataclass: Dataclass,
  by: readonly Column[],
  told: readonly Column[],
): KeyedQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const outputs = new OutputList(KEYED_OFFSET);
  for (const column of told) outputs.add({ kind: 'value', operand: scope.column(column) });
  return byKeyQuery(scope, by, outputs);
}

function keyColumns({ key }: Dataclass): Column[] {
  return key.map(({ column }) => column);
}

/** New rows that give these columns a value; the stamp's counter and the timestamp are set besides. */
export function insertQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  rows: RowCount,
): InsertQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const given = new Set(columns.map(({ column }) => column.name));
  const assignments = [
    ...assigned(columns, scope),
    ...maintained(dataclass, scope, { kind: 'firstStamp' }, given),
  ];
  return {
    kind: 'insert',
    into: scope.source,
    assignments,
    returning:
      generatedKey(columns, dataclass).length === 0
        ? []
        : dataclass.key.map(({ column }) => scope.column(column)),
    rows,
    instead: dataclass.table.instead?.includes('insert') ?? false,
  };
}

/** Changes these columns of rows; the stamp's counter and the timestamp are set besides. */
export function updateQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  isStamped: boolean,
  rows: RowCount,
  settings: ProjectionSettings,
): UpdateQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const given = new Set(columns.map(({ column }) => column.name));
  const next = { kind: 'nextStamp', bits: settings.stampBits } as const;
  return {
    kind: 'update',
    table: scope.source,
    match: rowMatch(dataclass, scope, 'update', isStamped, settings),
    assignments: [...assigned(columns, scope), ...maintained(dataclass, scope, next, given)],
    rows,
    instead: dataclass.table.instead?.includes('update') ?? false,
  };
}

/** Changes these columns of one row where its stamp is the one that is given, and reads it by the outputs of another query of its own columns. */
export function directUpdateQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  { outputs }: Pick<KeyedQuery, 'outputs'>,
  unlocked: boolean,
  settings: ProjectionSettings,
): DirectUpdateQuery {
  const { table, match, assignments } = updateQuery(dataclass, columns, true, 'one', settings);
  const uncontended = uncontendedPositions(assignments, dataclass.table);
  return { kind: 'directUpdate', table, match, assignments, outputs, unlocked, uncontended };
}

function uncontendedPositions(
  assignments: readonly Assignment[],
  { columns, primaryKey, contended = primaryKey }: Table,
): number[] | null {
  const changed = new Set(assignments.map(({ column }) => column.name));
  if (contended.some((name) => changed.has(name))) return null;
  return columns.filter(({ name }) => changed.has(name)).map(({ position }) => position);
}

/**
 * Makes new versions of rows that stay as they are, but for the stamp's counter and the timestamp; null where that cannot be: of views with triggers of their
 * own, of stamps that are made of what columns hold, and where no column may be written.
 */
export function touchQuery(
  dataclass: Dataclass,
  rows: RowCount,
  settings: ProjectionSettings,
): UpdateQuery | null {
  const { stamp, table, members } = dataclass;
  if (!isEngineStamp(stamp) || table.instead?.includes('update') === true) return null;
  const kept = [...members.values()].find((member): member is StorageAttribute =>
    isKeptWhole(member, dataclass),
  );
  const query = updateQuery(dataclass, [], false, rows, settings);
  if (query.assignments.length > 0) return query;
  if (kept === undefined) return null;
  const column = Scope.root(dataclass, new Aliases()).column(kept.column);
  return { ...query, assignments: [{ column, value: { kind: 'same' } }] };
}

/** Whether a member is an attribute whose column may be written, and can be given what it holds. */
function isKeptWhole(member: Member, { key }: Dataclass): boolean {
  return (
    member.kind === 'storage' &&
    !member.readOnly &&
    !['binary', 'opaque'].includes(member.column.type.kind) &&
    !key.some(({ column }) => column.name === member.column.name)
  );
}

/** Deletes rows by their keys. */
export function deleteRowsQuery(
  dataclass: Dataclass,
  isStamped: boolean,
  rows: RowCount,
  settings: ProjectionSettings,
): DeleteRowsQuery {
  const scope = Scope.root(dataclass, new Aliases());
  return {
    kind: 'deleteRows',
    table: scope.source,
    match: rowMatch(dataclass, scope, 'delete', isStamped, settings),
    rows,
    instead: dataclass.table.instead?.includes('delete') ?? false,
  };
}

/** Asks which cells would lose characters in these columns. */
export function unencodableQuery(
  dataclass: Dataclass,
  columns: readonly Column[],
): UnencodableQuery {
  const scope = Scope.root(dataclass, new Aliases());
  return { kind: 'unencodable', columns: columns.map((column) => scope.column(column)) };
}

function rowMatch(
  dataclass: Dataclass,
  scope: Scope,
  change: RowLock,
  isStamped: boolean,
  { stampBits }: ProjectionSettings,
): RowMatch {
  const { key, stamp } = dataclass;
  const needed = neededFor(dataclass, change);
  const conditions = [...scope.restrictions, ...(needed === null ? [] : [scope.meeting(needed)])];
  const [only = null, ...others] = conditions;
  return {
    key: key.map(({ column }) => scope.column(column)),
    stamp:
      isStamped && isEngineStamp(stamp)
        ? { source: stampSource(stamp, scope), bits: stampBits }
        : null,
    ...(isStamped && stamp.kind === 'hash'
      ? { held: heldColumns(dataclass).map((column) => scope.column(column)) }
      : {}),
    where: others.length === 0 ? only : { kind: 'and', items: conditions },
  };
}

/** Types whose values come back from the gateway as they were read, whatever the time zone, and compare with themselves. */
const HELD: ReadonlySet<ColumnType['kind']> = new Set([
  'boolean',
  'integer',
  'decimal',
  'text',
  'uuid',
  'date',
  'time',
]);

/** A statement has 2,100 parameters at most on SQL Server, and may give as many columns a value. */
const MOST_HELD = 500;

/**
 * The columns that a change compares besides the hash which is the stamp: the gateway compares that when it reads the row, and not every engine keeps a
 * row as it is until it is changed. Empty for stamps that the engine compares.
 */
export function heldColumns({ stamp, key, stored }: Dataclass): readonly Column[] {
  if (stamp.kind !== 'hash') return [];
  const others = new Set(key.map(({ column }) => column.name));
  for (const { column, columnType } of stored.values()) {
    // JSON is not read as the text that it is.
    if (columnType !== column.type) others.add(column.name);
  }
  const isHeld = ({ name, type, large }: Column): boolean =>
    !others.has(name) && large !== true && HELD.has(type.kind) && !/money/i.test(type.native);
  return stamp.columns.filter(isHeld).slice(0, MOST_HELD);
}

function assigned(columns: readonly AssignedColumn[], scope: Scope): Assignment[] {
  return columns.map(({ column, type, from }) => ({
    column: scope.column(column, type),
    value: { kind: from },
  }));
}

/** What every save sets: the stamp's counter, and the timestamp, unless the database computes it. */
function maintained(
  { stamp, timestamp }: Dataclass,
  scope: Scope,
  counter: AssignedValue,
  given: ReadonlySet<string>,
): Assignment[] {
  const isOpen = ({ computed, name }: Column): boolean => !computed && !given.has(name);
  const counted = counterColumn(stamp);
  return [
    ...(counted !== null && isOpen(counted)
      ? [{ column: scope.column(counted), value: counter } as const]
      : []),
    ...(timestamp !== null && isOpen(timestamp)
      ? [{ column: scope.column(timestamp), value: { kind: 'now' } } as const]
      : []),
  ];
}

function counterColumn(stamp: Stamp): Column | null {
  return stamp.kind === 'counter' ? stamp.column : null;
}
