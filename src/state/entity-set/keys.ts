import type { Awaitable } from '../../base/awaitable.ts';
import { TimeSlice } from '../../base/time-slice.ts';

/** A key: the canonical text of each of its parts, without padding. */
export type Key = readonly string[];

/** The keys of a list have one part that is a whole number, or are of any kind. */
export type KeyKind = 'integer' | 'text';

/** Whole numbers, of 4 bytes each while all fit into 32 bits, otherwise of 8. */
export type Numbers = Int32Array | Float64Array;

/** How many keys a chunk holds: each chunk of a list but its last one. A chunk is processed without a pause. */
export const CHUNK_SIZE = 4096;

/** About how many bytes the objects around the arrays of a chunk take. */
export const CHUNK_OVERHEAD = 512;

export type Chunk = NumberChunk | PackedChunk;

/** A key in the forms of both kinds of chunks. */
interface SearchedKey {
  /** NaN for a key that is not a number. */
  readonly number: number;
  readonly packed: Buffer;
}

/** Keys of one part that is a whole number, below 2^53. */
export class NumberChunk {
  readonly values: Numbers;

  constructor(values: Numbers) {
    this.values = values;
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

  indexOf({ number }: SearchedKey): number {
    return this.values.indexOf(number);
  }
}

/** Keys of any kind: the JSON arrays of their parts in UTF-8, one after the other. */
export class PackedChunk {
  readonly content: Buffer;
  /** The offset of each key's end. */
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

  start(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }

  at(index: number): string[] {
    const text = this.content.toString('utf8', this.start(index), this.ends[index]);
    return JSON.parse(text) as string[];
  }

  indexOf({ packed }: SearchedKey): number {
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

  /** The keys that are whole numbers below 2^53; NaN for the others. */
  numbers(): Float64Array {
    return Float64Array.from(this.ends, (end, index) => {
      // Without the brackets and quotes.
      const [from, to] = [this.start(index) + 2, end - 2];
      const isLong = to - from > LONGEST_NUMBER;
      return isLong ? Number.NaN : safeInteger(this.content.toString('latin1', from, to));
    });
  }
}

/** Digits and sign of -2^53 + 1. */
const LONGEST_NUMBER = 17;

/** The text that a key is packed as; JSON escapes lone surrogates, which UTF-8 does not have. */
export function packedText(key: Key): string {
  return JSON.stringify(key);
}

const ZERO = 0x30;
const MINUS = 0x2d;

/** Digits of 2^53. */
const MOST_DIGITS = 16;

/** The whole number that a text writes, where JavaScript holds it exactly and writes it as the same text; NaN for others, such as `007` and `-0`. */
export function safeInteger(text: string): number {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (text.charCodeAt(start) === ZERO) return length === 1 ? 0 : Number.NaN;
  const digits = length - start;
  if (digits === 0 || digits > MOST_DIGITS) return Number.NaN;
  let value = 0;
  for (let index = start; index < length; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return start === 0 ? value : -value;
}

/** Memory that is counted. */
export interface Room {
  /** Reserves more bytes; a negative number gives some back. @throws ProtocolError entitySetTooLarge for one set, entitySetsBusy for all together */
  reserve(bytes: number): void;
}

/** The keys of an entity set in their order, wherever they are kept. */
export interface StoredKeys {
  readonly size: number;
  /** The keys `from` (inclusive) to `to` (exclusive), as far as there are any. */
  slice(from: number, to: number): Awaitable<readonly Key[]>;
  /** The index of a key, -1 for a key that is not among them. */
  indexOf(key: Key): Awaitable<number>;
  /** The chunks in their order, each when it is asked for: they need not be in memory together. */
  stream(signal: AbortSignal): Iterable<Chunk> | AsyncIterable<Chunk>;
  /** All keys in memory. @param room where a list that is fetched for it is reserved @throws ProtocolError where there is no room */
  whole(room: Room, signal: AbortSignal): Awaitable<KeyList>;
}

/** Keys in their order, in memory. Lists are immutable and share chunks. All chunks have one size: any page costs the same, and copying one is short. */
export class KeyList implements StoredKeys {
  readonly size: number;
  /** About how many bytes it takes in memory. */
  readonly bytes: number;
  readonly chunks: readonly Chunk[];

  /** @param chunks all of {@link CHUNK_SIZE} keys, but the last one, which is not empty */
  constructor(chunks: readonly Chunk[]) {
    this.chunks = chunks;
    this.size = chunks.reduce((size, chunk) => size + chunk.size, 0);
    this.bytes = chunks.reduce((bytes, chunk) => bytes + chunk.bytes, 0);
  }

  /** The chunk of a key. @throws RangeError where there is no such key */
  chunkOf(index: number): Chunk {
    const chunk = this.chunks[Math.floor(index / CHUNK_SIZE)];
    if (chunk === undefined || index >= this.size) {
      throw new RangeError(`There is no key ${index} among ${this.size}`);
    }
    return chunk;
  }

  /** @throws RangeError where there is no such key */
  at(index: number): Key {
    return this.chunkOf(index).at(index % CHUNK_SIZE);
  }

  slice(from: number, to: number): Key[] {
    const length = Math.max(0, Math.min(to, this.size) - from);
    return Array.from({ length }, (_, index) => this.at(from + index));
  }

  /** Reads the list up to the key, in time slices. */
  async indexOf(key: Key): Promise<number> {
    const [only = '', ...more] = key;
    const searched = {
      number: more.length === 0 ? safeInteger(only) : Number.NaN,
      packed: Buffer.from(packedText(key)),
    };
    const slice = new TimeSlice();
    for (const [chunkIndex, chunk] of this.chunks.entries()) {
      const index = chunk.indexOf(searched);
      if (index >= 0) return chunkIndex * CHUNK_SIZE + index;
      await slice.pause();
    }
    return -1;
  }

  stream(): readonly Chunk[] {
    return this.chunks;
  }

  whole(): this {
    return this;
  }
}
