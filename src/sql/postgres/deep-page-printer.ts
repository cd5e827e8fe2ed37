import type { ColumnRef, SelectQuery, Window } from '../ir/ir.ts';
import type { Statement } from '../dialect.ts';
import { PostgresPrinter } from './printer.ts';

/** A subquery's table. */
const SOUGHT = 's';

/**
 * Prints pages that begin far in. A row that is skipped is read whole, and all that is selected is computed of it; so the first row of the page is looked for by its key alone,
 * for which the server reads nothing but the index, as far as it knows from its visibility map that all see the rows
 * (https://www.postgresql.org/docs/current/indexes-index-only-scans.html).
 */
export class PostgresDeepPagePrinter extends PostgresPrinter {
  #beginning = '';

  /**
   * @param key what the rows are in the order of, and no two of them are equal in
   * @returns null where there is nothing to skip, or the columns are not compared as they are
   */
  printDeepPage(query: SelectQuery, key: readonly ColumnRef[]): Statement | null {
    const offset = query.window?.offset ?? null;
    if (offset === null) return null;
    if (key.some((column) => this.comparedColumn(column) !== this.columnName(column))) return null;
    const sought = key.map((column) => this.columnName({ ...column, alias: SOUGHT })).join(', ');
    const own = key.map((column) => this.columnName(column)).join(', ');
    const first =
      `SELECT ${sought} FROM ${this.source({ ...query.from, alias: SOUGHT })} ORDER BY ${sought}` +
      ` LIMIT 1 OFFSET ${this.parameter(offset)}`;
    this.#beginning = ` WHERE ${key.length === 1 ? own : `(${own})`} >= (${first})`;
    return this.print(query);
  }

  protected override where(): string {
    return this.#beginning;
  }

  protected override window({ limit }: Window): string {
    return super.window({ offset: null, limit });
  }
}
