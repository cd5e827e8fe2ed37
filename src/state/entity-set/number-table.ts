import type { NumberChunk } from './chunk.ts';
import { randomOdd, slotsFor } from './hashing.ts';
import type { NumberMembers } from './number-members.ts';
import type { Numbers } from './numbers.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import { zeros } from './zeros.ts';

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
