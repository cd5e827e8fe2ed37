import type { SqlServerSchemaRows } from '../../../src/schema/sqlserver/rows.ts';

const NAMES = [
  ...(['schemas', 'tables', 'tableKinds', 'trackedTables', 'types', 'columns'] as const),
  ...(['deniedColumns', 'unmask', 'indexes', 'indexColumns', 'foreignKeys'] as const),
  ...(['foreignKeyColumns', 'checks', 'triggers', 'triggerEvents', 'compound'] as const),
  ...(['sequentialDefaults', 'routines', 'routineParameters', 'tableTypes'] as const),
  ...(['descriptions', 'derivedColumns', 'ignoreCase'] as const),
];

/** What the catalog views of a database answer that has nothing. */
export const NO_ROWS = Object.fromEntries(
  NAMES.map((name): [string, readonly []] => [name, []]),
) as unknown as SqlServerSchemaRows;
