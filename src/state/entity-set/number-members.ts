import { type NumberChunk, zeros } from './chunk.ts';
import type { Numbers } from './numbers.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import { randomOdd, slotsFor } from './packed-keys.ts';

/**
 * A hash table with open addressing: for numbers that lie far apart. The hash is multiplication by a random odd number, of which
 * the upper bits count.
 */
export class NumberTable implements NumberMembers {
  /** 0 where a slot is free. */
  readonly #slots: Numbers;
  readonly #shift: number;
  readonly #factor = randomOdd() | 0;
  #zero: 0 | 1 = 0;

  private constructor(slots: Numbers) {
    this.#slots = slots;
    this.#shift = Math.clz32(slots.length - 1);
  }

  /**
   * @param size how many numbers there will be
   * @param wide whether 32 bits are too few for one of them
   */
  static async of(size: number, wide: boolean, slice: TimeSlice): Promise<NumberTable> {
    const length = slotsFor(size);
    const slots = wide ? new Float64Array(length) : new Int32Array(length);
    return new NumberTable(await zeros(slots, slice));
  }

  /** What a table takes, in bytes. */
  static bytes(size: number, wide: boolean): number {
    return slotsFor(size) * (wide ? 8 : 4);
  }

  add(values: Numbers): void {
    const [slots, factor, shift] = [this.#slots, this.#factor, this.#shift];
    const mask = slots.length - 1;
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? 0;
      if (value === 0) {
        this.#zero = 1;
        continue;
      }
      let slot = Math.imul(folded(value), factor) >>> shift;
      while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
      slots[slot] = value;
    }
  }

  mark({ values }: NumberChunk, marks: Uint8Array): void {
    const [slots, factor, shift, zero] = [this.#slots, this.#factor, this.#shift, this.#zero];
    const mask = slots.length - 1;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? 0;
      let slot = Math.imul(folded(value), factor) >>> shift;
      let found = slots[slot] ?? 0;
      while (found !== 0 && found !== value) {
        slot = (slot + 1) & mask;
        found = slots[slot] ?? 0;
      }
      marks[index] = value === 0 ? zero : found === value ? 1 : 0;
    }
  }
}

/** 32 bits of a number, to which all of its bits contribute; of one that has no more they are the number itself. */
function folded(value: number): number {
  const low = value | 0;
  return low === value ? low : low ^ Math.imul(Math.floor(value / 2 ** 32), SPREAD);
}

/** An odd number whose bits are mixed: 2^32 by the golden ratio. */
const SPREAD = 0x9e3779b1;

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

/** Ascending numbers, among which others are looked up that ascend, too: both are read once, side by side, and it takes no memory. */
export class AscendingNumbers implements NumberMembers {
  readonly #parts: Numbers[] = [];
  #part = 0;
  #index = 0;

  add(values: Numbers): void {
    this.#parts.push(values);
  }

  mark({ values }: NumberChunk, marks: Uint8Array): void {
    let from = 0;
    while (from < values.length && this.#part < this.#parts.length) {
      from = this.#markWithin(this.#parts[this.#part] ?? values, values, from, marks);
      if (from < values.length) {
        this.#part += 1;
        this.#index = 0;
      }
    }
  }

  /** @returns the index of the first value that is past the part */
  #markWithin(part: Numbers, values: Numbers, from: number, marks: Uint8Array): number {
    const { length } = part;
    let index = this.#index;
    let at = from;
    for (; at < values.length; at += 1) {
      const value = values[at] ?? 0;
      while (index < length && (part[index] ?? 0) < value) index += 1;
      if (index === length) break;
      if (part[index] === value) marks[at] = 1;
    }
    this.#index = index;
    return at;
  }
}

/** The numbers of a list, so that it can be told of others whether they are among them. */
export interface NumberMembers {
  /** Takes the next numbers of the list. */
  add(values: Numbers): void;
  /** Sets the marks of those numbers to 1 that are in the list; NaN is not. */
  mark(chunk: NumberChunk, marks: Uint8Array): void;
}
