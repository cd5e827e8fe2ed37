import {
  isEngineStamp,
  type Dataclass,
  type Relation,
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
import { generatedKey, isInstead } from './save.ts';
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
import { allOf } from '../condition/comparison.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import type { StampField } from '../condition/types.ts';

/** A column that a statement gives values: the cells of its rows, or the bytes that are a parameter of its only row. */
export interface AssignedColumn {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  readonly from: 'cell' | 'bytes';
}

/** A column whose values address rows, and the name that tells it from others: an attribute, or a part of a natural key. */
export type Addressing = Pick<StorageAttribute, 'name' | 'column'>;

/** Reads the rows with given values in some columns; the values arrive as one parameter. */
function byKeyQuery(scope: Scope, columns: readonly Column[], outputs: OutputList): KeyedQuery {
  const keyColumns = columns.map((column) => scope.column(column));
  return scope.keyed({ keyColumns, outputs: outputs.items, where: scope.restrictionInSubqueries });
}

/** Reads the rows that a save is about to change: their keys, their stamps, and some columns. The indexes are those of result columns. */
export interface CurrentRowsPlan {
  readonly query: KeyedQuery;
  readonly key: readonly number[];
  readonly stamp: StampField;
  /** The indexes of columns, by their names. */
  readonly columns: ReadonlyMap<string, number>;
  /** The indexes of whether columns of bytes are not null, by their names. */
  readonly presences: ReadonlyMap<string, number>;
  /** The index of whether the user may change the row as is planned; null where that is every row. */
  readonly permitted: number | null;
}

/**
 * Plans to read columns of the rows with given values of some attributes, and to lock these for a change (`lock`, null for none) until the transaction
 * ends. They are read and locked in key order, so that two requests do not deadlock. `comparison` says whether case is folded.
 * https://www.postgresql.org/docs/current/sql-select.html#SQL-FOR-UPDATE-SHARE
 */
export function planCurrentRows(
  dataclass: Dataclass,
  attributes: readonly Addressing[],
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
  const located = (kind: 'value' | 'presence'): Map<string, number> =>
    new Map(
      columns
        .filter(({ type }) => (type.kind === 'binary') === (kind === 'presence'))
        .map((column) => {
          const operand = answeredColumn(scope, column);
          return [column.name, outputs.add({ kind, operand })];
        }),
    );
  const values = located('value');
  const needed = neededFor(dataclass, lock ?? 'update');
  const permitted =
    needed === null ? null : outputs.add({ kind: 'meets', condition: scope.meeting(needed) });
  const presences = located('presence');
  return {
    query: {
      ...byKeyQuery(scope, columnsOf(attributes), outputs),
      orderBy: keyOrder(scope),
      ...(comparison === 'folded' ? { folded: true } : {}),
      ...(lock === null || dataclass.table.unlockable === true ? {} : { lock }),
    },
    key,
    stamp,
    columns: values,
    presences,
    permitted,
  };
}

/** Plans to look up related entities by their keys, for the columns that the relation leads to. */
export function planRelatedRows({ target, hops }: Relation): KeyedQuery {
  return foundRows(target, columnsOf(target.key), hops[0].to);
}

/** Plans to look up related entities by the columns that the relation leads to, for the same columns. */
export function planReferredRows({ target, hops }: Relation): KeyedQuery {
  const [{ to }] = hops;
  return foundRows(target, to, to);
}

/** Plans to look up the keys of the entities that a relation to many leads to, by the columns that it leads to. */
export function planOwnedRows({ target, hops }: Relation): KeyedQuery {
  return foundRows(target, hops[0].to, columnsOf(target.key));
}

/** Reads some columns of the entities with given values in others. */
function foundRows(
  dataclass: Dataclass,
  by: readonly Column[],
  selected: readonly Column[],
): KeyedQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const outputs = new OutputList(KEYED_OFFSET);
  for (const column of selected) outputs.add({ kind: 'value', operand: scope.column(column) });
  return byKeyQuery(scope, by, outputs);
}

function columnsOf(attributes: readonly Addressing[]): Column[] {
  return attributes.map(({ column }) => column);
}

/** Inserts rows with values in some columns, and the stamp's counter and the timestamp. */
export function insertQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  rows: RowCount,
  answer: Pick<KeyedQuery, 'outputs'> | null = null,
): InsertQuery {
  const scope = Scope.root(dataclass, new Aliases());
  return {
    kind: 'insert',
    into: scope.source,
    assignments: assigned(columns, dataclass, scope, { kind: 'firstStamp' }),
    returning: generatedKey(columns, dataclass).length === 0 ? [] : scope.keyColumns,
    ...(answer === null ? {} : { answer: { key: scope.keyColumns, outputs: answer.outputs } }),
    rows,
    instead: isInstead(dataclass, 'insert'),
  };
}

/** Updates some columns of rows, and the stamp's counter and the timestamp. */
export function updateQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  isStamped: boolean,
  rows: RowCount,
  settings: ProjectionSettings,
): UpdateQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const next = { kind: 'nextStamp', bits: settings.stampBits } as const;
  return {
    kind: 'update',
    table: scope.source,
    match: rowMatch(dataclass, scope, 'update', isStamped, settings),
    assignments: assigned(columns, dataclass, scope, next),
    rows,
    instead: isInstead(dataclass, 'update'),
  };
}

/** Updates some columns of the rows with given stamps, and reads them by the outputs of another query. */
export function directUpdateQuery(
  dataclass: Dataclass,
  columns: readonly AssignedColumn[],
  { outputs }: Pick<KeyedQuery, 'outputs'>,
  rows: RowCount,
  unlocked: boolean,
  settings: ProjectionSettings,
): DirectUpdateQuery {
  const { table, match, assignments } = updateQuery(dataclass, columns, true, rows, settings);
  const uncontended = rows === 'one' ? uncontendedPositions(assignments, dataclass.table) : null;
  return { kind: 'directUpdate', table, match, assignments, rows, outputs, unlocked, uncontended };
}

function uncontendedPositions(
  assignments: readonly Assignment[],
  { columns, primaryKey, contended = primaryKey }: Table,
): number[] | null {
  const changed = new Set(assignments.map(({ column }) => column.name));
  if (contended.some((name) => changed.has(name))) return null;
  return columns.filter(({ name }) => changed.has(name)).map(({ position }) => position);
}

/** Gives rows another stamp and timestamp, and changes nothing else; null where the stamp or the table does not allow it. */
export function touchQuery(
  dataclass: Dataclass,
  rows: RowCount,
  settings: ProjectionSettings,
): UpdateQuery | null {
  const { stamp, members, key } = dataclass;
  if (!isEngineStamp(stamp) || isInstead(dataclass, 'update')) return null;
  // An attribute whose column can be given the value that it already has.
  const kept = [...members.values()].find(
    (member): member is StorageAttribute =>
      member.kind === 'storage' &&
      member.readOnly === null &&
      !['binary', 'opaque'].includes(member.column.type.kind) &&
      !key.some(({ column }) => column.name === member.column.name),
  );
  const query = updateQuery(dataclass, [], false, rows, settings);
  if (query.assignments.length > 0) return query;
  if (kept === undefined) return null;
  const column = Scope.root(dataclass, new Aliases()).column(kept.column);
  return { ...query, assignments: [{ column, value: { kind: 'same' } }] };
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
    instead: isInstead(dataclass, 'delete'),
  };
}

/** Finds cells that would lose characters in their columns. */
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
  return {
    key: key.map(({ column }) => scope.column(column)),
    stamp:
      isStamped && isEngineStamp(stamp)
        ? { source: stampSource(stamp, scope), bits: stampBits }
        : null,
    ...(isStamped && stamp.kind === 'hash'
      ? { held: heldColumns(dataclass).map((column) => scope.column(column)) }
      : {}),
    where: allOf([scope.restrictionInSubqueries, needed === null ? null : scope.meeting(needed)]),
  };
}

/** Types whose values come back to the database exactly as they were read, in any time zone. */
const HELD: ReadonlySet<ColumnType['kind']> = new Set([
  'boolean',
  'integer',
  'decimal',
  'text',
  'uuid',
  'date',
  'time',
]);

/** A statement has at most 2,100 parameters on SQL Server, and gives values to other columns besides. */
const MOST_HELD = 500;

/** The columns of a hash stamp that an update compares: not every engine keeps a row unchanged between the read and the update. */
export function heldColumns({ stamp, key, stored }: Dataclass): readonly Column[] {
  if (stamp.kind !== 'hash') return [];
  const others = new Set(key.map(({ column }) => column.name));
  for (const { column, columnType } of stored.values()) {
    // JSON is not read as its original text.
    if (columnType !== column.type) others.add(column.name);
  }
  const isHeld = ({ name, type, large }: Column): boolean =>
    !others.has(name) && large !== true && HELD.has(type.kind) && !/money/i.test(type.native);
  return stamp.columns.filter(isHeld).slice(0, MOST_HELD);
}

/** Gives values to columns, and to those that every save sets: the stamp's counter, and the timestamp, unless the database computes it. */
function assigned(
  columns: readonly AssignedColumn[],
  { stamp, timestamp }: Dataclass,
  scope: Scope,
  counter: AssignedValue,
): Assignment[] {
  const given = new Set(columns.map(({ column }) => column.name));
  const isOpen = ({ computed, name }: Column): boolean => !computed && !given.has(name);
  const counted = stamp.kind === 'counter' ? stamp.column : null;
  return [
    ...columns.map(({ column, type, from }): Assignment => ({
      column: scope.column(column, type),
      value: { kind: from },
    })),
    ...(counted !== null && isOpen(counted)
      ? [{ column: scope.column(counted), value: counter } as const]
      : []),
    ...(timestamp !== null && isOpen(timestamp)
      ? [{ column: scope.column(timestamp), value: { kind: 'now' } } as const]
      : []),
  ];
}
