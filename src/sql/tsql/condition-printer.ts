import type {
  ColumnRef,
  Comparison,
  JsonProperty,
  Likeness,
  Operand,
  Parameter,
} from '../ir/ir.ts';
import { TEXT } from '../../schema/type-rules.ts';
import { isRowVersion } from '../../schema/sqlserver/types.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Reader, Statement } from '../ir/statement.ts';
import { ValuePrinter } from '../value-printer.ts';
import {
  baseType,
  collatedAs,
  comparable,
  comparedDecimal,
  comparedLocal,
  digitsOf,
  exactDecimal,
  inColumnsEncoding,
  isEncoded,
  isInCodePage,
  isUnicode,
  listColumnType,
  listItemType,
} from './expressions.ts';
import { encodedComparison, indexedPattern, opaqueText, textPair, unfolded } from './text.ts';
import { tsqlSyntax } from './syntax.ts';

/** A JSON number with all its digits; only one that is written with an exponent goes by way of a float. */
const NUMBER =
  "TRY_CONVERT(decimal(38, 10), CASE WHEN j.value LIKE '%[eE]%'" +
  ' THEN CONVERT(nvarchar(50), TRY_CONVERT(decimal(38, 10), TRY_CONVERT(float, j.value)))' +
  ' ELSE j.value END)';

/** The value that the last step of a path gives, and a condition on its JSON type. */
interface FoundProperty {
  readonly value: string;
  readonly condition: string;
}

const PROPERTIES: Readonly<Record<JsonProperty['as'], FoundProperty>> = {
  string: { value: 'j.value', condition: ' AND j.type IN (1)' },
  text: { value: 'j.value', condition: ' AND j.type IN (1, 2, 3)' },
  number: { value: NUMBER, condition: ' AND j.type IN (2)' },
  boolean: { value: 'TRY_CONVERT(bit, j.value)', condition: ' AND j.type IN (3)' },
  any: { value: 'j.value', condition: '' },
};

/**
 * Looks a JSON property up. OPENJSON reports the JSON type of what it finds, JSON_VALUE does not. Names come with the request, so they are
 * parameters, and each step of a path is an OPENJSON of its own: before SQL Server 2017 a whole path cannot be a parameter. If an object has
 * a name twice, the first is taken (https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql).
 * @param column the column as text; @param names the name of each step, as a parameter
 */
function jsonLookup(
  column: string,
  names: readonly string[],
  { value, condition }: FoundProperty,
): string {
  const last = names.length - 1;
  const alias = (step: number): string => (step === last ? 'j' : `j${step}`);
  const steps = names.map((_, step) => {
    if (step === 0)
      return `OPENJSON(CASE WHEN ISJSON(${column}) = 1 THEN ${column} END) ${alias(0)}`;
    const found = alias(step - 1);
    const inner = `CASE WHEN ${found}.type IN (4, 5) THEN ${found}.value END`;
    return ` CROSS APPLY OPENJSON(${inner}) ${alias(step)}`;
  });
  const keys = names.map((name, step) => `${alias(step)}."key" = ${name}`);
  return `(SELECT TOP (1) ${value} FROM ${steps.join('')} WHERE ${keys.join(' AND ')}${condition})`;
}

/** Prints conditions, and the values that they compare with. */
export abstract class TsqlConditionPrinter extends ValuePrinter {
  protected readonly syntax = tsqlSyntax;
  /** The alias of the rows that came as JSON. */
  protected rowsAlias = 'k';

  /** How the server is to plan the statement, as its last clause. */
  protected hint = '';
  /** The table variables of long lists, by the queries that fill them. */
  readonly #listVariables = new Map<string, { readonly name: string; readonly type: string }>();
  /** How many parameters are the values of short lists. */
  #singleValues = 0;

  /** Decimals, dates and times are bound as text and converted by the server, because the driver's own forms lose digits. */
  protected parameter(parameter: Parameter): string {
    const placeholder = this.add(parameter);
    if (parameter.use !== 'value') return placeholder;
    return this.compared(placeholder, parameter.type);
  }

  protected comparedColumn(column: ColumnRef): string {
    const name = this.columnName(column);
    return column.type.kind === 'opaque'
      ? opaqueText(name, baseType(column.type.native))
      : comparable(name, column.type);
  }

  protected override comparison(node: Comparison): string {
    const { left, right } = node;
    if (left.kind === 'column' && right.kind === 'column') {
      const other = this.columnIn(right, left.type);
      return `${this.columnIn(left, left.type)} ${node.operator} ${other}`;
    }
    const pair = textPair(left, right);
    if (pair === null || isUnicode(pair.column.type)) return super.comparison(node);
    const column = this.comparedColumn(pair.column);
    const value = this.add(pair.value);
    const { type } = pair.column;
    // What was in such a column loses nothing in its code page, by whose rules alone rows are in order.
    return pair.value.source.from === 'lastRow'
      ? `${column} ${node.operator} ${inColumnsEncoding(value, type)}`
      : encodedComparison(column, node.operator, value, type);
  }

  protected override equality(left: ColumnRef, right: ColumnRef): string {
    return `${this.columnIn(left, right.type)} = ${this.columnIn(right, right.type)}`;
  }

  /**
   * A column as it is compared with one of another type. Columns of two collations are compared in that of the column which is looked up, so that
   * its index serves (https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql).
   */
  protected columnIn(column: ColumnRef, type: ColumnType): string {
    return comparable(this.columnName(column), column.type) + collatedAs(column.type, type);
  }

  protected override likeness(node: Likeness): string {
    const pair = textPair(node.left, node.right);
    const exact = super.likeness(node);
    if (pair === null) return exact;
    const column = this.comparedColumn(pair.column);
    const pattern = indexedPattern(pair, this.add(pair.value));
    if (pattern === null) return exact;
    const [like, joint] = node.negated ? ['NOT LIKE', 'OR'] : ['LIKE', 'AND'];
    return `(${column} ${like} ${pattern} ${joint} ${exact})`;
  }

  protected jsonProperty({ column, path, as }: JsonProperty): string {
    const name = comparable(this.columnName(column), column.type);
    return jsonLookup(name, this.#pathNames(path), PROPERTIES[as]);
  }

  protected isJsonNull(column: ColumnRef): string {
    const text = ['9', '10', '13'].reduce(
      (inner, code) => `REPLACE(${inner}, NCHAR(${code}), N' ')`,
      `CONVERT(nvarchar(max), ${this.columnName(column)})`,
    );
    return `LTRIM(RTRIM(${text})) COLLATE Latin1_General_BIN2 = N'null'`;
  }

  /** The names of a path, which together are one parameter. They are compared as OPENJSON's keys are: by code points. */
  #pathNames(path: readonly string[]): string[] {
    const [only, ...more] = path;
    if (only !== undefined && more.length === 0) return [this.#text(only)];
    const names = this.#text(JSON.stringify(path));
    return path.map((_, step) => `JSON_VALUE(${names}, '$[${step}]') COLLATE Latin1_General_BIN2`);
  }

  #text(value: string): string {
    return this.add({ kind: 'constant', type: UNICODE_TEXT, value });
  }

  /** Text as a value of a column's type; the plan has rounded what is between two values of it. */
  protected compared(text: string, type: ColumnType): string {
    switch (type.kind) {
      case 'decimal':
        return `CONVERT(${comparedDecimal(type)}, ${text})`;
      case 'date':
        return `CONVERT(date, ${text}, 23)`;
      case 'time':
        // Converted to the column's type, a time behind its last one would wrongly become one of its values.
        return `CONVERT(time(7), ${text}, 121)`;
      case 'timestamp':
        return type.zoned
          ? `CONVERT(datetimeoffset(${digitsOf(type)}), ${text}, 127)`
          : comparedLocal(text, type);
      case 'hex':
        return `CONVERT(varbinary(8000), ${text}, 2)`;
      case 'integer':
        // A number would have the column converted, which no index then serves.
        return isRowVersion(type) ? `CONVERT(binary(8), ${text})` : text;
      case 'boolean':
      case 'float':
      case 'text':
      case 'uuid':
      case 'json':
      case 'binary':
      case 'opaque':
        return text;
    }
  }

  /**
   * A short list is a parameter for each value, because the engine plans by them. A longer one goes into a table variable, planned for its length at
   * each call (https://learn.microsoft.com/sql/t-sql/data-types/table-transact-sql); OPENJSON is always planned for 50 rows.
   */
  protected inList(left: Operand, list: Parameter, isNegated: boolean): string {
    if (list.size === 0) return this.syntax.constantCondition(false);
    const operand = unfolded(left);
    const isFolded = operand.kind === 'folded';
    const column = isFolded ? operand.operand : operand;
    // The value of a property is looked up once where it is the left side of one subquery.
    if (column.kind === 'jsonProperty') {
      return `${this.operand(left)} IN (${this.#listQuery(list, isFolded)})`;
    }
    const rest = MOST_SINGLE_VALUES - this.#singleValues;
    if (list.size === undefined || list.size > rest) {
      const compared = this.operand(left);
      const isIn = `${compared} IN (SELECT v FROM ${this.#listVariable(list, isFolded)})`;
      // The variable is empty where the column's code page has none of the texts, and nothing is unknown.
      return isNegated && isEncoded(list.type) ? `(${isIn} OR ${compared} IS NULL)` : isIn;
    }
    this.#singleValues += list.size;
    return this.#shortList(left, list, list.size, isFolded);
  }

  #shortList(left: Operand, list: Parameter, size: number, isFolded: boolean): string {
    const { type } = list;
    const compared = this.operand(left);
    const items = Array.from({ length: size }, (_, index) =>
      this.add({ kind: 'listItem', list, index }),
    );
    const values = items.map((item) => this.compared(item, type));
    const among = (texts: readonly string[]): string => `${compared} IN (${texts.join(', ')})`;
    if (isFolded) return among(values.map((value) => `LOWER(${value})`));
    if (isEncoded(type)) {
      return `(${among(items.map((item) => inColumnsEncoding(item, type)))} AND ${among(values)})`;
    }
    return among(values);
  }

  /** The values of a list as a subquery. What the code page of a column has no character for equals none of its values. */
  #listQuery(list: Parameter, isFolded: boolean): string {
    const { type } = list;
    const item = listItemType(type);
    const value = type.kind === 'text' ? inColumnsEncoding('v', type) : this.compared('v', type);
    return (
      `SELECT ${isFolded ? `LOWER(${value})` : value} FROM OPENJSON(${this.add(list)})` +
      ` WITH (v ${item} '$')${isEncoded(type) ? ` WHERE ${isInCodePage(value, 'v', item)}` : ''}`
    );
  }

  /** The values of a list in a table variable. @returns its name */
  #listVariable(list: Parameter, isFolded: boolean): string {
    const query = this.#listQuery(list, isFolded);
    const known = this.#listVariables.get(query);
    if (known !== undefined) return known.name;
    const name = `@l${this.#listVariables.size + 1}`;
    this.#listVariables.set(query, { name, type: listColumnType(list.type) });
    return name;
  }

  /** Fills the variables of lists first, and puts hints last. */
  protected override statement(
    text: string,
    readers: readonly Reader[],
    effect = this.effect,
  ): Statement {
    if (this.#listVariables.size === 0) return super.statement(text + this.hint, readers, effect);
    const filled = [...this.#listVariables].map(
      ([query, { name, type }]) =>
        `DECLARE ${name} TABLE (v ${type}); INSERT INTO ${name} ${query};`,
    );
    return super.statement(
      `SET NOCOUNT ON; ${filled.join(' ')} ${text} OPTION (RECOMPILE)`,
      readers,
      effect,
    );
  }

  /** Unrounded text as a value of a column's type. */
  protected exactly(text: string, type: ColumnType): string {
    if (type.kind === 'text') return inColumnsEncoding(text, type);
    if (type.kind === 'decimal') return exactDecimal(text, type);
    return this.compared(text, type.kind === 'timestamp' ? { ...type, fractionDigits: 7 } : type);
  }
}

/**
 * How many values of short lists are parameters of their own. A statement has 2,100 at most, and a filter may have many other comparisons
 * (https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server).
 */
const MOST_SINGLE_VALUES = 300;

const UNICODE_TEXT: ColumnType = { ...TEXT, native: 'nvarchar(4000)' };
