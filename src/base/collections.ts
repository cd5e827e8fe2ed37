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
