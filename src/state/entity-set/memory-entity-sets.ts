import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/time.ts';
import {
  type EntitySet,
  type EntitySetBounds,
  EntitySetStore,
  type ListedSet,
  SET_OVERHEAD,
  type SetIds,
  type StoredFigures,
} from './store.ts';

/** The least time between two searches for expired sets among all sets, in milliseconds. */
const PURGE_INTERVAL = 1000;

/** Entity sets in memory. The least recently used ones make room first. */
export class MemoryEntitySets extends EntitySetStore {
  readonly #clock: Clock;
  readonly #sets: LRUCache<string, EntitySet>;
  /** The sets of each owner, the least recently used first. */
  readonly #owned = new Map<string, Set<string>>();
  #evicted = 0;
  #expired = 0;
  #purged: number;

  constructor(bounds: EntitySetBounds, ids: SetIds, clock: Clock = performance) {
    super(bounds, ids);
    this.#clock = clock;
    this.#purged = clock.now();
    this.#sets = new LRUCache({
      maxSize: bounds.maxBytes,
      sizeCalculation: ({ keys }) => keys.bytes + SET_OVERHEAD,
      updateAgeOnGet: true,
      // The cache takes a start at 0 for none.
      perf: { now: () => clock.now() + 1 },
      ttlResolution: 0,
      dispose: ({ owner }, setKey, why) => {
        const keys = this.#owned.get(owner);
        keys?.delete(setKey);
        if (keys?.size === 0) this.#owned.delete(owner);
        if (why === 'evict') this.#evicted += 1;
        else if (why === 'expire') this.#expired += 1;
      },
    });
  }

  find(id: string, audience: string): Promise<EntitySet | null> {
    const setKey = setKeyOf(id, audience);
    const set = this.#sets.get(setKey) ?? null;
    // A set that its owner gave up has no owner any more.
    if (set !== null && this.#owned.get(set.owner)?.has(setKey) === true) {
      this.#own(set.owner, setKey);
    }
    return Promise.resolve(set);
  }

  restore(id: string, set: EntitySet): Promise<void> {
    this.#purge(set);
    const setKey = setKeyOf(id, set.audience);
    this.#sets.set(setKey, set, { ttl: Math.max(1, Math.ceil(set.lifetime * 1000)) });
    if (this.#sets.has(setKey)) this.#own(set.owner, setKey);
    this.#boundOwned(set.owner);
    return Promise.resolve();
  }

  release(id: string, audience: string): Promise<boolean> {
    const setKey = setKeyOf(id, audience);
    const there = this.#sets.has(setKey);
    this.#sets.delete(setKey);
    return Promise.resolve(there);
  }

  disown(owner: string): void {
    this.#owned.delete(owner);
  }

  *list(owner?: string): Iterable<ListedSet> {
    const now = this.#clock.now();
    this.#sets.purgeStale();
    const setKeys = owner === undefined ? this.#sets.keys() : (this.#owned.get(owner) ?? []);
    for (const setKey of setKeys) {
      const set = this.#sets.peek(setKey);
      if (set === undefined) continue;
      const remaining = this.#sets.getRemainingTTL(setKey);
      const [id = ''] = setKey.split(' ', 1);
      yield { id, set, size: set.keys.size, expiresAt: now + remaining };
    }
  }

  figures(): StoredFigures {
    this.#sets.purgeStale();
    const { size: count, calculatedSize: bytes } = this.#sets;
    return { count, bytes, evicted: this.#evicted, expired: this.#expired };
  }

  /** Removes sets of an owner with too many: the expired ones, or else the least recently used one. */
  #boundOwned(owner: string): void {
    const owned = this.#owned.get(owner) ?? new Set();
    if (owned.size <= this.bounds.maxPerOwner) return;
    const expired = [...owned].filter((setKey) => !this.#sets.has(setKey));
    const gone = expired.length > 0 ? expired : [...owned].slice(0, 1);
    if (expired.length === 0) this.#evicted += 1;
    for (const setKey of gone) this.#sets.delete(setKey);
  }

  #own(owner: string, setKey: string): void {
    const keys = this.#owned.get(owner) ?? new Set();
    keys.delete(setKey);
    this.#owned.set(owner, keys.add(setKey));
  }

  /** Removes expired sets, now and then, and before a living one has to make room. */
  #purge({ keys }: EntitySet): void {
    const now = this.#clock.now();
    const isFull = this.#sets.calculatedSize + keys.bytes + SET_OVERHEAD > this.bounds.maxBytes;
    if (!isFull && now < this.#purged + PURGE_INTERVAL) return;
    this.#purged = now;
    this.#sets.purgeStale();
  }
}

/** Sets of different audiences have different keys, even under one id. */
function setKeyOf(id: string, audience: string): string {
  return `${id} ${audience}`;
}
