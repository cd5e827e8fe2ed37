import { isRowVersion, readType } from './sqlserver-types.ts';
import type { Column, ForeignKey, Index, PhysicalSchema, Table } from './types.ts';

/**
 * The statements of an introspection: one for each catalog view, whatever the number of tables. Their rows are joined by
 * id here: the views are functions underneath, whose joins engines plan badly.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
 */
export const sqlServerSchemaQueries = {
  schemas: 'SELECT schema_id, name FROM sys.schemas',
  tables: `
SELECT object_id, schema_id, name, type FROM sys.objects
WHERE type IN ('U', 'V') AND is_ms_shipped = 0`,
  types: 'SELECT user_type_id, system_type_id, name FROM sys.types',
  columns: `
SELECT object_id, column_id, name, user_type_id, max_length, precision, scale, collation_name,
  is_nullable, is_identity, is_computed, default_object_id, generated_always_type
FROM sys.columns`,
  indexes: `
SELECT object_id, index_id, name, is_unique, is_primary_key, has_filter FROM sys.indexes
WHERE index_id > 0 AND is_disabled = 0 AND is_hypothetical = 0`,
  indexColumns: `
SELECT object_id, index_id, column_id, key_ordinal FROM sys.index_columns WHERE key_ordinal > 0`,
  foreignKeys: 'SELECT object_id, name FROM sys.foreign_keys',
  foreignKeyColumns: `
SELECT constraint_object_id, constraint_column_id, parent_object_id, parent_column_id,
  referenced_object_id, referenced_column_id
FROM sys.foreign_key_columns`,
  ignoreCase: `SELECT CASE WHEN N'a' COLLATE DATABASE_DEFAULT = N'A' THEN 1 ELSE 0 END`,
} as const;

/** The rows that each statement answered, in column order. */
export type SqlServerSchemaRows = Readonly<
  Record<keyof typeof sqlServerSchemaQueries, readonly (readonly unknown[])[]>
>;

type NamedRow = readonly [id: number, name: string];
type TableRow = readonly [objectId: number, schemaId: number, name: string, type: string];
type TypeRow = readonly [id: number, systemId: number, name: string];
type ColumnRow = readonly [
  objectId: number,
  columnId: number,
  name: string,
  typeId: number,
  maxLength: number,
  precision: number,
  scale: number,
  collation: string | null,
  isNullable: boolean,
  isIdentity: boolean,
  isComputed: boolean,
  defaultId: number,
  generatedAlways: number,
];
type IndexRow = readonly [
  objectId: number,
  indexId: number,
  name: string,
  isUnique: boolean,
  isPrimary: boolean,
  hasFilter: boolean,
];
type IndexColumnRow = readonly [
  objectId: number,
  indexId: number,
  columnId: number,
  ordinal: number,
];
type ForeignKeyColumnRow = readonly [
  id: number,
  ordinal: number,
  parentId: number,
  parentColumnId: number,
  referencedId: number,
  referencedColumnId: number,
];

interface Draft {
  readonly schema: string;
  readonly name: string;
  readonly kind: Table['kind'];
  readonly columns: Column[];
  readonly columnNames: Map<number, string>;
  readonly indexes: Map<number, { name: string; unique: boolean; columns: string[] }>;
  readonly foreignKeys: Map<number, ForeignKey & { columns: string[]; targetColumns: string[] }>;
  primaryKeyIndex: number;
}

/** Puts the rows of an introspection together. */
export function readSqlServerSchema(rows: SqlServerSchemaRows): PhysicalSchema {
  const drafts = readTables(rows);
  const types = baseTypes(rows.types as readonly TypeRow[]);
  for (const row of sorted(rows.columns as readonly ColumnRow[], 1)) addColumn(drafts, row, types);
  for (const row of rows.indexes as readonly IndexRow[]) addIndex(drafts, row);
  for (const row of sorted(rows.indexColumns as readonly IndexColumnRow[], 3)) {
    const [objectId, indexId, columnId] = row;
    const draft = drafts.get(objectId);
    const column = draft?.columnNames.get(columnId);
    if (column !== undefined) draft?.indexes.get(indexId)?.columns.push(column);
  }
  const names = new Map(rows.foreignKeys as readonly NamedRow[]);
  for (const row of sorted(rows.foreignKeyColumns as readonly ForeignKeyColumnRow[], 1)) {
    addForeignKeyColumn(drafts, row, names);
  }
  const ignoreCase = Number(rows.ignoreCase[0]?.[0]) === 1;
  return {
    tables: [...drafts.values()]
      .filter(({ columns }) => columns.length > 0)
      .map((draft) => ({ ...toTable(draft), ...(ignoreCase ? { ignoreCase } : {}) }))
      .sort((a, b) => compareText(a.schema, b.schema) || compareText(a.name, b.name)),
    ignoreCase,
  };
}

function readTables(rows: SqlServerSchemaRows): Map<number, Draft> {
  const schemas = new Map(rows.schemas as readonly NamedRow[]);
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
        primaryKeyIndex: 0,
      },
    ]),
  );
}

/**
 * The names of types by id; of an alias type, such as sysname, that of the type it stands for. The system type of CLR
 * types is no row of its own.
 */
function baseTypes(rows: readonly TypeRow[]): ReadonlyMap<number, string> {
  const names = new Map(rows.map(([id, , name]) => [id, name]));
  return new Map(rows.map(([id, systemId, name]) => [id, names.get(systemId) ?? name]));
}

function sorted<Row extends readonly unknown[]>(rows: readonly Row[], by: number): Row[] {
  return rows.toSorted((a, b) => Number(a[by]) - Number(b[by]));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function addColumn(
  drafts: ReadonlyMap<number, Draft>,
  row: ColumnRow,
  types: ReadonlyMap<number, string>,
): void {
  const [objectId, columnId, name, typeId] = row;
  const draft = drafts.get(objectId);
  if (draft === undefined) return;
  const [isNullable, isIdentity, isComputed, defaultId, generatedAlways] = row.slice(8) as [
    boolean,
    boolean,
    boolean,
    number,
    number,
  ];
  const [, , , , bytes, precision, scale, collation] = row;
  const type = readType({
    name: (types.get(typeId) ?? 'sql_variant').toLowerCase(),
    bytes,
    precision,
    scale,
    collation,
  });
  draft.columnNames.set(columnId, name);
  draft.columns.push({
    name,
    position: draft.columns.length + 1,
    type,
    nullable: isNullable,
    identity: isIdentity,
    computed: isComputed || generatedAlways !== 0 || isRowVersion(type),
    hasDefault: defaultId !== 0,
  });
}

function addIndex(drafts: ReadonlyMap<number, Draft>, row: IndexRow): void {
  const [objectId, indexId, name, isUnique, isPrimary, hasFilter] = row;
  const draft = drafts.get(objectId);
  if (draft === undefined) return;
  draft.indexes.set(indexId, { name, unique: isUnique && !hasFilter, columns: [] });
  if (isPrimary) draft.primaryKeyIndex = indexId;
}

function addForeignKeyColumn(
  drafts: ReadonlyMap<number, Draft>,
  row: ForeignKeyColumnRow,
  names: ReadonlyMap<number, string>,
): void {
  const [id, , parentId, parentColumnId, referencedId, referencedColumnId] = row;
  const parent = drafts.get(parentId);
  const target = drafts.get(referencedId);
  const column = parent?.columnNames.get(parentColumnId);
  const targetColumn = target?.columnNames.get(referencedColumnId);
  if (parent === undefined || target === undefined) return;
  if (column === undefined || targetColumn === undefined) return;
  const foreignKey = parent.foreignKeys.get(id) ?? {
    name: names.get(id) ?? '',
    columns: [],
    targetSchema: target.schema,
    targetTable: target.name,
    targetColumns: [],
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
  };
}
