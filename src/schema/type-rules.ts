import { type ColumnType, type PhysicalSchema, qualifiedName, type Table } from './types.ts';
import { withoutPadding } from '../base/text.ts';

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

/** The types of values that meet no column: properties inside JSON, and numbers of rows. */

/** Text of any length. */
export const TEXT: ColumnType = { kind: 'text', maxLength: null, padded: false, native: 'text' };

/** Text that is made in a statement, of any length and any characters, and in no column's collation. */
export const MADE_TEXT: ColumnType = {
  kind: 'text',
  maxLength: null,
  padded: false,
  native: 'nvarchar(max)',
};

/** A JSON number; its scale is that which an engine compares JSON numbers with. */
export const NUMBER: Extract<ColumnType, { kind: 'decimal' }> = {
  kind: 'decimal',
  precision: 38,
  scale: 10,
  native: 'numeric',
};

/** A sum of floats. */
export const FLOAT: ColumnType = { kind: 'float', bits: 64, native: 'float8' };

/** True or false. */
export const BOOLEAN: ColumnType = { kind: 'boolean', native: 'bool' };

/** A rowversion of SQL Server as the number that clients know it by. */
export const ROW_VERSION: ColumnType = {
  kind: 'integer',
  bits: 64,
  signed: true,
  native: 'rowversion',
};

/** A number of rows. */
export const COUNT: ColumnType = { kind: 'integer', bits: 64, signed: true, native: 'int8' };

/** How many digits the values of a decimal column have. */
export interface DecimalDigits {
  /** Before the point, at most. */
  readonly whole: number;
  /** Behind the point, at most. */
  readonly fraction: number;
}

/**
 * The digits of a decimal. PostgreSQL takes scales that are negative, whose values end in that many zeros, and scales above the
 * precision, whose values begin with zeros behind the point; null where no precision is declared.
 * https://www.postgresql.org/docs/current/datatype-numeric.html
 */
export function decimalDigits({
  precision,
  scale,
}: Pick<Extract<ColumnType, { kind: 'decimal' }>, 'precision' | 'scale'>): DecimalDigits | null {
  if (precision === null) return null;
  const declared = scale ?? 0;
  return { whole: Math.max(0, precision - declared), fraction: Math.max(0, declared) };
}

/** Whether columns of two types can be compared as they are, without a cast, on every engine. */
export function areComparable(left: ColumnType, right: ColumnType): boolean {
  const family = familyOf(left);
  return family !== null && family === familyOf(right);
}

/** Whether values of a type are compared with others: a URL can write them, and an index over them keeps them apart. */
export function isComparable(type: ColumnType): boolean {
  return familyOf(type) !== null;
}

/** Types of one family compare with each other; null for those that compare with nothing. */
function familyOf(type: ColumnType): string | null {
  switch (type.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
      return 'number';
    case 'json':
    case 'binary':
      return null;
    case 'opaque':
      return type.native;
    case 'boolean':
    case 'text':
    case 'uuid':
    case 'date':
    case 'timestamp':
    case 'time':
    case 'hex':
      return type.kind;
  }
}

/** Whether a column pads its text with blanks, which are none of the text's own: CHAR and NCHAR. */
export function isPadded(type: ColumnType): boolean {
  return type.kind === 'text' && type.padded;
}

/** Text of a column as the protocol has it in keys: without what the column pads it with. */
export function unpadded(text: string, type: ColumnType): string {
  return isPadded(type) ? withoutPadding(text) : text;
}

/** Whether text of a column goes to another one without its padding, as it would be a part of the text there: CHAR that leads to VARCHAR. */
export function losesPadding(from: ColumnType, to: ColumnType): boolean {
  return isPadded(from) && !isPadded(to);
}

/** The types of two columns that a relation pairs, where the text of a value in the one is not that of the other, or the other lacks it. */
export interface DifferingPair {
  readonly from: ColumnType;
  readonly to: ColumnType;
}

/** Two types as a pair; null where they do not differ in that. */
export function differingPair(from: ColumnType, to: ColumnType): DifferingPair | null {
  const differ = losesPadding(from, to) || numbersOf(from) !== numbersOf(to);
  return differ ? { from, to } : null;
}

/** The numbers that a type has, as a text that tells it from others; null for what has none. */
function numbersOf(type: ColumnType): string | null {
  if (type.kind === 'integer') return `integer ${type.bits} ${type.signed}`;
  if (type.kind === 'decimal') return `decimal ${type.precision} ${type.scale}`;
  return type.kind === 'float' ? `float ${type.bits}` : null;
}

/** Whether two types write one number differently, as `1` and `1.00`. */
export function writeOtherwise(one: ColumnType, other: ColumnType): boolean {
  if (one.kind === 'decimal' && other.kind === 'decimal') return one.scale !== other.scale;
  if (one.kind === 'integer' && other.kind === 'integer') return false;
  return numbersOf(one) !== numbersOf(other);
}
