import { before } from '../../base/text.ts';
import type { ColumnType } from '../../schema/types.ts';

/** The name of a native type without its length or precision: `nvarchar(60)` → `nvarchar`. */
export function baseType(native: string): string {
  return before(native, '(').trimEnd().toLowerCase();
}

/** Whether text is Unicode whatever its collation: nchar, nvarchar, ntext, and what is not a column's and has no collation. */
export function isUnicode({ native, collation }: Text): boolean {
  return native.toLowerCase().startsWith('n') || collation === undefined;
}

/** Whether a column's text is in a code page, which lacks characters: char, varchar and text of most collations. */
export function isEncoded(type: ColumnType): type is Text & ColumnType {
  return type.kind === 'text' && !isUnicode(type);
}

type Text = Extract<ColumnType, { kind: 'text' }>;
