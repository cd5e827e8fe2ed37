import { LRUCache } from 'lru-cache';
import { bytesOfEntry } from '../../base/cache.ts';

/** How caches have been used since the start. */
export interface PlanCounts {
  hits: number;
  misses: number;
  /** How many entries made room for others. */
  evictions: number;
}

export interface CacheStats extends Readonly<PlanCounts> {
  readonly entries: number;
  readonly bytes: number;
}

/** What is kept for all requests of one shape. */
export interface Planned<Plan, Writer> {
  readonly plan: Plan;
  readonly writer: Writer;
  /** About how much memory they take. */
  readonly bytes: number;
}

/**
 * About how much memory all plans may take, in bytes: shapes are as long as clients make them, and their number alone is not a bound.
 * `docs/reference/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = 176 * 1_048_576;

/** Keeps the plans of request shapes; the one that has not been used for longest goes first. */
export class PlanCache {
  readonly #plans: LRUCache<string, Planned<unknown, unknown>>;
  readonly #counts: PlanCounts;

  /** @param shapes how many plans are kept at most @param counts is counted up; caches that follow each other may share it */
  constructor(
    shapes: number,
    counts: PlanCounts = { hits: 0, misses: 0, evictions: 0 },
    maxBytes = MOST_BYTES,
  ) {
    this.#counts = counts;
    this.#plans = new LRUCache({
      max: shapes,
      maxSize: maxBytes,
      sizeCalculation: bytesOfEntry(({ bytes }) => bytes),
      dispose: (_planned, _key, why) => {
        if (why === 'evict') this.#counts.evictions += 1;
      },
    });
  }

  /** Returns the plan of a key; where there is none, it is made and kept. */
  planned(key: string, make: () => Planned<unknown, unknown>): Planned<unknown, unknown> {
    const known = this.#plans.get(key);
    if (known !== undefined) {
      this.#counts.hits += 1;
      return known;
    }
    this.#counts.misses += 1;
    const made = make();
    this.#plans.set(key, made);
    return made;
  }

  get stats(): CacheStats {
    const { size: entries, calculatedSize: bytes } = this.#plans;
    return { entries, bytes, ...this.#counts };
  }
}
