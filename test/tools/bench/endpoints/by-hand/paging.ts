import type { CountRow } from './rows.ts';
import type { Prepared, Sql, Value } from './statements.ts';

/** Which part of a list is asked for. */
export interface Window {
  readonly skip?: string;
  readonly top?: string;
}

export function windowOf({ skip = '0', top = '100' }: Window): { skip: number; top: number } {
  return { skip: Number(skip), top: Number(top) };
}

/** The rows of a page, and what goes with them. */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly stamp: number | string | undefined;
  readonly count: number;
  readonly skip: number;
}

/**
 * Reads a page and how many rows there are. What is filtered is expected to be short: a page that is not full tells the number itself. All
 * rows of a table are counted meanwhile, on another connection.
 * @param values of the filter
 */
export async function pageOf<Row extends { readonly stamp: number | string }>(
  { query }: Sql,
  statement: Prepared,
  count: Prepared,
  { skip, top }: { readonly skip: number; readonly top: number },
  values: readonly Value[] = [],
): Promise<Found<Row>> {
  const read = query<Row>(statement, [top, skip, ...values]);
  const counting = values.length === 0 ? query<CountRow>(count, values) : null;
  const rows = await read;
  const found = { rows, stamp: rows[0]?.stamp, skip };
  const shown = rows.length < top && (rows.length > 0 || skip === 0);
  if (counting === null && shown) return { ...found, count: skip + rows.length };
  const [counted] = await (counting ?? query<CountRow>(count, values));
  return { ...found, count: counted?.count ?? 0 };
}
