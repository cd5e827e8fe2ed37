import type { ColumnType } from './types.ts';

/** The engine's name of a type with its length or precision, as people write it: `varchar(40)`, `numeric(10,2)`. */
export function typeName(type: ColumnType): string {
  const { native } = type;
  if (native.includes('(')) return native;
  if (type.kind === 'text' && type.maxLength !== null) return `${native}(${type.maxLength})`;
  if (type.kind === 'decimal' && type.precision !== null) {
    return `${native}(${type.precision},${type.scale ?? 0})`;
  }
  return native;
}
