import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AuthClock } from '../../base/clock.ts';
import { ProtocolError } from '../../base/errors.ts';
import { before } from '../../base/text.ts';

/** How long attempts count, from the first one on, in milliseconds. */
const WINDOW = 5 * 60_000;

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
  readonly succeeded: () => void;
  /** The attempt could not be checked: it does not count. */
  readonly withdrawn: () => void;
}

/** A change of a count, for the other processes, which count alike. */
export interface AttemptEvent {
  readonly counted: 'pairs' | 'addresses';
  readonly change: 'add' | 'takeBack' | 'forget';
  readonly key: string;
}

/** How processes that serve together share attempts: the news are {@link AttemptEvent}s. */
export interface AttemptNews {
  tell(event: AttemptEvent): void;
  hear(listener: (news: unknown) => void): void;
}

/**
 * Counts attempts to log in, by user and address, and by address: counted by user alone, anybody could lock a user out. An attempt counts from its
 * beginning, so that many at once do not all pass before the first one has failed.
 */
export class Throttle {
  readonly #pairs: Counts;
  readonly #addresses: Counts;

  /** @param news the other processes in which attempts count; null where there are none */
  constructor(clock: AuthClock, news: AttemptNews | null = null) {
    const countsOf = (counted: AttemptEvent['counted'], limit: number): Counts =>
      new Counts(limit, clock, (change, key) => news?.tell({ counted, change, key }));
    this.#pairs = countsOf('pairs', PAIR_LIMIT);
    this.#addresses = countsOf('addresses', ADDRESS_LIMIT);
    news?.hear((event) => {
      const { counted, change, key } = event as AttemptEvent;
      (counted === 'pairs' ? this.#pairs : this.#addresses).apply(change, key);
    });
  }

  /**
   * Begins an attempt. A refused one counts as well, but prolongs no wait. One too many for its user does not count for its address, so that a program
   * with an old password locks out only itself. @throws TooManyAttempts
   */
  begin(user: string, address: string): Attempt {
    const { pair, group } = keysOf(user, address);
    const wait = this.#pairs.add(pair) || this.#addresses.add(group);
    if (wait > 0) throw new TooManyAttempts(wait);
    return {
      succeeded: () => {
        this.#pairs.change('forget', pair);
        this.#addresses.change('takeBack', group);
      },
      withdrawn: () => {
        this.#pairs.change('takeBack', pair);
        this.#addresses.change('takeBack', group);
      },
    };
  }

  /** Checks that remembered passwords are still accepted. @throws TooManyAttempts where so many attempts have failed that they are not */
  checkOpen(user: string, address: string): void {
    const { pair, group } = keysOf(user, address);
    const wait = Math.max(this.#pairs.shutFor(pair), this.#addresses.shutFor(group));
    if (wait > 0) throw new TooManyAttempts(wait);
  }
}

/** The keys that an attempt counts by; hashed where they hold a name, which may be long. */
function keysOf(user: string, address: string): { readonly pair: string; readonly group: string } {
  const group = addressGroup(address);
  return { pair: hash('sha256', JSON.stringify([user, group]), 'base64'), group };
}

/** The numbers of recent attempts by key. */
class Counts {
  readonly #limit: number;
  readonly #counts: LRUCache<string, { number: number }>;
  readonly #tell: (change: AttemptEvent['change'], key: string) => void;

  /** @param tell is told of changes that are made here */
  constructor(
    limit: number,
    { steady }: AuthClock,
    tell: (change: AttemptEvent['change'], key: string) => void,
  ) {
    this.#limit = limit;
    this.#tell = tell;
    this.#counts = new LRUCache({
      // With `max`, arrays of that length would be made at once.
      maxSize: MAX_COUNTED,
      sizeCalculation: () => 1,
      ttl: WINDOW,
      ttlResolution: 0,
      perf: { now: steady },
    });
  }

  /** Counts one. @returns how long to wait where it is one too many, in milliseconds, or 0 */
  add(key: string): number {
    this.change('add', key);
    return this.#waitAbove(this.#limit, key);
  }

  /** How long to wait where there were {@link SHUT_FACTOR} times too many, in milliseconds, or 0. */
  shutFor(key: string): number {
    return this.#waitAbove(this.#limit * SHUT_FACTOR - 1, key);
  }

  #waitAbove(limit: number, key: string): number {
    const number = this.#counts.get(key)?.number ?? 0;
    return number > limit ? this.#counts.getRemainingTTL(key) : 0;
  }

  /** Changes a count here and in the other processes. */
  change(change: AttemptEvent['change'], key: string): void {
    this.apply(change, key);
    this.#tell(change, key);
  }

  /** Applies a change that another process has made. */
  apply(change: AttemptEvent['change'], key: string): void {
    const count = this.#counts.get(key) ?? { number: 0 };
    switch (change) {
      case 'add':
        if (count.number === 0) this.#counts.set(key, count);
        count.number += 1;
        return;
      case 'takeBack':
        count.number = Math.max(0, count.number - 1);
        return;
      case 'forget':
        this.#counts.delete(key);
    }
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
