import { TimeSlice } from '../../base/time-slice.ts';
import { KeyListBuilder } from './builder.ts';
import {
  type Chunk,
  CHUNK_SIZE,
  type KeyList,
  NumberChunk,
  type Numbers,
  type Room,
} from './keys.ts';
import { membersOf } from './members.ts';
import type { Workspace } from './store.ts';

/** How two sets make a new one (§4.7): the keys in both, in either, or in the first and not in the second. */
export type SetOperator = 'and' | 'or' | 'except';

/** How many times as many keys as the other a list has before the keys in both are picked out first. */
const MUCH_LARGER = 4;

/** Combines two lists in time slices, in the order of the first; for OR, the other keys of the second follow. @throws ProtocolError where there is no room */
export async function combined(
  operator: SetOperator,
  first: KeyList,
  second: KeyList,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<KeyList> {
  const slice = new TimeSlice(signal);
  const builder = new KeyListBuilder('integer', workspace);
  if (operator === 'or') {
    await appendAll(first, builder, slice);
    await appendThose(second, first, false, builder, workspace.scratch, slice);
  } else {
    await appendThose(first, second, operator === 'and', builder, workspace.scratch, slice);
  }
  return builder.finish();
}

/** Whether two lists have a key in common; found out in time slices. @throws ProtocolError entitySetsBusy where there is no room */
export async function intersects(
  first: KeyList,
  second: KeyList,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<boolean> {
  const slice = new TimeSlice(signal);
  const [fewer, more] = first.size < second.size ? [first, second] : [second, first];
  const room = new Borrowed(workspace.scratch);
  try {
    const members = await membersOf(fewer, more, room, slice);
    const marks = new Uint8Array(CHUNK_SIZE);
    for (const chunk of more.chunks) {
      members.mark(chunk, marks);
      if (marks.includes(1)) return true;
      await slice.pause();
    }
    return false;
  } finally {
    room.giveBack();
  }
}

/** Appends the keys of a list that are in another one, or those that are not. */
async function appendThose(
  list: KeyList,
  other: KeyList,
  inOther: boolean,
  builder: KeyListBuilder,
  scratch: Room,
  slice: TimeSlice,
): Promise<void> {
  const room = new Borrowed(scratch);
  try {
    const members = await membersOf(await relevant(other, list, room, slice), list, room, slice);
    const marks = new Uint8Array(CHUNK_SIZE);
    for (const chunk of list.chunks) {
      members.mark(chunk, marks);
      appendMarked(chunk, marks, inOther ? 1 : 0, builder);
      await slice.pause();
    }
  } finally {
    room.giveBack();
  }
}

/** The keys that matter to another list: of a much larger list those in both, so that the memory depends on the smaller one. */
async function relevant(
  list: KeyList,
  to: KeyList,
  room: Borrowed,
  slice: TimeSlice,
): Promise<KeyList> {
  if (list.size <= MUCH_LARGER * to.size) return list;
  const builder = new KeyListBuilder('integer', room);
  await appendThose(list, to, true, builder, room, slice);
  return builder.finish();
}

async function appendAll(list: KeyList, builder: KeyListBuilder, slice: TimeSlice): Promise<void> {
  for (const chunk of list.chunks) {
    builder.append(chunk, 0, chunk.size);
    await slice.pause();
  }
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
