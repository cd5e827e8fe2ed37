import { isRowVersion } from '../../schema/sqlserver/types.ts';
import type { ColumnType, TypeOf } from '../../schema/types.ts';
import { before } from '../../base/text.ts';

/**
 * A column in a form that can be compared, ordered and folded, unlike text and ntext, and that OPENJSON takes, unlike the type json
 * (https://learn.microsoft.com/sql/t-sql/data-types/ntext-text-and-image-transact-sql).
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

/** A type of text. */
export type Text = TypeOf<'text'>;

/** The type of a value that is compared with a decimal: the column's own, so that its index serves. */
export function comparedDecimal(type: TypeOf<'decimal'>): string {
  return type.stepped === true ? type.native : widestDecimal(type);
}

/** A decimal with all digits that the column's whole ones leave. */
function widestDecimal({ precision, scale }: TypeOf<'decimal'>): string {
  return `decimal(38, ${precision === null ? 10 : 38 - (precision - (scale ?? 0))})`;
}

/** Unrounded text, such as a key of another table, as a decimal column's own type; null where the type does not have the value. */
export function exactDecimal(text: string, type: TypeOf<'decimal'>): string {
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
 * The type of an item of JSON: the column's own, except for text and what is converted from text, because a text longer than its type becomes null
 * (https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql).
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

/** Unicode text in the collation of a column and in its code page, without which the two cannot be compared, or by no index. */
export function inColumnsEncoding(text: string, type: Text): string {
  const collated = `${text}${collate(type)}`;
  return isUnicode(type) ? collated : `CONVERT(${encodedType(type)}, ${collated})`;
}

function encodedType({ maxLength }: Text): string {
  return maxLength === null ? 'varchar(max)' : 'varchar(8000)';
}

/** Whether a collation ignores case (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support). */
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

/** Whether a column's code page has every character of a text: others would become question marks. */
export function isInCodePage(encoded: string, text: string, item: string): string {
  return `CONVERT(${item}, ${encoded}) COLLATE Latin1_General_BIN2 = ${text}`;
}

/** The clause that converts a column to the collation of another one; empty where they are equal. */
export function collatedAs(type: ColumnType, other: ColumnType): string {
  const own = collate(type);
  const wanted = collate(other);
  return own === '' || own === wanted ? '' : wanted;
}

/** The clause that names a column's collation; empty where there is none. */
export function collate(type: ColumnType): string {
  const collation = type.kind === 'text' ? type.collation : undefined;
  return collation !== undefined && /^\w+$/.test(collation) ? ` COLLATE ${collation}` : '';
}

/** The name of a native type without its length or precision: `nvarchar(60)` → `nvarchar`. */
export function baseType(native: string): string {
  return before(native, '(').trimEnd().toLowerCase();
}

/** Whether text is Unicode: nchar, nvarchar, ntext, and text without a collation, which is not a column's. */
export function isUnicode({ native, collation }: Text): boolean {
  return native.toLowerCase().startsWith('n') || collation === undefined;
}

/** Whether a column's text is in a code page: char, varchar and text. */
export function isEncoded(type: ColumnType): type is Text {
  return type.kind === 'text' && !isUnicode(type);
}
