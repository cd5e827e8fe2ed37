import type { ColumnSetting, MappedAttribute } from '../config/mapping.ts';
import { isComparable } from '../schema/type-rules.ts';
import { type Column, type ColumnType, findNamed, type Table } from '../schema/types.ts';
import { calculatedAttribute } from './calculated/calculated.ts';
import type { MappingContext } from './mapping-context.ts';
import { attributeName, UsedNames } from './naming.ts';
import type { AttributeType, StorageAttribute } from './types.ts';

/** An attribute, and whether clients see it. */
export interface ReadAttribute {
  readonly attribute: StorageAttribute;
  readonly exposed: boolean;
}

/** The attributes that the mapping file names, or one for each column where it names none. */
export function readAttributes(context: MappingContext): ReadAttribute[] {
  const { mapping, table } = context;
  const declared = mapping.attributes;
  if (declared === undefined) {
    const used = new UsedNames();
    return table.columns.map((column) => {
      const name = used.claim(attributeName(column.name));
      return { attribute: plainAttribute(name, column, context), exposed: true };
    });
  }
  return Object.entries(declared).flatMap(([name, setting]): ReadAttribute[] => {
    const attribute = ownAttribute(name, setting, context);
    const exposed = typeof setting === 'string' || setting.exposed;
    return attribute === null ? [] : [{ attribute, exposed }];
  });
}

/** An attribute of the entity's own row; null for an alias, and where the mapping file is wrong about it, which is reported. */
function ownAttribute(
  name: string,
  setting: MappedAttribute,
  context: MappingContext,
): StorageAttribute | null {
  const path = ['attributes', name];
  if (typeof setting === 'string') {
    return aliasOf(setting, context.table) === null
      ? storedAttribute(name, setting, null, path, context)
      : null;
  }
  if ('sql' in setting) return calculatedAttribute(name, setting, path, context);
  return 'column' in setting ? storedAttribute(name, setting.column, setting, path, context) : null;
}

/**
 * The path of an attribute that is another name for what a relation leads to; null for other attributes. A name with a dot is a
 * column where the table has one of that name.
 */
export function aliasOf(setting: MappedAttribute, table: Table): readonly string[] | null {
  if (typeof setting !== 'string') return 'alias' in setting ? setting.alias.split('.') : null;
  const isColumn = findNamed(table.columns, setting, ({ name }) => name, table.ignoreCase ?? false);
  return isColumn === undefined && /^[^.]+(\.[^.]+)+$/.test(setting) ? setting.split('.') : null;
}

/** An attribute on a column; null where the mapping file is wrong about it, which is reported. */
function storedAttribute(
  name: string,
  columnName: string,
  options: ColumnSetting | null,
  path: readonly string[],
  context: MappingContext,
): StorageAttribute | null {
  const { table, settings } = context;
  const column = context.column(columnName, options === null ? path : [...path, 'column']);
  if (column === null) return null;
  const type = attributeType(column.type, options?.type);
  if (typeof type === 'string') {
    context.problem([...path, 'type'], type);
    return null;
  }
  const isDate = holdsDates(type.columnType);
  if (options?.simpleDate === true && !isDate) {
    context.problem(
      [...path, 'simpleDate'],
      `a column of type ${column.type.native} is not a date without time`,
    );
  }
  return {
    ...plainAttribute(name, column, context),
    ...type,
    unique: isAddress(column, type.columnType, table),
    trim: options?.trim ?? false,
    readOnly: isReadOnly(column) || (options?.readOnly ?? false),
    ignoreCase: options?.ignoreCase ?? settings.ignoreCase,
    simpleDate: isDate && (options?.simpleDate ?? settings.simpleDates ?? false),
  };
}

/** The attribute that a column makes when nothing more is said of it. */
export function plainAttribute(
  name: string,
  column: Column,
  { table, settings }: MappingContext,
): StorageAttribute {
  const type = attributeType(column.type, undefined);
  if (typeof type === 'string') throw new Error(type);
  return {
    kind: 'storage',
    name,
    column,
    ...type,
    trim: false,
    ignoreCase: settings.ignoreCase,
    simpleDate: holdsDates(type.columnType) && (settings.simpleDates ?? false),
    unique: isAddress(column, type.columnType, table),
    indexed: table.indexes.some((index) => index.columns[0] === column.name),
    readOnly: isReadOnly(column),
  };
}

/** Whether values are dates without time, or arrays of them. */
function holdsDates(type: ColumnType): boolean {
  return type.kind === 'date' || (type.kind === 'json' && type.items?.kind === 'date');
}

/** Whether the database alone sets a column: identities, computed columns, rowversions. */
export function isFilledIn({ computed, identity, sequence }: Column): boolean {
  return computed || (identity && sequence !== true);
}

/** A value of a sql_variant has a type of its own, which its text does not tell: written, it would be another. */
function isReadOnly(column: Column): boolean {
  return isFilledIn(column) || column.type.native === 'sql_variant';
}

/** Whether a value of a column addresses one entity: what is compared with no value does not, whatever index it has (PostgreSQL). */
function isAddress({ name }: Column, columnType: ColumnType, table: Table): boolean {
  return isComparable(columnType) && isUnique(table, [name]);
}

/** Whether no two rows of a table can have the same values in these columns. */
export function isUnique(table: Table, columns: readonly string[]): boolean {
  const covers = (unique: readonly string[]): boolean =>
    unique.length > 0 && unique.every((name) => columns.includes(name));
  return (
    covers(table.primaryKey) || table.indexes.some((index) => index.unique && covers(index.columns))
  );
}

/** What a mapping file says a column holds, where its type does not tell. */
export type DeclaredType = 'image' | 'blob' | 'object' | 'string';

/**
 * The attribute type of a column, and the column type as the API uses it.
 * @returns a sentence about what does not fit, when the declared type cannot be had from the column
 */
export function attributeType(
  column: ColumnType,
  declared: DeclaredType | undefined,
): { readonly type: AttributeType; readonly columnType: ColumnType } | string {
  if (declared === undefined) return { type: naturalType(column), columnType: column };
  const fits = {
    image: column.kind === 'binary',
    blob: column.kind === 'binary',
    object: column.kind === 'json' || column.kind === 'text',
    string: column.kind === 'text' || column.kind === 'opaque',
  }[declared];
  if (!fits) return `a column of type ${column.native} cannot be an attribute of type ${declared}`;
  return {
    type: declared,
    columnType:
      declared === 'object' && column.kind === 'text'
        ? { kind: 'json', asText: true, native: column.native }
        : column,
  };
}

function naturalType(column: ColumnType): AttributeType {
  switch (column.kind) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return ({ 8: 'byte', 16: 'word', 32: 'long', 64: 'long64' } as const)[column.bits];
    case 'decimal':
    case 'float':
      return 'number';
    case 'text':
    case 'opaque':
    case 'hex':
      return 'string';
    case 'uuid':
      return 'uuid';
    case 'date':
    case 'timestamp':
      return 'date';
    case 'time':
      return 'duration';
    case 'json':
      return 'object';
    case 'binary':
      return 'blob';
  }
}
