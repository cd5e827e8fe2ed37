import { randomInt } from 'node:crypto';
import { CHUNK_OVERHEAD, CHUNK_SIZE, PackedChunk, packedText, zeros } from './chunk.ts';
import type { Room } from './store.ts';
import type { TimeSlice } from '../../base/time-slice.ts';

/**
 * The packed keys of a list in a hash table with open addressing. It knows where the keys are, and compares their bytes: no text
 * is made.
 */
export class PackedTable {
  /** Two for each slot: the key's index in the list plus 1, or 0 where the slot is free, and its hash. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #chunks: (PackedChunk | undefined)[] = [];
  readonly #seed = randomOdd();
  readonly #factor = randomOdd();

  private constructor(slots: Uint32Array) {
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }

  /** @param size how many keys there will be */
  static async of(size: number, slice: TimeSlice): Promise<PackedTable> {
    return new PackedTable(await zeros(new Uint32Array(2 * slotsFor(size)), slice));
  }

  /** What a table takes, in bytes. */
  static bytes(size: number): number {
    return slotsFor(size) * 2 * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Takes a chunk of the list. */
  add(chunk: PackedChunk, chunkIndex: number): void {
    this.#chunks[chunkIndex] = chunk;
    const slots = this.#slots;
    const view = viewOf(chunk);
    for (let index = 0; index < chunk.size; index += 1) {
      const hash = this.#hash(view, chunk.start(index), chunk.ends[index] ?? 0);
      let slot = hash & this.#mask;
      while (slots[2 * slot] !== 0) slot = (slot + 1) & this.#mask;
      slots[2 * slot] = chunkIndex * CHUNK_SIZE + index + 1;
      slots[2 * slot + 1] = hash;
    }
  }

  /** Sets the marks of those keys to 1 that are in the list. */
  mark(chunk: PackedChunk, marks: Uint8Array): void {
    const view = viewOf(chunk);
    for (let index = 0; index < chunk.size; index += 1) {
      const [start, end] = [chunk.start(index), chunk.ends[index] ?? 0];
      if (this.#has(chunk.content, start, end, this.#hash(view, start, end))) marks[index] = 1;
    }
  }

  #has(content: Buffer, start: number, end: number, hash: number): boolean {
    const slots = this.#slots;
    let slot = hash & this.#mask;
    for (let place = slots[2 * slot]; place !== undefined && place !== 0; place = slots[2 * slot]) {
      if (slots[2 * slot + 1] === hash && this.#isAt(place - 1, content, start, end)) return true;
      slot = (slot + 1) & this.#mask;
    }
    return false;
  }

  #isAt(place: number, content: Buffer, start: number, end: number): boolean {
    const chunk = this.#chunks[Math.floor(place / CHUNK_SIZE)];
    const index = place % CHUNK_SIZE;
    if (chunk === undefined) return false;
    const offset = chunk.start(index);
    if ((chunk.ends[index] ?? 0) - offset !== end - start) return false;
    for (let at = end - start - 1; at >= 0; at -= 1) {
      if (chunk.content[offset + at] !== content[start + at]) return false;
    }
    return true;
  }

  /** Four bytes at a time, each mixed into those before. */
  #hash(view: DataView, start: number, end: number): number {
    let hash = this.#seed;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      hash = Math.imul(hash ^ view.getInt32(at, true), this.#factor);
      hash ^= hash >>> 15;
    }
    for (; at < end; at += 1) {
      hash = Math.imul(hash ^ view.getUint8(at), this.#factor);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }
}

function viewOf({ content }: PackedChunk): DataView {
  return new DataView(content.buffer, content.byteOffset, content.byteLength);
}

/** UTF-8 takes at most as many bytes for a unit of UTF-16. */
const MOST_BYTES_OF_UNIT = 3;

/** A chunk of packed keys while it is filled. */
export class PackedBuffer {
  readonly #room: Room;
  #content: Buffer;
  #ends: Uint32Array;
  size = 0;

  /** @param capacity how many keys there is room for at first: it grows by doubling */
  constructor(room: Room, capacity: number) {
    room.reserve(capacity * Uint32Array.BYTES_PER_ELEMENT + CHUNK_OVERHEAD);
    this.#room = room;
    this.#content = Buffer.alloc(0);
    this.#ends = new Uint32Array(capacity);
  }

  get #end(): number {
    return this.size === 0 ? 0 : (this.#ends[this.size - 1] ?? 0);
  }

  /** Adds a key to a chunk that is not full. */
  push(key: readonly string[]): void {
    const text = packedText(key);
    const start = this.#end;
    this.#growTo(this.size + 1, start + MOST_BYTES_OF_UNIT * text.length);
    this.#ends[this.size] = start + this.#content.write(text, start);
    this.size += 1;
  }

  /** Adds keys of another chunk, as many as this one has place for. */
  append(chunk: PackedChunk, from: number, to: number): void {
    const [first, start] = [chunk.start(from), this.#end];
    const last = chunk.start(to);
    this.#growTo(this.size + to - from, start + last - first);
    this.#content.set(chunk.content.subarray(first, last), start);
    for (let index = from; index < to; index += 1) {
      this.#ends[this.size] = (chunk.ends[index] ?? 0) - first + start;
      this.size += 1;
    }
  }

  /** The chunk. What room was for more is given back. */
  finish(): PackedChunk {
    this.#reallocate(this.size, this.#end);
    return new PackedChunk(this.#content, this.#ends);
  }

  /** Gives back its room. */
  discard(): void {
    this.#room.reserve(-this.#content.length - this.#ends.byteLength - CHUNK_OVERHEAD);
  }

  #growTo(size: number, bytes: number): void {
    const capacity = size <= this.#ends.length ? this.#ends.length : Math.min(CHUNK_SIZE, 2 * size);
    const content =
      bytes <= this.#content.length
        ? this.#content.length
        : Math.max(bytes, 2 * this.#content.length);
    this.#reallocate(capacity, content);
  }

  #reallocate(capacity: number, bytes: number): void {
    const [content, ends] = [this.#content, this.#ends];
    if (capacity === ends.length && bytes === content.length) return;
    this.#room.reserve(bytes - content.length + (capacity - ends.length) * ends.BYTES_PER_ELEMENT);
    if (bytes !== content.length) {
      this.#content = Buffer.allocUnsafeSlow(bytes);
      content.copy(this.#content, 0, 0, this.#end);
    }
    if (capacity !== ends.length) {
      this.#ends = new Uint32Array(capacity);
      this.#ends.set(ends.subarray(0, this.size));
    }
  }
}

/** How many slots a hash table has: the power of two that leaves at least half of them free. */
export function slotsFor(size: number): number {
  return 2 ** (32 - Math.clz32(Math.max(1, 2 * size - 1)));
}

/** A factor of hashes that nobody knows, so that nobody can choose keys that collide. */
export function randomOdd(): number {
  return randomInt(2 ** 31) * 2 + 1;
}
