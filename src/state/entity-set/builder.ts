import { TimeSlice } from '../../base/time.ts';
import { Chunk, CHUNK_SIZE, type Key, KeyList, NUMBER_BYTES, numberOf, type Room } from './keys.ts';

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
  const builder = new KeyListBuilder(room);
  for (let start = 0; start < indexes.length; start += PACE) {
    for (const index of indexes.subarray(start, start + PACE)) {
      const at = index % CHUNK_SIZE;
      builder.append(list.chunkOf(index), at, at + 1);
    }
    await slice.pause();
  }
  return builder.finish();
}

/** The most bytes that a UTF-16 code unit takes in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/** Builds a list of keys, which have to be unique. The methods that add keys throw ProtocolError entitySetTooLarge or entitySetsBusy where there is no room. */
export class KeyListBuilder {
  readonly #room: Room;
  readonly #chunks: Chunk[] = [];
  /** The chunk that is filled, as long as its keys are numbers. */
  readonly #numbers = new Float64Array(CHUNK_SIZE);
  /** Its bytes in the same memory, or in more; and their number and the ends of its keys from the first one on that is no number. */
  #content = Buffer.from(this.#numbers.buffer);
  #length = 0;
  #ends: Uint32Array | null = null;
  #size = 0;

  /** @param room where the list's memory is reserved, to within a chunk; it stays reserved when the list is finished */
  constructor(room: Room) {
    this.#room = room;
  }

  add(key: Key): void {
    const number = numberOf(key);
    if (this.#ends === null && !Number.isNaN(number)) {
      this.#numbers[this.#size] = number;
    } else {
      const text = Number.isNaN(number) ? JSON.stringify(key) : '';
      const ends = this.#mixed(Math.max(NUMBER_BYTES, MOST_BYTES_OF_UNIT * text.length));
      this.#length = Number.isNaN(number)
        ? this.#length + this.#content.write(text, this.#length)
        : this.#content.writeDoubleLE(number, this.#length);
      ends[this.#size] = this.#length;
    }
    this.#grow(1);
  }

  /** Adds the keys `from` (inclusive) to `to` (exclusive) of a chunk. A whole chunk is shared where it can be. */
  append(chunk: Chunk, from: number, to: number): void {
    if (to - from === CHUNK_SIZE && this.#size === 0) {
      this.#keep(chunk);
      return;
    }
    const middle = Math.min(to, from + CHUNK_SIZE - this.#size);
    const own = this.#size - from;
    if (this.#ends === null && chunk.numbers !== null) {
      const [numbers, added] = [this.#numbers, chunk.numbers];
      for (let index = from; index < middle; index += 1) numbers[own + index] = added[index] ?? 0;
    } else {
      const [first, last] = [chunk.start(from), chunk.start(middle)];
      const ends = this.#mixed(last - first);
      const offset = this.#length - first;
      this.#length += chunk.content.copy(this.#content, this.#length, first, last);
      for (let index = from; index < middle; index += 1) {
        ends[own + index] = chunk.start(index + 1) + offset;
      }
    }
    this.#grow(middle - from);
    if (middle < to) this.append(chunk, middle, to);
  }

  /** Makes the list. The builder cannot be used any more. */
  finish(): KeyList {
    if (this.#size > 0) this.#seal();
    return new KeyList(this.#chunks);
  }

  /** Gives back the room of a list that is not made after all. The builder cannot be used any more. */
  discard(): void {
    for (const { bytes } of this.#chunks) this.#room.reserve(-bytes);
  }

  /** Goes on with keys of any kind, with room for so many bytes. @returns the ends of the keys */
  #mixed(bytes: number): Uint32Array {
    if (this.#ends === null) {
      this.#ends = Uint32Array.from({ length: CHUNK_SIZE }, (_, at) => (at + 1) * NUMBER_BYTES);
      this.#length = this.#size * NUMBER_BYTES;
    }
    if (this.#length + bytes > this.#content.length) {
      const content = Buffer.allocUnsafeSlow(2 * this.#content.length + bytes);
      this.#content.copy(content, 0, 0, this.#length);
      this.#content = content;
    }
    return this.#ends;
  }

  #grow(keys: number): void {
    this.#size += keys;
    if (this.#size === CHUNK_SIZE) this.#seal();
  }

  #seal(): void {
    if (this.#ends === null) {
      const numbers = this.#numbers.slice(0, this.#size);
      this.#keep(new Chunk(Buffer.from(numbers.buffer), null));
    } else {
      const content = Buffer.allocUnsafeSlow(this.#length);
      this.#content.copy(content);
      this.#keep(new Chunk(content, this.#ends.slice(0, this.#size)));
      this.#content = Buffer.from(this.#numbers.buffer);
      this.#ends = null;
    }
    this.#size = 0;
  }

  #keep(chunk: Chunk): void {
    this.#room.reserve(chunk.bytes);
    this.#chunks.push(chunk);
  }
}
