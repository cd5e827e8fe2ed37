import type { CountRow } from './rows.ts';
import { page, type Entity } from './shapes.ts';
import type { Paged, Sql } from './statements.ts';

/** Which part of a list is asked for. */
export interface Window {
  readonly skip?: string;
  readonly top?: string;
}

export function windowOf({ skip = '0', top = '100' }: Window): { skip: number; top: number } {
  return { skip: Number(skip), top: Number(top) };
}

/**
 * Reads a page and how many rows there are, and answers both. What is filtered is expected to be short: a page that is not full tells the number itself. All
 * rows of a table are counted meanwhile, on another connection.
 * @param shape what is answered for the rows
 * @param values of the filter
 */
export async function pageOf(
  { query }: Sql,
  dataclass: string,
  statements: Paged,
  asked: Window,
  shape: (rows: readonly never[]) => readonly Entity[] | Promise<readonly Entity[]>,
  ...values: readonly string[]
): Promise<Entity> {
  const { skip, top } = windowOf(asked);
  const read = query<{ readonly stamp: number | string }>(statements.page, [top, skip, ...values]);
  const counting = values.length === 0 ? query<CountRow>(statements.count, []) : null;
  const rows = await read;
  const isTold = counting === null && rows.length < top && (rows.length > 0 || skip === 0);
  const count = isTold
    ? skip + rows.length
    : ((await (counting ?? query<CountRow>(statements.count, values)))[0]?.count ?? 0);
  return page(dataclass, {
    stamp: rows[0]?.stamp,
    entities: await shape(rows as readonly never[]),
    count,
    skip,
  });
}
