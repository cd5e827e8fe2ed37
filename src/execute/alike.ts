import type { Dataclass } from '../model/types.ts';
import { untoldKey, type ColumnValue } from '../plan/changes.ts';
import { Content } from '../plan/stored-value.ts';

/** What the rows of a statement hold: all but the bytes, which are parameters of their own. */
export function cells(columns: readonly ColumnValue[]): (string | null)[] {
  return columns.flatMap(({ value }) => (value instanceof Content ? [] : [value]));
}

/**
 * Equal for entities that one statement can write.
 * @param isAlone whether a statement can write one of them only; bytes make a statement of their own, too
 */
export function groupId(columns: readonly ColumnValue[], index: number, isAlone: boolean): string {
  const names = columns.map(({ column }) => column.name);
  return JSON.stringify(
    isAlone || columns.some(({ value }) => value instanceof Content) ? [...names, index] : names,
  );
}

/**
 * Whether new rows have to go in one by one: a trigger that stands in for the statement takes one, one that comes before it may
 * drop some, a row of defaults alone is one, and of keys that only the database knows identities alone tell which row is
 * which.
 */
export function isInsertedAlone(columns: readonly ColumnValue[], dataclass: Dataclass): boolean {
  const untold = untoldKey(columns, dataclass);
  return (
    columns.length === 0 ||
    (dataclass.table.instead?.includes('insert') ?? false) ||
    dataclass.table.beforeInsert === true ||
    untold.some(({ identity }) => !identity || untold.length > 1)
  );
}

/** Items by what identifies their group, in the order of the first of each. */
export function grouped<Item>(items: readonly Item[], id: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = id(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
