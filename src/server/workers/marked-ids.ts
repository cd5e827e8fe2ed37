import { randomBytes } from 'node:crypto';

/** Where a process stands among those that serve together. */
export interface Slot {
  /** Its number, from 0 on; whoever takes a dead one's place has the same. */
  readonly slot: number;
  /** How many there are. */
  readonly count: number;
}

/** How many numbers the first 8 hexadecimal digits of an id stand for. */
const RANGE = 0x1_0000_0000;

/** What {@link markedId} makes, and what begins so. */
const MARKED = /^[0-9A-F]{32}/;

/**
 * A new id of 32 hexadecimal digits in upper case, which nobody can guess, and which tells the processes that serve together which of them
 * made it: the remainder of its first 8 digits. It looks as any other does, and is as random but for as many bits as the number of processes has.
 */
export function markedId({ slot, count }: Slot): string {
  const bytes = randomBytes(16);
  const number = bytes.readUInt32BE(0);
  const marked = number - (number % count) + slot;
  bytes.writeUInt32BE(marked < RANGE ? marked : marked - count, 0);
  return bytes.toString('hex').toUpperCase();
}

/** The process whose mark an id has that clients sent, whoever made it; null for what is none of the form. */
export function slotOf(id: string, count: number): number | null {
  return MARKED.test(id) ? Number.parseInt(id.slice(0, 8), 16) % count : null;
}
