import {
  CHUNK_OVERHEAD,
  CHUNK_SIZE,
  type Key,
  NumberChunk,
  type Numbers,
  PackedChunk,
  packedText,
  type Room,
} from './keys.ts';

/** A chunk of whole numbers while it is filled. */
export class NumberBuffer {
  readonly #room: Room;
  #values: Numbers;
  size = 0;
  /** Whether its numbers take 8 bytes. */
  wide: boolean;

  /** @param capacity how many numbers there is room for at first; it grows by doubling */
  constructor(room: Room, capacity: number, wide: boolean) {
    room.reserve(capacity * (wide ? 8 : 4) + CHUNK_OVERHEAD);
    this.#room = room;
    this.wide = wide;
    this.#values = wide ? new Float64Array(capacity) : new Int32Array(capacity);
  }

  get values(): Numbers {
    return this.#values.subarray(0, this.size);
  }

  /** Adds a whole number to a buffer that is not full. */
  push(value: number): void {
    if ((value | 0) !== value && !this.wide) this.#reallocate(this.#values.length, true);
    if (this.size === this.#values.length) this.#reallocate(2 * this.size, this.wide);
    this.#values[this.size] = value;
    this.size += 1;
  }

  /** Adds no more numbers than fit into the chunk. */
  append(values: Numbers): void {
    const size = this.size + values.length;
    const wide = this.wide || values instanceof Float64Array;
    const { length } = this.#values;
    const capacity = size > length ? Math.min(CHUNK_SIZE, Math.max(size, 2 * length)) : length;
    if (capacity > length || wide !== this.wide) this.#reallocate(capacity, wide);
    this.#values.set(values, this.size);
    this.size = size;
  }

  /** Makes the chunk, and gives back the room that it does not need. */
  finish(): NumberChunk {
    if (this.size < this.#values.length) this.#reallocate(this.size, this.wide);
    return new NumberChunk(this.#values);
  }

  discard(): void {
    this.#room.reserve(-this.#values.byteLength - CHUNK_OVERHEAD);
  }

  #reallocate(capacity: number, wide: boolean): void {
    this.#room.reserve(capacity * (wide ? 8 : 4) - this.#values.byteLength);
    const values = wide ? new Float64Array(capacity) : new Int32Array(capacity);
    values.set(this.values);
    this.#values = values;
    this.wide = wide;
  }
}

/** The most bytes that a UTF-16 code unit takes in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/** A chunk of packed keys while it is filled. */
export class PackedBuffer {
  readonly #room: Room;
  #content: Buffer = Buffer.alloc(0);
  #ends: Uint32Array;
  size = 0;

  /** @param capacity how many keys there is room for at first; it grows by doubling */
  constructor(room: Room, capacity: number) {
    room.reserve(capacity * Uint32Array.BYTES_PER_ELEMENT + CHUNK_OVERHEAD);
    this.#room = room;
    this.#ends = new Uint32Array(capacity);
  }

  get #end(): number {
    return this.size === 0 ? 0 : (this.#ends[this.size - 1] ?? 0);
  }

  /** Adds a key to a buffer that is not full. */
  push(key: Key): void {
    const text = packedText(key);
    const start = this.#end;
    this.#growTo(this.size + 1, start + MOST_BYTES_OF_UNIT * text.length);
    this.#ends[this.size] = start + this.#content.write(text, start);
    this.size += 1;
  }

  /** Adds keys of a chunk, no more than fit. */
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

  /** Makes the chunk, and gives back the room that it does not need. */
  finish(): PackedChunk {
    this.#reallocate(this.size, this.#end);
    return new PackedChunk(this.#content, this.#ends);
  }

  discard(): void {
    this.#room.reserve(-this.#content.length - this.#ends.byteLength - CHUNK_OVERHEAD);
  }

  #growTo(size: number, bytes: number): void {
    const [keys, room] = [this.#ends.length, this.#content.length];
    this.#reallocate(
      size <= keys ? keys : Math.min(CHUNK_SIZE, 2 * size),
      bytes <= room ? room : Math.max(bytes, 2 * room),
    );
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
