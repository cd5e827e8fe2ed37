import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ProtocolError } from '../../base/errors.ts';
import type { AuthClock } from '../../base/clock.ts';
import { before } from '../../base/text.ts';

/** How long attempts count, from the first one on, in milliseconds. */
const WINDOW = 5 * 60_000;

/** How many attempts at one user from one address may fail in that time. A person who has forgotten a password makes fewer. */
const PAIR_LIMIT = 10;

/** How many attempts from one address at any users may fail in that time: several people, or programs, may share one. */
const ADDRESS_LIMIT = 100;

/**
 * How many times its limit is the number of attempts from which on what is remembered does not count any more either: otherwise who shares an address with a
 * user could try passwords against the memory, which answers at once, without end.
 */
const SHUT_FACTOR = 10;

/** How many users and addresses are counted at once; who tried least lately makes room. */
const MAX_COUNTED = 50_000;

/** Too many attempts failed (9027, 429). */
export class TooManyAttempts extends ProtocolError {
  /** After how many seconds the next one is looked at. */
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

/** An attempt that was counted as a failure, until it is known to be none. */
export interface Attempt {
  /** It was the user: what failed before at this user from this address is forgotten. */
  readonly succeeded: () => void;
  /** It came to nothing, through nobody's fault. */
  readonly withdrawn: () => void;
}

/** What became of a count, in a process that serves together with others: they count alike. */
export interface AttemptEvent {
  readonly counted: 'pairs' | 'addresses';
  readonly change: 'add' | 'takeBack' | 'forget';
  readonly key: string;
}

/** How processes that serve together tell each other of attempts. */
export interface AttemptNews {
  readonly tell: (event: AttemptEvent) => void;
  readonly hear: (listener: (event: AttemptEvent) => void) => void;
}

/**
 * Counts attempts to log in, by user and address and by address: by user alone, anybody could lock a user out from anywhere. An attempt counts
 * when it begins, so that many at once do not all pass before the first has failed.
 */
export class Throttle {
  readonly #pairs: Counts;
  readonly #addresses: Counts;

  /** @param news the other processes that attempts count in; null where there are none */
  constructor(clock: AuthClock, news: AttemptNews | null = null) {
    const countsOf = (counted: AttemptEvent['counted'], limit: number): Counts =>
      new Counts(limit, clock, (change, key) => news?.tell({ counted, change, key }));
    this.#pairs = countsOf('pairs', PAIR_LIMIT);
    this.#addresses = countsOf('addresses', ADDRESS_LIMIT);
    news?.hear(({ counted, change, key }) => {
      (counted === 'pairs' ? this.#pairs : this.#addresses).apply(change, key);
    });
  }

  /**
   * Begins an attempt. One that is refused counts as well, and makes no one wait longer; for its address it does not count where it is one
   * too many at its user, so that a program with an old password stands in nobody's way but its own.
   * @throws TooManyAttempts where too many have failed
   */
  begin(user: string, address: string): Attempt {
    const { pair, group } = keysOf(user, address);
    const wait = this.#pairs.add(pair) || this.#addresses.add(group);
    if (wait > 0) throw new TooManyAttempts(wait);
    return {
      succeeded: () => {
        this.#pairs.forget(pair);
        this.#addresses.takeBack(group);
      },
      withdrawn: () => {
        this.#pairs.takeBack(pair);
        this.#addresses.takeBack(group);
      },
    };
  }

  /**
   * Checks that what is remembered may count.
   * @throws TooManyAttempts where so many attempts have failed that it may not
   */
  checkOpen(user: string, address: string): void {
    const { pair, group } = keysOf(user, address);
    const wait = Math.max(this.#pairs.shutFor(pair), this.#addresses.shutFor(group));
    if (wait > 0) throw new TooManyAttempts(wait);
  }
}

/** Names may be long, and hashes are not. */
function keysOf(user: string, address: string): { readonly pair: string; readonly group: string } {
  const group = addressGroup(address);
  return { pair: hash('sha256', JSON.stringify([user, group]), 'base64'), group };
}

/** How many attempts there were of late, by what they are counted by. */
class Counts {
  readonly #limit: number;
  readonly #counts: LRUCache<string, { number: number }>;
  readonly #tell: (change: AttemptEvent['change'], key: string) => void;

  /** @param tell is told what changes here */
  constructor(
    limit: number,
    { steady }: AuthClock,
    tell: (change: AttemptEvent['change'], key: string) => void,
  ) {
    this.#limit = limit;
    this.#tell = tell;
    this.#counts = new LRUCache({
      max: MAX_COUNTED,
      ttl: WINDOW,
      ttlResolution: 0,
      perf: { now: steady },
    });
  }

  /** Counts one. @returns how long to wait where that is one too many, in milliseconds, or 0 */
  add(key: string): number {
    this.#change('add', key);
    const number = this.#counts.get(key)?.number ?? 0;
    return number > this.#limit ? this.#counts.getRemainingTTL(key) : 0;
  }

  /** How long to wait where there were many times too many, in milliseconds, or 0. */
  shutFor(key: string): number {
    const number = this.#counts.get(key)?.number ?? 0;
    return number >= this.#limit * SHUT_FACTOR ? this.#counts.getRemainingTTL(key) : 0;
  }

  takeBack(key: string): void {
    this.#change('takeBack', key);
  }

  forget(key: string): void {
    this.#change('forget', key);
  }

  /** What was changed elsewhere. */
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

  #change(change: AttemptEvent['change'], key: string): void {
    this.apply(change, key);
    this.#tell(change, key);
  }
}

/**
 * What attempts are counted by, of an address: an IPv4 address, or the first 64 bits of an IPv6 one, as whoever has one address has all of
 * these (https://www.rfc-editor.org/rfc/rfc6177). A text that is not an address is itself.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = before(address, '%').toLowerCase().split('::');
  const leading = parts(head);
  const after = parts(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - leading.length - after.length);
  const all = [...leading, ...new Array<string>(missing).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function parts(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
