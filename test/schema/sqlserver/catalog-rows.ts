import type { SqlServerSchemaRows } from '../../../src/schema/sqlserver/rows.ts';

/** What the catalog views of a database answer that has nothing. */
export const NO_ROWS: SqlServerSchemaRows = {
  schemas: [],
  tables: [],
  tableKinds: [],
  trackedTables: [],
  types: [],
  columns: [],
  deniedColumns: [],
  unmask: [],
  indexes: [],
  indexColumns: [],
  foreignKeys: [],
  foreignKeyColumns: [],
  checks: [],
  triggers: [],
  triggerEvents: [],
  compound: [],
  sequentialDefaults: [],
  routines: [],
  routineParameters: [],
  tableTypes: [],
  descriptions: [],
  derivedColumns: [],
  ignoreCase: [],
};
