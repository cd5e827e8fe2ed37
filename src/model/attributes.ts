import type { ColumnSetting, MappedAttribute } from '../config/mapping.ts';
import { hasOwnOrder, isComparable } from '../schema/type-rules.ts';
import { type Column, type ColumnType, findNamed, type Table } from '../schema/types.ts';
import { calculatedAttribute } from './calculated/calculated.ts';
import type { MappingContext } from './mapping-context.ts';
import { attributeName, UsedNames } from './naming.ts';
import type { AttributeType, StorageAttribute } from './types.ts';

/** Reads the attributes of the mapping file, exposed or not; one for each column where it has none. */
export function readAttributes(context: MappingContext): StorageAttribute[] {
  const { mapping, table } = context;
  const declared = mapping.attributes;
  if (declared === undefined) {
    const used = new UsedNames();
    return table.columns.map((column) =>
      columnAttribute(used.claim(attributeName(column.name)), column, context),
    );
  }
  const attributes = Object.entries(declared).map(([name, setting]) =>
    ownAttribute(name, setting, context),
  );
  return attributes.filter((attribute) => attribute !== null);
}

/** Whether clients see an attribute. */
export function isExposed({ mapping }: MappingContext, name: string): boolean {
  const setting = mapping.attributes?.[name];
  return setting === undefined || typeof setting === 'string' || setting.exposed;
}

/** An attribute of the entity's own row; null for an alias, and where the mapping file is wrong about it, which is reported. */
function ownAttribute(
  name: string,
  setting: MappedAttribute,
  context: MappingContext,
): StorageAttribute | null {
  const path = ['attributes', name];
  if (aliasOf(setting, context.table) !== null) return null;
  if (typeof setting === 'string') {
    const column = context.column(setting, path);
    return column === null ? null : columnAttribute(name, column, context);
  }
  if ('sql' in setting) return calculatedAttribute(name, setting, path, context);
  return 'column' in setting ? storedAttribute(name, setting, path, context) : null;
}

/** The path of an attribute that is an alias; null for others. A name with a dot is a column where the table has one of that name. */
export function aliasOf(setting: MappedAttribute, table: Table): readonly string[] | null {
  if (typeof setting !== 'string') return 'alias' in setting ? setting.alias.split('.') : null;
  const isColumn = findNamed(table.columns, setting, ({ name }) => name, table.ignoreCase ?? false);
  return isColumn === undefined && /^[^.]+(\.[^.]+)+$/.test(setting) ? setting.split('.') : null;
}

/** An attribute on a column; null where the mapping file is wrong about it, which is reported. */
function storedAttribute(
  name: string,
  setting: ColumnSetting,
  path: readonly string[],
  context: MappingContext,
): StorageAttribute | null {
  const column = context.column(setting.column, [...path, 'column']);
  if (column === null) return null;
  const type = attributeType(column.type, setting.type);
  if (typeof type === 'string') return context.problem([...path, 'type'], type);
  if (setting.simpleDate === true && !holdsDates(type.columnType)) {
    const message = `a column of type ${column.type.native} is not a date without time`;
    context.problem([...path, 'simpleDate'], message);
  }
  return columnAttribute(name, column, context, setting, type);
}

/** An attribute on a column. @param setting as the mapping file has it; left out where it only names the column */
export function columnAttribute(
  name: string,
  column: Column,
  { table, settings }: MappingContext,
  setting: Partial<ColumnSetting> = {},
  { type, columnType }: TypePair = naturalType(column.type),
): StorageAttribute {
  const { trim = false, readOnly = false, ignoreCase = settings.ignoreCase } = setting;
  const { simpleDate = settings.simpleDates ?? false } = setting;
  return {
    kind: 'storage',
    name,
    description: setting.description ?? null,
    column,
    type,
    columnType,
    trim,
    ignoreCase: ignoreCase && !hasOwnOrder(columnType),
    simpleDate: simpleDate && holdsDates(columnType),
    // A column of PostgreSQL whose values cannot be compared addresses no entity, whatever index it has.
    unique: isComparable(columnType) && isUnique(table, [column.name]),
    indexed: table.indexes.some((index) => index.columns[0] === column.name),
    readOnly: whyReadOnly(column) ?? (readOnly ? 'the gateway does not let it be changed' : null),
    allowedValues: allowedValues(column, type, table),
  };
}

const NUMERIC: ReadonlySet<AttributeType> = new Set(['byte', 'word', 'long', 'long64', 'number']);

/** Lists the values that an enum, or every check with a list, allows for a column beside null. */
function allowedValues(
  column: Column,
  type: AttributeType,
  { checks = [] }: Table,
): StorageAttribute['allowedValues'] {
  if (type !== 'string' && !NUMERIC.has(type)) return null;
  const lists: (readonly (string | number)[])[] = checks.flatMap(({ columns, values }) =>
    columns.length === 1 && columns[0] === column.name && values !== undefined ? [values] : [],
  );
  if (column.type.kind === 'opaque' && column.type.values !== undefined) {
    lists.unshift(column.type.values);
  }
  const [first = [], ...others] = lists.map((list) =>
    type === 'string' ? list : list.map(Number),
  );
  const allowed = first.filter((value) => others.every((list) => list.includes(value)));
  // Lists without a common value may be in other letters, which the database does not distinguish.
  return allowed.length > 0 ? allowed : null;
}

/** Whether values are dates without time, or arrays of them. */
function holdsDates(type: ColumnType): boolean {
  return type.kind === 'date' || (type.kind === 'json' && type.items?.kind === 'date');
}

/** Says why the database alone sets a column (identities, computed columns, rowversions); null where clients may. */
export function whyFilledIn({ computed, identity, sequence }: Column): string | null {
  if (computed) return 'the database computes it';
  return identity && sequence !== true ? 'it is an identity column' : null;
}

/** Also of a sql_variant: each value has a type of its own, which its text does not tell, and would have another when written. */
function whyReadOnly(column: Column): string | null {
  const isVariant = column.type.native === 'sql_variant';
  return whyFilledIn(column) ?? (isVariant ? 'it is a sql_variant' : null);
}

/** Whether no two rows of a table can have the same values in these columns. */
export function isUnique(table: Table, columns: readonly string[]): boolean {
  const covers = (unique: readonly string[]): boolean =>
    unique.length > 0 && unique.every((name) => columns.includes(name));
  return (
    covers(table.primaryKey) || table.indexes.some((index) => index.unique && covers(index.columns))
  );
}

/** An attribute's type, and the type of its column as the API uses it. */
type TypePair = Pick<StorageAttribute, 'type' | 'columnType'>;

/** The type of an attribute whose mapping file may declare another than its column has; else a sentence about what does not fit. */
export function attributeType(
  column: ColumnType,
  declared: ColumnSetting['type'],
): TypePair | string {
  if (declared === undefined) return naturalType(column);
  const fits = {
    image: column.kind === 'binary',
    blob: column.kind === 'binary',
    object: column.kind === 'json' || column.kind === 'text',
    string: column.kind === 'text' || column.kind === 'opaque',
  }[declared];
  if (!fits) return `a column of type ${column.native} cannot be an attribute of type ${declared}`;
  const isJsonText = declared === 'object' && column.kind === 'text';
  return {
    type: declared,
    columnType: isJsonText ? { kind: 'json', asText: true, native: column.native } : column,
  };
}

/** The attribute types of column types other than integers. */
const NATURAL_TYPES: Readonly<Record<Exclude<ColumnType['kind'], 'integer'>, AttributeType>> = {
  boolean: 'bool',
  decimal: 'number',
  float: 'number',
  text: 'string',
  opaque: 'string',
  hex: 'string',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'date',
  time: 'duration',
  json: 'object',
  binary: 'blob',
};

const INTEGER_TYPES = { 8: 'byte', 16: 'word', 32: 'long', 64: 'long64' } as const;

/** The type of an attribute, or of a function's parameter, whose mapping file declares none. */
export function naturalType(columnType: ColumnType): TypePair {
  const isInteger = columnType.kind === 'integer';
  return {
    type: isInteger ? INTEGER_TYPES[columnType.bits] : NATURAL_TYPES[columnType.kind],
    columnType,
  };
}
