import { randomInt } from 'node:crypto';

/** How many slots a hash table has: the power of two that leaves at least half of them free. */
export function slotsFor(size: number): number {
  return 2 ** (32 - Math.clz32(Math.max(1, 2 * size - 1)));
}

/** A factor of hashes that nobody knows, so that nobody can choose keys that collide. */
export function randomOdd(): number {
  return randomInt(2 ** 31) * 2 + 1;
}
