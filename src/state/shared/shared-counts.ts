import { LRUCache } from 'lru-cache';
import { attempted } from '../../base/errors.ts';
import type { StateStore } from './state-store.ts';

/** KEYS: a count. ARGV: for how long it counts from its first event on, in milliseconds. Returns the number, and how much longer it counts. */
const ADD = `
local number = redis.call('INCR', KEYS[1])
if number == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {number, redis.call('PTTL', KEYS[1])}`;

/** KEYS: a count. Takes one from it. */
const TAKE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`;

/** How long an answer is remembered, in milliseconds: each request with a password that was checked before asks. */
const REMEMBERED_FOR = 1000;

const MAX_REMEMBERED = 10_000;

/** Numbers of recent events by key, in the state store. Its methods throw ProtocolError stateUnavailable, but for {@link waitAbove}. */
export class SharedCounts {
  readonly #store: StateStore;
  readonly #kind: string;
  readonly #window: number;
  readonly #waits = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: REMEMBERED_FOR });

  /** @param window for how long events count, from the first one on, in milliseconds */
  constructor(store: StateStore, kind: string, window: number) {
    this.#store = store;
    this.#kind = kind;
    this.#window = window;
  }

  /** Counts one. @returns how long to wait where it is one too many, in milliseconds, or 0 */
  async add(key: string, limit: number): Promise<number> {
    const [number, wait] = (await this.#store.run(ADD, [this.#keyOf(key)], [this.#window])) as [
      number,
      number,
    ];
    return number > limit ? wait : 0;
  }

  async takeBack(key: string): Promise<void> {
    await this.#store.run(TAKE_BACK, [this.#keyOf(key)]);
  }

  async forget(key: string): Promise<void> {
    await this.#store.use((client) => client.del(this.#keyOf(key)));
  }

  /** How long to wait where there were more, as far as is known: in milliseconds, or 0. It may be a second old, and 0 where the store cannot be reached. */
  async waitAbove(key: string, limit: number): Promise<number> {
    const known = this.#waits.get(key);
    if (known !== undefined) return known;
    const name = this.#keyOf(key);
    const found = await attempted(async () => {
      const [number, wait] = await this.#store.use((client) =>
        Promise.all([client.get(name), client.pttl(name)]),
      );
      return Number(number ?? 0) > limit ? Math.max(0, wait) : 0;
    });
    if (found !== null) this.#waits.set(key, found);
    return found ?? 0;
  }

  #keyOf(key: string): string {
    return this.#store.ownKey(this.#kind, key);
  }
}
