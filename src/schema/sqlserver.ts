import type { Column, ColumnType, ForeignKey, Index, PhysicalSchema, Table } from './types.ts';

/**
 * The statements of an introspection: columns, indexes, foreign keys. INFORMATION_SCHEMA gives the names and base types,
 * sys what only sys knows; the rest is joined by ids.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
 */
export const sqlServerSchemaQueries = {
  columns: `
SELECT o.object_id, o.type, c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, sc.column_id, c.DATA_TYPE,
  c.CHARACTER_MAXIMUM_LENGTH, c.NUMERIC_PRECISION, c.NUMERIC_SCALE, c.DATETIME_PRECISION,
  c.COLLATION_NAME, sc.is_nullable, sc.is_identity, sc.is_computed, sc.default_object_id
FROM INFORMATION_SCHEMA.COLUMNS c
JOIN sys.schemas s ON s.name = c.TABLE_SCHEMA
JOIN sys.objects o ON o.schema_id = s.schema_id AND o.name = c.TABLE_NAME AND o.type IN ('U', 'V')
JOIN sys.columns sc ON sc.object_id = o.object_id AND sc.name = c.COLUMN_NAME
WHERE o.is_ms_shipped = 0
ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, sc.column_id`,
  indexes: `
SELECT i.object_id, i.index_id, i.name, i.is_unique, i.is_primary_key, i.has_filter, ic.column_id
FROM sys.indexes i
JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
WHERE i.is_disabled = 0 AND i.is_hypothetical = 0 AND ic.key_ordinal > 0
ORDER BY i.object_id, i.index_id, ic.key_ordinal`,
  foreignKeys: `
SELECT f.object_id, f.name, k.parent_object_id, k.parent_column_id, k.referenced_object_id,
  k.referenced_column_id
FROM sys.foreign_keys f
JOIN sys.foreign_key_columns k ON k.constraint_object_id = f.object_id
ORDER BY f.object_id, k.constraint_column_id`,
  ignoreCase: `SELECT CASE WHEN N'a' COLLATE DATABASE_DEFAULT = N'A' THEN 1 ELSE 0 END`,
} as const;

/** One row of each statement, in column order. */
type ColumnRow = readonly [
  objectId: number,
  type: string,
  schema: string,
  table: string,
  column: string,
  columnId: number,
  dataType: string,
  length: number | null,
  precision: number | null,
  scale: number | null,
  datetimePrecision: number | null,
  collation: string | null,
  isNullable: boolean,
  isIdentity: boolean,
  isComputed: boolean,
  defaultId: number,
];
type IndexRow = readonly [
  objectId: number,
  indexId: number,
  name: string | null,
  isUnique: boolean,
  isPrimary: boolean,
  hasFilter: boolean,
  columnId: number,
];
type ForeignKeyRow = readonly [
  id: number,
  name: string,
  parentId: number,
  parentColumnId: number,
  referencedId: number,
  referencedColumnId: number,
];

/** The rows that the statements of {@link sqlServerSchemaQueries} answered. */
export interface SqlServerSchemaRows {
  readonly columns: readonly (readonly unknown[])[];
  readonly indexes: readonly (readonly unknown[])[];
  readonly foreignKeys: readonly (readonly unknown[])[];
  readonly ignoreCase: readonly (readonly unknown[])[];
}

interface Draft {
  readonly schema: string;
  readonly name: string;
  readonly kind: Table['kind'];
  readonly columns: Column[];
  readonly columnNames: Map<number, string>;
  primaryKey: string[];
  readonly indexes: Map<number, { name: string; unique: boolean; columns: string[] }>;
  readonly foreignKeys: Map<number, ForeignKey & { columns: string[]; targetColumns: string[] }>;
}

/** Puts the rows of an introspection together. */
export function readSqlServerSchema(rows: SqlServerSchemaRows): PhysicalSchema {
  const drafts = new Map<number, Draft>();
  for (const row of rows.columns as readonly ColumnRow[]) addColumn(drafts, row);
  for (const row of rows.indexes as readonly IndexRow[]) addIndex(drafts, row);
  for (const row of rows.foreignKeys as readonly ForeignKeyRow[]) addForeignKey(drafts, row);
  return {
    tables: [...drafts.values()].map(toTable),
    ignoreCase: Number(rows.ignoreCase[0]?.[0]) === 1,
  };
}

function addColumn(drafts: Map<number, Draft>, row: ColumnRow): void {
  const [objectId, type, schema, name, column, columnId] = row;
  let draft = drafts.get(objectId);
  if (draft === undefined) {
    draft = {
      schema,
      name,
      kind: type.trim() === 'V' ? 'view' : 'table',
      columns: [],
      columnNames: new Map(),
      primaryKey: [],
      indexes: new Map(),
      foreignKeys: new Map(),
    };
    drafts.set(objectId, draft);
  }
  draft.columnNames.set(columnId, column);
  const [isNullable, isIdentity, isComputed, defaultId] = row.slice(12) as [
    boolean,
    boolean,
    boolean,
    number,
  ];
  draft.columns.push({
    name: column,
    position: draft.columns.length + 1,
    type: readType(row),
    nullable: isNullable,
    identity: isIdentity,
    computed: isComputed || ROWVERSION.has(row[6].toLowerCase()),
    hasDefault: defaultId !== 0,
  });
}

function addIndex(drafts: Map<number, Draft>, row: IndexRow): void {
  const [objectId, indexId, name, isUnique, isPrimary, hasFilter, columnId] = row;
  const draft = drafts.get(objectId);
  const column = draft?.columnNames.get(columnId);
  if (draft === undefined || column === undefined) return;
  const index = draft.indexes.get(indexId) ?? {
    name: name ?? '',
    unique: isUnique && !hasFilter,
    columns: [],
  };
  index.columns.push(column);
  draft.indexes.set(indexId, index);
  if (isPrimary) draft.primaryKey = index.columns;
}

function addForeignKey(drafts: Map<number, Draft>, row: ForeignKeyRow): void {
  const [id, name, parentId, parentColumnId, referencedId, referencedColumnId] = row;
  const parent = drafts.get(parentId);
  const target = drafts.get(referencedId);
  const column = parent?.columnNames.get(parentColumnId);
  const targetColumn = target?.columnNames.get(referencedColumnId);
  if (parent === undefined || target === undefined) return;
  if (column === undefined || targetColumn === undefined) return;
  const foreignKey = parent.foreignKeys.get(id) ?? {
    name,
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
  const rowVersion = draft.columns.find(({ type }) => ROWVERSION.has(type.native));
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
  return {
    schema: draft.schema,
    name: draft.name,
    kind: draft.kind,
    columns: draft.columns,
    primaryKey: draft.primaryKey,
    indexes: [...draft.indexes.values()].sort(byName) satisfies Index[],
    foreignKeys: [...draft.foreignKeys.values()].sort(byName),
    rowVersion: rowVersion === undefined ? null : { kind: 'column', name: rowVersion.name },
  };
}

/** The type has two names; the catalogs mostly say the older one. */
const ROWVERSION: ReadonlySet<string> = new Set(['timestamp', 'rowversion']);

/** https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql */
function readType(row: ColumnRow): ColumnType {
  const [, , , , , , dataType, length, precision, scale, , collation] = row;
  const name = dataType.toLowerCase();
  switch (name) {
    case 'bit':
      return { kind: 'boolean', native: name };
    case 'tinyint':
      return { kind: 'integer', bits: 8, signed: false, native: name };
    case 'smallint':
      return { kind: 'integer', bits: 16, signed: true, native: name };
    case 'int':
      return { kind: 'integer', bits: 32, signed: true, native: name };
    case 'bigint':
      return { kind: 'integer', bits: 64, signed: true, native: name };
    case 'decimal':
    case 'numeric': {
      const digits = { precision: precision ?? 18, scale: scale ?? 0 };
      return { kind: 'decimal', ...digits, native: `${name}(${digits.precision},${digits.scale})` };
    }
    case 'money':
      return { kind: 'decimal', precision: 19, scale: 4, native: name };
    case 'smallmoney':
      return { kind: 'decimal', precision: 10, scale: 4, native: name };
    case 'real':
      return { kind: 'float', bits: 32, native: name };
    case 'float':
      return { kind: 'float', bits: (precision ?? 53) <= 24 ? 32 : 64, native: name };
    case 'char':
    case 'nchar':
    case 'varchar':
    case 'nvarchar':
    case 'text':
    case 'ntext':
      return textType(name, length, collation);
    case 'uniqueidentifier':
      return { kind: 'uuid', native: name };
    case 'date':
      return { kind: 'date', native: name };
    case 'datetime':
    case 'smalldatetime':
      return { kind: 'timestamp', zoned: false, native: name };
    case 'datetime2':
      return { kind: 'timestamp', zoned: false, native: `datetime2(${row[10] ?? 7})` };
    case 'datetimeoffset':
      return { kind: 'timestamp', zoned: true, native: `datetimeoffset(${row[10] ?? 7})` };
    case 'time':
      return { kind: 'time', native: `time(${row[10] ?? 7})` };
    case 'json':
      return { kind: 'json', asText: false, native: name };
    case 'binary':
    case 'varbinary':
    case 'image':
    case 'timestamp':
    case 'rowversion':
      return { kind: 'binary', native: name };
    default:
      return { kind: 'opaque', native: name };
  }
}

function textType(name: string, length: number | null, collation: string | null): ColumnType {
  const isOld = name === 'text' || name === 'ntext';
  const maxLength = isOld || length === null || length < 0 ? null : length;
  return {
    kind: 'text',
    maxLength,
    padded: name === 'char' || name === 'nchar',
    native: isOld ? name : `${name}(${maxLength ?? 'max'})`,
    ...(collation === null ? {} : { collation }),
  };
}
