import { TimeSlice } from '../../base/time-slice.ts';
import { NumberBuffer, PackedBuffer } from './buffers.ts';
import {
  type Chunk,
  CHUNK_SIZE,
  type Key,
  type KeyKind,
  KeyList,
  NumberChunk,
  type Numbers,
  PackedChunk,
  safeInteger,
  type Room,
} from './keys.ts';

/** How many keys are picked between two looks at the clock. */
const PACE = 1024;

/** Picks the keys of a list by their indexes, in time slices. @throws RangeError where there is no such key; ProtocolError where there is no room */
export async function picked(
  list: KeyList,
  indexes: Uint32Array,
  room: Room,
  signal: AbortSignal,
): Promise<KeyList> {
  const slice = new TimeSlice(signal);
  const builder = new KeyListBuilder('integer', room);
  for (let start = 0; start < indexes.length; start += PACE) {
    for (const index of indexes.subarray(start, start + PACE)) {
      builder.addFrom(list.chunkOf(index), index % CHUNK_SIZE);
    }
    await slice.pause();
  }
  return builder.finish();
}

/** How many keys there is room for at first. */
const FIRST_CAPACITY = 16;

/**
 * Builds a list of keys, which have to be unique. Whole numbers take 4 bytes each, 8 from about the first number beyond 32 bits, and are packed like other
 * keys from about the first number beyond 2^53. The methods that add keys throw ProtocolError entitySetTooLarge or entitySetsBusy where there is no room.
 */
export class KeyListBuilder {
  readonly #room: Room;
  readonly #chunks: Chunk[] = [];
  #buffer: NumberBuffer | PackedBuffer;

  /** @param room where the list's memory is reserved, to within a chunk; it stays reserved when the list is finished */
  constructor(kind: KeyKind, room: Room) {
    this.#room = room;
    this.#buffer =
      kind === 'integer'
        ? new NumberBuffer(room, FIRST_CAPACITY, false)
        : new PackedBuffer(room, FIRST_CAPACITY);
  }

  get size(): number {
    return this.#chunks.length * CHUNK_SIZE + this.#buffer.size;
  }

  add(key: Key): void {
    const [only] = key;
    if (key.length === 1 && only !== undefined) this.addInteger(only);
    else this.#packing().push(key);
  }

  /** Adds a key of one part, which is a whole number as a rule. */
  addInteger(text: string): void {
    const buffer = this.#filling();
    const number = buffer instanceof NumberBuffer ? safeInteger(text) : Number.NaN;
    if (buffer instanceof NumberBuffer && !Number.isNaN(number)) buffer.push(number);
    else this.#packing().push([text]);
  }

  addFrom(chunk: Chunk, index: number): void {
    const buffer = this.#filling();
    if (chunk instanceof NumberChunk && buffer instanceof NumberBuffer) {
      buffer.push(chunk.values[index] ?? 0);
    } else {
      this.append(chunk, index, index + 1);
    }
  }

  /** Adds the keys `from` (inclusive) to `to` (exclusive) of a chunk. A whole chunk is shared where it can be. */
  append(chunk: Chunk, from: number, to: number): void {
    if (to - from === CHUNK_SIZE && this.#buffer.size % CHUNK_SIZE === 0) {
      if (this.#buffer.size > 0) this.#seal(FIRST_CAPACITY);
      this.#room.reserve(chunk.bytes);
      this.#chunks.push(chunk);
    } else if (chunk instanceof PackedChunk) {
      this.#pieces(from, to, (start, end) => this.#packing().append(chunk, start, end));
    } else {
      this.appendNumbers(chunk.values.subarray(from, to));
    }
  }

  appendNumbers(values: Numbers): void {
    this.#pieces(0, values.length, (start, end) => {
      const buffer = this.#filling();
      const piece = values.subarray(start, end);
      if (buffer instanceof NumberBuffer) buffer.append(piece);
      else for (const value of piece) buffer.push([String(value)]);
    });
  }

  /** Makes the list. The builder cannot be used any more. */
  finish(): KeyList {
    if (this.#buffer.size > 0) this.#chunks.push(this.#buffer.finish());
    else this.#buffer.discard();
    return new KeyList(this.#chunks);
  }

  /** Gives back the room of a list that is not made after all. The builder cannot be used any more. */
  discard(): void {
    for (const { bytes } of this.#chunks) this.#room.reserve(-bytes);
    this.#buffer.discard();
  }

  /** Splits an addition at the ends of chunks. */
  #pieces(from: number, to: number, add: (start: number, end: number) => void): void {
    for (let start = from; start < to;) {
      const end = Math.min(to, start + CHUNK_SIZE - this.#filling().size);
      add(start, end);
      start = end;
    }
  }

  /** A buffer that is not full. */
  #filling(): NumberBuffer | PackedBuffer {
    if (this.#buffer.size === CHUNK_SIZE) this.#seal(CHUNK_SIZE);
    return this.#buffer;
  }

  /** A buffer that is not full and takes any key. */
  #packing(): PackedBuffer {
    const buffer = this.#filling();
    if (buffer instanceof PackedBuffer) return buffer;
    const packed = new PackedBuffer(this.#room, Math.max(FIRST_CAPACITY, buffer.size));
    for (const value of buffer.values) packed.push([String(value)]);
    buffer.discard();
    this.#buffer = packed;
    return packed;
  }

  #seal(capacity: number): void {
    const buffer = this.#buffer;
    this.#chunks.push(buffer.finish());
    this.#buffer =
      buffer instanceof NumberBuffer
        ? new NumberBuffer(this.#room, capacity, buffer.wide)
        : new PackedBuffer(this.#room, capacity);
  }
}
