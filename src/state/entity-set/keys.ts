import { CHUNK_SIZE, packedText, type Chunk } from './chunk.ts';
import { safeInteger } from './safe-integer.ts';
import { TimeSlice } from '../../base/time-slice.ts';

/** A key: the canonical text of each of its parts, without padding. */
export type Key = readonly string[];

/** What the keys of a list are: one part that is a whole number, or anything else. */
export type KeyKind = 'integer' | 'text';

/**
 * Keys in their order, in memory: immutable, so that lists share what they have in common. They are kept in chunks of one size,
 * so that any page costs the same, and no array is so large that to copy it would keep other requests waiting.
 */
export class KeyList {
  readonly size: number;
  /** About what it takes in memory, in bytes. */
  readonly bytes: number;
  readonly chunks: readonly Chunk[];

  /** @param chunks all of {@link CHUNK_SIZE} keys, but the last one, which is not empty */
  constructor(chunks: readonly Chunk[]) {
    this.chunks = chunks;
    this.size = chunks.reduce((size, chunk) => size + chunk.size, 0);
    this.bytes = chunks.reduce((bytes, chunk) => bytes + chunk.bytes, 0);
  }

  /** @throws RangeError where there is no such key */
  at(index: number): Key {
    const chunk = this.chunks[Math.floor(index / CHUNK_SIZE)];
    if (chunk === undefined || index >= this.size) {
      throw new RangeError(`There is no key ${index} among ${this.size}`);
    }
    return chunk.at(index % CHUNK_SIZE);
  }

  /** The keys `from` (inclusive) to `to` (exclusive), as far as there are any. */
  slice(from: number, to: number): Key[] {
    const length = Math.max(0, Math.min(to, this.size) - from);
    return Array.from({ length }, (_, index) => this.at(from + index));
  }

  /** Where a key stands; -1 where it is not in the list. It takes the time of reading the list up to there, and lets others run meanwhile. */
  async indexOf(key: Key): Promise<number> {
    const [only] = key;
    const sought = {
      number: key.length === 1 && only !== undefined ? safeInteger(only) : Number.NaN,
      packed: Buffer.from(packedText(key)),
    };
    const slice = new TimeSlice();
    for (const [chunkIndex, chunk] of this.chunks.entries()) {
      const index = chunk.indexOf(sought);
      if (index >= 0) return chunkIndex * CHUNK_SIZE + index;
      await slice.pause();
    }
    return -1;
  }
}
