import { CHUNK_OVERHEAD, CHUNK_SIZE, PackedChunk, packedText } from './chunk.ts';
import type { Room } from './store.ts';

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
