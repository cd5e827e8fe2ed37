import type { ColumnRef, JsonProperty, RelatedQuery } from './ir/ir.ts';
import {
  type Aggregate,
  type AggregateQuery,
  type DistinctColumn,
  type DistinctQuery,
  valueColumn,
  type ValueRows,
} from './ir/value-ir.ts';
import type { ColumnType } from '../schema/types.ts';
import { type PrintedQuery, QueryPrinter } from './printer.ts';

/** Prints what is related to many rows at once. */
abstract class RelatedPrinter extends QueryPrinter {
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

/** The alias of what is made of a subquery's rows, below the form in which a driver loses nothing of it. */
const MADE = 'a';

/** Prints what is asked of the values of rows, rather than of rows. */
export abstract class ValuePrinter extends RelatedPrinter {
  /** A column of numbers as it is added up: so that no sum of many is too large, or loses digits. */
  protected abstract summand(column: ColumnRef): string;
  /** Of texts that are the same to the database the one that comes first by code points. @param type that of the column */
  protected abstract firstText(text: string, type: ColumnType): string;

  /** Whether texts of a column that the database takes for the same are the same, character for character. */
  protected abstract isExact(type: ColumnType): boolean;

  protected override valueRows(rows: ValueRows): string {
    const { values, alias, keyColumns, window, distinct = false } = rows;
    const columns = values.map(
      (value, index) => `${this.#plain(value)} AS ${this.identifier(`c${index}`)}`,
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
      this.orderBy(rows.orderBy, window === null ? '' : this.anyOrder) +
      `${window === null ? '' : this.window(window)}) ${alias}`
    );
  }

  /** A value as it stands in its column. */
  #plain(value: ColumnRef | JsonProperty): string {
    return value.kind === 'column' ? this.columnName(value) : this.jsonProperty(value);
  }

  protected override aggregate(query: AggregateQuery): PrintedQuery {
    const made = query.aggregates.map(
      (aggregate, index) => `${this.#aggregate(aggregate)} AS ${this.identifier(`c${index}`)}`,
    );
    const outputs = query.aggregates.map(({ type }, index) =>
      this.value(valueColumn(MADE, index, type)),
    );
    return {
      text:
        `SELECT ${outputs.map(({ sql }) => sql).join(', ')} FROM (SELECT ${made.join(', ')}` +
        ` FROM ${this.source(query.rows)}${this.where(query)}) ${MADE}`,
      readers: outputs.map(({ reader }) => reader),
    };
  }

  #aggregate(aggregate: Aggregate): string {
    switch (aggregate.function) {
      case 'rows':
        return this.countExpression('');
      case 'count':
        return this.countOf(this.columnName(aggregate.of));
      case 'sum':
        return `SUM(${this.summand(aggregate.of)})`;
      case 'min':
        return this.extreme('MIN', aggregate.of);
      case 'max':
        return this.extreme('MAX', aggregate.of);
    }
  }

  /** How many rows have a value. */
  protected abstract countOf(expression: string): string;

  /** The least or the greatest value of a column, as its type orders them. */
  protected extreme(name: 'MIN' | 'MAX', column: ColumnRef): string {
    return `${name}(${this.comparedColumn(column)})`;
  }

  protected override distinct(query: DistinctQuery): PrintedQuery {
    const { columns, descending } = query;
    const outputs = columns.map(({ type }, index) => this.value(valueColumn(MADE, index, type)));
    const order = columns.map((column, index) => ({
      operand: {
        ...valueColumn(MADE, this.#merges(column) ? columns.length + index : index, column.type),
        nullable: columns.length > 1,
      },
      descending,
    }));
    const made = [
      ...columns.map((column) => this.#shown(column)),
      // Texts are in the order of their own collation.
      ...columns.map((column) => (this.#merges(column) ? `MIN(${this.#compared(column)})` : null)),
    ].flatMap((sql, index) => (sql === null ? [] : `${sql} AS ${this.identifier(`c${index}`)}`));
    const groups = columns.map(({ column, folded }) => {
      const compared = this.comparedColumn(column);
      return folded ? this.fold(compared, { kind: 'folded', operand: column }) : compared;
    });
    return {
      text:
        `SELECT ${outputs.map(({ sql }) => sql).join(', ')} FROM (SELECT ${made.join(', ')}` +
        ` FROM ${this.source(query.rows)}${this.where(query)} GROUP BY ${groups.join(', ')}) ${MADE}` +
        this.orderBy(order.toReversed(), this.anyOrder) +
        this.window(query.window),
      readers: outputs.map(({ reader }) => reader),
    };
  }

  #compared({ column }: DistinctColumn): string {
    return this.comparedColumn(column);
  }

  /** The value that stands for all that are the same. */
  #shown(column: DistinctColumn): string {
    return this.#merges(column)
      ? this.firstText(this.#compared(column), column.type)
      : this.#compared(column);
  }

  /** Whether values that are one here may differ. */
  #merges({ type, folded }: DistinctColumn): boolean {
    return type.kind === 'text' && (folded || !this.isExact(type));
  }
}
