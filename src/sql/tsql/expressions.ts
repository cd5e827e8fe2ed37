import { isRowVersion } from '../../schema/sqlserver/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import { before } from '../../base/text.ts';

/**
 * A column in a form that can be compared, ordered and folded, which text and ntext cannot be, and looked into by OPENJSON, which
 * does not take the type json everywhere.
 * https://learn.microsoft.com/sql/t-sql/data-types/ntext-text-and-image-transact-sql
 */
export function comparable(name: string, type: ColumnType): string {
  switch (baseType(type.native)) {
    case 'text':
      return `CONVERT(varchar(max), ${name})`;
    case 'ntext':
    case 'json':
      return `CONVERT(nvarchar(max), ${name})`;
    default:
      return name;
  }
}

type Decimal = Extract<ColumnType, { kind: 'decimal' }>;

/** A type of text. */
export type Text = Extract<ColumnType, { kind: 'text' }>;

/** What a value is compared with a decimal as: the column's own type, which leaves the column bare and its index of use. */
export function comparedDecimal(type: Decimal): string {
  return type.stepped === true ? type.native : widestDecimal(type);
}

/** A decimal of all the digits that are left beside the column's whole ones. */
function widestDecimal({ precision, scale }: Decimal): string {
  return `decimal(38, ${precision === null ? 10 : 38 - (precision - (scale ?? 0))})`;
}

/**
 * Text that nobody rounded, such as a key out of another table, as a decimal column's own type; null where the type does
 * not have the value, so that it equals none of the column's.
 */
export function exactDecimal(text: string, type: Decimal): string {
  const own = comparedDecimal(type);
  const widest = widestDecimal(type);
  if (own === widest) return `CONVERT(${own}, ${text})`;
  const value = `TRY_CONVERT(${own}, ${text})`;
  return `CASE WHEN ${value} = TRY_CONVERT(${widest}, ${text}) THEN ${value} END`;
}

/** Text as a date-time without offset. */
export function comparedLocal(text: string, type: ColumnType): string {
  const own = localType(type);
  return own.startsWith('datetime2')
    ? `CONVERT(${own}, ${text}, 126)`
    : `CONVERT(${own}, CONVERT(datetime2(7), ${text}, 126))`;
}

/** datetime, smalldatetime and datetime2 as themselves, so that their index serves. */
function localType(type: ColumnType): string {
  const base = baseType(type.native);
  return base === 'datetime' || base === 'smalldatetime' ? base : `datetime2(${digitsOf(type)})`;
}

/** Digits of a second's fraction. */
export function digitsOf(type: ColumnType): number {
  return (type.kind === 'timestamp' ? type.fractionDigits : undefined) ?? 7;
}

/**
 * The type of an item of JSON: the column's own, except for text and for what is converted from text. Longer text than its type
 * has room for would be null.
 * https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
 */
export function listItemType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return type.maxLength !== null && type.maxLength <= 4000 ? 'nvarchar(4000)' : 'nvarchar(max)';
    case 'json':
    case 'opaque':
      return 'nvarchar(max)';
    case 'binary':
    case 'hex':
      return 'nvarchar(4000)';
    case 'decimal':
    case 'date':
    case 'time':
    case 'timestamp':
      return 'nvarchar(50)';
    case 'boolean':
      return 'bit';
    case 'integer':
    case 'float':
    case 'uuid':
      return isRowVersion(type) ? 'bigint' : type.native;
  }
}

/**
 * Unicode text, out of JSON with a collation of its own, in the collation of a column and, by that collation's code page, in
 * its type: the two could not be compared, or by no index.
 */
export function inColumnsEncoding(text: string, type: Text): string {
  const collated = `${text}${collate(type)}`;
  return isUnicode(type) ? collated : `CONVERT(${encodedType(type)}, ${collated})`;
}

function encodedType({ maxLength }: Text): string {
  return maxLength === null ? 'varchar(max)' : 'varchar(8000)';
}

/**
 * Whether a collation takes upper and lower case for the same.
 * https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
 */
export function ignoresCase(type: ColumnType): boolean {
  return type.kind === 'text' && /_CI(?:_|$)/i.test(type.collation ?? '');
}

/** The type of a list's values in a table variable: as they are compared with the column. */
export function listColumnType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return (isUnicode(type) ? listItemType(type) : encodedType(type)) + collate(type);
    case 'decimal':
      return comparedDecimal(type);
    case 'timestamp':
      return type.zoned ? type.native : localType(type);
    case 'time':
      return 'time(7)';
    case 'hex':
      return 'varbinary(8000)';
    case 'json':
    case 'binary':
    case 'opaque':
      return listItemType(type);
    case 'boolean':
    case 'integer':
    case 'float':
    case 'uuid':
    case 'date':
      return isRowVersion(type) ? 'binary(8)' : type.native;
  }
}

/** Whether the code page of a column has every character of a text: what it has not would turn into question marks. */
export function isInCodePage(encoded: string, text: string, item: string): string {
  return `CONVERT(${item}, ${encoded}) COLLATE Latin1_General_BIN2 = ${text}`;
}

/** The clause that brings a column into the collation of another one; empty where it is in it. */
export function collatedAs(type: ColumnType, other: ColumnType): string {
  const own = collate(type);
  const wanted = collate(other);
  return own === '' || own === wanted ? '' : wanted;
}

/** The clause that names a column's collation; empty for what has none. */
export function collate(type: ColumnType): string {
  const collation = type.kind === 'text' ? type.collation : undefined;
  return collation !== undefined && /^\w+$/.test(collation) ? ` COLLATE ${collation}` : '';
}

/** The name of a native type without its length or precision: `nvarchar(60)` → `nvarchar`. */
export function baseType(native: string): string {
  return before(native, '(').trimEnd().toLowerCase();
}

/** Whether text is Unicode whatever its collation: nchar, nvarchar, ntext, and what is not a column's and has no collation. */
export function isUnicode({ native, collation }: Text): boolean {
  return native.toLowerCase().startsWith('n') || collation === undefined;
}

/** Whether a column's text is in a code page, which lacks characters: char, varchar and text of most collations. */
export function isEncoded(type: ColumnType): type is Text {
  return type.kind === 'text' && !isUnicode(type);
}
