import { type Awaitable, TimeSlice } from '../../base/time.ts';

/** A key: the canonical text of each of its parts, without padding. */
export type Key = readonly string[];

/** How many keys a chunk holds: each chunk of a list but its last one. A chunk is processed without a pause. */
export const CHUNK_SIZE = 4096;

/** About how many bytes the objects around the arrays of a chunk take. */
const CHUNK_OVERHEAD = 512;

/** How many bytes a key takes that is a number. */
export const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** The byte that ends the JSON text of a key, and no double of a whole number below 2^53. */
const BRACKET = 0x5d;

/**
 * The bytes of keys, one after the other: of a key of one part that is a whole number below 2^53 a double, in little-endian, of any other one the JSON array of its parts in
 * UTF-8. Keys are equal where their bytes are.
 */
export class Chunk {
  readonly content: Buffer;
  /** The offset of each key's end; null where all keys are numbers. */
  readonly ends: Uint32Array | null;
  /** The keys where all are numbers, or null. */
  readonly numbers: Float64Array | null;
  readonly size: number;

  /** @param content begins at a multiple of 8 bytes of its memory where all keys are numbers */
  constructor(content: Buffer, ends: Uint32Array | null) {
    this.content = content;
    this.ends = ends;
    const { buffer, byteOffset, length } = content;
    this.size = ends?.length ?? length / NUMBER_BYTES;
    this.numbers = ends === null ? new Float64Array(buffer, byteOffset, this.size) : null;
  }

  get bytes(): number {
    return this.content.length + (this.ends?.byteLength ?? 0) + CHUNK_OVERHEAD;
  }

  /** The offset of the key at an index, or of the end where there is none. */
  start(index: number): number {
    if (this.ends === null) return index * NUMBER_BYTES;
    return index === 0 ? 0 : (this.ends[index - 1] ?? 0);
  }

  at(index: number): Key {
    const [start, end] = [this.start(index), this.start(index + 1)];
    const number = this.#number(start, end);
    if (!Number.isNaN(number)) return [String(number)];
    return JSON.parse(this.content.toString('utf8', start, end)) as string[];
  }

  /** The keys as numbers; NaN for those that are none. */
  asNumbers(): Float64Array {
    if (this.numbers !== null) return this.numbers;
    return Float64Array.from({ length: this.size }, (_, index) =>
      this.#number(this.start(index), this.start(index + 1)),
    );
  }

  /** The index of the key with these bytes, or -1. */
  indexOf(bytes: Buffer): number {
    if (this.numbers !== null) {
      return bytes.length === NUMBER_BYTES ? this.numbers.indexOf(bytes.readDoubleLE()) : -1;
    }
    let start = 0;
    for (let index = 0; index < this.size; index += 1) {
      const end = this.start(index + 1);
      if (end - start === bytes.length && bytes.compare(this.content, start, end) === 0) {
        return index;
      }
      start = end;
    }
    return -1;
  }

  #number(start: number, end: number): number {
    return end - start === NUMBER_BYTES && this.content[end - 1] !== BRACKET
      ? this.content.readDoubleLE(start)
      : Number.NaN;
  }
}

const ZERO = 0x30;
const MINUS = 0x2d;

/** Digits of 2^53. */
const MOST_DIGITS = 16;

/** The whole number that is the only part of a key, where JavaScript holds it exactly and writes it as the same text; NaN for other keys, such as `007` and `-0`. */
export function numberOf(key: Key): number {
  const [text = ''] = key;
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (key.length !== 1) return Number.NaN;
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
  readonly reserve: (bytes: number) => void;
}

/** The keys of an entity set in their order, wherever they are kept. */
export interface StoredKeys {
  readonly size: number;
  /** The keys `from` (inclusive) to `to` (exclusive), as far as there are any. */
  slice(from: number, to: number): Awaitable<readonly Key[]>;
  /** The chunks in their order, each when it is asked for: they need not be in memory together. */
  stream(signal: AbortSignal): Iterable<Chunk> | AsyncIterable<Chunk>;
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

  stream(): readonly Chunk[] {
    return this.chunks;
  }
}

/** All keys in memory. @param room where a list that is fetched for it is reserved @throws ProtocolError where there is no room */
export async function wholeOf(keys: StoredKeys, room: Room, signal: AbortSignal): Promise<KeyList> {
  if (keys instanceof KeyList) return keys;
  const chunks: Chunk[] = [];
  for await (const chunk of keys.stream(signal)) {
    room.reserve(chunk.bytes);
    chunks.push(chunk);
  }
  return new KeyList(chunks);
}

/** The index of a key, -1 for a key that is not among them. The keys are read up to it, in time slices. */
export async function indexOf(keys: StoredKeys, key: Key, signal: AbortSignal): Promise<number> {
  const slice = new TimeSlice(signal);
  const number = numberOf(key);
  const bytes = Number.isNaN(number)
    ? Buffer.from(JSON.stringify(key))
    : Buffer.from(Float64Array.of(number).buffer);
  let before = 0;
  for await (const chunk of keys.stream(signal)) {
    const index = chunk.indexOf(bytes);
    if (index >= 0) return before + index;
    before += chunk.size;
    await slice.pause();
  }
  return -1;
}
