import type { Table } from '../types.ts';

/**
 * A row of sys.tables, with what sys.databases says of the whole database.
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-tables-transact-sql
 */
export type TableKindRow = readonly [
  objectId: number,
  temporalType: number,
  isMemoryOptimized: boolean,
  elevatesToSnapshot: boolean,
];

/** The `temporal_type` of the table that keeps what a system-versioned one held before. */
const HISTORY = 1;

/**
 * A transaction reads and writes a table in memory by snapshots alone, which the database can see to by itself.
 * https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/transactions-with-memory-optimized-tables
 */
const NEEDS_SNAPSHOT =
  'it is memory-optimized, and cannot be written to while the database lacks a setting (error 41368): ' +
  'ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON';

/** What the kind of a table means to whoever writes to it. */
export function readKind([
  ,
  temporalType,
  isMemoryOptimized,
  elevatesToSnapshot,
]: TableKindRow): Pick<Table, 'readOnly' | 'unlockable' | 'notes'> {
  return {
    ...(temporalType === HISTORY ? { readOnly: true } : {}),
    // It knows no locks: of two transactions that change a row the later one fails.
    ...(isMemoryOptimized ? { unlockable: true } : {}),
    ...(isMemoryOptimized && !elevatesToSnapshot ? { notes: [NEEDS_SNAPSHOT] } : {}),
  };
}
