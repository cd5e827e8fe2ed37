import type { Numbers } from './numbers.ts';
import { safeInteger } from './safe-integer.ts';
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

/** How many keys a chunk holds: all chunks of a list but its last one hold as many. A chunk is worked on without a pause. */
export const CHUNK_SIZE = 4096;

/** About what the objects around the arrays of a chunk take, in bytes. */
export const CHUNK_OVERHEAD = 512;

/** Some consecutive keys of a list. */
export type Chunk = NumberChunk | PackedChunk;

/** A key that is looked for, in the forms that chunks have it in. */
export interface SoughtKey {
  /** NaN for a key that is not a number. */
  readonly number: number;
  readonly packed: Buffer;
}

/** Keys of one part that is a whole number, below 2^53. */
export class NumberChunk {
  readonly values: Numbers;
  #span: Span | undefined;

  constructor(values: Numbers) {
    this.values = values;
  }

  /** Found when it is asked for first: of a list that is never combined it is not needed. */
  get span(): Span {
    this.#span ??= spanOf(this.values);
    return this.#span;
  }

  get size(): number {
    return this.values.length;
  }

  get bytes(): number {
    return this.values.byteLength + CHUNK_OVERHEAD;
  }

  at(index: number): string[] {
    return [String(this.values[index])];
  }

  indexOf({ number }: SoughtKey): number {
    return this.values.indexOf(number);
  }
}

/** Keys of any kind: the JSON arrays of their parts, in UTF-8, without anything between them. */
export class PackedChunk {
  readonly content: Buffer;
  /** Where each key ends. */
  readonly ends: Uint32Array;

  constructor(content: Buffer, ends: Uint32Array) {
    this.content = content;
    this.ends = ends;
  }

  get size(): number {
    return this.ends.length;
  }

  get bytes(): number {
    return this.content.byteLength + this.ends.byteLength + CHUNK_OVERHEAD;
  }

  /** Where a key begins. */
  start(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }

  at(index: number): string[] {
    const text = this.content.toString('utf8', this.start(index), this.ends[index]);
    return JSON.parse(text) as string[];
  }

  indexOf({ packed }: SoughtKey): number {
    const { content, ends } = this;
    let start = 0;
    for (let index = 0; index < ends.length; index += 1) {
      const end = ends[index] ?? 0;
      if (end - start === packed.length && packed.compare(content, start, end) === 0) {
        return index;
      }
      start = end;
    }
    return -1;
  }

  /** Its keys that are whole numbers below 2^53; NaN for the others. */
  numbers(): Float64Array {
    const numbers = new Float64Array(this.size).fill(Number.NaN);
    for (let index = 0; index < numbers.length; index += 1) {
      const [start, end] = [this.start(index) + 2, (this.ends[index] ?? 0) - 2];
      if (end - start > LONGEST_NUMBER) continue;
      numbers[index] = safeInteger(this.content.toString('latin1', start, end));
    }
    return numbers;
  }
}

/** Digits and sign of -2^53 + 1. */
const LONGEST_NUMBER = 17;

/** The text that a key is packed as; JSON escapes lone surrogates, which UTF-8 does not know. */
export function packedText(key: readonly string[]): string {
  return JSON.stringify(key);
}
