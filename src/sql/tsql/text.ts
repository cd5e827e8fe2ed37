import type { ColumnType } from '../../schema/types.ts';
import type { ColumnRef, Comparison, Operand, Parameter } from '../ir/ir.ts';
import {
  baseType,
  comparable,
  ignoresCase,
  inColumnsEncoding,
  isUnicode,
  type Text,
} from './expressions.ts';

/** The text of types that JSON lacks, WKT for geometries (https://learn.microsoft.com/sql/t-sql/spatial-geometry/astextzm-geometry-data-type). */
export function opaqueText(name: string, base: string): string {
  switch (base) {
    case 'geometry':
    case 'geography':
      return `${name}.AsTextZM()`;
    case 'hierarchyid':
      return `${name}.ToString()`;
    case 'sql_variant':
      return variantText(name);
    default:
      return `CONVERT(nvarchar(max), ${name})`;
  }
}

/**
 * The value of a sql_variant as lossless text: converted as it is, a date loses its seconds, money two of its decimals and a float its last digits
 * (https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql).
 */
function variantText(name: string): string {
  // SQL_VARIANT_PROPERTY answers a sql_variant itself.
  const base = `CONVERT(nvarchar(128), SQL_VARIANT_PROPERTY(${name}, 'BaseType'))`;
  const cases = VARIANTS.map(([bases, type, style]) => {
    const named = bases.map((one) => `N'${one}'`).join(', ');
    return ` WHEN ${base} IN (${named}) THEN CONVERT(nvarchar(max), CONVERT(${type}, ${name})${style})`;
  });
  return `CASE${cases.join('')} ELSE CONVERT(nvarchar(max), ${name}) END`;
}

/** Base types whose plain conversion to text loses something, what they are first converted to, and the style. */
const VARIANTS: readonly (readonly [bases: readonly string[], type: string, style: string])[] = [
  [['money', 'smallmoney'], 'decimal(19, 4)', ''],
  [['float', 'real'], 'float', ', 3'],
  [['date'], 'date', ', 23'],
  [['datetime', 'smalldatetime'], 'datetime', ', 126'],
  [['datetime2'], 'datetime2(7)', ', 126'],
  [['datetimeoffset'], 'datetimeoffset(7)', ', 126'],
  [['time'], 'time(7)', ', 121'],
  [['binary', 'varbinary'], 'varbinary(8000)', ', 1'],
];

/**
 * A column in a form in which the driver's own readers lose nothing of it. Text is Unicode, because a database's collation may have no code page
 * (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
 */
export function losslessText(name: string, type: ColumnType): string {
  switch (type.kind) {
    case 'decimal':
      // As text, money has two decimals; as a decimal it has all four.
      return baseType(type.native).endsWith('money')
        ? `CONVERT(nvarchar(42), CONVERT(decimal(19, 4), ${name}))`
        : `CONVERT(nvarchar(42), ${name})`;
    case 'date':
      return `CONVERT(nvarchar(10), ${name}, 23)`;
    case 'timestamp':
      return type.zoned
        ? `CONVERT(nvarchar(27), CONVERT(datetime2(7), SWITCHOFFSET(${name}, '+00:00')), 126)`
        : `CONVERT(nvarchar(27), ${name}, 126)`;
    case 'time':
      return `CONVERT(nvarchar(16), ${name}, 121)`;
    case 'opaque':
      return opaqueText(name, baseType(type.native));
    case 'json':
      return comparable(name, type);
    case 'boolean':
    case 'integer':
    case 'float':
    case 'text':
    case 'uuid':
    case 'binary':
    case 'hex':
      return name;
  }
}

/**
 * Parameters are Unicode, and a column of a code page (char, varchar, text) that meets Unicode is converted, row by row: no index serves where its
 * collation is one of the `SQL_*` (https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql). So the value is converted
 * to the column's code page. What the code page lacks turns into question marks or similar letters on the way; therefore what is found is
 * compared once more, in Unicode.
 */

/** A column of text, and a value that it meets; both unfolded. */
export interface TextPair {
  readonly column: ColumnRef & { readonly type: Text };
  readonly value: Parameter;
}

/** The text column and the value of a comparison that an index could serve; null for all others. */
export function textPair(left: Operand, right: Operand): TextPair | null {
  const column = unfolded(left);
  const value = unfolded(right);
  if (column.kind !== 'column' || value.kind !== 'parameter') return null;
  const { type } = column;
  return type.kind === 'text' ? { column: { ...column, type }, value } : null;
}

/** Where the collation ignores case, folding would do nothing but hide the column from its index. */
export function unfolded(operand: Operand): Operand {
  if (operand.kind !== 'folded' || operand.operand.kind === 'jsonProperty') return operand;
  return ignoresCase(operand.operand.type) ? operand.operand : operand;
}

/** A comparison of a code page's column with a Unicode value. Only equality is decided in Unicode; an order is that of the value in the code page. */
export function encodedComparison(
  column: string,
  operator: Comparison['operator'],
  value: string,
  type: Text,
): string {
  const first = `${column} ${operator} ${inColumnsEncoding(value, type)}`;
  const exact = `${column} ${operator} ${value}`;
  if (operator === '=') return `(${first} AND ${exact})`;
  return operator === '<>' ? `(${first} OR ${exact})` : first;
}

/**
 * The pattern for the bare column, so that an index finds at least what matches; null where the exact condition matches the bare column, or no index
 * would help. Trailing blanks of Unicode count (https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql), so that a padded column
 * is matched exactly without them, but by RTRIM, which has no index. @param pattern the parameter's placeholder
 */
export function indexedPattern(
  { column: { type }, value: { use } }: TextPair,
  pattern: string,
): string | null {
  if (type.padded ? use === 'contains' : isUnicode(type)) return null;
  // A pattern of wildcards may end with text, behind which the padding stands.
  const padded = type.padded && use === 'wildcard' ? `(${pattern} + N'%')` : pattern;
  return isUnicode(type) ? padded : inColumnsEncoding(padded, type);
}
