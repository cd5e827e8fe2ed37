import type { Numbers } from './numbers.ts';

/** What is known of numbers in their order before each of them is looked at. */
export interface Span {
  /** Infinity where there are none. */
  readonly least: number;
  /** -Infinity where there are none. */
  readonly most: number;
  /** Whether each is larger than the one before it. */
  readonly ascending: boolean;
}

/** The span of no numbers. */
export const NOWHERE: Span = { least: Infinity, most: -Infinity, ascending: true };

/** The span of numbers, among which NaN is none, and stands in no order. */
export function spanOf(values: Numbers): Span {
  const { length } = values;
  const ascending = lengthOfAscent(values);
  let least = ascending === 0 ? Infinity : (values[0] ?? Infinity);
  let most = ascending === 0 ? -Infinity : (values[ascending - 1] ?? -Infinity);
  for (let index = ascending; index < length; index += 1) {
    const value = values[index] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most, ascending: ascending === length };
}

/** The span of the numbers of two spans, one behind the other. */
export function spanOfBoth(first: Span, second: Span): Span {
  return {
    least: Math.min(first.least, second.least),
    most: Math.max(first.most, second.most),
    ascending: first.ascending && second.ascending && second.least > first.most,
  };
}

/** How many numbers there are before the first one that is not larger than the one before it. */
function lengthOfAscent(values: Numbers): number {
  let last = -Infinity;
  let index = 0;
  for (; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (!(value > last)) break;
    last = value;
  }
  return index;
}
