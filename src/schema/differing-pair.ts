import { losesPadding } from './padded.ts';
import type { ColumnType } from './types.ts';

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
