import { type Chunk, CHUNK_SIZE, NumberChunk, PackedChunk } from './chunk.ts';
import { type Key, type KeyKind, KeyList } from './keys.ts';
import { NumberBuffer } from './number-buffer.ts';
import type { Numbers } from './numbers.ts';
import { PackedBuffer } from './packed-keys.ts';
import { safeInteger } from './safe-integer.ts';
import type { Room } from './store.ts';
import { TimeSlice } from '../../base/time-slice.ts';

/** How many keys are picked without a look at the clock. */
const PACE = 1024;

/**
 * The keys of a list with these indexes, in their order. Others have their turn meanwhile.
 * @throws RangeError where there is no such key; the signal's reason, when it is aborted; ProtocolError entitySetTooLarge,
 * entitySetsBusy: there is no room for them
 */
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
      const chunk = list.chunks[Math.floor(index / CHUNK_SIZE)];
      if (chunk === undefined || index >= list.size) {
        throw new RangeError(`There is no key ${index} among ${list.size}`);
      }
      builder.addFrom(chunk, index % CHUNK_SIZE);
    }
    await slice.pause();
  }
  return builder.finish();
}

/** How many keys there is room for at first. */
const FIRST_CAPACITY = 16;

/**
 * Makes a list of keys, one after the other. Whole numbers take 4 bytes each, 8 from about the first one on that 32 bits do not hold,
 * and are packed like other keys from about the first one on that is past 2^53. The keys have to differ: it does not look.
 */
export class KeyListBuilder {
  readonly #room: Room;
  readonly #chunks: Chunk[] = [];
  #buffer: NumberBuffer | PackedBuffer;

  /** @param room what the list takes, to within a chunk, is reserved there, and stays reserved when it is finished */
  constructor(kind: KeyKind, room: Room) {
    this.#room = room;
    this.#buffer =
      kind === 'integer'
        ? new NumberBuffer(room, FIRST_CAPACITY, false)
        : new PackedBuffer(room, FIRST_CAPACITY);
  }

  /** How many keys were added. */
  get size(): number {
    return this.#chunks.length * CHUNK_SIZE + this.#buffer.size;
  }

  /** @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more */
  add(key: Key): void {
    const [only] = key;
    if (key.length === 1 && only !== undefined) this.addInteger(only);
    else this.#packing().push(key);
  }

  /**
   * Adds a key of one part: the short way for whole numbers.
   * @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more
   */
  addInteger(text: string): void {
    const buffer = this.#filling();
    const number = buffer instanceof NumberBuffer ? safeInteger(text) : Number.NaN;
    if (buffer instanceof NumberBuffer && !Number.isNaN(number)) buffer.push(number);
    else this.#packing().push([text]);
  }

  /**
   * Adds a key of a chunk.
   * @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more
   */
  addFrom(chunk: Chunk, index: number): void {
    const buffer = this.#filling();
    if (chunk instanceof NumberChunk && buffer instanceof NumberBuffer) {
      buffer.push(chunk.values[index] ?? 0);
    } else {
      this.append(chunk, index, index + 1);
    }
  }

  /**
   * Adds the keys `from` (inclusive) to `to` (exclusive) of a chunk. A whole chunk is shared where it can be.
   * @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more
   */
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

  /**
   * Adds whole numbers.
   * @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more
   */
  appendNumbers(values: Numbers): void {
    this.#pieces(0, values.length, (start, end) => {
      const buffer = this.#filling();
      const piece = values.subarray(start, end);
      if (buffer instanceof NumberBuffer) buffer.append(piece);
      else for (const value of piece) buffer.push([String(value)]);
    });
  }

  /**
   * Adds those of a chunk's whole numbers whose marks are as wanted.
   * @throws ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for more
   */
  appendMarked(values: Numbers, marks: Uint8Array, wanted: 0 | 1): void {
    this.#pieces(0, values.length, (start, end) => {
      const buffer = this.#filling();
      const piece = values.subarray(start, end);
      const piecesMarks = marks.subarray(start, end);
      if (buffer instanceof NumberBuffer) buffer.appendMarked(piece, piecesMarks, wanted);
      else this.appendNumbers(piece.filter((_, index) => piecesMarks[index] === wanted));
    });
  }

  /** The list. The builder cannot be used any more. */
  finish(): KeyList {
    if (this.#buffer.size > 0) this.#chunks.push(this.#buffer.finish());
    else this.#buffer.discard();
    return new KeyList(this.#chunks);
  }

  /** Gives back its room, where no list is made after all. The builder cannot be used any more. */
  discard(): void {
    for (const { bytes } of this.#chunks) this.#room.reserve(-bytes);
    this.#buffer.discard();
  }

  /** Cuts what is added at the ends of chunks. */
  #pieces(from: number, to: number, add: (start: number, end: number) => void): void {
    for (let start = from; start < to;) {
      const end = Math.min(to, start + CHUNK_SIZE - this.#filling().size);
      add(start, end);
      start = end;
    }
  }

  /** The buffer, which is not full. */
  #filling(): NumberBuffer | PackedBuffer {
    if (this.#buffer.size === CHUNK_SIZE) this.#seal(CHUNK_SIZE);
    return this.#buffer;
  }

  /** The buffer, which is not full and takes any key. */
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
