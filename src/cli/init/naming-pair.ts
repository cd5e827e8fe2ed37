import type { ForeignKey, Table } from '../../schema/types.ts';

/** A column of a foreign key, and the one that it refers to. */
export interface NamingPair {
  readonly column: string;
  readonly target: string;
}

/**
 * The column that a relation is named by: the only one of its foreign key, or, where several composite ones share a column,
 * such as that of a tenant, the only one that is its own. Null where no column tells.
 */
export function namingPair(foreignKey: ForeignKey, { foreignKeys }: Table): NamingPair | null {
  const { columns, targetColumns } = foreignKey;
  const shared = new Set(
    foreignKeys.flatMap((other) =>
      other === foreignKey || other.columns.length < 2 ? [] : other.columns,
    ),
  );
  const own = columns.length === 1 ? columns : columns.filter((column) => !shared.has(column));
  const [column, ...more] = own;
  if (column === undefined || more.length > 0) return null;
  return { column, target: targetColumns[columns.indexOf(column)] ?? column };
}
