import type { MappingFile } from '../config/mapping.ts';
import { ColumnSets, withHexColumns } from '../schema/hex-keys.ts';
import { findNamed, type PhysicalSchema, type Table } from '../schema/types.ts';
import type { NameIndex } from './name-index.ts';
import { dataclassName } from './naming.ts';

/**
 * The schema with columns of bytes that mapping files use as keys or as pairs of relations as what those of its own keys are:
 * values, written as hexadecimal digits. The engine knows of no key where a program alone keeps one.
 */
export function withMappedKeys(
  files: readonly MappingFile[],
  schema: PhysicalSchema,
  index: NameIndex,
): PhysicalSchema {
  const tables = new Map<string, Table>();
  for (const { mapping } of files) {
    const table = index.mapped(mapping);
    if (table !== undefined) tables.set(mapping.dataclass ?? dataclassName(table.name), table);
  }
  const keys = new ColumnSets();
  const add = (table: Table | undefined, names: readonly string[]): void => {
    // A name that is none of the table's is told of where the model needs it.
    if (table !== undefined)
      keys.add(
        table,
        names.flatMap((name) => columnNamed(name, table)),
      );
  };
  for (const { mapping } of files) {
    const table = index.mapped(mapping);
    add(table, mapping.key ?? []);
    for (const relation of Object.values(mapping.relations ?? {})) {
      if (!('columns' in relation)) continue;
      add(table, Object.keys(relation.columns));
      add(tables.get(relation.to), Object.values(relation.columns));
    }
  }
  return withHexColumns(schema, keys);
}

function columnNamed(name: string, { columns, ignoreCase = false }: Table): string[] {
  const found = findNamed(columns, name, (column) => column.name, ignoreCase);
  return found === undefined ? [] : [found.name];
}
