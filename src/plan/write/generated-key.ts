import type { Dataclass } from '../../model/types.ts';
import type { Column, ColumnType } from '../../schema/types.ts';

/**
 * The key columns of a new row whose values are the database's: those that it makes up, those whose values it may round or
 * write in a form of its own, and all where a trigger may change the row.
 */
export function generatedKey(
  columns: readonly { readonly column: Column }[],
  { key, table }: Dataclass,
): Column[] {
  const given = new Set(columns.map(({ column }) => column.name));
  if (table.beforeInsert === true) return key.map(({ column }) => column);
  // A trigger that stands in for the statement says nothing of what became of the values.
  const isInstead = table.instead?.includes('insert') ?? false;
  return key
    .map(({ column }) => column)
    .filter(({ name, type }) => !given.has(name) || (!isInstead && OWN_FORM.has(type.kind)));
}

/** Types of which a column may hold another value, or another text, than the one that it is given. */
const OWN_FORM: ReadonlySet<ColumnType['kind']> = new Set(['timestamp', 'time', 'opaque']);
