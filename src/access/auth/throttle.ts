import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AuthClock, Awaitable } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { before } from '../../base/text.ts';

/** How long attempts count, from the first one on, in milliseconds. */
export const ATTEMPT_WINDOW = 5 * 60_000;

/** How many attempts of one user from one address may fail in that time: more than somebody makes who has forgotten a password. */
const PAIR_LIMIT = 10;

/** How many attempts from one address may fail in that time: several people or programs may share it. */
const ADDRESS_LIMIT = 100;

/** At so many times the limit, remembered passwords are refused, too: somebody at the user's address could otherwise guess against the memory without end. */
const SHUT_FACTOR = 10;

/** How many users and addresses are counted at once; the least recent ones are forgotten first. */
const MAX_COUNTED = 50_000;

export class TooManyAttempts extends ProtocolError {
  override readonly retryAfterSeconds: number;

  constructor(milliseconds: number) {
    const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
    super(
      'tooManyAttempts',
      `Too many attempts to log in have failed. Try again in ${seconds} seconds.`,
    );
    this.retryAfterSeconds = seconds;
  }
}

/** An attempt that counts as failed until its outcome is known. */
export interface Attempt {
  /** The password was right: earlier failures of this user from this address are forgotten. */
  readonly succeeded: () => Promise<void>;
  /** The attempt could not be checked: it does not count. */
  readonly withdrawn: () => Promise<void>;
}

/** Numbers of recent attempts by key, here or where several gateways count together. */
export interface Counts {
  /** Counts one. @returns how long to wait where it is one too many, in milliseconds, or 0 */
  readonly add: (key: string, limit: number) => Awaitable<number>;
  readonly takeBack: (key: string) => Awaitable<void>;
  readonly forget: (key: string) => Awaitable<void>;
  /** How long to wait where there were more than the limit, in milliseconds, or 0. */
  readonly waitAbove: (key: string, limit: number) => Awaitable<number>;
}

/** The counts of a {@link Throttle}. */
export interface AttemptCounts {
  readonly pairs: Counts;
  readonly addresses: Counts;
}

/** Counts in the memory of this process. */
export function memoryCounts(clock: AuthClock): AttemptCounts {
  return { pairs: new MemoryCounts(clock), addresses: new MemoryCounts(clock) };
}

/**
 * Counts attempts to log in, by user and address, and by address: counted by user alone, anybody could lock a user out. An attempt counts from its
 * beginning, so that many at once do not all pass before the first one has failed.
 */
export class Throttle {
  readonly #pairs: Counts;
  readonly #addresses: Counts;

  constructor({ pairs, addresses }: AttemptCounts) {
    this.#pairs = pairs;
    this.#addresses = addresses;
  }

  /**
   * Begins an attempt. A refused one counts as well, but prolongs no wait. One too many for its user does not count for its address, so that a program
   * with an old password locks out only itself. @throws TooManyAttempts
   */
  async begin(user: string, address: string): Promise<Attempt> {
    const { pair, group } = keysOf(user, address);
    const wait =
      (await this.#pairs.add(pair, PAIR_LIMIT)) ||
      (await this.#addresses.add(group, ADDRESS_LIMIT));
    if (wait > 0) throw new TooManyAttempts(wait);
    return {
      succeeded: async () => {
        await this.#pairs.forget(pair);
        await this.#addresses.takeBack(group);
      },
      withdrawn: async () => {
        await this.#pairs.takeBack(pair);
        await this.#addresses.takeBack(group);
      },
    };
  }

  /** Checks that remembered passwords are still accepted. @throws TooManyAttempts where so many attempts have failed that they are not */
  async checkOpen(user: string, address: string): Promise<void> {
    const { pair, group } = keysOf(user, address);
    const wait = Math.max(
      await this.#pairs.waitAbove(pair, PAIR_LIMIT * SHUT_FACTOR - 1),
      await this.#addresses.waitAbove(group, ADDRESS_LIMIT * SHUT_FACTOR - 1),
    );
    if (wait > 0) throw new TooManyAttempts(wait);
  }
}

/** The keys that an attempt counts by; hashed where they hold a name, which may be long. */
function keysOf(user: string, address: string): { readonly pair: string; readonly group: string } {
  const group = addressGroup(address);
  return { pair: hash('sha256', JSON.stringify([user, group]), 'base64'), group };
}

class MemoryCounts implements Counts {
  readonly #counts: LRUCache<string, { number: number }>;

  constructor({ steady }: AuthClock) {
    this.#counts = new LRUCache({
      // With `max`, arrays of that length would be made at once.
      maxSize: MAX_COUNTED,
      sizeCalculation: () => 1,
      ttl: ATTEMPT_WINDOW,
      ttlResolution: 0,
      perf: { now: steady },
    });
  }

  add(key: string, limit: number): number {
    const count = this.#counts.get(key) ?? { number: 0 };
    if (count.number === 0) this.#counts.set(key, count);
    count.number += 1;
    return this.waitAbove(key, limit);
  }

  takeBack(key: string): void {
    const count = this.#counts.get(key);
    if (count !== undefined) count.number = Math.max(0, count.number - 1);
  }

  forget(key: string): void {
    this.#counts.delete(key);
  }

  waitAbove(key: string, limit: number): number {
    const number = this.#counts.get(key)?.number ?? 0;
    return number > limit ? this.#counts.getRemainingTTL(key) : 0;
  }
}

/** The part of an address that attempts count by; of IPv6 the first 64 bits, which belong to one customer (https://www.rfc-editor.org/rfc/rfc6177). */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = before(address, '%').toLowerCase().split('::');
  const leading = parts(head);
  const after = parts(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - leading.length - after.length);
  const all = [...leading, ...new Array<string>(missing).fill('0'), ...after];
  const network = all.slice(0, 4).map((part) => part.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

function parts(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
