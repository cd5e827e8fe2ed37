import type { RelatedQuery } from './ir/ir.ts';
import { QueryPrinter, type PrintedQuery } from './printer.ts';

/** Prints what is related to many rows at once. */
export abstract class RelatedPrinter extends QueryPrinter {
  /**
   * One pass over the related rows of all parents: ROW_NUMBER cuts each parent's list, COUNT tells its length. The
   * parents' keys arrive as one JSON parameter, so that the text does not change with their number.
   */
  protected override related(query: RelatedQuery): PrintedQuery {
    const outputs = query.outputs.map((output) => this.output(output));
    const columns = outputs.map((_, index) => `, x.c${index}`).join('');
    const inner =
      `SELECT k.o AS o, ${this.countExpression('OVER (PARTITION BY k.o)')} AS n,` +
      ` ROW_NUMBER() OVER (PARTITION BY k.o${this.orderBy(query.orderBy, this.anyOrder)}) AS r` +
      outputs.map(({ sql }, index) => `, ${sql} AS c${index}`).join('') +
      ` FROM ${this.#keysJoined(query)}${this.joins(query.joins)}${this.where(query)}`;
    return {
      text:
        `SELECT x.o, x.n${columns} FROM (${inner}) x WHERE x.r <= ${query.perKey}` +
        ' ORDER BY x.o, x.r',
      readers: [this.integerReader, this.integerReader, ...outputs.map(({ reader }) => reader)],
    };
  }

  /** The keys joined to the wanted table, directly or over link tables whose repeated links are dropped. */
  #keysJoined(query: RelatedQuery): string {
    const keys = this.keyList(query.keyColumns);
    const meetsKeys = this.meetsKeys(query.keyColumns);
    const target = this.source(query.from);
    const [first] = query.via;
    const last = query.via.at(-1);
    if (first === undefined || last === undefined) return `${keys} JOIN ${target} ON ${meetsKeys}`;
    const linked = last.on.map(([left], index) => `, ${this.columnName(left)} AS j${index}`);
    const reaches = last.on.map(([, right], index) => `${this.columnName(right)} = k.j${index}`);
    return (
      `(SELECT DISTINCT k.o${linked.join('')} FROM ${keys} JOIN ${this.source(first.table)}` +
      ` ON ${meetsKeys}${this.andWhere(first.where)}${this.links(query.via)}) k JOIN ${target} ON ${reaches.join(' AND ')}`
    );
  }

  /** The link tables behind the first one, joined to it. */
  protected links(via: RelatedQuery['via']): string {
    const links = via.slice(1).map(({ table, where }, index) => {
      const on = this.equalities(via[index]?.on ?? []);
      return ` JOIN ${this.source(table)} ON ${on}${this.andWhere(where)}`;
    });
    return links.join('');
  }
}
