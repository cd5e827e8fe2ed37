import { randomInt } from 'node:crypto';
import type { TimeSlice } from '../../base/time-slice.ts';
import {
  type Chunk,
  CHUNK_SIZE,
  type KeyList,
  NumberChunk,
  type Numbers,
  PackedChunk,
  type Room,
} from './keys.ts';

/** The keys of a list, among which those of another one are looked up. Where both have keys of one kind, as most do, no key is converted. */
export class Members {
  readonly #list: KeyList;
  readonly #room: Room;
  readonly #slice: TimeSlice;
  /** All keys that are numbers, and those that stand as such in the list; undefined until they are needed. */
  #all: NumberMembers | null | undefined;
  #numbers: NumberMembers | null | undefined;
  #packed: PackedTable | undefined;

  constructor(list: KeyList, room: Room, slice: TimeSlice) {
    this.#list = list;
    this.#room = room;
    this.#slice = slice;
  }

  /** Marks each key of a chunk: 1 where it is in the list, 0 where it is not. @throws ProtocolError entitySetsBusy where there is no room */
  async mark(chunk: Chunk, marks: Uint8Array): Promise<void> {
    const { chunks } = this.#list;
    marks.fill(0);
    if (chunk instanceof NumberChunk) {
      if (this.#all === undefined) {
        this.#all = await numberMembers(chunks, this.#room, this.#slice);
      }
      this.#all?.mark(chunk.values, marks);
      return;
    }
    if (this.#numbers === undefined) {
      const numbers = chunks.filter((one) => one instanceof NumberChunk);
      this.#numbers = await numberMembers(numbers, this.#room, this.#slice);
    }
    this.#packed ??= await packedMembers(this.#list, this.#room, this.#slice);
    this.#numbers?.mark(chunk.numbers(), marks);
    this.#packed.mark(chunk, marks);
  }
}

async function numberMembers(
  chunks: readonly Chunk[],
  room: Room,
  slice: TimeSlice,
): Promise<NumberMembers | null> {
  let [least, most, size] = [Infinity, -Infinity, 0];
  for (const chunk of chunks) {
    const values = numbersOf(chunk);
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    size += chunk.size;
    await slice.pause();
  }
  if (least > most) return null;
  const wide = least < -(2 ** 31) || most >= 2 ** 31;
  const bytesOfTable = slotsFor(size) * (wide ? 8 : 4);
  const bytesOfBitmap = 4 * Math.ceil((most - least + 2) / 32);
  const isDense = bytesOfBitmap <= 2 * bytesOfTable;
  room.reserve(isDense ? bytesOfBitmap : bytesOfTable);
  const members = isDense
    ? new NumberBitmap(least, await zeros(new Int32Array(bytesOfBitmap / 4), slice))
    : new NumberTable(
        await zeros(
          wide ? new Float64Array(bytesOfTable / 8) : new Int32Array(bytesOfTable / 4),
          slice,
        ),
      );
  for (const chunk of chunks) {
    members.add(numbersOf(chunk));
    await slice.pause();
  }
  return members;
}

async function packedMembers(list: KeyList, room: Room, slice: TimeSlice): Promise<PackedTable> {
  const length = 2 * slotsFor(list.size);
  room.reserve(length * Uint32Array.BYTES_PER_ELEMENT);
  const table = new PackedTable(await zeros(new Uint32Array(length), slice));
  for (const [index, chunk] of list.chunks.entries()) {
    if (chunk instanceof PackedChunk) table.add(chunk, index);
    await slice.pause();
  }
  return table;
}

/** The numbers of a chunk at the indexes of its keys; NaN for a key that is not a number. */
function numbersOf(chunk: Chunk): Numbers {
  return chunk instanceof NumberChunk ? chunk.values : chunk.numbers();
}

/** How many elements are written between two looks at the clock. */
const PACE = 65_536;

/** Writes the zeros of a new array, in time slices: the system gives memory page by page as it is touched, and the first keys would touch all of it. */
async function zeros<Elements extends Numbers | Uint32Array>(
  array: Elements,
  slice: TimeSlice,
): Promise<Elements> {
  for (let start = 0; start < array.length; start += PACE) {
    array.fill(0, start, start + PACE);
    await slice.pause();
  }
  return array;
}

/** How many slots a hash table has: the power of two that leaves at least half of them free. */
export function slotsFor(size: number): number {
  return 2 ** (32 - Math.clz32(Math.max(1, 2 * size - 1)));
}

/** A random factor for hashes, so that nobody can choose keys that collide. */
function randomOdd(): number {
  return randomInt(2 ** 31) * 2 + 1;
}

/** The numbers of a list. NaN is not a number. */
interface NumberMembers {
  add(values: Numbers): void;
  /** Sets the marks of the numbers that are in the list to 1. */
  mark(values: Numbers, marks: Uint8Array): void;
}

/** A hash table with open addressing, for numbers that lie far apart; the hash is the upper bits of the product with a random odd number. */
class NumberTable implements NumberMembers {
  /** 0 where a slot is free. */
  readonly #slots: Numbers;
  readonly #shift: number;
  readonly #factor = randomOdd() | 0;
  #zero: 0 | 1 = 0;

  constructor(slots: Numbers) {
    this.#slots = slots;
    this.#shift = Math.clz32(slots.length - 1);
  }

  add(values: Numbers): void {
    const [slots, factor, shift] = [this.#slots, this.#factor, this.#shift];
    const mask = slots.length - 1;
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? 0;
      if (value === 0) this.#zero = 1;
      if (value === 0 || Number.isNaN(value)) continue;
      let slot = Math.imul(folded(value), factor) >>> shift;
      while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
      slots[slot] = value;
    }
  }

  mark(values: Numbers, marks: Uint8Array): void {
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

/** 32 bits to which all bits of a number contribute; a number of no more bits as it is. */
function folded(value: number): number {
  const low = value | 0;
  return low === value ? low : low ^ Math.imul(Math.floor(value / 2 ** 32), SPREAD);
}

/** An odd number whose bits are mixed: 2^32 by the golden ratio. */
const SPREAD = 0x9e3779b1;

/** A bit for each number of a range, for numbers that lie close together. */
class NumberBitmap implements NumberMembers {
  /** The number of the first bit, which is never set: as an index NaN is 0. */
  readonly #origin: number;
  readonly #words: Int32Array;

  constructor(least: number, words: Int32Array) {
    this.#origin = least - 1;
    this.#words = words;
  }

  add(values: Numbers): void {
    const [origin, words] = [this.#origin, this.#words];
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const value = values[index] ?? 0;
      if (Number.isNaN(value)) continue;
      const bit = value - origin;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
    }
  }

  mark(values: Numbers, marks: Uint8Array): void {
    const [origin, words] = [this.#origin, this.#words];
    const bits = 32 * words.length;
    const { length } = values;
    for (let index = 0; index < length; index += 1) {
      const bit = (values[index] ?? 0) - origin;
      if (bit > 0 && bit < bits) marks[index] = ((words[bit >>> 5] ?? 0) >>> bit) & 1;
    }
  }
}

/** The packed keys of a list in a hash table with open addressing. It refers to the keys in their chunks, and compares their bytes. */
class PackedTable {
  /** Two elements for each slot: the key's index in the list plus 1, or 0 where the slot is free, and its hash. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #chunks: (PackedChunk | undefined)[] = [];
  readonly #seed = randomOdd();
  readonly #factor = randomOdd();

  constructor(slots: Uint32Array) {
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }

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
    for (let taken = slots[2 * slot]; taken !== undefined && taken !== 0; taken = slots[2 * slot]) {
      if (slots[2 * slot + 1] === hash && this.#isAt(taken - 1, content, start, end)) return true;
      slot = (slot + 1) & this.#mask;
    }
    return false;
  }

  #isAt(keyIndex: number, content: Buffer, start: number, end: number): boolean {
    const chunk = this.#chunks[Math.floor(keyIndex / CHUNK_SIZE)];
    const index = keyIndex % CHUNK_SIZE;
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
