import type { Numbers } from './chunk.ts';
import { randomOdd, slotsFor } from './hashing.ts';
import type { NumberMembers } from './number-members.ts';

/**
 * A hash table with open addressing: for numbers that lie far apart. The hash is multiplication by a random odd number,
 * so that nobody can choose keys that collide.
 */
export class NumberTable implements NumberMembers {
  /** 0 where there is nothing. */
  readonly #slots: Numbers;
  readonly #shift: number;
  readonly #low = randomOdd();
  readonly #high = randomOdd();
  #zero = 0;

  /**
   * @param size how many numbers there will be
   * @param wide whether 32 bits are too few for one of them
   */
  constructor(size: number, wide: boolean) {
    const length = slotsFor(size);
    this.#slots = wide ? new Float64Array(length) : new Int32Array(length);
    this.#shift = Math.clz32(length - 1);
  }

  /** What a table takes, in bytes. */
  static bytes(size: number, wide: boolean): number {
    return slotsFor(size) * (wide ? 8 : 4);
  }

  add(values: Numbers): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (const value of values) {
      if (value === 0) this.#zero = 1;
      if (value === 0 || Number.isNaN(value)) continue;
      let slot = this.#hash(value);
      while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
      slots[slot] = value;
    }
  }

  mark(values: Numbers, marks: Uint8Array): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] ?? 0;
      let slot = this.#hash(value);
      while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
      marks[index] = value === 0 ? this.#zero : slots[slot] === value ? 1 : 0;
    }
  }

  #hash(value: number): number {
    const high = Math.floor(value / 2 ** 32);
    return (Math.imul(value | 0, this.#low) ^ Math.imul(high, this.#high)) >>> this.#shift;
  }
}
