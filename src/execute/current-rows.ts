import type { StorageAttribute } from '../model/types.ts';
import type { Column } from '../schema/types.ts';
import type { KeyTexts } from '../values/body-key.ts';
import type { Attempt } from './attempt.ts';
import { cellJson, cellText } from './run.ts';

/** What a row holds before it is changed. */
export interface CurrentRow {
  readonly key: KeyTexts;
  readonly stamp: string;
  /** What a column holds, by its name; null for null. */
  readonly column: (name: string) => string | null;
  /** What is answered of a column, by its name, as JSON text; null where that is not known. */
  readonly json: (name: string) => string | null;
}

/**
 * Reads what rows hold before they are changed, all by one statement.
 * @param attributes those whose values address the rows
 * @param columns what of the rows is compared with what they are given
 * @returns for each key its row; null where there is none
 */
export async function currentRows(
  attributes: readonly StorageAttribute[],
  keys: readonly KeyTexts[],
  columns: readonly Column[],
  { statements, source }: Attempt,
): Promise<(CurrentRow | null)[]> {
  if (keys.length === 0) return [];
  const { plan, statement } = statements.current(attributes, columns);
  const found = keys.map((): CurrentRow | null => null);
  for (const row of await source.run(statement, { rows: keys })) {
    found[Number(row[0])] = {
      key: plan.key.map((index) => cellText(statement, row, index) ?? ''),
      stamp: cellText(statement, row, plan.stamp) ?? '',
      column: (name) => {
        const index = plan.columns.get(name);
        // What is not read, the bytes of an image or BLOB, equals nothing that it is given.
        return index === undefined ? '' : cellText(statement, row, index);
      },
      json: (name) => {
        const index = plan.columns.get(name);
        return index === undefined ? null : cellJson(statement, row, index);
      },
    };
  }
  return found;
}

/** Equal for equal keys. */
export function keyId(key: readonly (string | null)[]): string {
  return JSON.stringify(key);
}

/**
 * Rows in the order of their keys: two requests that change the same ones lock them one after the other, not each the other's.
 */
export function inKeyOrder<Item extends { readonly current: CurrentRow }>(
  items: readonly Item[],
): Item[] {
  return items
    .map((item) => ({ item, id: keyId(item.current.key) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ item }) => item);
}
