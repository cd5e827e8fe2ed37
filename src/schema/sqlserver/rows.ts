import { addTo } from '../../base/collections.ts';

/**
 * The statements of an introspection. Most read one catalog view, and their rows are joined by id here: the views are functions underneath, whose
 * joins engines plan badly. `graph_type` is a column from SQL Server 2017 on; before, the name refers to the derived table around it. What a
 * procedure returns besides its parameters is known only when it is called
 * (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql).
 */
export const sqlServerSchemaQueries = {
  schemas: 'SELECT schema_id, name FROM sys.schemas',
  tables: `
SELECT object_id, schema_id, name, type FROM sys.objects
WHERE type IN ('U', 'V') AND is_ms_shipped = 0`,
  tableKinds: `
SELECT object_id, temporal_type, is_memory_optimized,
  (SELECT is_memory_optimized_elevate_to_snapshot_on FROM sys.databases WHERE database_id = DB_ID())
FROM sys.tables WHERE temporal_type = 1 OR is_memory_optimized = 1`,
  trackedTables: `
SELECT t.object_id FROM sys.change_tracking_tables t JOIN sys.objects o ON o.object_id = t.object_id
WHERE HAS_PERMS_BY_NAME(
  QUOTENAME(SCHEMA_NAME(o.schema_id)) + '.' + QUOTENAME(o.name), 'OBJECT', 'VIEW CHANGE TRACKING') = 1`,
  types: 'SELECT user_type_id, system_type_id, name FROM sys.types',
  columns: `
SELECT found.* FROM (SELECT CAST(NULL AS int) AS graph_type) absent
CROSS APPLY (
  SELECT object_id, column_id, name, user_type_id, max_length, precision, scale, collation_name,
    is_nullable, is_identity, is_computed, default_object_id, generated_always_type,
    encryption_type, is_masked, is_column_set, graph_type
  FROM sys.columns) found`,
  deniedColumns: `
SELECT c.object_id, c.column_id FROM sys.columns c JOIN (
  SELECT object_id, QUOTENAME(SCHEMA_NAME(schema_id)) + '.' + QUOTENAME(name) AS name FROM sys.objects
  WHERE type IN ('U', 'V') AND is_ms_shipped = 0) o ON o.object_id = c.object_id
WHERE OBJECT_ID(o.name) = o.object_id AND HAS_PERMS_BY_NAME(o.name, 'OBJECT', 'SELECT', c.name, 'COLUMN') = 0`,
  unmask: `SELECT HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'UNMASK')`,
  sequentialDefaults: `
SELECT parent_object_id, parent_column_id FROM sys.default_constraints
WHERE LOWER(definition) LIKE '%newsequentialid%'`,
  derivedColumns: `
IF EXISTS (SELECT 1 FROM sys.all_objects WHERE name = 'dm_exec_describe_first_result_set')
EXEC (N'SELECT v.object_id, d.column_ordinal FROM sys.views v
CROSS APPLY sys.dm_exec_describe_first_result_set(
  N''SELECT * FROM '' + QUOTENAME(SCHEMA_NAME(v.schema_id)) + N''.'' + QUOTENAME(v.name), NULL, 1) d
WHERE v.is_ms_shipped = 0 AND d.is_hidden = 0 AND d.source_column IS NULL AND NOT EXISTS (
  SELECT 1 FROM sys.sql_modules m WHERE m.object_id = v.object_id
    AND (UPPER(m.definition) LIKE N''%GROUP%BY%'' OR UPPER(m.definition) LIKE N''%DISTINCT%''))')
ELSE SELECT object_id, column_id FROM sys.columns WHERE 1 = 0`,
  indexes: `
SELECT object_id, index_id, name, is_unique, is_primary_key, has_filter FROM sys.indexes
WHERE index_id > 0 AND is_disabled = 0 AND is_hypothetical = 0`,
  indexColumns: `
SELECT object_id, index_id, column_id, key_ordinal FROM sys.index_columns WHERE key_ordinal > 0`,
  foreignKeys: `
SELECT object_id, name, CASE WHEN is_disabled = 1 OR is_not_trusted = 1 THEN 1 ELSE 0 END
FROM sys.foreign_keys`,
  foreignKeyColumns: `
SELECT constraint_object_id, constraint_column_id, parent_object_id, parent_column_id,
  referenced_object_id, referenced_column_id
FROM sys.foreign_key_columns`,
  checks: `
SELECT parent_object_id, parent_column_id, name, definition FROM sys.check_constraints
WHERE is_disabled = 0`,
  triggers: `
SELECT object_id, parent_id, CASE WHEN is_instead_of_trigger = 1 THEN 1 ELSE 0 END FROM sys.triggers
WHERE is_instead_of_trigger = 0 OR is_disabled = 0`,
  compound: `
SELECT object_id, CASE WHEN UPPER(definition) LIKE '%UNION%' THEN 1 ELSE 0 END FROM sys.sql_modules
WHERE UPPER(definition) LIKE '%SELECT%SELECT%'`,
  triggerEvents: 'SELECT object_id, type FROM sys.trigger_events',
  routines: `
SELECT object_id, schema_id, name, type FROM sys.objects
WHERE type IN ('P', 'PC', 'FN', 'FS', 'IF', 'TF', 'FT') AND is_ms_shipped = 0`,
  routineParameters: `
SELECT object_id, name, parameter_id, user_type_id, max_length, precision, scale, is_output, is_cursor_ref
FROM sys.all_parameters
WHERE object_id IN (SELECT object_id FROM sys.objects
  WHERE type IN ('P', 'PC', 'FN', 'FS', 'IF', 'TF', 'FT') AND is_ms_shipped = 0)`,
  tableTypes: 'SELECT user_type_id, schema_id, name FROM sys.types WHERE is_table_type = 1',
  descriptions: `
SELECT major_id, minor_id, CAST(value AS nvarchar(4000)) FROM sys.extended_properties
WHERE class = 1 AND name = 'MS_Description'`,
  ignoreCase: `SELECT CASE WHEN N'a' COLLATE DATABASE_DEFAULT = N'A' THEN 1 ELSE 0 END`,
} as const;

/** The rows that each statement answered. */
export type SqlServerSchemaRows = Readonly<
  Record<keyof typeof sqlServerSchemaQueries, readonly (readonly unknown[])[]>
>;

type Rows<Columns extends readonly unknown[]> = readonly Readonly<Columns>[];

/** The columns of {@link SqlServerSchemaRows}. */
export interface CatalogRows {
  readonly schemas: Rows<[id: number, name: string]>;
  readonly tables: Rows<[id: number, schemaId: number, name: string, type: string]>;
  /** Only of tables that are not plain. */
  readonly tableKinds: Rows<
    [tableId: number, temporalType: number, inMemory: boolean, elevatesToSnapshot: boolean]
  >;
  /** Of tables with change tracking that the login may ask for. */
  readonly trackedTables: Rows<[tableId: number]>;
  readonly types: Rows<[id: number, systemId: number, name: string]>;
  /** Of tables, views and table-valued functions. */
  readonly columns: Rows<
    [
      ...[ownerId: number, id: number, name: string],
      ...[typeId: number, bytes: number, precision: number, scale: number],
      ...[collation: string | null, isNullable: boolean, isIdentity: boolean, isComputed: boolean],
      ...[defaultId: number, generatedAlways: number, encryptionType: number | null],
      ...[isMasked: boolean, isColumnSet: boolean, graphType: number | null],
    ]
  >;
  readonly deniedColumns: Rows<[tableId: number, id: number]>;
  readonly unmask: Rows<[isAllowed: unknown]>;
  readonly sequentialDefaults: Rows<[tableId: number, columnId: number]>;
  /**
   * Columns that a view makes of others: no row for a view that cannot be described, no source for an expression of one that takes changes
   * (https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-describe-first-result-set-transact-sql).
   */
  readonly derivedColumns: Rows<[viewId: number, columnId: number]>;
  readonly indexes: Rows<
    [
      ...[tableId: number, id: number, name: string],
      ...[isUnique: boolean, isPrimary: boolean, hasFilter: boolean],
    ]
  >;
  readonly indexColumns: Rows<
    [tableId: number, indexId: number, columnId: number, ordinal: number]
  >;
  readonly foreignKeys: Rows<[id: number, name: string, unenforced: number]>;
  readonly foreignKeyColumns: Rows<
    [
      ...[id: number, ordinal: number, tableId: number, columnId: number],
      ...[targetId: number, targetColumnId: number],
    ]
  >;
  /** The column is 0 for a check of the table, the definition null where the login may not see it. */
  readonly checks: Rows<
    [tableId: number, columnId: number, name: string, definition: string | null]
  >;
  readonly triggers: Rows<[id: number, tableId: number, isInstead: number]>;
  /** https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-trigger-events-transact-sql */
  readonly triggerEvents: Rows<[triggerId: number, type: number]>;
  /** Views, and programs, with more than one SELECT. */
  readonly compound: Rows<[id: number, isUnion: number]>;
  readonly routines: Rows<[id: number, schemaId: number, name: string, type: string]>;
  /** The id 0 is a function's result (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-parameters-transact-sql). */
  readonly routineParameters: Rows<
    [
      ...[routineId: number, name: string, id: number],
      ...[typeId: number, bytes: number, precision: number, scale: number],
      ...[isOutput: boolean, isCursor: boolean],
    ]
  >;
  readonly tableTypes: Rows<[id: number, schemaId: number, name: string]>;
  /**
   * Of tables, views and other objects, whose column is 0, and of columns
   * (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/extended-properties-catalog-views-sys-extended-properties).
   */
  readonly descriptions: Rows<[ownerId: number, columnId: number, text: string | null]>;
  readonly ignoreCase: Rows<[ignoresCase: unknown]>;
}

/** A row that a statement answers. */
export type Row<Name extends keyof CatalogRows> = CatalogRows[Name][number];

/** Rows by what they belong to, in their order. */
export function grouped<One extends readonly unknown[], Key>(
  rows: readonly One[],
  keyOf: (row: One) => Key,
): ReadonlyMap<Key, readonly One[]> {
  const groups = new Map<Key, One[]>();
  for (const row of rows) addTo(groups, keyOf(row), row);
  return groups;
}

/** Rows in the order of the numbers in one of their columns. */
export function sorted<One extends readonly unknown[]>(rows: readonly One[], by: number): One[] {
  return rows.toSorted((a, b) => Number(a[by]) - Number(b[by]));
}
