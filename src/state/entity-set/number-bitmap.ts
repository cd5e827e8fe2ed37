import type { NumberChunk } from './chunk.ts';
import type { NumberMembers } from './number-members.ts';
import type { Numbers } from './numbers.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import { zeros } from './zeros.ts';

/** A bit for each number of a range: for numbers that lie close together, in any order. */
export class NumberBitmap implements NumberMembers {
  /** What the first bit stands for, which is never set: NaN counts as it where a number is taken for an index. */
  readonly #origin: number;
  readonly #most: number;
  readonly #words: Int32Array;

  private constructor(least: number, most: number, words: Int32Array) {
    this.#origin = least - 1;
    this.#most = most;
    this.#words = words;
  }

  static async of(least: number, most: number, slice: TimeSlice): Promise<NumberBitmap> {
    const words = new Int32Array(NumberBitmap.bytes(least, most) / 4);
    return new NumberBitmap(least, most, await zeros(words, slice));
  }

  /** What a bitmap of a range takes, in bytes. */
  static bytes(least: number, most: number): number {
    return 4 * Math.ceil((most - least + 2) / 32);
  }

  add(values: Numbers): void {
    const [origin, words] = [this.#origin, this.#words];
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const bit = (values[index] ?? 0) - origin;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
    }
  }

  /** Numbers are compared with the range only in a chunk that is not all within it: in no order the results cannot be foreseen by a processor. */
  mark({ values, span }: NumberChunk, marks: Uint8Array): void {
    const [origin, most, words] = [this.#origin, this.#most, this.#words];
    const { length } = values;
    const within = span.least > origin && span.most <= most;
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? 0;
      if (within || (value > origin && value <= most)) {
        const bit = value - origin;
        marks[index] = ((words[bit >>> 5] ?? 0) >>> bit) & 1;
      }
    }
  }
}
