import type { ColumnRef, Parameter, SelectQuery, Window } from '../ir/ir.ts';
import type { Statement, StatementParameter } from '../dialect.ts';
import { PostgresPrinter } from './printer.ts';
import { integerReader } from './readers.ts';
import { isOfRequest } from '../statement.ts';

/**
 * Prints reads of several requests at once: the query for each row of the lists of their values.
 * https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-LATERAL
 */
export class PostgresTogetherPrinter extends PostgresPrinter {
  /** @returns null where nothing of the query is a request's, or a request gives it more than plain values */
  printTogether(query: SelectQuery): Statement | null {
    const { text, parameters, readers } = this.print(query);
    const lists = parameters.flatMap((parameter, index) =>
      isOfRequest(parameter) ? [index + 1] : [],
    );
    if (lists.length === 0 || !parameters.every(isPlain)) return null;
    const values = lists.map((number) => `$${number}::text[]`);
    return this.statement(
      `SELECT s.*, k.o FROM unnest(${values.join(', ')}) WITH ORDINALITY` +
        ` AS k(${lists.map((number) => `v${number}, `).join('')}o)` +
        ` CROSS JOIN LATERAL (${text}) s`,
      [...readers, integerReader],
    );
  }

  protected override given(parameter: Parameter): string {
    const placeholder = super.given(parameter);
    return isOfRequest(parameter) ? `k.v${placeholder.slice(1)}` : placeholder;
  }
}

function isPlain(parameter: StatementParameter): boolean {
  if (parameter.kind === 'constant') return true;
  return parameter.kind === 'parameter' && (parameter.use === 'value' || parameter.use === 'count');
}

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
