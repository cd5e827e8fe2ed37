import type { ColumnRef, Comparison, Operand, Parameter } from '../ir/ir.ts';
import { ignoresCase, inColumnsEncoding, isUnicode, type Text } from './expressions.ts';

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
