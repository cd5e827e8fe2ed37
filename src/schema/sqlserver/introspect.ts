import { addTo, memoize } from '../../base/collections.ts';
import { type CatalogRows, grouped, type Row, sorted, type SqlServerSchemaRows } from './rows.ts';
import { baseTypes, catalogType, isRowVersion, readKind, type TypeNames } from './types.ts';
import {
  byName,
  type Column,
  compareText,
  describedBy,
  type ForeignKey,
  type Index,
  type LeftOutColumn,
  type PhysicalSchema,
  type Routine,
  type RoutineParameter,
  type RoutineResult,
  type Table,
} from '../types.ts';
import { withHexKeys } from '../type-rules.ts';
import { type Changes, readCheck, readInstead, updatingMore } from './rules.ts';

/** A table or view with the columns that can be read. */
interface ReadableTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly Column[];
  /** The names of {@link columns} by their ids. */
  readonly names: ReadonlyMap<number, string>;
  readonly leftOut: readonly LeftOutColumn[];
  /** Columns that are masked for the login. */
  readonly masked: readonly string[];
}

type Tables = ReadonlyMap<number, ReadableTable>;

/** Joins the rows of an introspection. */
export function readSqlServerSchema(found: SqlServerSchemaRows): PhysicalSchema {
  const rows = found as unknown as CatalogRows;
  const types = baseTypes(rows.types);
  const ignoreCase = Number(rows.ignoreCase[0]?.[0]) === 1;
  const instead = readInstead(rows);
  const updating = updatingMore(rows);
  const tables = readTables(rows, types, instead);
  const indexesOf = readIndexes(rows, tables);
  const foreignKeysOf = readForeignKeys(rows, tables);
  const checksOf = grouped(rows.checks, ([tableId]) => tableId);
  const descriptions = readDescriptions(rows);
  const tracked = new Set(rows.trackedTables.map(([id]) => id));
  const kinds = new Map(rows.tableKinds.map((row) => [row[0], readKind(row)]));

  const finish = ([id, , , type]: Row<'tables'>): Table[] => {
    const table = tables.get(id);
    if (table === undefined || table.columns.length === 0) return [];
    const { schema, name, columns, leftOut, masked } = table;
    const rowVersion = columns.find((column) => isRowVersion(column.type));
    const { primaryKey = [], indexes = [] } = indexesOf.get(id) ?? {};
    const checks = (checksOf.get(id) ?? []).map((row) => readCheck(row, table, ignoreCase));
    const changes = instead.get(id);
    const { notes: kindNotes = [], ...kind } = kinds.get(id) ?? {};
    const notes = [...masked.map(maskNote), ...kindNotes];
    return [
      {
        schema,
        name,
        kind: type.trim() === 'V' ? 'view' : 'table',
        ...describedBy(descriptions.get(columnId([id, 0]))),
        columns,
        primaryKey,
        indexes: indexes.toSorted(byName),
        foreignKeys: (foreignKeysOf.get(id) ?? []).toSorted(byName),
        rowVersion: rowVersion === undefined ? null : { kind: 'column', name: rowVersion.name },
        ...(tracked.has(id) ? { changeTracking: true } : {}),
        ...(checks.length > 0 ? { checks: checks.sort(byName) } : {}),
        ...(changes === undefined ? {} : { instead: changes }),
        ...kind,
        ...(updating.has(id) ? { updatesMore: true } : {}),
        ...(leftOut.length > 0 ? { leftOut } : {}),
        ...(notes.length > 0 ? { notes } : {}),
        ...(ignoreCase ? { ignoreCase } : {}),
      },
    ];
  };
  return withHexKeys({
    tables: rows.tables
      .flatMap(finish)
      .sort((a, b) => compareText(a.schema, b.schema) || byName(a, b)),
    ignoreCase,
    routines: readSqlServerRoutines(rows, types),
  });
}

/** Reads tables and views with their columns, by their ids. */
function readTables(rows: CatalogRows, types: TypeNames, instead: Changes): Tables {
  const denied = columnIds(rows.deniedColumns);
  const sequential = columnIds(rows.sequentialDefaults);
  const derived = columnIds(rows.derivedColumns);
  const descriptions = readDescriptions(rows);
  const seesThroughMasks = Number(rows.unmask[0]?.[0]) === 1;
  const schemas = new Map(rows.schemas);
  const columnsOf = grouped(sorted(rows.columns, 1), ([ownerId]) => ownerId);
  const readTable = ([id, schemaId, name]: Row<'tables'>): ReadableTable => {
    const leftOut: LeftOutColumn[] = [];
    const readable = (columnsOf.get(id) ?? []).filter((row) => {
      const why = whyUnreadable(row, denied.has(columnId(row)));
      if (why !== null) leftOut.push({ name: row[2], why });
      return why === null;
    });
    // A view's computed columns take no value, unless a trigger stands in for updates. Of a view without any column of a table nothing is known.
    const isAllDerived = readable.every((row) => derived.has(columnId(row)));
    const areDerived = !isAllDerived && instead.get(id)?.includes('update') !== true;
    return {
      schema: schemas.get(schemaId) ?? '',
      name,
      columns: readable.map((row, index) =>
        readColumn(row, types, {
          position: index + 1,
          isDerived: areDerived && derived.has(columnId(row)),
          isSequential: sequential.has(columnId(row)),
          description: descriptions.get(columnId(row)),
        }),
      ),
      names: new Map(readable.map(([, column, columnName]) => [column, columnName])),
      leftOut,
      masked: readable.flatMap((row) => (row[14] && !seesThroughMasks ? [row[2]] : [])),
    };
  };
  return new Map(rows.tables.map((row) => [row[0], readTable(row)]));
}

/** Texts about tables, by their ids and 0, and about columns, as {@link columnId} names them. */
function readDescriptions({ descriptions }: CatalogRows): ReadonlyMap<string, string | null> {
  return new Map(descriptions.map((row) => [columnId(row), row[2]]));
}

/** Columns by the ids of their tables and their own. */
function columnIds(rows: CatalogRows['deniedColumns']): ReadonlySet<string> {
  return new Set(rows.map(columnId));
}

function columnId([tableId, id]: readonly [tableId: number, id: number, ...unknown[]]): string {
  return `${tableId} ${id}`;
}

/**
 * The internal columns of node and edge tables, by `graph_type`; the others are computed texts (`$node_id`)
 * (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-columns-transact-sql).
 */
const GRAPH_INTERNAL: ReadonlySet<number> = new Set([1, 3, 4, 6, 7]);

/** Why a column is left out, or null where it is not: one that cannot be read would break each of its entities. */
function whyUnreadable(row: Row<'columns'>, isDenied: boolean): string | null {
  const [encryptionType, , isColumnSet, graphType] = [row[13], row[14], row[15], row[16]];
  if (encryptionType !== null) {
    return 'it is encrypted (Always Encrypted), and the keys are not here';
  }
  if (isColumnSet) return 'it is the column set of columns that are there themselves';
  if (graphType !== null && GRAPH_INTERNAL.has(graphType)) return 'it is internal to a graph table';
  return isDenied ? 'the login may not read it' : null;
}

/** https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking */
function maskNote(column: string): string {
  return (
    `column ${column} is masked for the login: clients see the mask, and a stamp of the kind hash does not see the ` +
    'column change. GRANT UNMASK to the login, or leave the column out'
  );
}

function readColumn(
  row: Row<'columns'>,
  types: TypeNames,
  is: {
    readonly position: number;
    readonly isDerived: boolean;
    readonly isSequential: boolean;
    readonly description: string | null | undefined;
  },
): Column {
  const [, , name, typeId, bytes, precision, scale, collation, nullable, identity, isComputed] =
    row;
  const [defaultId, generatedAlways] = [row[11], row[12]];
  const type = catalogType(types, typeId, bytes, precision, scale, collation);
  return {
    name,
    position: is.position,
    type,
    nullable,
    identity,
    computed: isComputed || generatedAlways !== 0 || isRowVersion(type) || is.isDerived,
    hasDefault: defaultId !== 0,
    ...(bytes === -1 || ['text', 'ntext', 'image'].includes(type.native) ? { large: true } : {}),
    ...(is.isSequential ? { sequentialGuids: true } : {}),
    ...describedBy(is.description),
  };
}

interface TableIndexes {
  primaryKey?: readonly string[];
  readonly indexes: Index[];
}

/** Reads the indexes of tables, by the ids of those. */
function readIndexes(rows: CatalogRows, tables: Tables): ReadonlyMap<number, TableIndexes> {
  const columnsOf = grouped(sorted(rows.indexColumns, 3), columnId);
  const found = new Map<number, TableIndexes>();
  for (const [tableId, id, name, isUnique, isPrimary, hasFilter] of rows.indexes) {
    const names = tables.get(tableId)?.names;
    const parts = columnsOf.get(columnId([tableId, id])) ?? [];
    const columns = parts.flatMap(([, , column]) => names?.get(column) ?? []);
    // What is unique with a column that is left out is not unique without it.
    if (columns.length === 0 || columns.length < parts.length) continue;
    const own = memoize(found, tableId, () => ({ indexes: [] }));
    own.indexes.push({ name, unique: isUnique && !hasFilter, columns });
    if (isPrimary) own.primaryKey = columns;
  }
  return found;
}

/** Reads the foreign keys of tables, by the ids of those. A foreign key with a column that is left out is left out, too. */
function readForeignKeys(rows: CatalogRows, tables: Tables): ReadonlyMap<number, ForeignKey[]> {
  const keys = new Map(rows.foreignKeys.map((row) => [row[0], row]));
  const found = new Map<number, ForeignKey[]>();
  for (const [id, parts] of grouped(sorted(rows.foreignKeyColumns, 1), ([key]) => key)) {
    const [, , tableId = 0, , targetId = 0] = parts[0] ?? [];
    const [own, target] = [tables.get(tableId), tables.get(targetId)];
    if (own === undefined || target === undefined) continue;
    const columns = parts.flatMap(([, , , column]) => own.names.get(column) ?? []);
    const targetColumns = parts.flatMap((part) => target.names.get(part[5]) ?? []);
    if (columns.length < parts.length || targetColumns.length < parts.length) continue;
    const [, name = '', unenforced = 0] = keys.get(id) ?? [];
    addTo(found, tableId, {
      name,
      columns,
      targetSchema: target.schema,
      targetTable: target.name,
      targetColumns,
      ...(unenforced === 1 ? { unenforced: true } : {}),
    });
  }
  return found;
}

type RoutineRows = Pick<
  CatalogRows,
  'schemas' | 'routines' | 'routineParameters' | 'tableTypes' | 'columns'
>;

/** Reads the routines that can be called. */
export function readSqlServerRoutines(rows: RoutineRows, types: TypeNames): Routine[] {
  const schemas = new Map(rows.schemas);
  const schemaOf = (id: number): string => schemas.get(id) ?? '';
  const tables = new Map(
    rows.tableTypes.map(([id, schema, name]) => [id, { schema: schemaOf(schema), name }]),
  );
  const parametersOf = grouped(sorted(rows.routineParameters, 2), ([routineId]) => routineId);
  const columnsOf = grouped(sorted(rows.columns, 1), ([ownerId]) => ownerId);

  return rows.routines.flatMap(([id, schemaId, name, type]): Routine[] => {
    const kind = type.trim().startsWith('P') ? 'procedure' : 'function';
    const parameters: RoutineParameter[] = [];
    const columns = columnsOf.get(id)?.map((row) => ({
      name: row[2],
      type: catalogType(types, row[3], row[4], row[5], row[6], row[7]),
    }));
    let returns: RoutineResult =
      kind === 'procedure' ? { kind: 'none' } : { kind: 'rows', columns: columns ?? null };
    for (const row of parametersOf.get(id) ?? []) {
      const [, parameter, at, typeId, bytes, precision, scale, isOutput, isCursor] = row;
      // A cursor is not a value.
      if (isCursor) return [];
      const own = catalogType(types, typeId, bytes, precision, scale, null);
      if (at === 0 && kind === 'function') returns = { kind: 'value', type: own };
      if (at === 0) continue;
      const table = tables.get(typeId);
      parameters.push({
        name: parameter.replace(/^@/, ''),
        type: table === undefined ? own : { kind: 'opaque', native: 'table' },
        // A parameter that goes out may come in as well.
        direction: isOutput && kind === 'procedure' ? 'inout' : 'in',
        ...(table === undefined ? {} : { table }),
      });
    }
    return [{ schema: schemaOf(schemaId), name, kind, parameters, returns }];
  });
}
