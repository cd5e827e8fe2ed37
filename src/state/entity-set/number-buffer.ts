import { CHUNK_OVERHEAD, CHUNK_SIZE, NumberChunk } from './chunk.ts';
import type { Numbers } from './numbers.ts';
import type { Room } from './store.ts';

/** A chunk of whole numbers while it is filled. */
export class NumberBuffer {
  readonly #room: Room;
  #values: Numbers;
  size = 0;
  /** Whether its numbers take 8 bytes. */
  wide: boolean;

  /** @param capacity how many numbers there is room for at first: it grows by doubling */
  constructor(room: Room, capacity: number, wide: boolean) {
    room.reserve(capacity * (wide ? 8 : 4) + CHUNK_OVERHEAD);
    this.#room = room;
    this.wide = wide;
    this.#values = wide ? new Float64Array(capacity) : new Int32Array(capacity);
  }

  get values(): Numbers {
    return this.#values.subarray(0, this.size);
  }

  /** Adds a whole number to a chunk that is not full. */
  push(value: number): void {
    if ((value | 0) !== value && !this.wide) this.#reallocate(this.#values.length, true);
    if (this.size === this.#values.length) this.#reallocate(2 * this.size, this.wide);
    this.#values[this.size] = value;
    this.size += 1;
  }

  /** Adds numbers that the chunk has place for. */
  append(values: Numbers): void {
    this.#prepareFor(values);
    this.#values.set(values, this.size);
    this.size += values.length;
  }

  /**
   * Adds those numbers whose marks are as wanted; the chunk has place for all of them. All are written, and the unwanted ones
   * overwritten: to jump over them would take longer.
   */
  appendMarked(values: Numbers, marks: Uint8Array, wanted: 0 | 1): void {
    this.#prepareFor(values);
    const kept = this.#values;
    const unwanted = 1 - wanted;
    let { size } = this;
    for (let index = 0; index < values.length; index += 1) {
      kept[size] = values[index] ?? 0;
      size += (marks[index] ?? 0) ^ unwanted;
    }
    this.size = size;
  }

  /** The chunk. What room was for more is given back. */
  finish(): NumberChunk {
    if (this.size < this.#values.length) this.#reallocate(this.size, this.wide);
    return new NumberChunk(this.#values);
  }

  /** Gives back its room. */
  discard(): void {
    this.#room.reserve(-this.#values.byteLength - CHUNK_OVERHEAD);
  }

  #prepareFor(values: Numbers): void {
    const size = this.size + values.length;
    const wide = this.wide || values instanceof Float64Array;
    const { length } = this.#values;
    const capacity = size > length ? Math.min(CHUNK_SIZE, Math.max(size, 2 * length)) : length;
    if (capacity > length || wide !== this.wide) this.#reallocate(capacity, wide);
  }

  #reallocate(capacity: number, wide: boolean): void {
    const before = this.#values;
    this.#room.reserve(capacity * (wide ? 8 : 4) - before.byteLength);
    const values = wide ? new Float64Array(capacity) : new Int32Array(capacity);
    values.set(this.values);
    this.#values = values;
    this.wide = wide;
  }
}
