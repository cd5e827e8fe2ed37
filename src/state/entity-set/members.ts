import { type Chunk, NOWHERE, NumberChunk, PackedChunk, type Span, spanOfBoth } from './chunk.ts';
import type { KeyList } from './keys.ts';
import {
  AscendingNumbers,
  NumberBitmap,
  type NumberMembers,
  NumberTable,
} from './number-members.ts';
import { PackedTable } from './packed-keys.ts';
import type { Room } from './store.ts';
import type { TimeSlice } from '../../base/time-slice.ts';

/** The keys of a list, so that it can be told of those of another one whether they are among them. */
export class Members {
  readonly #numbers: NumberMembers | null;
  readonly #packed: PackedTable | null;

  constructor(numbers: NumberMembers | null, packed: PackedTable | null) {
    this.#numbers = numbers;
    this.#packed = packed;
  }

  /** For each key of a chunk 1 where it is in the list, 0 where it is not. */
  mark(chunk: Chunk, marks: Uint8Array): void {
    marks.fill(0);
    this.#numbers?.mark(numbersOf(chunk), marks);
    if (chunk instanceof PackedChunk) this.#packed?.mark(chunk, marks);
  }
}

/**
 * The members of a list, for others to be looked up among them. Where both have keys of one kind only, as two sets of a
 * dataclass mostly do, no key is looked at in another form than it is kept in.
 * @param room what they take is reserved there
 */
export async function membersOf(
  list: KeyList,
  others: KeyList,
  room: Room,
  slice: TimeSlice,
): Promise<Members> {
  const mixed = others.chunks.some((chunk) => chunk instanceof NumberChunk);
  const numbers = list.chunks.filter((chunk) => mixed || chunk instanceof NumberChunk);
  const packed = others.chunks.some((chunk) => chunk instanceof PackedChunk);
  return new Members(
    await numberMembers(numbers, others, room, slice),
    packed ? await packedMembers(list, room, slice) : null,
  );
}

async function numberMembers(
  chunks: readonly Chunk[],
  others: KeyList,
  room: Room,
  slice: TimeSlice,
): Promise<NumberMembers | null> {
  const span = await spanOfAll(chunks, slice);
  if (span.least > span.most) return null;
  const size = chunks.reduce((total, chunk) => total + chunk.size, 0);
  const spanOfOthers = await spanOfAll(others.chunks, slice);
  const members = await numberMembersFor(span, size, spanOfOthers, room, slice);
  for (const chunk of chunks) {
    const { values } = numbersOf(chunk);
    members.add(chunk instanceof NumberChunk ? values : values.filter((each) => !isNaN(each)));
    await slice.pause();
  }
  return members;
}

/**
 * Numbers that ascend on both sides are read side by side. Others have a bitmap, where it takes not much more than a table would: of
 * the span of both sides, or of their own.
 */
async function numberMembersFor(
  span: Span,
  size: number,
  others: Span,
  room: Room,
  slice: TimeSlice,
): Promise<NumberMembers> {
  if (span.ascending && others.ascending) return new AscendingNumbers();
  const wide = span.least < -(2 ** 31) || span.most >= 2 ** 31;
  const bytesOfTable = NumberTable.bytes(size, wide);
  for (const { least, most } of [spanOfBoth(span, others), span]) {
    const bytes = NumberBitmap.bytes(least, most);
    if (bytes > 2 * bytesOfTable) continue;
    room.reserve(bytes);
    return NumberBitmap.of(least, most, slice);
  }
  room.reserve(bytesOfTable);
  return NumberTable.of(size, wide, slice);
}

async function packedMembers(list: KeyList, room: Room, slice: TimeSlice): Promise<PackedTable> {
  room.reserve(PackedTable.bytes(list.size));
  const table = await PackedTable.of(list.size, slice);
  for (const [index, chunk] of list.chunks.entries()) {
    if (chunk instanceof PackedChunk) table.add(chunk, index);
    await slice.pause();
  }
  return table;
}

/** The numbers of a chunk at their places. */
function numbersOf(chunk: Chunk): NumberChunk {
  return chunk instanceof NumberChunk ? chunk : new NumberChunk(chunk.numbers());
}

/** The span of the numbers of chunks, one after the other. */
async function spanOfAll(chunks: readonly Chunk[], slice: TimeSlice): Promise<Span> {
  let span = NOWHERE;
  for (const chunk of chunks) {
    span = spanOfBoth(span, numbersOf(chunk).span);
    await slice.pause();
  }
  return span;
}
