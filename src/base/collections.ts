/** One of a list in no order, that knows where it stands; -1 where it has left. */
export interface Placed {
  place: number;
}

/**
 * Takes one out of a list that much comes to and leaves: the last one takes its place. A Map or a Set would make a new table of itself every few of them, and V8
 * has each old table lead to the next: once one has grown old, its young collections keep all that come after it, with what they hold.
 */
export function leave<One extends Placed>(list: One[], own: One): void {
  const { place } = own;
  if (place === -1) return;
  own.place = -1;
  const last = list.pop();
  if (last === undefined || last === own) return;
  list[place] = last;
  last.place = place;
}

/** Adds an item to those of its key; groups stand in the order of the first of each. */
export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}
