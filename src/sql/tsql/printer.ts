import type {
  ColumnRef,
  Comparison,
  Folded,
  JsonProperty,
  Likeness,
  Operand,
  OrderTerm,
  Parameter,
  StampSource,
  Window,
} from '../../query/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, StatementParameter } from '../dialect.ts';
import { QueryPrinter, type PrintedOutput } from '../printer.ts';
import {
  comparable,
  comparedDecimal,
  exactDecimal,
  inColumnsEncoding,
  listItemType,
  localType,
} from './expressions.ts';
import { jsonLookup, typedProperty, type JsonLookup } from './json-lookup.ts';
import { localTime, utcText } from './local-time.ts';
import { baseType, isUnicode } from './native-type.ts';
import { opaqueText } from './opaque-text.ts';
import { booleanReader, integerReader, tsqlReader } from './readers.ts';
import { identifier } from './identifier.ts';
import { encodedComparison, soughtPattern, textPair, unfolded } from './text-comparison.ts';

/**
 * Prints for SQL Server 2016 and later. Identifiers are in double quotes: QUOTED_IDENTIFIER is on in every session of the
 * driver.
 */
export class TsqlPrinter extends QueryPrinter {
  /** The Windows name of the database's time zone, or null for UTC. */
  protected readonly zone: string | null;
  /** The alias of the rows that came as JSON. */
  protected rowsAlias = 'k';

  constructor(settings: DialectSettings, zone: string | null) {
    super(settings);
    this.zone = zone;
  }

  protected readonly integerReader = integerReader;
  protected readonly booleanReader = booleanReader;
  protected readonly likeEscape = '';
  protected readonly anyOrder = ' ORDER BY (SELECT NULL)';

  identifier(name: string): string {
    return identifier(name);
  }

  protected placeholder(number: number): string {
    return `@p${number}`;
  }

  /**
   * The driver binds most types as themselves. Decimals, dates and times are bound as text, because the driver's own forms
   * of them lose digits, and converted by the server.
   */
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

  protected patternColumn(column: ColumnRef): string {
    return column.type.kind === 'text' && column.type.padded
      ? `RTRIM(${this.columnName(column)})`
      : this.comparedColumn(column);
  }

  protected fold(text: string, folded: Folded): string {
    return unfolded(folded) === folded ? `LOWER(${text})` : text;
  }

  protected override comparison(node: Comparison): string {
    const pair = textPair(node.left, node.right);
    if (pair === null || isUnicode(pair.column.type)) return super.comparison(node);
    const column = this.comparedColumn(pair.column);
    return encodedComparison(column, node.operator, this.add(pair.value), pair.column.type);
  }

  protected override likeness(node: Likeness): string {
    const pair = textPair(node.left, node.right);
    const exact = super.likeness(node);
    if (pair === null) return exact;
    const column = this.comparedColumn(pair.column);
    const sought = soughtPattern(pair, column, this.add(pair.value));
    if (sought === null) return exact;
    const [like, joint] = node.negated ? ['NOT LIKE', 'OR'] : ['LIKE', 'AND'];
    return `(${sought.column} ${like} ${sought.pattern} ${joint} ${exact})`;
  }

  protected jsonProperty(property: JsonProperty): string {
    return this.#jsonLookup(property, typedProperty(property.as));
  }

  protected jsonPresence(property: JsonProperty): string {
    return this.#jsonLookup(property, { value: 'j.value', condition: '' });
  }

  #jsonLookup(
    { column, path }: JsonProperty,
    found: Pick<JsonLookup, 'value' | 'condition'>,
  ): string {
    const name = comparable(this.columnName(column), column.type);
    return jsonLookup({ column: name, names: this.#pathNames(path), ...found });
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

  /**
   * Text as a value of a column's type; the plan has rounded what is between two values of it. An instant that meets a
   * date-time without offset is first turned into the database's local time.
   */
  protected compared(text: string, type: ColumnType): string {
    switch (type.kind) {
      case 'decimal':
        return `CONVERT(${comparedDecimal(type)}, ${text})`;
      case 'date':
        return `CONVERT(date, ${text}, 23)`;
      case 'time':
        return `CONVERT(time(7), ${text}, 121)`;
      case 'timestamp': {
        const instant = `CONVERT(datetimeoffset(7), ${text}, 127)`;
        if (type.zoned) return instant;
        return `CAST(${localTime(instant, type, this.zone)} AS ${localType(type)})`;
      }
      case 'boolean':
      case 'integer':
      case 'float':
      case 'text':
      case 'uuid':
      case 'json':
      case 'binary':
      case 'opaque':
        return text;
    }
  }

  protected inList(left: Operand, list: Parameter): string {
    const placeholder = this.add(list);
    const compared = this.operand(left);
    const { value, condition } = this.#listItem(list.type);
    return (
      `${compared} IN (SELECT ${left.kind === 'folded' ? `LOWER(${value})` : value}` +
      ` FROM OPENJSON(${placeholder}) WITH (v ${listItemType(list.type)} '$')${condition})`
    );
  }

  /** An item of a list as it is compared. What the code page of a column has no character for equals none of its values. */
  #listItem(type: ColumnType): { readonly value: string; readonly condition: string } {
    if (type.kind !== 'text') return { value: this.compared('v', type), condition: '' };
    const value = inColumnsEncoding('v', type);
    const condition = isUnicode(type) ? '' : ` WHERE ${isInCodePage(value, 'v')}`;
    return { value, condition };
  }

  protected isNotTrue(condition: string): string {
    return `CASE WHEN ${condition} THEN 1 ELSE 0 END = 0`;
  }

  protected constantCondition(value: boolean): string {
    return value ? '1 = 1' : '1 = 0';
  }

  protected trueValue(): string {
    return 'CAST(1 AS bit)';
  }

  protected orderTerm({ operand, descending }: OrderTerm): string {
    const value =
      operand.kind === 'jsonProperty' ? this.jsonProperty(operand) : this.comparedColumn(operand);
    return descending ? `${value} DESC` : value;
  }

  protected window({ offset, limit }: Window): string {
    const skipped = offset === null ? '0' : this.parameter(offset);
    return ` OFFSET ${skipped} ROWS FETCH NEXT ${this.parameter(limit)} ROWS ONLY`;
  }

  protected keySource(keys: StatementParameter, columns: readonly ColumnRef[]): string {
    const parts = columns.map(({ type }, index) => ({ name: `k${index}`, type, at: index + 1 }));
    return this.rowSource(this.add(keys), [ORDINAL, ...parts.map(keyItem)]);
  }

  /** Fields of JSON rows as a source. https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql */
  protected rowSource(rows: string, items: readonly string[]): string {
    return `OPENJSON(${rows}) WITH (${items.join(', ')}) ${this.rowsAlias}`;
  }

  protected keyPart({ type }: ColumnRef, index: number): string {
    return this.exactly(`${this.rowsAlias}.k${index}`, type);
  }

  protected keyPartCondition({ type }: ColumnRef, index: number): string | null {
    if (type.kind !== 'text' || isUnicode(type)) return null;
    const part = `${this.rowsAlias}.k${index}`;
    return isInCodePage(inColumnsEncoding(part, type), part);
  }

  /** Text that nobody rounded as a value of a column's type. */
  protected exactly(text: string, type: ColumnType): string {
    if (type.kind === 'text') return inColumnsEncoding(text, type);
    return type.kind === 'decimal' ? exactDecimal(text, type) : this.compared(text, type);
  }

  protected countExpression(over: string): string {
    return over === '' ? 'COUNT_BIG(*)' : `COUNT_BIG(*) ${over}`;
  }

  /** The database's last used rowversion: it grows with every change of a table that has one. */
  protected globalStampExpression(): string {
    return 'CONVERT(bigint, @@DBTS)';
  }

  protected presence(column: string): string {
    return `CAST(CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END AS bit)`;
  }

  protected truth(condition: string): string {
    return `CAST(CASE WHEN ${condition} THEN 1 ELSE 0 END AS bit)`;
  }

  protected bigint(digits: string): string {
    return `CAST(${digits} AS bigint)`;
  }

  protected value(column: ColumnRef): PrintedOutput {
    return { sql: this.#lossless(column), reader: tsqlReader(column.type, this.settings) };
  }

  /**
   * A column in a form in which the driver loses nothing of it. Text is made as Unicode, because a database's own collation may
   * have no code page (https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support).
   */
  #lossless(column: ColumnRef): string {
    const name = this.columnName(column);
    const { type } = column;
    switch (type.kind) {
      case 'decimal':
        // money as text has two decimals; as a decimal it has all four.
        return baseType(type.native).endsWith('money')
          ? `CONVERT(nvarchar(42), CONVERT(decimal(19, 4), ${name}))`
          : `CONVERT(nvarchar(42), ${name})`;
      case 'date':
        return `CONVERT(nvarchar(10), ${name}, 23)`;
      case 'timestamp':
        return type.zoned
          ? `CONVERT(nvarchar(27), CONVERT(datetime2(7), SWITCHOFFSET(${name}, '+00:00')), 126)`
          : utcText(name, type, this.zone);
      case 'time':
        return `CONVERT(nvarchar(16), ${name}, 121)`;
      case 'opaque':
        return opaqueText(name, baseType(type.native));
      case 'boolean':
      case 'integer':
      case 'float':
      case 'text':
      case 'uuid':
      case 'json':
      case 'binary':
        return name;
    }
  }

  protected rawStamp(from: StampSource): string {
    switch (from.kind) {
      case 'column':
        return `CAST(${this.columnName(from.column)} AS bigint)`;
      case 'rowversion':
        return `CONVERT(bigint, CONVERT(binary(8), ${this.columnName(from.column)}))`;
      case 'xmin':
        throw new Error('xmin is a system column of PostgreSQL');
      case 'hash':
        return digest(this.#rowText(from.columns));
    }
  }

  /**
   * All of a row as one text in which null and empty text differ. CONCAT takes 254 values at most, and cuts its result
   * where none of them is of a type without limit.
   * https://learn.microsoft.com/sql/t-sql/functions/concat-transact-sql
   */
  #rowText(columns: readonly ColumnRef[]): string {
    const texts = columns.map((column) => `COALESCE(N'=' + ${this.#hashText(column)}, N'-'), N'|'`);
    const groups: string[] = [];
    for (let start = 0; start < texts.length; start += COLUMNS_PER_CONCAT) {
      const group = texts.slice(start, start + COLUMNS_PER_CONCAT);
      groups.push(`CONCAT(CONVERT(nvarchar(max), N''), ${group.join(', ')})`);
    }
    return groups.join(' + ');
  }

  #hashText(column: ColumnRef): string {
    const name = this.columnName(column);
    switch (column.type.kind) {
      case 'binary':
        // Content may be large: its own digest stands for it.
        return `CONVERT(varchar(20), ${digest(`CONVERT(varbinary(max), ${name})`)})`;
      case 'float':
        return `CONVERT(varchar(40), ${name}, 3)`;
      case 'text':
      case 'json':
        return `CONVERT(nvarchar(max), ${name})`;
      case 'uuid':
        return `CONVERT(varchar(36), ${name})`;
      case 'boolean':
      case 'integer':
        return `CONVERT(varchar(20), ${name})`;
      case 'decimal':
      case 'date':
      case 'timestamp':
      case 'time':
      case 'opaque':
        return this.#lossless(column);
    }
  }
}

/** The ordinal of a JSON row, as an item of OPENJSON. */
export const ORDINAL = "o int '$[0]'";

/** A part of a JSON row that is compared with a column, as an item of OPENJSON. */
export function keyItem(part: { name: string; type: ColumnType; at: number }): string {
  return `${part.name} ${listItemType(part.type)} '$[${part.at}]'`;
}

const UNICODE_TEXT: ColumnType = {
  kind: 'text',
  maxLength: null,
  padded: false,
  native: 'nvarchar(4000)',
};

/** SQL Server's CONCAT takes at most 254 values, and Babelfish's 100; a column is two of them. */
const COLUMNS_PER_CONCAT = 40;

/** Whether the code page of a column has every character of a text: what it has not would turn into question marks. */
function isInCodePage(encoded: string, text: string): string {
  return `CONVERT(nvarchar(4000), ${encoded}) COLLATE Latin1_General_BIN2 = ${text}`;
}

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`;
}

/** The first 56 bits of a SHA-256 as a number. */
function digest(content: string): string {
  return `CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', ${content}), 1, 7))`;
}
