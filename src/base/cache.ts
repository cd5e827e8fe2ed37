import { LRUCache } from 'lru-cache';

/**
 * Makes a cache of about so many bytes, which drops the least recently used values first. A value larger than the whole cache is not kept.
 * @param max how many values are kept; 0 for any number
 */
export function byteCache<Value extends object>(
  maxBytes: number,
  bytesOf: (value: Value) => number,
  max = 0,
): LRUCache<string, Value> {
  return new LRUCache({
    max,
    maxSize: maxBytes,
    sizeCalculation: bytesOfEntry(bytesOf),
  });
}

/** Makes the function by which a cache measures a value with its key, in bytes. */
export function bytesOfEntry<Value extends object>(
  bytesOf: (value: Value) => number,
): (value: Value, key: string) => number {
  return (value, key) => 2 * key.length + Math.max(1, bytesOf(value));
}

/** The cached value of a key; where there is none, it is made and cached. */
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
