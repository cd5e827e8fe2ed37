import type { Row } from './oracle.ts';

/** A URL's text of any characters, in the form that every client library sends. */
export const encoded = encodeURIComponent;

/** Rows by a column of numbers or of text that sorts alike everywhere; nulls first when ascending. */
export function sortedBy<R extends Row>(
  rows: readonly R[],
  column: string,
  direction: 'asc' | 'desc',
): readonly R[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [left, right] = [one[column] ?? null, other[column] ?? null];
    if (left === right) return 0;
    if (left === null) return -sign;
    if (right === null) return sign;
    return left < right ? -sign : sign;
  });
}
