import type { NumberChunk } from './chunk.ts';
import type { Numbers } from './numbers.ts';

/** The numbers of a list, so that it can be told of others whether they are among them. */
export interface NumberMembers {
  /** Takes the next numbers of the list. */
  add(values: Numbers): void;
  /** Sets the marks of those numbers to 1 that are in the list; NaN is not. */
  mark(chunk: NumberChunk, marks: Uint8Array): void;
}
