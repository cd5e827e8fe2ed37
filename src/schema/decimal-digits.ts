import type { ColumnType } from './types.ts';

/** How many digits the values of a decimal column have. */
export interface DecimalDigits {
  /** Before the point, at most. */
  readonly whole: number;
  /** Behind the point, at most. */
  readonly fraction: number;
}

/**
 * The digits of a decimal. PostgreSQL takes scales that are negative, whose values end in that many zeros, and scales above the
 * precision, whose values begin with zeros behind the point; null where no precision is declared.
 * https://www.postgresql.org/docs/current/datatype-numeric.html
 */
export function decimalDigits({
  precision,
  scale,
}: Pick<Extract<ColumnType, { kind: 'decimal' }>, 'precision' | 'scale'>): DecimalDigits | null {
  if (precision === null) return null;
  const declared = scale ?? 0;
  return { whole: Math.max(0, precision - declared), fraction: Math.max(0, declared) };
}
