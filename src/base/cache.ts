import { LRUCache } from 'lru-cache';

/** How much a cache keeps; what has not been used for longest goes first. */
export interface CacheBounds<Value> {
  /** About how much memory its keys and values may take, in bytes. */
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
  /** How many values; any number where it is left out. */
  readonly max?: number;
}

/** A cache that is bounded in bytes. A value that is larger than all of it is not kept. */
export function byteCache<Value extends object>({
  maxBytes,
  bytesOf,
  max,
}: CacheBounds<Value>): LRUCache<string, Value> {
  return new LRUCache({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => 2 * key.length + Math.max(1, bytesOf(value)),
    ...(max === undefined ? {} : { max }),
  });
}

/** What a cache has for a key; where it has nothing, it is made now and kept. */
export function memoize<Made extends object>(
  cache: LRUCache<string, Made>,
  key: string,
  make: () => Made,
): Made {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
