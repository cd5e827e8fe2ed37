import type { Table } from '../schema/types.ts';
import type { ColumnRef, SelectQuery } from './ir.ts';

/**
 * The columns by which all rows of a table are paged, where an index leads to them in their order and no two rows are equal in them: where a page begins can be told from that
 * index alone.
 * @param table the one that the rows are of
 * @returns null where the rows are filtered, in another order, or not paged
 */
export function keyOrder(
  { from, joins, where, orderBy, window }: SelectQuery,
  { kind, indexes, isInherited }: Pick<Table, 'kind' | 'indexes' | 'isInherited'>,
): readonly ColumnRef[] | null {
  if (kind !== 'table' || isInherited === true) return null;
  if (where !== null || (window?.offset ?? null) === null) return null;
  // An inner join leaves rows out.
  if (joins.some(({ type }) => type !== 'left')) return null;
  const columns: ColumnRef[] = [];
  for (const { operand, descending } of orderBy) {
    if (operand.kind !== 'column' || operand.alias !== from.alias || descending) return null;
    if (operand.nullable || operand.expression !== undefined) return null;
    columns.push(operand);
  }
  const names = columns.map(({ name }) => name).join('\0');
  const isIndexed = indexes.some((index) => index.unique && index.columns.join('\0') === names);
  return isIndexed ? columns : null;
}
