import type {
  ColumnRef,
  Comparison,
  Condition,
  Folded,
  Join,
  JsonProperty,
  KeyedQuery,
  Likeness,
  Operand,
  OrderTerm,
  Output,
  Parameter,
  RelatedQuery,
  SelectQuery,
  Source,
  StampSource,
  TableSource,
  Window,
} from './ir/ir.ts';
import {
  ALL_IN_RANGE,
  type OutOfRange,
  type Query,
  type Reader,
  type Statement,
  statementName,
  type StatementParameter,
} from './ir/statement.ts';
import type { AggregateQuery, DistinctQuery, GroupsQuery, ValueRows } from './ir/value-ir.ts';
import type { DialectSettings } from './dialect.ts';
import { isPadded } from '../schema/type-rules.ts';
import { textReader } from './readers.ts';
import {
  alsoSelected,
  identifier,
  isOneWhereEqual,
  type PrintedOutput,
  qualified,
  rowsOf,
  selected,
  type Syntax,
} from './syntax.ts';

/**
 * Prints one statement, and is then thrown away. What dialects share is here and in {@link ValuePrinter}; where a template is enough, they differ
 * in their {@link Syntax}, otherwise in methods that they override.
 */
export abstract class QueryPrinter {
  protected abstract readonly syntax: Syntax;
  /** The effect of the printed statements. */
  protected readonly effect: Statement['effect'] = 'read';
  readonly settings: DialectSettings;
  readonly #outOfRange: OutOfRange;
  readonly #parameters: StatementParameter[] = [];
  /** The numbers of the parameters; those of fixed values by what they are. */
  readonly #numbers = new Map<StatementParameter | string, number>();
  /** The calculated attributes that are printed; undefined for those that the request does not name. */
  readonly #computed = new Set<string | undefined>();

  constructor(settings: DialectSettings, outOfRange: OutOfRange = ALL_IN_RANGE) {
    this.settings = settings;
    this.#outOfRange = outOfRange;
  }

  protected abstract related(query: RelatedQuery): Statement;
  protected abstract aggregate(query: AggregateQuery): Statement;
  protected abstract distinct(query: DistinctQuery): Statement;
  protected abstract groups(query: GroupsQuery): Statement;
  /** A subquery as a source. */
  protected abstract valueRows(rows: ValueRows): string;
  /** A value parameter as an expression of the type it is compared as. */
  protected abstract parameter(parameter: Parameter): string;
  /** A column as it is compared, where that differs from its name. */
  protected abstract comparedColumn(column: ColumnRef): string;
  /** A JSON property as the type it is compared as; null where it is of another type, or missing. */
  protected abstract jsonProperty(property: JsonProperty): string;
  /** Whether a column that holds JSON holds JSON's null; unknown where it holds nothing. */
  protected abstract isJsonNull(column: ColumnRef): string;
  /** Whether an operand equals a value of a list that its type has. @param isNegated as in {@link condition} */
  protected abstract inList(left: Operand, list: Parameter, isNegated: boolean): string;
  protected abstract window(window: Window): string;
  /** A column in a form in which the driver loses nothing of it. */
  protected abstract value(column: ColumnRef): PrintedOutput;
  /** A version stamp as a bigint, before it is cut to its bits. */
  protected abstract rawStamp(source: StampSource): string;
  /** Keys that arrive as one parameter as a source `k` with the columns `o`, `k0`, `k1`, … */
  protected abstract keySource(keys: StatementParameter, columns: readonly ColumnRef[]): string;
  /** A key part of {@link keySource} as it is compared with a column. */
  protected abstract keyPart(column: ColumnRef, index: number): string;
  /** A condition without which a client's key part could equal another value; null where there is none. */
  protected abstract keyPartCondition(column: ColumnRef, index: number): string | null;

  /** Prints a query with its parameters and the readers of its columns. */
  print(query: Query): Statement {
    switch (query.kind) {
      case 'select':
        return this.#select(query);
      case 'count':
        return this.statement(
          `SELECT ${this.syntax.count}(*) FROM ${this.from(query)}${this.where(query)}`,
          [this.syntax.integerReader],
        );
      case 'related':
        return this.related(query);
      case 'keyed':
        return this.#keyed(query);
      case 'globalStamp':
        return this.statement(`SELECT ${this.syntax.globalStamp}`, [this.syntax.integerReader]);
      case 'versionBound': {
        const bound = this.syntax.versionBound[query.of];
        if (bound === null) throw new Error(`the engine has no ${query.of}`);
        const columns = bound(qualified(query.table));
        return this.statement(
          `SELECT ${columns.join(', ')}`,
          columns.map(() => textReader),
        );
      }
      case 'aggregate':
        return this.aggregate(query);
      case 'distinct':
        return this.distinct(query);
      case 'groups':
        return this.groups(query);
    }
  }

  /** A text with the parameters that were added while it was printed. */
  protected statement(text: string, readers: readonly Reader[], effect = this.effect): Statement {
    const parameters = this.#parameters;
    const statement = { name: statementName(text), text, effect, readers, parameters };
    if (this.#computed.size === 0) return statement;
    return { computed: [...this.#computed].filter((name) => name !== undefined), ...statement };
  }

  /** Adds a parameter, unless it or an equal one that is given the same value is there. @returns its placeholder */
  protected add(parameter: StatementParameter): string {
    const id = isOneWhereEqual(parameter) ? JSON.stringify(parameter) : parameter;
    const known = this.#numbers.get(id);
    if (known !== undefined) return this.syntax.placeholder(known);
    this.#parameters.push(parameter);
    this.#numbers.set(id, this.#parameters.length);
    return this.syntax.placeholder(this.#parameters.length);
  }

  /** A column by the name of its source here, or its expression. */
  protected columnName({ alias, name, expression, computes, guard }: ColumnRef): string {
    const column = (of: string): string => `${this.sourceName(alias)}.${identifier(of)}`;
    if (expression === undefined) return column(name);
    this.#computed.add(computes);
    const computed = expression
      .map((part) => (typeof part === 'string' ? part : column(part.column)))
      .join('');
    // A CASE computes nothing but what it comes to, if its branches have neither aggregates nor subqueries
    // (https://learn.microsoft.com/sql/t-sql/language-elements/case-transact-sql).
    return guard === undefined
      ? computed
      : `CASE WHEN ${this.condition(guard)} THEN ${computed} END`;
  }

  /** How a source is named where its columns are. */
  protected sourceName(alias: string): string {
    return alias;
  }

  protected operand(value: Operand): string {
    switch (value.kind) {
      case 'column':
        return this.comparedColumn(value);
      case 'parameter':
        return this.parameter(value);
      case 'jsonProperty':
        return this.jsonProperty(value);
      case 'true':
        return this.syntax.trueValue;
      case 'folded':
        return this.fold(this.operand(value.operand), value);
    }
  }

  /**
   * Prints a condition; compound ones in parentheses, so that the text reads as the tree does. @param isNegated whether it is below an odd number of
   * NOTs: there unknown may be printed as true, elsewhere as false, because rows are found only where the whole condition is true.
   */
  condition(node: Condition, isNegated = false): string {
    switch (node.kind) {
      case 'and':
      case 'or': {
        if (node.items.length === 0) return this.syntax.constantCondition(node.kind === 'and');
        const joint = node.kind === 'and' ? ' AND ' : ' OR ';
        return `(${node.items.map((item) => this.condition(item, isNegated)).join(joint)})`;
      }
      case 'not':
        return `NOT (${this.condition(node.item, !isNegated)})`;
      case 'isNotTrue':
        return this.syntax.isNotTrue(this.condition(node.item));
      case 'compare':
        return this.comparison(node);
      case 'like':
        return this.likeness(node);
      case 'in':
        return this.isOutOfRange(node.right)
          ? this.#againstItself(node.left, '<>')
          : this.inList(node.left, node.right, isNegated);
      case 'keyIn': {
        const { columns, keys } = node;
        const source = this.keySource(keys, columns);
        return `EXISTS (SELECT 1 FROM ${source} WHERE ${this.meetsClientsKeys(columns)})`;
      }
      case 'isNull': {
        const { operand, negated } = node;
        if (operand.kind === 'column' && operand.type.kind === 'json') {
          const isNull = `${this.columnName(operand)} IS NULL OR ${this.isJsonNull(operand)}`;
          return negated ? `NOT (${isNull})` : `(${isNull})`;
        }
        const value =
          operand.kind === 'jsonProperty' ? { ...operand, as: 'any' as const } : operand;
        return `${this.operand(value)} IS ${negated ? 'NOT ' : ''}NULL`;
      }
      case 'exists':
        return `EXISTS (SELECT 1 FROM ${this.from(node)}${this.where(node)})`;
      case 'changedBefore': {
        // https://learn.microsoft.com/sql/relational-databases/system-functions/changetable-transact-sql
        const alias = this.sourceName(node.alias);
        const isBefore = `${alias}.SYS_CHANGE_VERSION < ${this.parameter(node.until)}`;
        return node.isDeletion ? `(${isBefore} AND ${alias}.SYS_CHANGE_OPERATION = 'D')` : isBefore;
      }
      case 'writtenIn': {
        // A row has the last 32 bits of its transaction's number.
        const [since, until] = [this.parameter(node.since), this.parameter(node.until)];
        const xmin = this.rawStamp({ kind: 'xmin', alias: this.sourceName(node.alias) });
        return `((${xmin} - ${since}) & 4294967295) < ${until} - ${since}`;
      }
    }
  }

  /**
   * Prints a comparison. With a value out of the type's range, and of a column with itself, it is true of all values or of none, and unknown of
   * null. For a value between two of the type's, the lower one is bound, which is less.
   */
  protected comparison({ left, operator, right }: Comparison): string {
    const isValue = left.kind !== 'folded' && right.kind === 'parameter';
    const side = isValue ? this.#outOfRange.get(right) : undefined;
    const one = this.operand(left);
    if (side === undefined) return `${one} ${operator} ${this.operand(right)}`;
    if (side === 'between' && operator !== '=' && operator !== '<>') {
      return `${one} ${operator.startsWith('<') ? '<=' : '>'} ${this.operand(right)}`;
    }
    const isTrue = operator === '<>' || operator.startsWith(side === 'above' ? '<' : '>');
    return this.#againstItself(left, isTrue ? '=' : '<>');
  }

  /** A condition that is true of all values or of none, and unknown of null. */
  #againstItself(operand: Operand, operator: '=' | '<>'): string {
    return `${this.operand(operand)} ${operator} ${this.operand(operand)}`;
  }

  /** Whether an operand is a parameter whose values no value of its type equals. */
  protected isOutOfRange(operand: Operand): boolean {
    return operand.kind === 'parameter' && this.#outOfRange.has(operand);
  }

  protected likeness({ left, negated, right }: Likeness): string {
    const like = negated ? 'NOT LIKE' : 'LIKE';
    return `${this.patternOperand(left)} ${like} ${this.operand(right)}${this.syntax.likeEscape}`;
  }

  /** An operand as it meets a LIKE pattern. */
  protected patternOperand(value: Operand): string {
    if (value.kind === 'column') return this.patternColumn(value);
    if (value.kind === 'folded') return this.fold(this.patternOperand(value.operand), value);
    return this.operand(value);
  }

  /** A column as it meets a LIKE pattern: without padding. */
  protected patternColumn(column: ColumnRef): string {
    return isPadded(column.type)
      ? this.syntax.unpadded(this.columnName(column))
      : this.comparedColumn(column);
  }

  /** An operand's text in one case. */
  protected fold(text: string, { operand }: Folded): string {
    const isOneCase = operand.kind !== 'jsonProperty' && this.syntax.ignoresCase(operand.type);
    return isOneCase ? text : `LOWER(${text})`;
  }

  #select(query: SelectQuery): Statement {
    const outputs = query.outputs.map((output) => this.output(output));
    return this.statement(
      `SELECT ${selected(outputs)} FROM ${this.from(query)}` +
        this.where(query) +
        this.orderBy(query.orderBy, query.window === null ? '' : this.syntax.anyOrder) +
        (query.window === null ? '' : this.window(query.window)),
      outputs.map(({ reader }) => reader),
    );
  }

  /** The keys arrive as one JSON parameter, so that the text does not change with their number. */
  #keyed(query: KeyedQuery): Statement {
    const { lock, keyColumns } = query;
    const outputs = query.outputs.map((output) => this.output(output));
    return this.statement(
      `SELECT k.o${alsoSelected(outputs)}` +
        ` FROM ${this.keyList(keyColumns)} JOIN ${this.source(query.from)}` +
        (lock === undefined ? '' : this.syntax.lockHint) +
        ` ON ${this.meetsClientsKeys(keyColumns, query.folded)}${this.joins(query.joins)}` +
        this.where(query) +
        this.orderBy(query.orderBy, ' ORDER BY k.o') +
        (lock === undefined ? '' : this.syntax.lockClause(lock, query.from.alias)),
      [this.syntax.integerReader, ...outputs.map(({ reader }) => reader)],
    );
  }

  /** The keys of a statement's own rows. */
  protected keyList(columns: readonly ColumnRef[]): string {
    return this.keySource({ kind: 'keyList', types: columns.map(({ type }) => type) }, columns);
  }

  /** @param isFolded whether text is compared in one case */
  protected meetsKeys(keyColumns: readonly ColumnRef[], isFolded = false): string {
    const meets = keyColumns.map((column, index) => {
      const sides = [this.comparedColumn(column), this.keyPart(column, index)];
      const folded = { kind: 'folded', operand: column } as const;
      return (isFolded ? sides.map((side) => this.fold(side, folded)) : sides).join(' = ');
    });
    return meets.join(' AND ');
  }

  /** As {@link meetsKeys}, of keys that a client sent: what a column cannot hold meets no row. */
  protected meetsClientsKeys(keyColumns: readonly ColumnRef[], isFolded = false): string {
    const conditions = keyColumns.flatMap(
      (column, index) => this.keyPartCondition(column, index) ?? [],
    );
    return [this.meetsKeys(keyColumns, isFolded), ...conditions].join(' AND ');
  }

  protected output(output: Output): PrintedOutput {
    if (output.kind === 'value') return this.value(output.operand);
    if (output.kind === 'stamp') return this.stampOutput(output.source, output.bits);
    return { sql: this.#outputSql(output), reader: this.syntax.readers[output.kind] };
  }

  #outputSql(output: Exclude<Output, { readonly kind: 'value' | 'stamp' }>): string {
    const { syntax } = this;
    switch (output.kind) {
      case 'presence':
        return syntax.presence(this.columnName(output.operand));
      case 'byteLength':
        return syntax.byteLength(this.columnName(output.operand));
      case 'slice': {
        const before = this.add({ kind: 'slice', part: 'before' });
        const length = this.add({ kind: 'slice', part: 'length' });
        return syntax.slice(this.bytesColumn(output.operand), before, length);
      }
      case 'digest':
        return syntax.digest(this.bytesColumn(output.operand));
      case 'meets':
        return syntax.truth(this.condition(output.condition));
      case 'globalStamp':
        return syntax.globalStamp;
    }
  }

  /** A column of bytes as a type any part of which can be read. */
  protected bytesColumn(column: ColumnRef): string {
    return this.columnName(column);
  }

  /** A stamp that is read, and not compared. */
  protected stampOutput(source: StampSource, bits: 53 | 31): PrintedOutput {
    return { sql: this.stamp(source, bits), reader: this.syntax.integerReader };
  }

  /** Cut to its bits; what would be 0 or null, which marks an undefined reference, is the highest stamp. */
  protected stamp(source: StampSource, bits: 53 | 31): string {
    const highest = this.syntax.bigint(bits === 53 ? '9007199254740991' : '2147483647');
    return `COALESCE(NULLIF(${this.rawStamp(source)} & ${highest}, 0), ${highest})`;
  }

  /** A query's table and what is joined to it. */
  protected from({ from, joins }: Pick<Source, 'from' | 'joins'>): string {
    return this.source(from) + this.joins(joins);
  }

  /** Whether rows have the same keys as those of another alias of their table. */
  protected sameKeys(key: readonly ColumnRef[], alias: string): string {
    return key
      .map((column) => [column, { ...column, alias }].map((one) => this.comparedColumn(one)))
      .map((sides) => sides.join(' = '))
      .join(' AND ');
  }

  /** A condition behind another one. */
  protected andWhere(where: Condition | null): string {
    return where === null ? '' : ` AND ${this.condition(where)}`;
  }

  protected where(query: { readonly where: Condition | null }): string {
    return query.where === null ? '' : ` WHERE ${this.condition(query.where)}`;
  }

  protected orderBy(terms: readonly OrderTerm[], none: string): string {
    if (terms.length === 0) return none;
    return ` ORDER BY ${terms.map((term) => this.orderTerm(term)).join(', ')}`;
  }

  protected source(table: TableSource | ValueRows): string {
    if ('kind' in table) return this.valueRows(table);
    const { changedSince, alias } = table;
    if (changedSince === undefined) return `${rowsOf(table)} ${alias}`;
    const { changedRows } = this.syntax;
    if (changedRows === null) throw new Error('the engine does not track changes');
    return `${changedRows(qualified(table), this.parameter(changedSince))} ${alias}`;
  }

  /** A term of an order in which nulls come first, and last when descending. */
  protected orderTerm({ operand, descending }: OrderTerm): string {
    return `${this.operand(operand)}${descending ? ' DESC' : ''}`;
  }

  protected joins(list: readonly Join<TableSource | ValueRows>[]): string {
    return list
      .map(({ type, table, on, where }) => {
        const join = type === 'left' ? 'LEFT JOIN' : 'JOIN';
        const met = this.equalities(on) + this.andWhere(where);
        return ` ${join} ${this.source(table)} ON ${met}`;
      })
      .join('');
  }

  protected equalities(pairs: Join['on']): string {
    return pairs.map(([left, right]) => this.equality(left, right)).join(' AND ');
  }

  /** Two equal columns, of which the right one is looked up. */
  protected equality(left: ColumnRef, right: ColumnRef): string {
    return `${this.columnName(left)} = ${this.columnName(right)}`;
  }
}
