import { ColumnSets, isComparable, withHexColumns } from '../schema/type-rules.ts';
import { findNamed, type PhysicalSchema, qualifiedName, type Table } from '../schema/types.ts';
import { plainAttribute, type ReadAttribute } from './attributes.ts';
import type { MappingContext } from './mapping-context.ts';
import { attributeName, dataclassName, UsedNames } from './naming.ts';
import type { StorageAttribute } from './types.ts';
import type { MappingFile } from '../config/mapping.ts';
import type { NameIndex } from './lookup.ts';

/** The declared key, else the primary key, else the narrowest unique index without nulls, else none. */
export function readKey(
  context: MappingContext,
  attributes: readonly ReadAttribute[],
): StorageAttribute[] {
  const { mapping, table } = context;
  const names = mapping.key ?? inferredKey(table);
  const used = new UsedNames(attributes.map(({ attribute }) => attribute.name));
  const key: StorageAttribute[] = [];
  for (const [index, columnName] of names.entries()) {
    const place = ['key', String(index)];
    const found = context.column(columnName, place);
    if (found === null) continue;
    if (key.some(({ column }) => column.name === found.name)) {
      context.problem(place, `column ${found.name} stands in the key twice`);
      continue;
    }
    if (!isComparable(found.type)) {
      context.warning(
        ['key'],
        `column ${found.name} of type ${found.type.native} cannot be part of a key; entities of ${qualifiedName(table)} are read by filter only`,
      );
      return [];
    }
    const mapped = attributes.find(({ attribute }) => attribute.column.name === found.name);
    if (mapped !== undefined && !isComparable(mapped.attribute.columnType)) {
      context.problem(
        ['attributes', mapped.attribute.name, 'type'],
        `column ${found.name} is part of the key, and cannot be an object`,
      );
      continue;
    }
    // A declared key has no nulls, whatever the engine says of a view's columns.
    const column = { ...found, nullable: false };
    key.push(
      mapped === undefined
        ? plainAttribute(used.claim(attributeName(column.name)), column, context)
        : { ...mapped.attribute, column },
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

/** The columns of the narrowest unique index without nulls, which serve as a key where none is declared. */
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
