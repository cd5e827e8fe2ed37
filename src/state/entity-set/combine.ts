import { randomInt } from 'node:crypto';
import { TimeSlice } from '../../base/time.ts';
import { KeyListBuilder } from './builder.ts';
import { Chunk, CHUNK_SIZE, type KeyList, type Room, type StoredKeys, wholeOf } from './keys.ts';
import type { Workspace } from './store.ts';

/** How two sets make a new one (§4.7): the keys in both, in either, or in the first and not in the second. */
export type SetOperator = 'and' | 'or' | 'except';

/** How many times as many keys as the other a list has before the keys in both are picked out first. */
const MUCH_LARGER = 4;

/**
 * Combines two lists in time slices, in the order of the first; for OR, the other keys of the second follow. One of the two is read in
 * chunks, and never stands in memory as a whole: a much larger one if there is one, else the first, or for OR the second. @throws ProtocolError where there is no room
 */
export async function combined(
  operator: SetOperator,
  first: StoredKeys,
  second: StoredKeys,
  { reserve, scratch }: Pick<Workspace, 'reserve' | 'scratch'>,
  signal: AbortSignal,
): Promise<KeyList> {
  const slice = new TimeSlice(signal);
  const builder = new KeyListBuilder({ reserve });
  await borrowing(scratch, async (room) => {
    /** Appends the keys of a list that are in another one, or those that are not. */
    const appendThose = async (list: StoredKeys, other: StoredKeys, wanted: 0 | 1) => {
      let [passing, kept] = [list, other];
      if (isMuchLarger(other, list)) {
        passing = await wholeOf(list, room, signal);
        kept = await combined('and', other, passing, { scratch: room, ...room }, signal);
      }
      const members = await membersOf(await wholeOf(kept, room, signal), room, slice);
      const marks = new Uint8Array(CHUNK_SIZE);
      for await (const chunk of passing.stream(signal)) {
        members.mark(chunk, marks);
        appendMarked(chunk, marks.subarray(0, chunk.size), wanted, builder);
        await slice.pause();
      }
    };
    if (operator !== 'or') {
      await appendThose(first, second, operator === 'and' ? 1 : 0);
      return;
    }
    const own = isMuchLarger(first, second) ? first : await wholeOf(first, room, signal);
    for await (const chunk of own.stream(signal)) {
      builder.append(chunk, 0, chunk.size);
      await slice.pause();
    }
    await appendThose(second, own, 0);
  });
  return builder.finish();
}

/** Whether two lists have a key in common; found out in time slices. @throws ProtocolError where there is no room */
export function intersects(
  first: StoredKeys,
  second: StoredKeys,
  { scratch }: Workspace,
  signal: AbortSignal,
): Promise<boolean> {
  return borrowing(scratch, async (room) => {
    const both = await combined('and', first, second, { scratch: room, ...room }, signal);
    return both.size > 0;
  });
}

function isMuchLarger(one: StoredKeys, other: StoredKeys): boolean {
  return one.size > MUCH_LARGER * other.size;
}

/** Does work with room that is given back behind it. */
async function borrowing<Result>(
  { reserve }: Room,
  work: (room: Room) => Promise<Result>,
): Promise<Result> {
  let borrowed = 0;
  const own = (bytes: number): void => {
    reserve(bytes);
    borrowed += bytes;
  };
  try {
    return await work({ reserve: own });
  } finally {
    reserve(-borrowed);
  }
}

/** Appends the keys of a chunk whose marks are as wanted. */
function appendMarked(
  chunk: Chunk,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  const unwanted = 1 - wanted;
  if (chunk.numbers !== null && marks.includes(unwanted)) {
    // All numbers are copied, and the unwanted ones overwritten: to skip them would take longer.
    const kept = chunk.numbers.slice();
    let size = 0;
    for (let index = 0; index < marks.length; index += 1) {
      kept[size] = kept[index] ?? 0;
      size += (marks[index] ?? 0) ^ unwanted;
    }
    builder.append(new Chunk(Buffer.from(kept.buffer), null), 0, size);
    return;
  }
  // Keys that stand together are copied together.
  for (let start = marks.indexOf(wanted); start >= 0;) {
    const end = marks.indexOf(unwanted, start);
    const to = end === -1 ? marks.length : end;
    builder.append(chunk, start, to);
    start = marks.indexOf(wanted, to);
  }
}

/** The keys of a list, among which those of another one are looked up. */
interface Members {
  add(chunk: Chunk, chunkIndex: number): void;
  /** Marks each key of a chunk: 1 where it is in the list, 0 where it is not. */
  mark(chunk: Chunk, marks: Uint8Array): void;
}

async function membersOf(list: KeyList, room: Room, slice: TimeSlice): Promise<Members> {
  let [least, most] = [Infinity, -Infinity];
  for (const { numbers } of list.chunks) {
    if (numbers === null) {
      most = Infinity;
      break;
    }
    for (const number of numbers) {
      if (number < least) least = number;
      if (number > most) most = number;
    }
    await slice.pause();
  }
  // A bit for each number of the range, or twice as many slots as keys.
  const range = Math.max(0, most - least + 1);
  const slots = 2 ** (32 - Math.clz32(Math.max(1, 2 * list.size - 1)));
  const isDense = range <= Math.min(64 * slots, 2 ** 32);
  const length = isDense ? Math.ceil(range / 32) : 2 * slots;
  room.reserve(length * Uint32Array.BYTES_PER_ELEMENT);
  const array = new Uint32Array(length);
  const members = isDense ? new NumberBitmap(array, least) : new KeyTable(array);
  for (const [index, chunk] of list.chunks.entries()) {
    members.add(chunk, index);
    await slice.pause();
  }
  return members;
}

/** A bit for each number of a range, for lists of numbers that lie close together. */
class NumberBitmap implements Members {
  readonly #words: Uint32Array;
  readonly #least: number;

  constructor(words: Uint32Array, least: number) {
    this.#words = words;
    this.#least = least;
  }

  add(chunk: Chunk): void {
    const [words, least] = [this.#words, this.#least];
    for (const number of chunk.asNumbers()) {
      const bit = number - least;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << bit);
    }
  }

  mark(chunk: Chunk, marks: Uint8Array): void {
    const [numbers, words, least] = [chunk.asNumbers(), this.#words, this.#least];
    const bits = 32 * words.length;
    for (let index = 0; index < numbers.length; index += 1) {
      const bit = (numbers[index] ?? 0) - least;
      marks[index] = bit >= 0 && bit < bits ? ((words[bit >>> 5] ?? 0) >>> bit) & 1 : 0;
    }
  }
}

/** A hash table with open addressing, for keys of any kind. It refers to the keys in their chunks, and compares their bytes. */
class KeyTable implements Members {
  /** Two elements for each slot: the key's index in the list plus 1, or 0 where the slot is free, and its hash. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  readonly #chunks: Chunk[] = [];
  /** Odd and at random, so that nobody can choose keys that collide. */
  readonly #seed = randomInt(2 ** 31) * 2 + 1;
  readonly #factor = randomInt(2 ** 31) * 2 + 1;

  constructor(slots: Uint32Array) {
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }

  add(chunk: Chunk, chunkIndex: number): void {
    this.#chunks[chunkIndex] = chunk;
    const [slots, mask, hashes] = [this.#slots, this.#mask, this.#hashes(chunk)];
    for (let index = 0; index < hashes.length; index += 1) {
      const hash = hashes[index] ?? 0;
      let slot = hash & mask;
      while (slots[2 * slot] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = chunkIndex * CHUNK_SIZE + index + 1;
      slots[2 * slot + 1] = hash;
    }
  }

  mark(chunk: Chunk, marks: Uint8Array): void {
    const [slots, mask, hashes] = [this.#slots, this.#mask, this.#hashes(chunk)];
    for (let index = 0; index < hashes.length; index += 1) {
      const hash = hashes[index] ?? 0;
      let slot = hash & mask;
      let taken = slots[2 * slot] ?? 0;
      while (
        taken !== 0 &&
        (slots[2 * slot + 1] !== hash || !this.#isAt(taken - 1, chunk, index))
      ) {
        slot = (slot + 1) & mask;
        taken = slots[2 * slot] ?? 0;
      }
      marks[index] = taken === 0 ? 0 : 1;
    }
  }

  /** Whether a key of the list is one of another list. */
  #isAt(keyIndex: number, other: Chunk, otherIndex: number): boolean {
    const chunk = this.#chunks[Math.floor(keyIndex / CHUNK_SIZE)];
    if (chunk === undefined) return false;
    const index = keyIndex % CHUNK_SIZE;
    if (chunk.numbers !== null && other.numbers !== null) {
      return chunk.numbers[index] === other.numbers[otherIndex];
    }
    const [start, otherStart] = [chunk.start(index), other.start(otherIndex)];
    const length = chunk.start(index + 1) - start;
    if (other.start(otherIndex + 1) - otherStart !== length) return false;
    for (let at = 0; at < length; at += 1) {
      if (chunk.content[start + at] !== other.content[otherStart + at]) return false;
    }
    return true;
  }

  /** A hash of each key: four bytes at a time, each mixed into those before. */
  #hashes(chunk: Chunk): Uint32Array {
    const { content, size } = chunk;
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
    const [seed, factor] = [this.#seed, this.#factor];
    const hashes = new Uint32Array(size);
    let at = 0;
    for (let index = 0; index < size; index += 1) {
      const end = chunk.start(index + 1);
      let hash = seed;
      for (; at < end; at += 4) {
        const bytes = at + 4 <= end ? view.getInt32(at, true) : tail(content, at, end);
        hash = Math.imul(hash ^ bytes, factor);
        hash ^= hash >>> 15;
      }
      at = end;
      hashes[index] = hash;
    }
    return hashes;
  }
}

/** The last bytes of a key, fewer than four, as a number. */
function tail(content: Buffer, start: number, end: number): number {
  let bytes = 0;
  for (let at = start; at < end; at += 1) bytes = (bytes << 8) | (content[at] ?? 0);
  return bytes;
}
