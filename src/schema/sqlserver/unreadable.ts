import type { ColumnRow } from './rows.ts';

/**
 * The internal columns of node and edge tables, by `graph_type`; the others are computed texts (`$node_id`).
 * https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-columns-transact-sql
 */
const GRAPH_INTERNAL: ReadonlySet<number> = new Set([1, 3, 4, 6, 7]);

/**
 * Why a column is left out, or null where it is not: one that cannot be read would break each of its entities.
 * @param isDenied the login may not read it
 */
export function whyUnreadable(row: ColumnRow, isDenied: boolean): string | null {
  const [encryptionType, , isColumnSet, graphType] = row.slice(13) as [
    number | null,
    boolean,
    boolean,
    number | null,
  ];
  if (encryptionType !== null)
    return 'it is encrypted (Always Encrypted), and the keys are not here';
  if (isColumnSet) return 'it is the column set of columns that are there themselves';
  if (graphType !== null && GRAPH_INTERNAL.has(graphType)) return 'it is internal to a graph table';
  return isDenied ? 'the login may not read it' : null;
}
