import type {
  ColumnRef,
  Condition,
  JsonProperty,
  Operand,
  OrderTerm,
  Parameter,
  RowLock,
  StampSource,
  Window,
} from '../ir/ir.ts';
import { isPadded } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { OutOfRange, DialectSettings, StatementParameter } from '../dialect.ts';
import { edgeDays } from '../local-time.ts';
import type { PrintedOutput } from '../printer.ts';
import { ALL_IN_RANGE } from '../statement.ts';
import { ValuePrinter } from '../value-printer.ts';
import { itemsOf, itemTexts } from './arrays.ts';
import { isJsonb } from './json-validity.ts';
import {
  arrayLiteral,
  castType,
  identifier,
  isLocal,
  isMoney,
  isNotIndex,
  isNotNumber,
  literal,
  numberBounds,
  twiceMarked,
} from './literals.ts';
import {
  booleanReader,
  bytesReader,
  integerReader,
  postgresReader,
  textReader,
} from './readers.ts';

/** What of the server and its driver changes the text that is printed. */
export interface PostgresFeatures {
  /** The server's major version. */
  readonly version: number;
  /** The driver decodes a text without the byte order mark that it begins with. */
  readonly dropsByteOrderMark?: true;
}

/** Prints for PostgreSQL 14 and later. Parameters are cast to the type of the column they meet. */
export class PostgresPrinter extends ValuePrinter {
  protected readonly integerReader = integerReader;
  protected readonly booleanReader = booleanReader;
  protected readonly textReader = textReader;
  protected readonly likeEscape = " ESCAPE '\\'";
  protected readonly anyOrder = '';
  readonly #features: PostgresFeatures;

  constructor(
    settings: DialectSettings,
    features: PostgresFeatures,
    outOfRange: OutOfRange = ALL_IN_RANGE,
  ) {
    super(settings, outOfRange);
    this.#features = features;
  }

  identifier(name: string): string {
    return identifier(name);
  }

  protected placeholder(number: number): string {
    return `$${number}`;
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
        return this.typed(placeholder, parameter.type);
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

  /** An instant as local time of the database; the first and the last day are the same in both. */
  #local(instant: string, type: ColumnType): string {
    const utc = `${instant} AT TIME ZONE 'UTC'`;
    if (this.settings.timeZone === 'UTC') return utc;
    const isEdge = `(${utc})::date IN (${edgeDays(type)})`;
    return `CASE WHEN ${isEdge} THEN ${utc} ELSE ${instant} AT TIME ZONE ${this.zone()} END`;
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
    return column.type.kind === 'opaque' ? `${name}::text` : name;
  }

  /** A padded column's cast to text drops the padding, so that a pattern meets the text alone. */
  protected patternColumn(column: ColumnRef): string {
    return isPadded(column.type) ? `${this.columnName(column)}::text` : this.comparedColumn(column);
  }

  protected fold(text: string): string {
    return `LOWER(${text})`;
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

  protected jsonPresence(property: JsonProperty): string {
    return this.jsonProperty({ ...property, as: 'any' });
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
    const { left } = node;
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
    const compared = isNegated ? this.#numberOrNull(left) : this.operand(left);
    if (left.kind === 'folded') {
      return `${compared} IN (SELECT LOWER(v) FROM unnest(${placeholder}::${castType(list.type)}[]) v)`;
    }
    if (list.type.kind === 'hex') {
      return `${compared} IN (SELECT decode(v, 'hex') FROM unnest(${placeholder}::text[]) v)`;
    }
    if (isLocal(list.type)) {
      const local = this.#local('v', list.type);
      return `${compared} IN (SELECT ${local} FROM unnest(${placeholder}::timestamptz[]) v)`;
    }
    return `${compared} = ANY(${placeholder}::${castType(list.type)}[])`;
  }

  /** An operand, as null where it holds NaN or an infinity. */
  #numberOrNull(operand: Operand): string {
    const name = this.operand(operand);
    const isOther = operand.kind === 'column' ? isNotNumber(name, operand.type) : null;
    return isOther === null ? name : `CASE WHEN ${isOther} THEN NULL ELSE ${name} END`;
  }

  protected isNotTrue(condition: string): string {
    return `(${condition}) IS NOT TRUE`;
  }

  protected constantCondition(value: boolean): string {
    return value ? 'TRUE' : 'FALSE';
  }

  protected trueValue(): string {
    return 'TRUE';
  }

  /** Nulls first when ascending, as SQL Server has it; said only where there can be nulls, so that indexes serve. */
  protected orderTerm({ operand, descending }: OrderTerm): string {
    const isProperty = operand.kind === 'jsonProperty';
    const value = isProperty ? this.jsonProperty(operand) : this.comparedColumn(operand);
    const direction = descending ? ' DESC' : '';
    if (!isProperty && !operand.nullable) return value + direction;
    return `${value}${direction} NULLS ${descending ? 'LAST' : 'FIRST'}`;
  }

  protected window({ offset, limit }: Window): string {
    const skipped = offset === null ? '' : ` OFFSET ${this.parameter(offset)}`;
    return ` LIMIT ${this.parameter(limit)}${skipped}`;
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

  protected readonly lockHint = '';

  /**
   * An update that leaves the key alone lets rows that refer to it come in the meantime.
   * https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS
   */
  protected lockClause(lock: RowLock, alias: string): string {
    return ` FOR ${lock === 'update' ? 'NO KEY UPDATE' : 'UPDATE'} OF ${alias}`;
  }

  protected countExpression(over: string): string {
    return over === '' ? 'COUNT(*)' : `COUNT(*) ${over}`;
  }

  protected countOf(expression: string): string {
    return `COUNT(${expression})`;
  }

  /** Sums of integers and of numeric lose nothing (https://www.postgresql.org/docs/current/functions-aggregate.html). */
  protected summand(column: ColumnRef): string {
    const compared = this.comparedColumn(column);
    return column.type.kind === 'float' && column.type.bits === 32
      ? `${compared}::float8`
      : compared;
  }

  /** Bytes have an order and, before version 18, no aggregate that tells the first; their digits have both. */
  protected override extreme(name: 'MIN' | 'MAX', column: ColumnRef): string {
    return column.type.kind === 'hex'
      ? `decode(${name}(encode(${this.columnName(column)}, 'hex') COLLATE "C"), 'hex')`
      : super.extreme(name, column);
  }

  /** Collations for which different texts are the same are made by hand, and one of the texts is as good as another then. */
  protected isExact({ native }: ColumnType): boolean {
    return native !== 'citext';
  }

  protected firstText(text: string): string {
    return `MIN(${text} COLLATE "C")`;
  }

  /**
   * The id that the next writing transaction of the server will get: it grows with every change. A scalar subquery is
   * evaluated once for the statement.
   * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
   */
  protected globalStampExpression(): string {
    return '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)';
  }

  protected presence(column: string): string {
    return `(${column} IS NOT NULL)`;
  }

  protected byteLength(column: ColumnRef): string {
    return `octet_length(${this.columnName(column)})`;
  }

  /** https://www.postgresql.org/docs/current/functions-binarystring.html */
  protected slice(column: ColumnRef, before: string, length: string): PrintedOutput {
    const first = `${before}::int4 + 1`;
    return {
      sql: `substr(${this.columnName(column)}, ${first}, ${length}::int4)`,
      reader: bytesReader,
    };
  }

  protected digest(column: ColumnRef): PrintedOutput {
    return { sql: `encode(sha256(${this.columnName(column)}), 'hex')`, reader: textReader };
  }

  protected truth(condition: string): string {
    return `COALESCE(${condition}, FALSE)`;
  }

  protected bigint(digits: string): string {
    return digits;
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
 * JSON rows `[ordinal, field, …]` as a source `k`: the ordinal as `o`, and what is made of the fields of an element `e`. The server assumes of any JSON that it
 * has a hundred elements, for which it would read a whole table of some ten thousand rows; the limit tells it of few.
 */
export function rowSource(rows: string, columns: string): string {
  const json = `${rows}::json`;
  return `(SELECT (e->>0)::int4 AS o${columns} FROM json_array_elements(${json}) e LIMIT json_array_length(${json})) k`;
}
