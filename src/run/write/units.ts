import { addTo } from '../../base/collections.ts';
import { withoutPadding } from '../../base/text.ts';
import { mapInSlices } from '../../base/time.ts';
import type { Dataclass } from '../../model/types.ts';
import { givenKey, tableId } from '../save/body-names.ts';
import type { WriteContext } from './attempt.ts';
import type { Element } from './outcome.ts';
import type { Tree } from './refused-commit.ts';

/**
 * How many entities one transaction writes: SQL Server locks a whole table where one statement holds 5,000 locks on it
 * (https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide#lock-escalation).
 */
const MOST_TOGETHER = 1000;

/** The entities that an object saves, itself and those within it, by table and key; spellings that may be of one key count as one. */
export function savedIds(
  { key, given, nested = [] }: Tree,
  { table, key: attributes }: Dataclass,
): readonly string[] {
  const columns = attributes.map(({ column }) => column.name);
  const own = key ?? givenKey(columns, given);
  const id = own?.map((part) => withoutPadding(part).toLowerCase());
  const within = nested.flatMap(({ relation: { target }, entities }) =>
    entities.flatMap((entity) => savedIds(entity, target)),
  );
  return id === undefined ? within : [JSON.stringify([tableId(table), ...id]), ...within];
}

/** Groups elements: those that save one entity are of one group, in the order of their first ones. */
export async function unitsOf<Item extends Tree>(
  items: readonly Item[],
  dataclass: Dataclass,
): Promise<Item[][]> {
  const saving = new Map<string, Item[]>();
  const left = new Map<Item, readonly string[]>();
  await mapInSlices(items, (item) => {
    const ids = savedIds(item, dataclass);
    left.set(item, ids);
    for (const id of ids) addTo(saving, id, item);
  });
  return items.flatMap((first) => {
    const unit = new Set<Item>(left.has(first) ? [first] : []);
    for (const item of unit) {
      for (const id of left.get(item) ?? []) {
        for (const other of saving.get(id) ?? []) unit.add(other);
        saving.delete(id);
      }
      left.delete(item);
    }
    return unit.size === 0 ? [] : [[...unit]];
  });
}

/** Whether an element has others within it. */
export function isCompound({ nested = [] }: Tree): boolean {
  return nested.length > 0;
}

/** How many entities an element is, those within it included. */
function sizeOf({ nested = [] }: Pick<Tree, 'nested'>): number {
  return nested
    .flatMap(({ entities }) => entities)
    .reduce((size, inner) => size + sizeOf(inner), 1);
}

/** Splits elements into pieces of {@link MOST_TOGETHER} entities, in the order of their first ones; a larger unit is a piece of its own. */
export async function piecesOf<Item extends Tree>(
  items: readonly Item[],
  { dataclass, body }: WriteContext,
): Promise<Item[][]> {
  if (body === undefined && !items.some(isCompound)) return sliced(items);
  const units = body === undefined ? items.map((item) => [item]) : await unitsOf(items, dataclass);
  const pieces: Item[][] = [];
  let room = 0;
  for (const unit of units) {
    const size = unit.reduce((sum, item) => sum + sizeOf(item), 0);
    const piece = pieces.at(-1);
    if (piece === undefined || size > room) {
      pieces.push(unit);
      room = MOST_TOGETHER - size;
    } else {
      piece.push(...unit);
      room -= size;
    }
  }
  return pieces.map((piece) => piece.sort(inBodyOrder));
}

/** Splits elements with no others within them. */
function sliced<Item>(items: readonly Item[]): Item[][] {
  const pieces: Item[][] = [];
  for (let at = 0; at < items.length; at += MOST_TOGETHER) {
    pieces.push(items.slice(at, at + MOST_TOGETHER));
  }
  return pieces;
}

/** Compares the places of two elements in their body. */
export function inBodyOrder(a: Element, b: Element): number {
  return a.index - b.index;
}
