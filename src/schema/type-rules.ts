import {
  type Column,
  type ColumnType,
  type PhysicalSchema,
  qualifiedName,
  type Table,
  type TypeOf,
} from './types.ts';
import { withoutPadding } from '../base/text.ts';
import type { DayPart } from '../base/date-parts.ts';
import { memoize } from '../base/collections.ts';

/** Columns of tables, by the tables' qualified names. */
export class ColumnSets {
  readonly #columns = new Map<string, Set<string>>();

  /** @param names exactly the database's */
  add(table: Pick<Table, 'schema' | 'name'>, names: readonly string[]): void {
    const known = memoize(this.#columns, qualifiedName(table), () => new Set<string>());
    for (const column of names) known.add(column);
  }

  has(table: Table, column: string): boolean {
    return this.#columns.get(qualifiedName(table))?.has(column) === true;
  }
}

/** Whether triggers, or what stands in for an insert, may fill in columns of a new row before the database judges it. */
export function fillsIn({ beforeInsert, instead }: Table): boolean {
  return beforeInsert === true || instead?.includes('insert') === true;
}

/** Whether a column takes no null, and nothing of its own fills it in. */
export function isUnfilled({ nullable, hasDefault, identity, computed }: Column): boolean {
  return !(nullable || hasDefault || identity || computed);
}

/** Whether a new row has to be given a value for a column: nothing of the database fills it in. */
export function needsValue(column: Column, table: Table): boolean {
  return isUnfilled(column) && !fillsIn(table);
}

/** Applies {@link withHexColumns} to the columns of keys, foreign keys and unique indexes. */
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

/** Makes chosen columns of bytes values, which are compared and written as hexadecimal digits, instead of BLOBs. */
export function withHexColumns(schema: PhysicalSchema, chosen: ColumnSets): PhysicalSchema {
  return { ...schema, tables: schema.tables.map((table) => withHex(table, chosen)) };
}

function withHex(table: Table, chosen: ColumnSets): Table {
  // The engine changes a rowversion, so it cannot identify a row.
  const rowVersion = table.rowVersion?.kind === 'column' ? table.rowVersion.name : null;
  // SQL Server's image cannot be compared: https://learn.microsoft.com/sql/t-sql/data-types/ntext-text-and-image-transact-sql
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

/** Whether a value, read as text and bound again, has the same place in an order: PostgreSQL's floats and times may lose digits. */
export function keepsPlace(type: ColumnType): boolean {
  return PLACED.has(type.kind) || hasOwnOrder(type);
}

/** Whether operators of a type that the gateway does not know compare its values; otherwise their text does. */
export function hasOwnOrder(type: ColumnType): boolean {
  return type.kind === 'opaque' && type.operators !== undefined;
}

/** Whether the database reads a value, in each spelling that the type has, before it is compared: only the database knows which texts are one value. */
export function isReadByType(
  type: ColumnType,
): type is TypeOf<'opaque'> & { readonly typeSchema: string } {
  return type.kind === 'opaque' && type.typeSchema !== undefined;
}

const PLACED: ReadonlySet<ColumnType['kind']> = new Set([
  'integer',
  'decimal',
  'text',
  'uuid',
  'date',
  'hex',
]);

/** A type whose values are compared by their text, whatever order it has, with a text that it need not read. */
export function comparedByText(type: ColumnType): ColumnType {
  if (!isReadByType(type)) return type;
  const { kind, native, values } = type;
  return { kind, native, ...(values === undefined ? {} : { values }) };
}

// The types of values that are not compared with a column: properties inside JSON, numbers of rows.

/** Text of any length. */
export const TEXT: TypeOf<'text'> = {
  kind: 'text',
  maxLength: null,
  padded: false,
  native: 'text',
};

/** Text that a statement computes, in no column's collation. */
export const MADE_TEXT: ColumnType = { ...TEXT, native: 'nvarchar(max)' };

/** The text of an hour, `2026-03-01T14`. */
export const HOUR_TEXT: ColumnType = { ...TEXT, maxLength: 13, native: 'nvarchar(13)' };

/** A JSON number; both engines compare JSON numbers with this scale. */
export const NUMBER: TypeOf<'decimal'> = {
  kind: 'decimal',
  precision: 38,
  scale: 10,
  native: 'numeric',
};

/** A sum of floats. */
export const FLOAT: ColumnType = { kind: 'float', bits: 64, native: 'float8' };

export const BOOLEAN: ColumnType = { kind: 'boolean', native: 'bool' };

/** The first day of a part of dates. */
export function partType(part: DayPart): TypeOf<'date'> {
  return { kind: 'date', part, native: 'date' };
}

/** A number of rows. */
export const COUNT: TypeOf<'integer'> = { kind: 'integer', bits: 64, signed: true, native: 'int8' };

/** A rowversion of SQL Server as a number, as clients see it. */
export const ROW_VERSION: ColumnType = { ...COUNT, native: 'rowversion' };

/** The most digits of a decimal before and behind the point. */
export interface DecimalDigits {
  readonly whole: number;
  readonly fraction: number;
}

/**
 * The digits of a decimal; null if it has no declared precision. PostgreSQL's scale may be negative, for values that end in zeros, or above the
 * precision, for values that begin with zeros behind the point (https://www.postgresql.org/docs/current/datatype-numeric.html).
 */
export function decimalDigits({
  precision,
  scale,
}: Pick<TypeOf<'decimal'>, 'precision' | 'scale'>): DecimalDigits | null {
  if (precision === null) return null;
  const declared = scale ?? 0;
  return { whole: Math.max(0, precision - declared), fraction: Math.max(0, declared) };
}

/** Whether columns of two types can be compared as they are, without a cast, on every engine. */
export function areComparable(left: ColumnType, right: ColumnType): boolean {
  const family = familyOf(left);
  return family !== null && family === familyOf(right);
}

/** Whether values of a type can be compared: a URL can contain them, and an index over them tells them apart. */
export function isComparable(type: ColumnType): boolean {
  return familyOf(type) !== null;
}

/** Types of one family can be compared with each other; null for those that cannot be compared. */
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
      return `${type.typeSchema ?? ''}.${type.native}`;
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

/** Whether lengths of a text are in UTF-16 units, of which some characters take two (https://learn.microsoft.com/sql/t-sql/data-types/nchar-and-nvarchar-transact-sql). */
export function countsUtf16({ native }: ColumnType): boolean {
  return /^n(?:var)?char\(/.test(native);
}

/** Whether a column pads its text with blanks: CHAR and NCHAR. */
export function isPadded(type: ColumnType): boolean {
  return type.kind === 'text' && type.padded;
}

/** Text of a column as keys contain it: without padding. */
export function unpadded(text: string, type: ColumnType): string {
  return isPadded(type) ? withoutPadding(text) : text;
}

/** Whether text of a CHAR column that refers to a VARCHAR has to lose its padding, which would be a part of the text there. */
export function losesPadding(from: ColumnType, to: ColumnType): boolean {
  return isPadded(from) && !isPadded(to);
}

/** The types of two columns that a relation pairs, if they write a value differently, or one lacks it. */
export interface DifferingPair {
  readonly from: ColumnType;
  readonly to: ColumnType;
}

/** @returns null for types that write all values alike */
export function differingPair(from: ColumnType, to: ColumnType): DifferingPair | null {
  const differ = losesPadding(from, to) || numbersOf(from) !== numbersOf(to);
  return differ ? { from, to } : null;
}

/** The type of a number as text that differs from those of others; null for other types. */
function numbersOf(type: ColumnType): string | null {
  if (type.kind === 'integer') return `integer ${type.bits} ${type.signed}`;
  if (type.kind === 'decimal') return `decimal ${type.precision} ${type.scale}`;
  return type.kind === 'float' ? `float ${type.bits}` : null;
}

/** Whether two types may write one number differently, as `1` and `1.00`. */
export function writeOtherwise(one: ColumnType, other: ColumnType): boolean {
  if (one.kind === 'decimal' && other.kind === 'decimal') return one.scale !== other.scale;
  if (one.kind === 'integer' && other.kind === 'integer') return false;
  return numbersOf(one) !== numbersOf(other);
}
