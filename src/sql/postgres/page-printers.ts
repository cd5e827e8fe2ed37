import type { ColumnRef, Parameter, SelectQuery, Window } from '../ir/ir.ts';
import { isOfRequest, type Statement, type StatementParameter } from '../ir/statement.ts';
import { PostgresPrinter } from './printer.ts';
import { integerReader } from './readers.ts';

/**
 * Prints one read for several requests: the query for each row of the lists of their values, by LATERAL
 * (https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-LATERAL).
 */
export class PostgresTogetherPrinter extends PostgresPrinter {
  /** @returns null for a query without values of a request, or with others than plain values */
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

/** The alias of the subquery's table. */
const SKIPPED = 's';

/**
 * Prints pages with a large offset. A skipped row is read whole and its outputs are computed; so the page's first row is found by its key, in
 * the index alone (https://www.postgresql.org/docs/current/indexes-index-only-scans.html).
 */
export class PostgresDeepPagePrinter extends PostgresPrinter {
  #beginning = '';

  /** Prints a page; null if no rows are skipped or the columns are not compared as they are. @param key the unique columns of the order */
  printDeepPage(query: SelectQuery, key: readonly ColumnRef[]): Statement | null {
    const offset = query.window?.offset ?? null;
    if (offset === null) return null;
    if (key.some((column) => this.comparedColumn(column) !== this.columnName(column))) return null;
    const skipped = key.map((column) => this.columnName({ ...column, alias: SKIPPED })).join(', ');
    const own = key.map((column) => this.columnName(column)).join(', ');
    const first =
      `SELECT ${skipped} FROM ${this.source({ ...query.from, alias: SKIPPED })} ORDER BY ${skipped}` +
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
