import { qualifiedName, type PhysicalSchema, type Table } from './types.ts';

/** Columns of tables, by the tables' qualified names. */
export class ColumnSets {
  readonly #columns = new Map<string, Set<string>>();

  /** @param names exactly the database's */
  add(table: Pick<Table, 'schema' | 'name'>, names: readonly string[]): void {
    const name = qualifiedName(table);
    const known = this.#columns.get(name) ?? new Set<string>();
    for (const column of names) known.add(column);
    this.#columns.set(name, known);
  }

  has(table: Table, column: string): boolean {
    return this.#columns.get(qualifiedName(table))?.has(column) === true;
  }
}

/** The schema with columns of bytes that stand in a key, a foreign key or a unique index {@link withHexColumns}. */
export function withHexKeys(schema: PhysicalSchema): PhysicalSchema {
  const keys = new ColumnSets();
  for (const table of schema.tables) {
    keys.add(table, table.primaryKey);
    for (const { unique, columns } of table.indexes) if (unique) keys.add(table, columns);
    for (const { columns, targetSchema, targetTable, targetColumns } of table.foreignKeys) {
      keys.add(table, columns);
      keys.add({ schema: targetSchema, name: targetTable }, targetColumns);
    }
  }
  return withHexColumns(schema, keys);
}

/**
 * The schema with some columns, where they hold bytes, as values, which are compared and written as hexadecimal digits, and
 * no content.
 */
export function withHexColumns(schema: PhysicalSchema, chosen: ColumnSets): PhysicalSchema {
  return { ...schema, tables: schema.tables.map((table) => withHex(table, chosen)) };
}

function withHex(table: Table, chosen: ColumnSets): Table {
  // A rowversion is changed by the engine: it identifies nothing.
  const rowVersion = table.rowVersion?.kind === 'column' ? table.rowVersion.name : null;
  // Values of SQL Server's image are compared with nothing: https://learn.microsoft.com/sql/t-sql/data-types/ntext-text-and-image-transact-sql
  const isHex = ({ name, type }: Table['columns'][number]): boolean =>
    type.kind === 'binary' &&
    type.native !== 'image' &&
    name !== rowVersion &&
    chosen.has(table, name);
  if (!table.columns.some(isHex)) return table;
  return {
    ...table,
    columns: table.columns.map((column) =>
      isHex(column) ? { ...column, type: { kind: 'hex', native: column.type.native } } : column,
    ),
  };
}
