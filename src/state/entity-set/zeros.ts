import type { TimeSlice } from '../../base/time-slice.ts';

/** How many elements are written without a look at the clock. */
const PACE = 65_536;

/**
 * An array of zeros that is written once, in order, while others have their turn. A system gives memory only where it is touched, a
 * page at a time: the first keys of a large table, which lie anywhere in it, would take all of it in one go.
 */
export async function zeros<Elements extends Int32Array | Uint32Array | Float64Array>(
  array: Elements,
  slice: TimeSlice,
): Promise<Elements> {
  for (let start = 0; start < array.length; start += PACE) {
    array.fill(0, start, start + PACE);
    await slice.pause();
  }
  return array;
}
