import type { Parameter, SelectQuery } from '../ir/ir.ts';
import { isOfRequest } from '../together.ts';
import type { Statement, StatementParameter } from '../dialect.ts';
import { PostgresPrinter } from './printer.ts';

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
    const values = lists.map((number) => `${this.placeholder(number)}::text[]`);
    return this.statement(
      `SELECT s.*, k.o FROM unnest(${values.join(', ')}) WITH ORDINALITY` +
        ` AS k(${lists.map((number) => `v${number}, `).join('')}o)` +
        ` CROSS JOIN LATERAL (${text}) s`,
      [...readers, this.integerReader],
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
