import type { ColumnType } from '../schema/types.ts';
import type { AttributeType } from './types.ts';

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
