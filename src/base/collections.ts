import { LRUCache } from 'lru-cache';

/** An item of an unordered list with its index in the list; -1 when it was removed. */
export interface Indexed {
  index: number;
}

/**
 * Removes an item from a list that changes often: the last item takes its index. A Map or a Set would make a new table every few items, and V8 has each old
 * table refer to the next: once one has grown old, young collections keep all later ones with their items.
 */
export function leave<One extends Indexed>(list: One[], own: One): void {
  const { index } = own;
  if (index === -1) return;
  own.index = -1;
  const last = list.pop();
  if (last === undefined || last === own) return;
  list[index] = last;
  last.index = index;
}

/** Adds an item to the group of its key; the groups stand in the order of their first items. */
export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** The pairs of items at the same index of two lists of one length. */
export function zip<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): (readonly [One, Other])[] {
  return ones.map((one, index) => {
    const other = others[index];
    if (other === undefined) throw new Error('two lists differ in length');
    return [one, other];
  });
}

/** Whether a value is an object with named members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** The value of a key in a cache or a map; where there is none, it is made and kept. */
export function memoize<Key, Made extends object>(
  cache: {
    readonly get: (key: Key) => Made | undefined;
    readonly set: (key: Key, made: Made) => unknown;
  },
  key: Key,
  make: () => Made,
): Made {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
