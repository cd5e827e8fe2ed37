import { qualifiedName, type PhysicalSchema, type Table } from './types.ts';

/**
 * The schema with columns of bytes that stand in a key, a foreign key or a unique index as what they are then: values, which
 * are compared and written as hexadecimal digits, and no content.
 */
export function withHexKeys(schema: PhysicalSchema): PhysicalSchema {
  const keys = new Map<string, Set<string>>();
  const add = (table: string, columns: readonly string[]): void => {
    const known = keys.get(table) ?? new Set<string>();
    for (const column of columns) known.add(column);
    keys.set(table, known);
  };
  for (const table of schema.tables) {
    const name = qualifiedName(table);
    add(name, table.primaryKey);
    for (const { unique, columns } of table.indexes) if (unique) add(name, columns);
    for (const { columns, targetSchema, targetTable, targetColumns } of table.foreignKeys) {
      add(name, columns);
      add(qualifiedName({ schema: targetSchema, name: targetTable }), targetColumns);
    }
  }
  return {
    ...schema,
    tables: schema.tables.map((table) => withHex(table, keys.get(qualifiedName(table)))),
  };
}

function withHex(table: Table, keys: ReadonlySet<string> = new Set()): Table {
  // A rowversion is changed by the engine: it identifies nothing.
  const rowVersion = table.rowVersion?.kind === 'column' ? table.rowVersion.name : null;
  const isHex = ({ name, type }: Table['columns'][number]): boolean =>
    type.kind === 'binary' && keys.has(name) && name !== rowVersion;
  if (!table.columns.some(isHex)) return table;
  return {
    ...table,
    columns: table.columns.map((column) =>
      isHex(column) ? { ...column, type: { kind: 'hex', native: column.type.native } } : column,
    ),
  };
}
