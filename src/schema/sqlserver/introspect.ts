import type {
  ColumnIdRow,
  ColumnRow,
  ForeignKeyColumnRow,
  ForeignKeyRow,
  IndexColumnRow,
  IndexRow,
  SchemaRow,
  SqlServerSchemaRows,
  TableRow,
  TypeRow,
} from './rows.ts';
import { isRowVersion, readKind, readType, type TableKindRow } from './types.ts';
import { withHexKeys } from '../type-rules.ts';
import {
  type CheckRow,
  type CompoundRow,
  readCheck,
  readInstead,
  type TriggerEventRow,
  type TriggerRow,
  updatingMore,
} from './rules.ts';
import {
  type ParameterRow,
  readSqlServerRoutines,
  type RoutineRow,
  type TableTypeRow,
} from './routines.ts';
import { whyUnreadable } from './catalog.ts';
import type {
  Check,
  Column,
  ColumnType,
  ForeignKey,
  Index,
  LeftOutColumn,
  PhysicalSchema,
  RoutineColumn,
  Table,
} from '../types.ts';

interface Draft {
  readonly schema: string;
  readonly name: string;
  readonly kind: Table['kind'];
  readonly columns: Column[];
  readonly columnNames: Map<number, string>;
  readonly indexes: Map<number, { name: string; unique: boolean; columns: string[] }>;
  readonly foreignKeys: Map<number, ForeignKey & { columns: string[]; targetColumns: string[] }>;
  readonly checks: Check[];
  readonly leftOut: LeftOutColumn[];
  readonly notes: string[];
  instead: Table['instead'];
  readOnly: Table['readOnly'];
  unlockable: Table['unlockable'];
  updatesMore: boolean;
  primaryKeyIndex: number;
}

/** Puts the rows of an introspection together. */
export function readSqlServerSchema(rows: SqlServerSchemaRows): PhysicalSchema {
  const drafts = readTables(rows);
  const types = baseTypes(rows.types as readonly TypeRow[]);
  const denied = columnIds(rows.deniedColumns as readonly ColumnIdRow[]);
  const sequential = columnIds(rows.sequentialDefaults as readonly ColumnIdRow[]);
  const seesThroughMasks = Number(rows.unmask[0]?.[0]) === 1;
  const routineRows = rows.routines as readonly RoutineRow[];
  const routineColumns = new Map(routineRows.map(([id]): [number, RoutineColumn[]] => [id, []]));
  for (const row of sorted(rows.columns as readonly ColumnRow[], 1)) {
    const draft = drafts.get(row[0]);
    if (draft === undefined) {
      routineColumns.get(row[0])?.push({ name: row[2], type: typeOf(row, types) });
      continue;
    }
    const [objectId, columnId, name] = row;
    const id = `${objectId} ${columnId}`;
    const why = whyUnreadable(row, denied.has(id));
    if (why !== null) {
      draft.leftOut.push({ name, why });
      continue;
    }
    addColumn(draft, row, types, sequential.has(id));
    if (row[14] && !seesThroughMasks) draft.notes.push(maskNote(name));
  }
  for (const row of rows.indexes as readonly IndexRow[]) addIndex(drafts, row);
  for (const row of sorted(rows.indexColumns as readonly IndexColumnRow[], 3)) {
    const [objectId, indexId, columnId] = row;
    const draft = drafts.get(objectId);
    const column = draft?.columnNames.get(columnId);
    // What is unique with a column that is left out is not unique without it.
    if (column === undefined) draft?.indexes.delete(indexId);
    else draft?.indexes.get(indexId)?.columns.push(column);
  }
  const foreignKeys = new Map(
    (rows.foreignKeys as readonly ForeignKeyRow[]).map((row) => [row[0], row]),
  );
  const foreignKeyColumns = rows.foreignKeyColumns as readonly ForeignKeyColumnRow[];
  const broken = new Set(
    foreignKeyColumns.filter((row) => !isReadable(row, drafts)).map(([id]) => id),
  );
  for (const row of sorted(foreignKeyColumns, 1)) {
    if (!broken.has(row[0])) addForeignKeyColumn(drafts, row, foreignKeys);
  }
  const ignoreCase = Number(rows.ignoreCase[0]?.[0]) === 1;
  for (const row of rows.checks as readonly CheckRow[]) {
    const draft = drafts.get(row[0]);
    draft?.checks.push(readCheck(row, draft, ignoreCase));
  }
  const instead = readInstead(
    rows.triggers as readonly TriggerRow[],
    rows.triggerEvents as readonly TriggerEventRow[],
    rows.compound as readonly CompoundRow[],
  );
  for (const [objectId, changes] of instead) {
    const draft = drafts.get(objectId);
    if (draft !== undefined) draft.instead = changes;
  }
  const updating = updatingMore(
    rows.triggers as readonly TriggerRow[],
    rows.triggerEvents as readonly TriggerEventRow[],
  );
  for (const [objectId, draft] of drafts) draft.updatesMore = updating.has(objectId);
  const derived = columnIds(rows.derivedColumns as readonly ColumnIdRow[]);
  for (const [objectId, draft] of drafts) markDerived(objectId, draft, derived);
  for (const row of rows.tableKinds as readonly TableKindRow[]) {
    const { readOnly, unlockable, notes = [] } = readKind(row);
    const draft = drafts.get(row[0]);
    if (draft === undefined) continue;
    draft.readOnly = readOnly;
    draft.unlockable = unlockable;
    draft.notes.push(...notes);
  }
  return withHexKeys({
    tables: [...drafts.values()]
      .filter(({ columns }) => columns.length > 0)
      .map((draft) => ({ ...toTable(draft), ...(ignoreCase ? { ignoreCase } : {}) }))
      .sort((a, b) => compareText(a.schema, b.schema) || compareText(a.name, b.name)),
    ignoreCase,
    routines: readSqlServerRoutines(
      routineRows,
      rows.routineParameters as readonly ParameterRow[],
      rows.tableTypes as readonly TableTypeRow[],
      {
        schemas: new Map(rows.schemas as readonly SchemaRow[]),
        types,
        columns: new Map([...routineColumns].filter(([, columns]) => columns.length > 0)),
      },
    ),
  });
}

function readTables(rows: SqlServerSchemaRows): Map<number, Draft> {
  const schemas = new Map(rows.schemas as readonly SchemaRow[]);
  return new Map(
    (rows.tables as readonly TableRow[]).map(([objectId, schemaId, name, type]) => [
      objectId,
      {
        schema: schemas.get(schemaId) ?? '',
        name,
        kind: type.trim() === 'V' ? 'view' : 'table',
        columns: [],
        columnNames: new Map(),
        indexes: new Map(),
        foreignKeys: new Map(),
        checks: [],
        leftOut: [],
        notes: [],
        instead: undefined,
        readOnly: undefined,
        unlockable: undefined,
        updatesMore: false,
        primaryKeyIndex: 0,
      },
    ]),
  );
}

/**
 * The names of types by id; of an alias type, such as sysname, that of the type it stands for. The system type of CLR
 * types is not a row of its own.
 */
function baseTypes(rows: readonly TypeRow[]): ReadonlyMap<number, string> {
  const names = new Map(rows.map(([id, , name]) => [id, name]));
  return new Map(rows.map(([id, systemId, name]) => [id, names.get(systemId) ?? name]));
}

function sorted<Row extends readonly unknown[]>(rows: readonly Row[], by: number): Row[] {
  return rows.toSorted((a, b) => Number(a[by]) - Number(b[by]));
}

/** Columns by the ids of their tables and their own. */
function columnIds(rows: readonly ColumnIdRow[]): ReadonlySet<string> {
  return new Set(rows.map((ids) => ids.join(' ')));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking */
function maskNote(column: string): string {
  return (
    `column ${column} is masked for the login: clients see the mask, and a stamp of the kind hash does not see the ` +
    'column change. GRANT UNMASK to the login, or leave the column out'
  );
}

function typeOf(
  [, , , typeId, bytes, precision, scale, collation]: ColumnRow,
  types: ReadonlyMap<number, string>,
): ColumnType {
  const name = (types.get(typeId) ?? 'sql_variant').toLowerCase();
  return readType({ name, bytes, precision, scale, collation });
}

function addColumn(
  draft: Draft,
  row: ColumnRow,
  types: ReadonlyMap<number, string>,
  isSequential: boolean,
): void {
  const [, columnId, name, , bytes] = row;
  const [isNullable, isIdentity, isComputed, defaultId, generatedAlways] = row.slice(8) as [
    boolean,
    boolean,
    boolean,
    number,
    number,
  ];
  const type = typeOf(row, types);
  draft.columnNames.set(columnId, name);
  draft.columns.push({
    name,
    position: draft.columns.length + 1,
    type,
    nullable: isNullable,
    identity: isIdentity,
    computed: isComputed || generatedAlways !== 0 || isRowVersion(type),
    hasDefault: defaultId !== 0,
    ...(bytes === -1 || ['text', 'ntext', 'image'].includes(type.native) ? { large: true } : {}),
    ...(isSequential ? { sequentialGuids: true as const } : {}),
  });
}

/**
 * Marks what a view makes of other columns: it takes no value, and may change by itself. A trigger that stands in for updates may take
 * one; and of a view that has no column of a table, such as a union, nothing is known.
 */
function markDerived(
  objectId: number,
  { columns, columnNames, instead }: Draft,
  derived: ReadonlySet<string>,
): void {
  const ids = [...columnNames].filter(([columnId]) => derived.has(`${objectId} ${columnId}`));
  if (ids.length === columns.length || instead?.includes('update') === true) return;
  const names = new Set(ids.map(([, name]) => name));
  for (const [at, column] of columns.entries()) {
    if (names.has(column.name)) columns[at] = { ...column, computed: true };
  }
}

function addIndex(drafts: ReadonlyMap<number, Draft>, row: IndexRow): void {
  const [objectId, indexId, name, isUnique, isPrimary, hasFilter] = row;
  const draft = drafts.get(objectId);
  if (draft === undefined) return;
  draft.indexes.set(indexId, { name, unique: isUnique && !hasFilter, columns: [] });
  if (isPrimary) draft.primaryKeyIndex = indexId;
}

/** Whether both columns of a pair are there. */
function isReadable(
  [, , parentId, parentColumnId, referencedId, referencedColumnId]: ForeignKeyColumnRow,
  drafts: ReadonlyMap<number, Draft>,
): boolean {
  const has = (table: number, column: number): boolean =>
    drafts.get(table)?.columnNames.has(column) === true;
  return has(parentId, parentColumnId) && has(referencedId, referencedColumnId);
}

function addForeignKeyColumn(
  drafts: ReadonlyMap<number, Draft>,
  row: ForeignKeyColumnRow,
  foreignKeys: ReadonlyMap<number, ForeignKeyRow>,
): void {
  const [id, , parentId, parentColumnId, referencedId, referencedColumnId] = row;
  const parent = drafts.get(parentId);
  const target = drafts.get(referencedId);
  const column = parent?.columnNames.get(parentColumnId);
  const targetColumn = target?.columnNames.get(referencedColumnId);
  if (parent === undefined || target === undefined) return;
  if (column === undefined || targetColumn === undefined) return;
  const [, name = '', unenforced = 0] = foreignKeys.get(id) ?? [];
  const foreignKey = parent.foreignKeys.get(id) ?? {
    name,
    columns: [],
    targetSchema: target.schema,
    targetTable: target.name,
    targetColumns: [],
    ...(unenforced === 1 ? { unenforced: true as const } : {}),
  };
  foreignKey.columns.push(column);
  foreignKey.targetColumns.push(targetColumn);
  parent.foreignKeys.set(id, foreignKey);
}

function toTable(draft: Draft): Table {
  const rowVersion = draft.columns.find(({ type }) => isRowVersion(type));
  const byName = (a: { name: string }, b: { name: string }): number => compareText(a.name, b.name);
  return {
    schema: draft.schema,
    name: draft.name,
    kind: draft.kind,
    columns: draft.columns,
    primaryKey: draft.indexes.get(draft.primaryKeyIndex)?.columns ?? [],
    indexes: [...draft.indexes.values()]
      .filter(({ columns }) => columns.length > 0)
      .sort(byName) satisfies Index[],
    foreignKeys: [...draft.foreignKeys.values()].sort(byName),
    rowVersion: rowVersion === undefined ? null : { kind: 'column', name: rowVersion.name },
    ...(draft.checks.length > 0 ? { checks: draft.checks.sort(byName) } : {}),
    ...(draft.instead === undefined ? {} : { instead: draft.instead }),
    ...(draft.readOnly === undefined ? {} : { readOnly: draft.readOnly }),
    ...(draft.unlockable === undefined ? {} : { unlockable: draft.unlockable }),
    ...(draft.updatesMore ? { updatesMore: true } : {}),
    ...(draft.leftOut.length > 0 ? { leftOut: draft.leftOut } : {}),
    ...(draft.notes.length > 0 ? { notes: draft.notes } : {}),
  };
}
