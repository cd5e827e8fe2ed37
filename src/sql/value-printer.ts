import type { DatePart } from '../base/date-parts.ts';
import type { ColumnType } from '../schema/types.ts';
import type { ColumnRef, OrderTerm, RelatedQuery } from './ir/ir.ts';
import type { Statement } from './ir/statement.ts';
import {
  type Aggregate,
  type AggregateQuery,
  COMPUTED,
  type DistinctColumn,
  type DistinctQuery,
  type GroupsQuery,
  type SelectedValue,
  valueColumn,
  type ValueRows,
} from './ir/value-ir.ts';
import { QueryPrinter } from './printer.ts';
import { identifier, type PrintedOutput, selected } from './syntax.ts';

/** Prints queries for the values of rows, rather than for rows. */
export abstract class ValuePrinter extends QueryPrinter {
  /** A column of numbers as it is added up: so that no sum of many is too large, or loses digits. */
  protected abstract summand(column: ColumnRef): string;
  /** A sum divided by the number of its summands. */
  protected abstract quotient(sum: string, count: string, of: ColumnType): string;
  /** The first by code points of texts that are the same to the database. */
  protected abstract firstText(text: string, type: ColumnType): string;
  /** Whether texts of a column that are the same to the database are equal, character for character. */
  protected abstract isExact(type: ColumnType): boolean;
  /** A number, or null where a column of numbers holds what is none. */
  protected abstract number(column: ColumnRef): string;
  /** Whether a column holds NaN or an infinity; null where its type has neither. */
  protected abstract notNumber(column: ColumnRef): string | null;
  protected abstract datePart(column: ColumnRef, part: DatePart): string;
  protected abstract step(column: ColumnRef, size: string): string;
  /** Null as a value of a type. */
  protected abstract nothing(type: ColumnType): string;

  protected override valueRows(rows: ValueRows): string {
    return `(${this.#valueSelect(rows)}) ${rows.alias}`;
  }

  #valueSelect(rows: ValueRows): string {
    const { values, keyColumns, window, distinct = false } = rows;
    const columns = values.map((value, index) => named(this.#selectedValue(value), index));
    const source = this.source(rows.from);
    const from =
      keyColumns === null
        ? source
        : `${this.keyList(keyColumns)} JOIN ${source} ON ${this.meetsClientsKeys(keyColumns)}`;
    return (
      `SELECT ${distinct ? 'DISTINCT ' : ''}${columns.join(', ')} FROM ${from}` +
      this.joins(rows.joins) +
      this.where(rows) +
      this.orderBy(rows.orderBy, window === null ? '' : this.syntax.anyOrder) +
      (window === null ? '' : this.window(window))
    );
  }

  #selectedValue(value: SelectedValue): string {
    switch (value.kind) {
      case 'column':
        return this.columnName(value);
      case 'jsonProperty':
        return this.jsonProperty(value);
      case 'number':
        return this.number(value.operand);
      case 'datePart':
        return this.datePart(value.operand, value.part);
      case 'step':
        return this.step(value.operand, value.size);
      case 'present': {
        const isThere = { kind: 'isNull', negated: true, operand: value.operand } as const;
        return `CASE WHEN ${this.condition(isThere)} THEN 1 END`;
      }
      case 'row':
        return '1';
      case 'nothing':
        return this.nothing(value.type);
    }
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
      case 'distinct':
        return `${this.syntax.count}(DISTINCT ${this.#compared(aggregate.of, aggregate.folded)})`;
      case 'sum':
        return `SUM(${this.summand(aggregate.of)})`;
      case 'total':
        return `COALESCE(SUM(${this.summand(aggregate.of)}), 0)`;
      case 'average': {
        const { of } = aggregate;
        const [sum, count] = [`SUM(${this.summand(of)})`, `COUNT(${this.columnName(of)})`];
        return this.quotient(sum, `NULLIF(${count}, 0)`, of.type);
      }
      case 'min':
        return this.extreme('MIN', aggregate.of);
      case 'max':
        return this.extreme('MAX', aggregate.of);
    }
  }

  /** A column of which equal values are one. */
  #compared(column: ColumnRef, folded: boolean): string {
    const compared = this.comparedColumn(column);
    return folded ? this.fold(compared, { kind: 'folded', operand: column }) : compared;
  }

  /** The least or the greatest value of a column. Not all engines have one of bytes; their digits have the same order. */
  protected extreme(name: 'MIN' | 'MAX', column: ColumnRef): string {
    if (column.type.kind !== 'hex') return `${name}(${this.comparedColumn(column)})`;
    const { hexDigits, fromHexDigits } = this.syntax;
    return fromHexDigits(`${name}(${hexDigits(this.columnName(column))})`);
  }

  protected override distinct({ columns, descending, ...query }: DistinctQuery): Statement {
    const { compared, shown, outputs, by } = this.#grouped(columns, columns.length);
    const order = columns.map(({ type }, index): OrderTerm => {
      const operand = { ...valueColumn(COMPUTED, index, type), nullable: columns.length > 1 };
      return { operand, descending };
    });
    return this.statement(
      `SELECT ${selected(outputs)} FROM (SELECT ${[...compared, ...shown].join(', ')}` +
        ` FROM ${this.source(query.rows)}${this.where(query)}${by}) ${COMPUTED}` +
        this.orderBy(order.reverse(), this.syntax.anyOrder) +
        this.window(query.window),
      outputs.map(({ reader }) => reader),
    );
  }

  /**
   * Groups by columns. Different texts may be in one group: they are compared and ordered by their own collation, and one of them is shown, in a column of
   * its own. @param first the index of the first such column
   */
  #grouped(
    columns: readonly DistinctColumn[],
    first: number,
  ): {
    readonly compared: readonly string[];
    readonly shown: readonly string[];
    readonly outputs: readonly PrintedOutput[];
    readonly by: string;
  } {
    const compared: string[] = [];
    const shown: string[] = [];
    const outputs: PrintedOutput[] = [];
    for (const [index, { column, folded, type }] of columns.entries()) {
      const text = this.comparedColumn(column);
      const isMerged = type.kind === 'text' && (folded || !this.isExact(type));
      compared.push(named(isMerged ? `MIN(${text})` : text, index));
      const output = isMerged ? first + shown.length : index;
      if (isMerged) shown.push(named(this.firstText(text, type), output));
      outputs.push(this.value(valueColumn(COMPUTED, output, type)));
    }
    const by = columns.map(({ column, folded }) => this.#compared(column, folded));
    return {
      compared,
      shown,
      outputs,
      by: by.length === 0 ? '' : ` GROUP BY ${by.join(', ')}`,
    };
  }

  protected override groups(query: GroupsQuery): Statement {
    const { rows, groups, aggregates, doubted, having, window } = query;
    const { count, integerReader } = this.syntax;
    const grouped = this.#grouped(groups, groups.length + aggregates.length);
    const computed = aggregates.map((one, index) =>
      named(this.#aggregate(one), groups.length + index),
    );
    const [only, ...others] = rows;
    if (only === undefined) throw new Error('there are no rows to group');
    const source =
      others.length === 0
        ? this.source(only)
        : `(${rows.map((one) => this.#valueSelect(one)).join(' UNION ALL ')}) ${only.alias}`;
    const isShown = window !== null;
    const columns = [...grouped.compared, ...computed, ...(isShown ? grouped.shown : [])];
    const doubts = doubted.flatMap((column) => this.notNumber(column) ?? []);
    const doubt = doubts.join(' OR ');
    const where =
      having === null || doubt === ''
        ? this.where({ where: having })
        : ` WHERE (${this.condition(having)} OR ${doubt})`;
    const from = ` FROM (SELECT ${columns.join(', ')} FROM ${source}${grouped.by}) ${COMPUTED}${where}`;
    if (!isShown) return this.statement(`SELECT ${count}(*)${from}`, [integerReader]);
    const all = `${count}(*) OVER ()`;
    const outputs = [
      ...grouped.outputs,
      ...aggregates.map(({ type }, index) =>
        this.value(valueColumn(COMPUTED, groups.length + index, type)),
      ),
      {
        sql:
          doubt === ''
            ? all
            : `CASE WHEN ${count}(CASE WHEN ${doubt} THEN 1 END) OVER () = 0 THEN ${all} END`,
        reader: integerReader,
      },
    ];
    return this.statement(
      `SELECT ${selected(outputs)}${from}` +
        this.orderBy(query.orderBy, this.syntax.anyOrder) +
        this.window(window),
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
