import type { Dataclass } from '../model/types.ts';
import { type ColumnValue } from '../values/changes.ts';
import { isBytes } from '../values/stored-value.ts';
import { generatedKey } from '../plan/generated-key.ts';

/**
 * Equal for entities that one statement can write.
 * @param isAlone whether a statement can write one of them only; bytes make a statement of their own, too
 */
export function groupId(columns: readonly ColumnValue[], index: number, isAlone: boolean): string {
  const names = columns.map(({ column }) => column.name);
  return JSON.stringify(
    isAlone || columns.some(({ value }) => isBytes(value)) ? [...names, index] : names,
  );
}

/**
 * Whether new rows have to go in one by one: a trigger that stands in for the statement takes one, one that comes before it may
 * drop some, a row of defaults alone is one, and of keys that only the database knows identities alone tell which row is
 * which.
 */
export function isInsertedAlone(columns: readonly ColumnValue[], dataclass: Dataclass): boolean {
  const generated = generatedKey(columns, dataclass);
  return (
    columns.length === 0 ||
    (dataclass.table.instead?.includes('insert') ?? false) ||
    dataclass.table.beforeInsert === true ||
    generated.some(({ identity }) => !identity || generated.length > 1)
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
