import type { Table } from '../../schema/types.ts';
import type { ColumnRef, SelectQuery } from './ir.ts';

/**
 * The columns by which all rows of a table are paged, where they are its primary key: its index leads to the rows in their order, and no two of them are equal in them. So where a
 * page begins can be told from that index alone. Other unique indexes may compare text otherwise than its column does.
 * @param table the one that the rows are of
 * @returns null where the rows are filtered, in another order, or not paged
 */
export function keyOrder(
  { from, joins, where, orderBy, window }: SelectQuery,
  { kind, primaryKey, isInherited }: Pick<Table, 'kind' | 'primaryKey' | 'isInherited'>,
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
  const isKey =
    columns.length > 0 &&
    columns.length === primaryKey.length &&
    columns.every(({ name }, index) => name === primaryKey[index]);
  return isKey ? columns : null;
}
