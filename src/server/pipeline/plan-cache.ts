import { LRUCache } from 'lru-cache';

/**
 * About how much memory all plans may take, in bytes: shapes are as long as clients make them, and their number alone is not a bound.
 * `docs/configuration.md` has the sum, the statements that write included.
 */
const MOST_BYTES = 176 * 1_048_576;

/** Keeps the plans of request shapes; the one that has not been used for longest goes first. */
export class PlanCache {
  readonly #plans: LRUCache<string, object>;

  /** @param shapes how many request shapes keep their plan */
  constructor(shapes: number, maxBytes = MOST_BYTES) {
    this.#plans = new LRUCache({ max: shapes, maxSize: maxBytes });
  }

  get size(): number {
    return this.#plans.size;
  }

  get bytes(): number {
    return this.#plans.calculatedSize;
  }

  /**
   * The plan under a key; where there is none, it is made and kept, unless it is larger than the cache.
   * @param key names the type of the plan, too
   * @throws what `make` throws
   */
  get<Plan extends object>(
    key: string,
    make: () => { readonly plan: Plan; readonly bytes: number },
  ): Plan {
    const known = this.#plans.get(key) as Plan | undefined;
    if (known !== undefined) return known;
    const { plan, bytes } = make();
    this.#plans.set(key, plan, { size: 2 * key.length + Math.max(1, bytes) });
    return plan;
  }
}
