import type { ColumnType } from './types.ts';

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
