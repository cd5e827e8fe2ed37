import { KeyListBuilder } from './builder.ts';
import { type Chunk, CHUNK_SIZE, NumberChunk, type PackedChunk } from './chunk.ts';
import type { KeyList } from './keys.ts';
import { membersOf } from './members.ts';
import type { Room, Workspace } from './store.ts';
import { TimeSlice } from '../../base/time-slice.ts';

/** How two sets make a new one (§4.7): what is in both, what is in either, what is in the first and not in the second. */
export type SetOperator = 'and' | 'or' | 'except';

/** How many times as many keys a list may have before those of them that matter are picked out first. */
const MUCH_LARGER = 4;

/**
 * The keys of two lists combined, each once: in the order of the first one, and of OR what only the second one has behind it, in its order.
 * Others have their turn meanwhile.
 * @param workspace where the new list is reserved, and for the time being what it takes to make it
 * @throws the signal's reason, when it is aborted; ProtocolError entitySetTooLarge, entitySetsBusy: there is no room for the new list
 */
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

/**
 * Whether two lists have a key in common. It stops at the first one, and others have their turn meanwhile.
 * @throws the signal's reason, when it is aborted; ProtocolError entitySetsBusy: there is no room to find out
 */
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

/** Appends those keys of a list that another one has, or that it has not. */
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

/** The keys of a list that can matter to another one: of a much larger list, those that are in both. So what it takes depends on the smaller one. */
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

/** What is reserved for a piece of work, to be given back at its end. */
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
  const unwanted = marks.subarray(0, chunk.size).indexOf(1 - wanted);
  if (unwanted === -1) builder.append(chunk, 0, chunk.size);
  else if (chunk instanceof NumberChunk) builder.appendMarked(chunk.values, marks, wanted);
  else appendPacked(chunk, marks, wanted, builder);
}

/** Keys that stand together are copied together. */
function appendPacked(
  chunk: PackedChunk,
  marks: Uint8Array,
  wanted: 0 | 1,
  builder: KeyListBuilder,
): void {
  let start = marks.indexOf(wanted);
  while (start >= 0 && start < chunk.size) {
    const end = marks.indexOf(1 - wanted, start);
    const to = end === -1 ? chunk.size : Math.min(end, chunk.size);
    builder.append(chunk, start, to);
    start = marks.indexOf(wanted, to);
  }
}
