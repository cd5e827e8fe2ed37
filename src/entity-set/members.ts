import { NumberChunk, PackedChunk, type Chunk, type Numbers } from './chunk.ts';
import type { KeyList } from './keys.ts';
import { AscendingNumbers } from './ascending-numbers.ts';
import { NumberBitmap } from './number-bitmap.ts';
import type { NumberMembers } from './number-members.ts';
import { NumberTable } from './number-table.ts';
import { PackedTable } from './packed-table.ts';
import type { Room } from './store.ts';
import type { TimeSlice } from './time-slice.ts';

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
  const span = await spanOf(chunks, slice);
  if (span.least > span.most) return null;
  const members = await numberMembersFor(span, others, room, slice);
  for (const chunk of chunks) {
    members.add(numbersOf(chunk));
    await slice.pause();
  }
  return members;
}

/** Numbers close together have a bitmap, where it takes not much more than a table would. */
async function numberMembersFor(
  { least, most, ascending, size }: Span,
  others: KeyList,
  room: Room,
  slice: TimeSlice,
): Promise<NumberMembers> {
  const wide = least < -(2 ** 31) || most >= 2 ** 31;
  const bytes = { bitmap: NumberBitmap.bytes(least, most), table: NumberTable.bytes(size, wide) };
  if (bytes.bitmap <= 2 * bytes.table) {
    room.reserve(bytes.bitmap);
    return new NumberBitmap(least, most);
  }
  if (ascending && (await spanOf(others.chunks, slice)).ascending) return new AscendingNumbers();
  room.reserve(bytes.table);
  return new NumberTable(size, wide);
}

async function packedMembers(list: KeyList, room: Room, slice: TimeSlice): Promise<PackedTable> {
  room.reserve(PackedTable.bytes(list.size));
  const table = new PackedTable(list.size);
  for (const [index, chunk] of list.chunks.entries()) {
    if (chunk instanceof PackedChunk) table.add(chunk, index);
    await slice.pause();
  }
  return table;
}

function numbersOf(chunk: Chunk): Numbers {
  return chunk instanceof NumberChunk ? chunk.values : chunk.numbers();
}

async function spanOf(chunks: readonly Chunk[], slice: TimeSlice): Promise<Span> {
  let span: Span = { least: Infinity, most: -Infinity, ascending: true, size: 0 };
  for (const chunk of chunks) {
    span = extended(span, numbersOf(chunk));
    await slice.pause();
  }
  return span;
}

/** What is known of numbers before they are worked on. */
interface Span {
  readonly least: number;
  readonly most: number;
  readonly ascending: boolean;
  readonly size: number;
}

/** A span with more numbers, among which NaN is none. */
function extended({ least, most, ascending, size }: Span, values: Numbers): Span {
  let last = most;
  for (const value of values) {
    if (!(value > last)) ascending = false;
    if (value < least) least = value;
    if (value > most) most = value;
    last = value;
  }
  return { least, most, ascending, size: size + values.length };
}
