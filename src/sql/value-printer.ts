import type { ColumnType } from '../schema/types.ts';
import type { ColumnRef, OrderTerm, RelatedQuery } from './ir/ir.ts';
import type { Statement } from './ir/statement.ts';
import {
  type Aggregate,
  type AggregateQuery,
  type DistinctQuery,
  valueColumn,
  type ValueRows,
} from './ir/value-ir.ts';
import { QueryPrinter } from './printer.ts';
import { identifier, type PrintedOutput, selected } from './syntax.ts';

/** The alias of a subquery that computes values, before they are put into the form in which the driver loses nothing. */
const COMPUTED = 'a';

/** Prints queries for the values of rows, rather than for rows. */
export abstract class ValuePrinter extends QueryPrinter {
  /** A column of numbers as it is added up: so that no sum of many is too large, or loses digits. */
  protected abstract summand(column: ColumnRef): string;
  /** The first by code points of texts that are the same to the database. */
  protected abstract firstText(text: string, type: ColumnType): string;
  /** Whether texts of a column that are the same to the database are equal, character for character. */
  protected abstract isExact(type: ColumnType): boolean;

  protected override valueRows(rows: ValueRows): string {
    const { values, alias, keyColumns, window, distinct = false } = rows;
    const columns = values.map((value, index) =>
      named(value.kind === 'column' ? this.columnName(value) : this.jsonProperty(value), index),
    );
    const source = this.source(rows.from);
    const from =
      keyColumns === null
        ? source
        : `${this.keyList(keyColumns)} JOIN ${source} ON ${this.meetsClientsKeys(keyColumns)}`;
    return (
      `(SELECT ${distinct ? 'DISTINCT ' : ''}${columns.join(', ')} FROM ${from}` +
      this.joins(rows.joins) +
      this.where(rows) +
      this.orderBy(rows.orderBy, window === null ? '' : this.syntax.anyOrder) +
      `${window === null ? '' : this.window(window)}) ${alias}`
    );
  }

  protected override aggregate({ aggregates, ...query }: AggregateQuery): Statement {
    const computed = aggregates.map((one, index) => named(this.#aggregate(one), index));
    const outputs = this.#outputs(aggregates);
    return this.statement(
      `SELECT ${selected(outputs)} FROM (SELECT ${computed.join(', ')}` +
        ` FROM ${this.source(query.rows)}${this.where(query)}) ${COMPUTED}`,
      outputs.map(({ reader }) => reader),
    );
  }

  #outputs(columns: readonly { readonly type: ColumnType }[]): PrintedOutput[] {
    return columns.map(({ type }, index) => this.value(valueColumn(COMPUTED, index, type)));
  }

  #aggregate(aggregate: Aggregate): string {
    switch (aggregate.function) {
      case 'rows':
        return `${this.syntax.count}(*)`;
      case 'count':
        return `${this.syntax.count}(${this.columnName(aggregate.of)})`;
      case 'sum':
        return `SUM(${this.summand(aggregate.of)})`;
      case 'min':
        return this.extreme('MIN', aggregate.of);
      case 'max':
        return this.extreme('MAX', aggregate.of);
    }
  }

  /** The least or the greatest value of a column. Not all engines have one of bytes; their digits have the same order. */
  protected extreme(name: 'MIN' | 'MAX', column: ColumnRef): string {
    if (column.type.kind !== 'hex') return `${name}(${this.comparedColumn(column)})`;
    const { hexDigits, fromHexDigits } = this.syntax;
    return fromHexDigits(`${name}(${hexDigits(this.columnName(column))})`);
  }

  protected override distinct({ columns, descending, ...query }: DistinctQuery): Statement {
    const outputs = this.#outputs(columns);
    const shown: string[] = [];
    const least: string[] = [];
    const groups: string[] = [];
    const order: OrderTerm[] = [];
    for (const [index, { column, folded, type }] of columns.entries()) {
      const compared = this.comparedColumn(column);
      // Different texts may be in one group. They are ordered by their own collation.
      const isMerged = type.kind === 'text' && (folded || !this.isExact(type));
      const ordered = isMerged ? columns.length + index : index;
      shown.push(named(isMerged ? this.firstText(compared, type) : compared, index));
      if (isMerged) least.push(named(`MIN(${compared})`, ordered));
      groups.push(folded ? this.fold(compared, { kind: 'folded', operand: column }) : compared);
      const operand = valueColumn(COMPUTED, ordered, type);
      order.unshift({ operand: { ...operand, nullable: columns.length > 1 }, descending });
    }
    return this.statement(
      `SELECT ${selected(outputs)} FROM (SELECT ${[...shown, ...least].join(', ')}` +
        ` FROM ${this.source(query.rows)}${this.where(query)} GROUP BY ${groups.join(', ')}) ${COMPUTED}` +
        this.orderBy(order, this.syntax.anyOrder) +
        this.window(query.window),
      outputs.map(({ reader }) => reader),
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

/** A column of a subquery, named as {@link valueColumn} refers to it. */
function named(sql: string, index: number): string {
  return `${sql} AS ${identifier(`c${index}`)}`;
}
