import { TimeSlice } from '../../base/time-slice.ts';
import { KeyListBuilder } from './builder.ts';
import {
  type Chunk,
  CHUNK_SIZE,
  type KeyList,
  NumberChunk,
  type Numbers,
  type Room,
  type StoredKeys,
} from './keys.ts';
import { Members } from './members.ts';
import type { Workspace } from './store.ts';

/** How two sets make a new one (§4.7): the keys in both, in either, or in the first and not in the second. */
export type SetOperator = 'and' | 'or' | 'except';

/** How many times as many keys as the other a list has before the keys in both are picked out first. */
const MUCH_LARGER = 4;

interface Work {
  readonly builder: KeyListBuilder;
  readonly scratch: Room;
  readonly slice: TimeSlice;
  readonly signal: AbortSignal;
}

/**
 * Combines two lists in time slices, in the order of the first; for OR, the other keys of the second follow. One of the two is read in
 * chunks, and never stands in memory as a whole: a much larger one if there is one, else the first, or for OR the second. @throws ProtocolError where there is no room
 */
export async function combined(
  operator: SetOperator,
  first: StoredKeys,
  second: StoredKeys,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<KeyList> {
  const slice = new TimeSlice(signal);
  const builder = new KeyListBuilder('integer', workspace);
  const { scratch } = workspace;
  const work = { builder, scratch, slice, signal };
  if (operator === 'or') {
    const own = isMuchLarger(first, second) ? first : await first.whole(scratch, signal);
    for await (const chunk of own.stream(signal)) {
      builder.append(chunk, 0, chunk.size);
      await slice.pause();
    }
    await appendThose(second, own, false, work);
  } else {
    await appendThose(first, second, operator === 'and', work);
  }
  return builder.finish();
}

/** Whether two lists have a key in common; found out in time slices. @throws ProtocolError entitySetsBusy where there is no room */
export async function intersects(
  first: StoredKeys,
  second: StoredKeys,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<boolean> {
  const slice = new TimeSlice(signal);
  const [fewer, more] = first.size < second.size ? [first, second] : [second, first];
  const room = new Borrowed(workspace.scratch);
  try {
    const members = new Members(await fewer.whole(room, signal), room, slice);
    const marks = new Uint8Array(CHUNK_SIZE);
    for await (const chunk of more.stream(signal)) {
      await members.mark(chunk, marks);
      if (marks.includes(1)) return true;
      await slice.pause();
    }
    return false;
  } finally {
    room.giveBack();
  }
}

/** Appends the keys of a list that are in another one, or those that are not. Of a much larger one, those in both are picked out first. */
async function appendThose(
  list: StoredKeys,
  other: StoredKeys,
  inOther: boolean,
  { builder, scratch, slice, signal }: Work,
): Promise<void> {
  const room = new Borrowed(scratch);
  try {
    let [passing, kept] = [list, other];
    if (isMuchLarger(other, list)) {
      passing = await list.whole(room, signal);
      const inBoth = new KeyListBuilder('integer', room);
      await appendThose(other, passing, true, { builder: inBoth, scratch: room, slice, signal });
      kept = inBoth.finish();
    }
    const members = new Members(await kept.whole(room, signal), room, slice);
    const marks = new Uint8Array(CHUNK_SIZE);
    for await (const chunk of passing.stream(signal)) {
      await members.mark(chunk, marks);
      appendMarked(chunk, marks, inOther ? 1 : 0, builder);
      await slice.pause();
    }
  } finally {
    room.giveBack();
  }
}

function isMuchLarger(one: StoredKeys, other: StoredKeys): boolean {
  return one.size > MUCH_LARGER * other.size;
}

/** Room that is given back as a whole. */
class Borrowed implements Room {
  readonly #room: Room;
  #bytes = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  reserve(bytes: number): void {
    this.#room.reserve(bytes);
    this.#bytes += bytes;
  }

  giveBack(): void {
    this.reserve(-this.#bytes);
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
  if (!marks.subarray(0, chunk.size).includes(unwanted)) {
    builder.append(chunk, 0, chunk.size);
    return;
  }
  if (chunk instanceof NumberChunk) {
    builder.appendNumbers(markedNumbers(chunk.values, marks, unwanted));
    return;
  }
  // Keys that stand together are copied together.
  for (let start = marks.indexOf(wanted); start >= 0 && start < chunk.size;) {
    const end = marks.indexOf(unwanted, start);
    const to = end === -1 ? chunk.size : Math.min(end, chunk.size);
    builder.append(chunk, start, to);
    start = marks.indexOf(wanted, to);
  }
}

/** All numbers are copied, and the unwanted ones overwritten: to skip them would take longer. */
function markedNumbers(values: Numbers, marks: Uint8Array, unwanted: number): Numbers {
  const kept = values.slice();
  let size = 0;
  for (let index = 0; index < values.length; index += 1) {
    kept[size] = values[index] ?? 0;
    size += (marks[index] ?? 0) ^ unwanted;
  }
  return kept.subarray(0, size);
}
