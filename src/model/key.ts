import { ColumnSets, isComparable, withHexColumns } from '../schema/type-rules.ts';
import { findNamed, type PhysicalSchema, qualifiedName, type Table } from '../schema/types.ts';
import { columnAttribute } from './attributes.ts';
import type { MappingContext } from './mapping-context.ts';
import { attributeName, dataclassName, UsedNames } from './naming.ts';
import type { StorageAttribute } from './types.ts';
import type { MappingFile } from '../config/mapping.ts';
import type { NameIndex } from './lookup.ts';

/** The declared key, else the primary key, else the narrowest unique index without nulls, else none. */
export function readKey(
  context: MappingContext,
  attributes: readonly StorageAttribute[],
): StorageAttribute[] {
  const { mapping, table } = context;
  const names = mapping.key ?? inferredKey(table);
  const used = new UsedNames(attributes.map(({ name }) => name));
  const key: StorageAttribute[] = [];
  for (const [index, columnName] of names.entries()) {
    const path = ['key', String(index)];
    const found = context.column(columnName, path);
    if (found === null) continue;
    if (key.some(({ column }) => column.name === found.name)) {
      context.problem(path, `column ${found.name} stands in the key twice`);
      continue;
    }
    if (!isComparable(found.type)) {
      const message = `column ${found.name} of type ${found.type.native} cannot be part of a key; entities of ${qualifiedName(table)} are read by filter only`;
      context.warning(['key'], message);
      return [];
    }
    const mapped = attributes.find((attribute) => attribute.column.name === found.name);
    if (mapped !== undefined && !isComparable(mapped.columnType)) {
      const message = `column ${found.name} is part of the key, and cannot be an object`;
      context.problem(['attributes', mapped.name, 'type'], message);
      continue;
    }
    if (found.nullable && table.kind === 'table') {
      const message = `column ${found.name} is part of the key, and may be null: such rows cannot be addressed, and exports and long pages leave them out`;
      context.warning(path, message);
    }
    // A declared key has no nulls, whatever the engine says of a view's columns.
    const column = { ...found, nullable: false };
    key.push(
      mapped === undefined
        ? columnAttribute(used.claim(attributeName(column.name)), column, context)
        : { ...mapped, column },
    );
  }
  return key;
}

function inferredKey(table: Table): readonly string[] {
  const isFit = (name: string): boolean =>
    table.columns.some((column) => column.name === name && isComparable(column.type));
  if (table.primaryKey.length > 0 && table.primaryKey.every(isFit)) return table.primaryKey;
  const unique = uniqueColumns(table);
  return unique.length > 0 ? unique : table.primaryKey;
}

/** The table with the rows of those that inherit from it, for which its key, its unique indexes and its foreign keys do not hold; null for no others. */
export function withChildren({ isInherited, ...table }: Table): Table | null {
  if (isInherited !== true) return null;
  return {
    ...table,
    primaryKey: [],
    indexes: table.indexes.map((index) => ({ ...index, unique: false })),
    foreignKeys: table.foreignKeys.map((foreignKey) => ({ ...foreignKey, unenforced: true })),
  };
}

/** The columns of the narrowest unique index without nulls: the key where none is declared. */
export function uniqueColumns(table: Table): readonly string[] {
  const fit = new Set(
    table.columns
      .filter(({ nullable, type }) => !nullable && isComparable(type))
      .map(({ name }) => name),
  );
  const candidates = table.indexes.filter(
    ({ unique, columns }) => unique && columns.length > 0 && columns.every((name) => fit.has(name)),
  );
  return candidates.toSorted((a, b) => a.columns.length - b.columns.length)[0]?.columns ?? [];
}

/** The schema with the columns of bytes that mapping files use in keys or relations as values in hexadecimal digits, like those of its own keys. */
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
    // An unknown name is reported where the model needs it.
    if (table === undefined) return;
    const { columns, ignoreCase = false } = table;
    const found = names.map((name) => findNamed(columns, name, (one) => one.name, ignoreCase));
    keys.add(
      table,
      found.flatMap((column) => (column === undefined ? [] : [column.name])),
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
