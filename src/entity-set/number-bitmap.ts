import type { Numbers } from './chunk.ts';
import type { NumberMembers } from './number-members.ts';

/** A bit for each number of a range: for numbers that lie close together, in any order. */
export class NumberBitmap implements NumberMembers {
  readonly #least: number;
  readonly #most: number;
  readonly #words: Int32Array;

  constructor(least: number, most: number) {
    this.#least = least;
    this.#most = most;
    this.#words = new Int32Array(NumberBitmap.bytes(least, most) / 4);
  }

  /** What a bitmap of a range takes, in bytes. */
  static bytes(least: number, most: number): number {
    return 4 * Math.ceil((most - least + 1) / 32);
  }

  add(values: Numbers): void {
    const [least, most, words] = [this.#least, this.#most, this.#words];
    for (const value of values) {
      if (!(value >= least && value <= most)) continue;
      const bit = (value - least) >>> 0;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  mark(values: Numbers, marks: Uint8Array): void {
    const [least, most, words] = [this.#least, this.#most, this.#words];
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? 0;
      if (!(value >= least && value <= most)) continue;
      const bit = (value - least) >>> 0;
      marks[index] = ((words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1;
    }
  }
}
