import type {
  ColumnRef,
  Comparison,
  Condition,
  CountQuery,
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
  RowLock,
  SelectQuery,
  StampSource,
  TableSource,
  Window,
} from './ir/ir.ts';
import type { Query } from './ir/call.ts';
import type { AggregateQuery, DistinctQuery, ValueRows } from './ir/value-ir.ts';
import type {
  OutOfRange,
  DialectSettings,
  Reader,
  Statement,
  StatementParameter,
} from './dialect.ts';
import { statementName } from './statement.ts';

/** A result column: its SQL, and how its values are read. */
export interface PrintedOutput {
  readonly sql: string;
  readonly reader: Reader;
}

/** The text of a query, and a reader for each of its columns. */
export interface PrintedQuery {
  readonly text: string;
  readonly readers: readonly Reader[];
}

/**
 * Prints one statement: what all dialects write alike stands here, and a dialect says only what differs. A printer serves
 * one statement and is thrown away.
 */
export abstract class QueryPrinter {
  readonly settings: DialectSettings;
  readonly #parameters: StatementParameter[] = [];
  /** The numbers of the parameters; those of fixed values by what they are. */
  readonly #numbers = new Map<StatementParameter | string, number>();

  readonly #outOfRange: OutOfRange;

  constructor(settings: DialectSettings, outOfRange: OutOfRange) {
    this.settings = settings;
    this.#outOfRange = outOfRange;
  }

  /** Selects what is related to the rows with given keys. */
  protected abstract related(query: RelatedQuery): PrintedQuery;
  /** Computes something of the rows of a subquery. */
  protected abstract aggregate(query: AggregateQuery): PrintedQuery;
  /** Selects the distinct values of a subquery's columns. */
  protected abstract distinct(query: DistinctQuery): PrintedQuery;
  /** A subquery as a source. */
  protected abstract valueRows(rows: ValueRows): string;
  /** An identifier, quoted so that it names exactly what it says. */
  abstract identifier(name: string): string;
  /** The placeholder of the statement's n-th parameter, counted from 1. */
  protected abstract placeholder(number: number): string;
  /** A value parameter as an expression of the type it is compared as. */
  protected abstract parameter(parameter: Parameter): string;
  /** A column as it is compared, where that differs from its name. */
  protected abstract comparedColumn(column: ColumnRef): string;
  /** A column as it meets a LIKE pattern: without padding. */
  protected abstract patternColumn(column: ColumnRef): string;
  /** An operand's text in one case. */
  protected abstract fold(text: string, folded: Folded): string;
  /** A JSON property as text, number or boolean; null where it is of another type. */
  protected abstract jsonProperty(property: JsonProperty): string;
  /** An expression that is null where a JSON property is null or missing. */
  protected abstract jsonPresence(property: JsonProperty): string;
  /** Whether a column that holds JSON holds JSON's null; unknown where it holds nothing. */
  protected abstract isJsonNull(column: ColumnRef): string;
  /** Whether an operand equals a value of a list that its type has. @param isNegated as in {@link condition} */
  protected abstract inList(left: Operand, list: Parameter, isNegated: boolean): string;
  /** A condition that is true where another one is false or unknown. */
  protected abstract isNotTrue(condition: string): string;
  /** A condition that is always true, or always false. */
  protected abstract constantCondition(value: boolean): string;
  /** The boolean true as a value. */
  protected abstract trueValue(): string;
  protected abstract orderTerm(term: OrderTerm): string;
  /** What stands for an order of rows that have none, where the dialect asks for one. */
  protected abstract readonly anyOrder: string;
  protected abstract window(window: Window): string;
  /** A column in a form in which the driver loses nothing of it. */
  protected abstract value(column: ColumnRef): PrintedOutput;
  /** A boolean: whether a column, named as the text says, is not null. */
  protected abstract presence(column: string): string;
  /** How many bytes a column holds. */
  protected abstract byteLength(column: ColumnRef): string;
  /** A part of a column's bytes. @param before how many are left out before it @param length how many they are at most */
  protected abstract slice(column: ColumnRef, before: string, length: string): PrintedOutput;
  /** A digest of a column's bytes, read as hexadecimal digits. */
  protected abstract digest(column: ColumnRef): PrintedOutput;
  /** A condition as a boolean that is never null: false where it is unknown. */
  protected abstract truth(condition: string): string;
  /** A version stamp as a bigint, before it is cut to its bits. */
  protected abstract rawStamp(source: StampSource): string;
  protected abstract bigint(digits: string): string;
  /** Keys that arrive as one parameter as a source `k` with the columns `o`, `k0`, `k1`, … */
  protected abstract keySource(keys: StatementParameter, columns: readonly ColumnRef[]): string;
  /** A key part of {@link keySource} as it is compared with a column. */
  protected abstract keyPart(column: ColumnRef, index: number): string;
  /** A condition without which a client's key part could equal what it is not; null where there is none. */
  protected abstract keyPartCondition(column: ColumnRef, index: number): string | null;
  /** What follows a table whose rows are locked until the transaction ends. */
  protected abstract readonly lockHint: string;
  /** What ends a statement that locks the rows of a table, for a change of theirs. */
  protected abstract lockClause(lock: RowLock, alias: string): string;
  protected abstract countExpression(over: string): string;
  protected abstract globalStampExpression(): string;
  protected abstract readonly integerReader: Reader;
  protected abstract readonly booleanReader: Reader;
  protected abstract readonly textReader: Reader;
  /** What the statements do that are printed here. */
  protected readonly effect: Statement['effect'] = 'read';
  /** What follows a LIKE pattern, to say how the dialect's `likeLiteral` escapes. */
  protected abstract readonly likeEscape: string;

  /** Prints a query with its parameters and the readers of its columns. */
  print(query: Query): Statement {
    const { text, readers } = this.#query(query);
    return this.statement(text, readers);
  }

  /** A text with the parameters that were taken up while it was printed. */
  protected statement(text: string, readers: readonly Reader[], effect = this.effect): Statement {
    return { name: statementName(text), text, effect, readers, parameters: this.#parameters };
  }

  /** Takes a parameter up, once for each parameter object, and once for all that are equal of those that come to the same. @returns its placeholder */
  protected add(parameter: StatementParameter): string {
    const id = isOneWhereEqual(parameter) ? JSON.stringify(parameter) : parameter;
    const known = this.#numbers.get(id);
    if (known !== undefined) return this.placeholder(known);
    this.#parameters.push(parameter);
    this.#numbers.set(id, this.#parameters.length);
    return this.placeholder(this.#parameters.length);
  }

  /** A column by the name of its table here, or what is computed in its place. */
  protected columnName({ alias, name, expression, guard }: ColumnRef): string {
    const column = (of: string): string => `${this.sourceName(alias)}.${this.identifier(of)}`;
    if (expression === undefined) return column(name);
    const computed = expression
      .map((part) => (typeof part === 'string' ? part : column(part.column)))
      .join('');
    // A CASE computes nothing but what it comes to.
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
        return this.trueValue();
      case 'folded':
        return this.fold(this.operand(value.operand), value);
    }
  }

  /**
   * Prints a condition; compound ones in parentheses, so that the text reads as the tree does.
   * @param isNegated whether it stands below an odd number of NOTs. Rows are found by what is true as a whole: what is unknown may
   * be told as true there, and as false elsewhere.
   */
  condition(node: Condition, isNegated = false): string {
    switch (node.kind) {
      case 'and':
      case 'or': {
        if (node.items.length === 0) return this.constantCondition(node.kind === 'and');
        const joint = node.kind === 'and' ? ' AND ' : ' OR ';
        return `(${node.items.map((item) => this.condition(item, isNegated)).join(joint)})`;
      }
      case 'not':
        return `NOT (${this.condition(node.item, !isNegated)})`;
      case 'isNotTrue':
        return this.isNotTrue(this.condition(node.item));
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
          operand.kind === 'jsonProperty' ? this.jsonPresence(operand) : this.operand(operand);
        return `${value} IS ${negated ? 'NOT ' : ''}NULL`;
      }
      case 'exists': {
        const from = this.source(node.from) + this.joins(node.joins);
        return `EXISTS (SELECT 1 FROM ${from} WHERE ${this.condition(node.where)})`;
      }
    }
  }

  /**
   * A comparison. With a value that no value of the column's type reaches it is true of all values, or of none, and unknown
   * of null: as is that of a column with itself. Of one between two of them, the lower one is bound: it is less itself.
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

  /** A condition that is the same for all values, and unknown of null. */
  #againstItself(operand: Operand, operator: '=' | '<>'): string {
    return `${this.operand(operand)} ${operator} ${this.operand(operand)}`;
  }

  /** Whether an operand is a parameter whose values no value of its type equals. */
  protected isOutOfRange(operand: Operand): boolean {
    return operand.kind === 'parameter' && this.#outOfRange.has(operand);
  }

  protected likeness({ left, negated, right }: Likeness): string {
    const like = negated ? 'NOT LIKE' : 'LIKE';
    return `${this.#patternOperand(left)} ${like} ${this.operand(right)}${this.likeEscape}`;
  }

  #patternOperand(value: Operand): string {
    if (value.kind === 'column') return this.patternColumn(value);
    if (value.kind === 'folded') return this.fold(this.#patternOperand(value.operand), value);
    return this.operand(value);
  }

  #query(query: Query): PrintedQuery {
    switch (query.kind) {
      case 'select':
        return this.#select(query);
      case 'count':
        return {
          text: `SELECT ${this.countExpression('')} FROM ${this.#from(query)}${this.where(query)}`,
          readers: [this.integerReader],
        };
      case 'related':
        return this.related(query);
      case 'keyed':
        return this.#keyed(query);
      case 'globalStamp':
        return {
          text: `SELECT ${this.globalStampExpression()}`,
          readers: [this.integerReader],
        };
      case 'aggregate':
        return this.aggregate(query);
      case 'distinct':
        return this.distinct(query);
    }
  }

  #select(query: SelectQuery): PrintedQuery {
    const outputs = query.outputs.map((output) => this.output(output));
    return {
      text:
        `SELECT ${outputs.map(({ sql }) => sql).join(', ')} FROM ${this.#from(query)}` +
        this.where(query) +
        this.orderBy(query.orderBy, query.window === null ? '' : this.anyOrder) +
        (query.window === null ? '' : this.window(query.window)),
      readers: outputs.map(({ reader }) => reader),
    };
  }

  /** The keys arrive as one JSON parameter, so that the text does not change with their number. */
  #keyed(query: KeyedQuery): PrintedQuery {
    const outputs = query.outputs.map((output) => this.output(output));
    return {
      text:
        `SELECT k.o${outputs.map(({ sql }) => `, ${sql}`).join('')}` +
        ` FROM ${this.keyList(query.keyColumns)} JOIN ${this.source(query.from)}` +
        (query.lock === undefined ? '' : this.lockHint) +
        ` ON ${this.meetsClientsKeys(query.keyColumns, query.folded)}${this.joins(query.joins)}` +
        this.where(query) +
        this.orderBy(query.orderBy, ' ORDER BY k.o') +
        (query.lock === undefined ? '' : this.lockClause(query.lock, query.from.alias)),
      readers: [this.integerReader, ...outputs.map(({ reader }) => reader)],
    };
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
    switch (output.kind) {
      case 'value':
        return this.value(output.operand);
      case 'presence':
        return {
          sql: this.presence(this.columnName(output.operand)),
          reader: this.booleanReader,
        };
      case 'byteLength':
        return { sql: this.byteLength(output.operand), reader: this.integerReader };
      case 'slice': {
        const before = this.add({ kind: 'slice', part: 'before' });
        const length = this.add({ kind: 'slice', part: 'length' });
        return this.slice(output.operand, before, length);
      }
      case 'digest':
        return this.digest(output.operand);
      case 'meets':
        return { sql: this.truth(this.condition(output.condition)), reader: this.booleanReader };
      case 'stamp':
        return this.stampOutput(output.source, output.bits);
      case 'globalStamp':
        return { sql: this.globalStampExpression(), reader: this.integerReader };
    }
  }

  /** A stamp that is read, and not compared. */
  protected stampOutput(source: StampSource, bits: 53 | 31): PrintedOutput {
    return { sql: this.stamp(source, bits), reader: this.integerReader };
  }

  /** Cut to its bits; what would be 0 or null, which marks an undefined reference, is the highest stamp. */
  protected stamp(source: StampSource, bits: 53 | 31): string {
    const highest = this.bigint(bits === 53 ? '9007199254740991' : '2147483647');
    return `COALESCE(NULLIF(${this.rawStamp(source)} & ${highest}, 0), ${highest})`;
  }

  #from(query: SelectQuery | CountQuery): string {
    return this.source(query.from) + this.joins(query.joins);
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
    return `${this.tableName(table)} ${table.alias}`;
  }

  protected tableName({ schema, name }: TableSource): string {
    return `${this.identifier(schema)}.${this.identifier(name)}`;
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

  /** Two columns that are equal, the right one that which is to be found. */
  protected equality(left: ColumnRef, right: ColumnRef): string {
    return `${this.columnName(left)} = ${this.columnName(right)}`;
  }
}

/** Whether equal ones of such parameters are one: nothing but what they say decides what they are given. */
function isOneWhereEqual(parameter: StatementParameter): boolean {
  return (
    parameter.kind === 'constant' ||
    parameter.kind === 'offset' ||
    parameter.kind === 'rowField' ||
    (parameter.kind === 'parameter' && parameter.source.from !== 'request') ||
    (parameter.kind === 'listItem' && parameter.list.source.from !== 'request')
  );
}
