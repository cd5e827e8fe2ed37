import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { ProtocolError } from '../../base/errors.ts';
import type {
  EntitySet,
  EntitySetStore,
  ListedSet,
  Room,
  SetIds,
  StoreUsage,
  Workspace,
} from './store.ts';

/** About what a set takes beside its keys, in bytes. */
const SET_OVERHEAD = 1024;

/** Room in the memory of the process for what one request builds. */
class MemoryWorkspace implements Workspace {
  readonly scratch: Room = { reserve: (bytes) => this.#take(bytes, 0) };
  readonly #bounds: { readonly maxBytes: number; readonly maxSetBytes: number };
  readonly #changed: (bytes: number) => void;
  #bytesOfSet = 0;
  #bytes = 0;

  /**
   * @param bounds what all of it may take, and what of it the set, in bytes
   * @param changed has as many bytes more taken, or throws where it cannot
   */
  constructor(
    bounds: { readonly maxBytes: number; readonly maxSetBytes: number },
    changed: (bytes: number) => void,
  ) {
    this.#bounds = bounds;
    this.#changed = changed;
  }

  reserve(bytes: number): void {
    this.#take(bytes, bytes);
  }

  close(): void {
    this.#take(-this.#bytes, -this.#bytesOfSet);
  }

  #take(bytes: number, ofSet: number): void {
    const { maxBytes, maxSetBytes } = this.#bounds;
    if (ofSet > 0 && SET_OVERHEAD + this.#bytesOfSet + ofSet > maxSetBytes) {
      throw new ProtocolError(
        'entitySetTooLarge',
        `The entity set holds more keys than fit into ${maxSetBytes} bytes, which is what one may take: narrow it.`,
      );
    }
    if (bytes > 0 && this.#bytes + bytes > maxBytes) {
      throw new ProtocolError(
        'entitySetTooLarge',
        `To work on so many keys takes more than ${maxBytes} bytes, which is what all entity sets may take: narrow them.`,
      );
    }
    this.#changed(bytes);
    this.#bytes += bytes;
    this.#bytesOfSet += ofSet;
  }
}

/** How much is kept. */
export interface EntitySetBounds {
  /** What all sets may take that are kept, and as much again what is being built and worked on; in bytes. */
  readonly maxBytes: number;
  /** What one set may take, in bytes; at most {@link maxBytes}. */
  readonly maxSetBytes: number;
  /** How many sets of one owner are kept. */
  readonly maxPerOwner: number;
}

/** How long there is no new look for expired sets, in milliseconds: it looks at all that are kept. */
const PURGE_INTERVAL = 1000;

/** Entity sets in the memory of the process. The one that was not accessed for longest makes room first. */
export class MemoryEntitySets implements EntitySetStore {
  readonly #bounds: EntitySetBounds;
  readonly #ids: SetIds;
  readonly #clock: Clock;
  readonly #sets: LRUCache<string, EntitySet>;
  /** The sets of each owner, the one that was not accessed for longest first. */
  readonly #owned = new Map<string, Set<string>>();
  /** What is reserved for sets that are being built, in bytes. */
  #building = 0;
  #purged: number;

  constructor(bounds: EntitySetBounds, ids: SetIds, clock: Clock = performance) {
    this.#bounds = bounds;
    this.#ids = ids;
    this.#clock = clock;
    this.#purged = clock.now();
    this.#sets = new LRUCache({
      maxSize: bounds.maxBytes,
      sizeCalculation: ({ keys }) => keys.bytes + SET_OVERHEAD,
      updateAgeOnGet: true,
      // The cache takes a beginning of 0 for none.
      perf: { now: () => clock.now() + 1 },
      ttlResolution: 0,
      dispose: ({ owner }, place) => this.#disown(owner, place),
    });
  }

  find(id: string, audience: string): Promise<EntitySet | null> {
    const place = placeOf(id, audience);
    const set = this.#sets.get(place) ?? null;
    // What its owner has given up stays nobody's.
    if (set !== null && this.#owned.get(set.owner)?.has(place) === true) {
      this.#own(set.owner, place);
    }
    return Promise.resolve(set);
  }

  async add(set: EntitySet): Promise<string> {
    const id = this.#ids.make(set.dataclass);
    await this.restore(id, set);
    return id;
  }

  gaveOut(id: string, dataclass: string): boolean {
    return this.#ids.isOwn(id, dataclass);
  }

  restore(id: string, set: EntitySet): Promise<void> {
    this.#purge(set);
    const place = placeOf(id, set.audience);
    this.#sets.set(place, set, { ttl: Math.max(1, Math.ceil(set.lifetime * 1000)) });
    if (this.#sets.has(place)) this.#own(set.owner, place);
    this.#boundOwned(set.owner);
    return Promise.resolve();
  }

  release(id: string, audience: string): Promise<boolean> {
    const place = placeOf(id, audience);
    const there = this.#sets.has(place);
    this.#sets.delete(place);
    return Promise.resolve(there);
  }

  giveUp(owner: string): void {
    this.#owned.delete(owner);
  }

  *list(): Iterable<ListedSet> {
    const now = this.#clock.now();
    this.#sets.purgeStale();
    for (const [place, set] of this.#sets.entries()) {
      const remaining = this.#sets.getRemainingTTL(place);
      const [id = ''] = place.split(' ', 1);
      yield { id, set, end: now + remaining };
    }
  }

  usage(): StoreUsage {
    return { bytes: this.#sets.calculatedSize, maxBytes: this.#bounds.maxBytes };
  }

  workspace(): Workspace {
    return new MemoryWorkspace(this.#bounds, (bytes) => {
      // A read of a set that needs room must not push that set out, or anybody else's: work has room of its own.
      if (bytes > 0 && this.#building + bytes > this.#bounds.maxBytes) {
        throw ProtocolError.of('entitySetsBusy');
      }
      this.#building += bytes;
    });
  }

  /** Has sets of an owner with too many go: those that have expired, or else the one that was not accessed for longest. */
  #boundOwned(owner: string): void {
    const owned = this.#owned.get(owner) ?? new Set();
    if (owned.size <= this.#bounds.maxPerOwner) return;
    const expired = [...owned].filter((place) => !this.#sets.has(place));
    const gone = expired.length > 0 ? expired : [...owned].slice(0, 1);
    for (const place of gone) this.#sets.delete(place);
  }

  #own(owner: string, place: string): void {
    const places = this.#owned.get(owner) ?? new Set();
    places.delete(place);
    this.#owned.set(owner, places.add(place));
  }

  #disown(owner: string, place: string): void {
    const places = this.#owned.get(owner);
    places?.delete(place);
    if (places?.size === 0) this.#owned.delete(owner);
  }

  /** Forgets those that have expired, now and then, and before one that lives has to make room. */
  #purge({ keys }: EntitySet): void {
    const now = this.#clock.now();
    const isFull = this.#sets.calculatedSize + keys.bytes + SET_OVERHEAD > this.#bounds.maxBytes;
    if (!isFull && now < this.#purged + PURGE_INTERVAL) return;
    this.#purged = now;
    this.#sets.purgeStale();
  }
}

/** Sets of different audiences cannot meet, even under one id. */
function placeOf(id: string, audience: string): string {
  return `${id} ${audience}`;
}
