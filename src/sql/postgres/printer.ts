import type {
  ColumnRef,
  Comparison,
  Condition,
  Folded,
  JsonProperty,
  Likeness,
  Operand,
  OrderTerm,
  Parameter,
  RelatedQuery,
  StampSource,
  Window,
} from '../ir/ir.ts';
import type { DatePart } from '../../base/date-parts.ts';
import { hasOwnOrder, NUMBER } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { OutOfRange, Statement, StatementParameter } from '../ir/statement.ts';
import type { DialectSettings } from '../dialect.ts';
import { edgeDays } from '../local-time.ts';
import { ValuePrinter } from '../value-printer.ts';
import { alsoSelected, identifier, type PrintedOutput } from '../syntax.ts';
import { integerReader, itemsOf, itemTexts, postgresReader } from './readers.ts';
import { isJsonb } from './json-validity.ts';
import {
  arrayLiteral,
  castType,
  isLocal,
  isMoney,
  isNotIndex,
  isNotNumber,
  literal,
  numberBounds,
  opaqueText,
  twiceMarked,
} from './literals.ts';
import { postgresSyntax } from './syntax.ts';

/** Properties of the server and its driver that change the printed text. */
export interface PostgresFeatures {
  /** The server's major version. */
  readonly version: number;
  /** The driver decodes a text without the byte order mark that it begins with. */
  readonly dropsByteOrderMark?: true;
  /** A collation that folds all letters, where that of the database folds ASCII alone. */
  readonly foldCollation?: string | null;
}

/** Prints for PostgreSQL 14 and later. Parameters are cast to the type of the column they meet. */
export class PostgresPrinter extends ValuePrinter {
  protected readonly syntax = postgresSyntax;
  readonly #features: PostgresFeatures;

  constructor(settings: DialectSettings, features: PostgresFeatures, outOfRange?: OutOfRange) {
    super(settings, outOfRange);
    this.#features = features;
  }

  /** An instant that meets a date-time without offset is first turned into the database's local time. */
  protected parameter(parameter: Parameter): string {
    const placeholder = this.given(parameter);
    switch (parameter.use) {
      case 'count':
        return `${placeholder}::bigint`;
      case 'wildcard':
      case 'begins':
      case 'contains':
        return `${placeholder}::text`;
      case 'value':
      case 'list':
        return isLocal(parameter.type)
          ? `(${this.#comparedLocal(placeholder, parameter.type)})`
          : this.typed(placeholder, parameter.type);
    }
  }

  /** Where a parameter's value stands in the text. */
  protected given(parameter: Parameter): string {
    return this.add(parameter);
  }

  /** Text as a value of a column's type, as it is compared. */
  protected typed(text: string, type: ColumnType): string {
    if (type.kind === 'hex') return `decode(${text}::text, 'hex')`;
    return isLocal(type)
      ? `(${this.#local(`${text}::timestamptz`, type)})`
      : `${text}::${castType(type)}`;
  }

  /** Text of an instant, or of a local time that clocks skip, which ends in z, as local time of the database. */
  #comparedLocal(text: string, type: ColumnType): string {
    return this.settings.timeZone === 'UTC'
      ? this.#local(`${text}::timestamptz`, type)
      : this.#local(`${text}::text::timestamptz`, type, ` OR right(${text}::text, 1) = 'z'`);
  }

  /** An instant as local time of the database; the first and the last day are the same in both, and so is what meets a further condition. */
  #local(instant: string, type: ColumnType, orPlain = ''): string {
    const utc = `${instant} AT TIME ZONE 'UTC'`;
    if (this.settings.timeZone === 'UTC') return utc;
    const isEdge = `(${utc})::date IN (${edgeDays(type)})`;
    return `CASE WHEN ${isEdge}${orPlain} THEN ${utc} ELSE ${instant} AT TIME ZONE ${this.zone()} END`;
  }

  /** A column of local times as instants, the other way round. */
  #instant(name: string, type: ColumnType): string {
    const isEdge = `${name}::date IN (${edgeDays(type)})`;
    return `CASE WHEN ${isEdge} THEN ${name} AT TIME ZONE 'UTC' ELSE ${name} AT TIME ZONE ${this.zone()} END`;
  }

  /** The time zone in which date-times without offset are written. */
  protected zone(): string {
    return literal(this.settings.timeZone);
  }

  protected comparedColumn(column: ColumnRef): string {
    const name = this.columnName(column);
    if (isMoney(column.type)) return `${name}::numeric`;
    return column.type.kind === 'opaque' && !hasOwnOrder(column.type)
      ? opaqueText(name, column.type)
      : name;
  }

  protected override comparison(node: Comparison): string {
    const { left, operator, right } = node;
    const isOpaque = left.kind === 'column' && left.type.kind === 'opaque';
    const own = isOpaque ? left.type.operators?.[operator] : undefined;
    return own ? `${this.operand(left)} ${own} ${this.operand(right)}` : super.comparison(node);
  }

  protected override patternColumn(column: ColumnRef): string {
    return column.type.kind === 'opaque'
      ? opaqueText(this.columnName(column), column.type)
      : super.patternColumn(column);
  }

  protected jsonProperty(property: JsonProperty): string {
    const value = this.#jsonValue(property);
    switch (property.as) {
      case 'text':
        return `CASE WHEN jsonb_typeof(${value}) NOT IN ('object', 'array') THEN ${value} #>> '{}' END`;
      case 'number':
        return `CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${value} #>> '{}')::numeric END`;
      case 'boolean':
        return `CASE WHEN jsonb_typeof(${value}) = 'boolean' THEN (${value} #>> '{}')::boolean END`;
      case 'string':
        return `CASE WHEN jsonb_typeof(${value}) = 'string' THEN ${value} #>> '{}' END`;
      case 'any':
        return `${value} #>> '{}'`;
    }
  }

  protected isJsonNull(column: ColumnRef): string {
    const name = this.columnName(column);
    return column.type.native === 'jsonb'
      ? `${name} = 'null'::jsonb`
      : `btrim(${name}::text, E' \\t\\n\\r') = 'null'`;
  }

  /** The value at a path inside a JSON column, as jsonb. The path came with the request, so it is a parameter. */
  #jsonValue({ column, path }: JsonProperty): string {
    let value = this.#jsonColumn(column);
    let names: string[] = [];
    for (const name of path) {
      names.push(name);
      if (!isNotIndex(name)) continue;
      const holder = this.#jsonAt(value, names.slice(0, -1));
      const found = this.#jsonAt(holder, [name]);
      value = `CASE WHEN jsonb_typeof(${holder}) = 'object' THEN ${found} END`;
      names = [];
    }
    return this.#jsonAt(value, names);
  }

  #jsonAt(value: string, names: readonly string[]): string {
    if (names.length === 0) return `(${value})`;
    const placeholder = this.add({
      kind: 'constant',
      type: { kind: 'opaque', native: 'text[]' },
      value: arrayLiteral(names),
    });
    return `(${value} #> ${placeholder}::text[])`;
  }

  /** A JSON column as jsonb; null where its text cannot be that. */
  #jsonColumn(column: ColumnRef): string {
    const name = this.columnName(column);
    if (column.type.native === 'jsonb') return name;
    if (itemsOf(column.type) !== null) return `to_jsonb(${name})`;
    const isJson = column.type.kind === 'json' && !column.type.asText;
    return `CASE WHEN ${isJsonb(`${name}::text`, isJson, this.#features.version)} THEN ${name}::jsonb END`;
  }

  /** NaN and infinities are answered as null: they are found as null, and unknown to a comparison with a number. */
  override condition(node: Condition, isNegated = false): string {
    const plain = super.condition(node, isNegated);
    if (node.kind === 'isNull' && node.operand.kind === 'column') {
      const isOther = isNotNumber(this.columnName(node.operand), node.operand.type);
      if (isOther === null) return plain;
      return node.negated ? `(${plain} AND NOT ${isOther})` : `(${plain} OR ${isOther})`;
    }
    if ((node.kind !== 'compare' && node.kind !== 'in') || node.left.kind !== 'column')
      return plain;
    const { left, right } = node;
    // Behind a row is what is there in the engine's order, which has NaN.
    if (right.kind === 'parameter' && right.source.from === 'lastRow') return plain;
    const name = this.columnName(left);
    if (isNegated) {
      const isOther = isNotNumber(name, left.type);
      if (isOther === null) return plain;
      // Where the values of a list are bound, it may be empty, and then is known to hold nothing: `inList` has seen to that.
      return node.kind === 'in' && !this.isOutOfRange(node.right)
        ? plain
        : `(${plain} OR ${isOther})`;
    }
    if (node.kind === 'in') return plain;
    // A value beyond the column's is not a bound itself.
    const operator = this.isOutOfRange(node.right) ? '<>' : node.operator;
    const bounds = numberBounds(name, left.type, operator);
    return bounds.length === 0 ? plain : `(${[plain, ...bounds].join(' AND ')})`;
  }

  protected inList(left: Operand, list: Parameter, isNegated: boolean): string {
    const placeholder = this.add(list);
    const compared = isNegated ? this.number(left) : this.operand(left);
    const values = `${placeholder}::${castType(list.type, '[]')}`;
    if (left.kind === 'folded') {
      const one = this.fold('v', { kind: 'folded', operand: list });
      return `${compared} IN (SELECT ${one} FROM unnest(${values}) v)`;
    }
    if (list.type.kind === 'hex') {
      return `${compared} IN (SELECT decode(v, 'hex') FROM unnest(${placeholder}::text[]) v)`;
    }
    if (isLocal(list.type)) {
      const local = this.#comparedLocal('v', list.type);
      return `${compared} IN (SELECT ${local} FROM unnest(${placeholder}::text[]) v)`;
    }
    return `${compared} = ANY(${values})`;
  }

  /**
   * A column whose collation has no LIKE begins with a text if one of its beginnings equals it, of whatever length: to a nondeterministic collation,
   * texts of different lengths may be equal (https://www.postgresql.org/docs/current/collation.html#COLLATION-NONDETERMINISTIC).
   */
  protected override likeness(node: Likeness): string {
    const column = node.left.kind === 'folded' ? node.left.operand : node.left;
    if (column.kind !== 'column' || column.type.kind !== 'text' || column.type.withoutLike !== true)
      return super.likeness(node);
    const text = this.patternOperand(node.left);
    return (
      `CASE WHEN ${text} IS NOT NULL THEN ${node.negated ? 'NOT ' : ''}EXISTS (SELECT 1` +
      ` FROM generate_series(0, length(${text})) i WHERE left(${text}, i) = ${this.operand(node.right)}) END`
    );
  }

  /** Text that its own collation, or that of the database, folds incompletely is compared by code points, as such a collation does. */
  protected override fold(text: string, folded: Folded): string {
    const { operand } = folded;
    const type = operand.kind === 'jsonProperty' ? operand.column.type : operand.type;
    const own = type.kind === 'text' ? type.foldCollation : undefined;
    const by = own ?? this.#features.foldCollation ?? null;
    if (by === null) return super.fold(text, folded);
    return `LOWER((${text}) COLLATE ${identifier(by)}) COLLATE "C"`;
  }

  /** An operand, as null where it holds NaN or an infinity. */
  protected number(operand: Operand): string {
    const name = this.operand(operand);
    const isOther = operand.kind === 'column' ? isNotNumber(name, operand.type) : null;
    return isOther === null ? name : `CASE WHEN ${isOther} THEN NULL ELSE ${name} END`;
  }

  protected notNumber(column: ColumnRef): string | null {
    return isNotNumber(this.columnName(column), column.type);
  }

  /** Nulls first when ascending, as SQL Server has it; said only where there can be nulls, so that indexes serve. */
  protected override orderTerm(term: OrderTerm): string {
    const { operand, descending } = term;
    const printed = super.orderTerm(term);
    if (operand.kind === 'column' && !operand.nullable) return printed;
    return `${printed} NULLS ${descending ? 'LAST' : 'FIRST'}`;
  }

  protected window({ offset, limit }: Window): string {
    const skipped = offset === null ? '' : ` OFFSET ${this.parameter(offset)}`;
    return ` LIMIT ${this.parameter(limit)}${skipped}`;
  }

  /** Reads the related rows of all parents in one pass: ROW_NUMBER cuts each parent's list, COUNT tells its length. */
  protected override related(query: RelatedQuery): Statement {
    const outputs = query.outputs.map((output, index) => {
      const { sql, reader } = this.output(output);
      return { sql: `${sql} AS c${index}`, reader };
    });
    const columns = outputs.map((_, index) => `, x.c${index}`).join('');
    const inner =
      `SELECT k.o AS o, COUNT(*) OVER (PARTITION BY k.o) AS n,` +
      ` ROW_NUMBER() OVER (PARTITION BY k.o${this.orderBy(query.orderBy, '')}) AS r` +
      `${alsoSelected(outputs)} FROM ${this.#keysJoined(query)}` +
      this.joins(query.joins) +
      this.where(query);
    return this.statement(
      `SELECT x.o, x.n${columns} FROM (${inner}) x WHERE x.r <= ${query.perKey} ORDER BY x.o, x.r`,
      [integerReader, integerReader, ...outputs.map(({ reader }) => reader)],
    );
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
      ` ON ${meetsKeys}${this.andWhere(first.where)}${this.links(query.via)}) k` +
      ` JOIN ${target} ON ${reaches.join(' AND ')}`
    );
  }

  protected keySource(keys: StatementParameter, columns: readonly ColumnRef[]): string {
    const parts = columns.map(
      ({ type }, index) => `, ${this.typed(`(e->>${index + 1})`, type)} AS k${index}`,
    );
    return rowSource(this.add(keys), parts.join(''));
  }

  protected keyPart(_column: ColumnRef, index: number): string {
    return `k.k${index}`;
  }

  protected keyPartCondition(): string | null {
    return null;
  }

  /** Sums of integers and of numeric lose nothing (https://www.postgresql.org/docs/current/functions-aggregate.html). */
  protected summand(column: ColumnRef): string {
    const compared = this.comparedColumn(column);
    return column.type.kind === 'float' && column.type.bits === 32
      ? `${compared}::float8`
      : compared;
  }

  /** Numeric, so that integers are not divided as such. */
  protected quotient(sum: string, count: string, { kind }: ColumnType): string {
    return kind === 'float' ? `${sum} / ${count}` : `${sum}::numeric / ${count}`;
  }

  /** https://www.postgresql.org/docs/current/functions-datetime.html#FUNCTIONS-DATETIME-TRUNC */
  protected datePart(column: ColumnRef, part: DatePart): string {
    const name = this.columnName(column);
    const { type } = column;
    const local = isLocal(type)
      ? name
      : type.kind === 'date'
        ? `${name}::timestamp`
        : this.#local(name, type);
    if (part === 'day') return `(${local})::date`;
    const first = `date_trunc('${part}', ${local})`;
    if (part !== 'hour') return `${first}::date`;
    // Years before Christ and after 9999 are written as the engine writes them.
    return (
      `CASE WHEN ${local} >= '0001-01-01' AND ${local} < '10000-01-01'` +
      ` THEN to_char(${local}, 'YYYY-MM-DD"T"HH24') ELSE ${first}::text END`
    );
  }

  /**
   * Of numeric, the remainder is exact, which a quotient is not (https://www.postgresql.org/docs/current/functions-math.html). A float is the number that
   * its text says.
   */
  protected step(column: ColumnRef, size: string): string {
    const isFloat = column.type.kind === 'float';
    const by = `${this.add({ kind: 'constant', type: NUMBER, value: size })}::numeric`;
    const value = `(${this.number(column)})${isFloat ? '::text' : ''}::numeric`;
    const rest = `mod(${value}, ${by})`;
    const step = `${value} - ${rest} - CASE WHEN ${rest} < 0 THEN ${by} ELSE 0 END`;
    return isFloat ? `(${step})::float8` : step;
  }

  protected nothing(type: ColumnType): string {
    return `NULL::${castType(type)}`;
  }

  /** Not every type has MIN and MAX; the least array of one value holds the least value, and null would be the greatest. */
  protected override extreme(name: 'MIN' | 'MAX', column: ColumnRef): string {
    if (!hasOwnOrder(column.type)) return super.extreme(name, column);
    const value = this.columnName(column);
    return `(${name}(CASE WHEN ${value} IS NOT NULL THEN ARRAY[${value}] END))[1]`;
  }

  /** Collations for which different texts are the same are made by hand, and one of the texts is as good as another then. */
  protected isExact({ native }: ColumnType): boolean {
    return native !== 'citext';
  }

  protected firstText(text: string): string {
    return `MIN(${text} COLLATE "C")`;
  }

  protected value(column: ColumnRef): PrintedOutput {
    const name = this.columnName(column);
    const reader = postgresReader(column.type, this.settings);
    if (column.type.kind === 'opaque' || isMoney(column.type)) {
      return { sql: this.comparedColumn(column), reader };
    }
    if (isLocal(column.type) && this.settings.timeZone !== 'UTC') {
      return { sql: `(${this.#instant(name, column.type)})`, reader };
    }
    const items = itemsOf(column.type);
    if (items !== null) return { sql: itemTexts(name, items), reader };
    const isText =
      column.type.kind === 'text' || (column.type.kind === 'json' && column.type.asText);
    return {
      sql: isText && this.#features.dropsByteOrderMark ? twiceMarked(name, column.type) : name,
      reader,
    };
  }

  protected rawStamp(from: StampSource): string {
    switch (from.kind) {
      case 'column':
      case 'rowversion':
        return `${this.columnName(from.column)}::bigint`;
      case 'xmin':
        return `${from.alias}.xmin::text::bigint`;
    }
  }
}

/**
 * A source `k` of JSON rows `[ordinal, field, …]`: the ordinal as `o`, and `columns`, made of the fields of an element `e`. The limit lowers the
 * server's estimate of a hundred elements, for which it would read a whole table of some ten thousand rows. Of `json`, each field parses its row
 * anew; `jsonb` is parsed once, and holds no more than 256 MB.
 */
export function rowSource(rows: string, columns: string, type: 'json' | 'jsonb' = 'json'): string {
  const json = `${rows}::${type}`;
  return `(SELECT (e->>0)::int4 AS o${columns} FROM ${type}_array_elements(${json}) e LIMIT ${type}_array_length(${json})) k`;
}
