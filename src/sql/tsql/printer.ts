import type {
  ColumnRef,
  JsonProperty,
  Operand,
  OrderTerm,
  Parameter,
  StampSource,
  Window,
} from '../../query/ir.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { Beyond, DialectSettings, StatementParameter } from '../dialect.ts';
import { QueryPrinter, type PrintedOutput } from '../printer.ts';
import { WITHIN } from '../reprinted.ts';
import {
  comparable,
  comparedDecimal,
  exactDecimal,
  inColumnsEncoding,
  listItemType,
  localType,
} from './expressions.ts';
import { localTime, utcText } from './local-time.ts';
import { baseType, isUnicode } from './native-type.ts';
import { opaqueText } from './opaque-text.ts';
import { booleanReader, integerReader, tsqlReader } from './readers.ts';
import { identifier } from './identifier.ts';

/**
 * Prints for SQL Server 2016 and later. Identifiers are in double quotes: QUOTED_IDENTIFIER is on in every session of the
 * driver.
 */
export class TsqlPrinter extends QueryPrinter {
  /** The Windows name of the database's time zone, or null for UTC. */
  protected readonly zone: string | null;
  /** The alias of the rows that came as JSON. */
  protected rowsAlias = 'k';

  constructor(settings: DialectSettings, zone: string | null, beyond: Beyond = WITHIN) {
    super(settings, beyond);
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

  protected jsonProperty(property: JsonProperty): string {
    const types = { text: '1, 2, 3', number: '2', boolean: '3' }[property.as];
    const value = {
      text: 'j.value',
      number: JSON_NUMBER,
      boolean: 'TRY_CONVERT(bit, j.value)',
    }[property.as];
    return this.#jsonLookup(property, value, ` AND j.type IN (${types})`);
  }

  protected jsonPresence(property: JsonProperty): string {
    return this.#jsonLookup(property, 'j.value', '');
  }

  protected isJsonNull(column: ColumnRef): string {
    const text = ['9', '10', '13'].reduce(
      (inner, code) => `REPLACE(${inner}, NCHAR(${code}), N' ')`,
      `CONVERT(nvarchar(max), ${this.columnName(column)})`,
    );
    return `LTRIM(RTRIM(${text})) COLLATE Latin1_General_BIN2 = N'null'`;
  }

  /**
   * OPENJSON tells the JSON type of what it finds, which JSON_VALUE does not. Names come with the request, so they are
   * a parameter, and each step of a path is an OPENJSON of its own: a whole path can be no parameter before SQL Server 2017.
   * Of a name that an object has twice the first is taken.
   * https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
   */
  #jsonLookup({ column, path }: JsonProperty, value: string, condition: string): string {
    const name = comparable(this.columnName(column), column.type);
    const last = path.length - 1;
    const alias = (step: number): string => (step === last ? 'j' : `j${step}`);
    const steps = path.map((_, step) =>
      step === 0
        ? `OPENJSON(CASE WHEN ISJSON(${name}) = 1 THEN ${name} END) ${alias(step)}`
        : ` CROSS APPLY OPENJSON(${inner(alias(step - 1))}) ${alias(step)}`,
    );
    const names = this.#pathNames(path);
    const keys = path.map((_, step) => `${alias(step)}."key" = ${names[step] ?? ''}`);
    return `(SELECT TOP (1) ${value} FROM ${steps.join('')} WHERE ${keys.join(' AND ')}${condition})`;
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
      case 'hex':
        return `CONVERT(varbinary(8000), ${text}, 2)`;
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
    const part = `${this.rowsAlias}.k${index}`;
    return type.kind === 'text' ? inColumnsEncoding(part, type) : this.exactly(part, type);
  }

  protected keyPartCondition({ type }: ColumnRef, index: number): string | null {
    if (type.kind !== 'text' || isUnicode(type)) return null;
    const part = `${this.rowsAlias}.k${index}`;
    return isInCodePage(inColumnsEncoding(part, type), part);
  }

  /** Text that nobody rounded as a value of a column's type. */
  protected exactly(text: string, type: ColumnType): string {
    return type.kind === 'decimal' ? exactDecimal(text, type) : this.compared(text, type);
  }

  /**
   * Of two transactions that are about to change a row one waits here, where shared locks would let both read it and then
   * wait for each other. https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table
   */
  protected readonly lockHint = ' WITH (UPDLOCK)';

  protected lockClause(): string {
    return '';
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

  /** A column in a form in which the driver loses nothing of it. */
  #lossless(column: ColumnRef): string {
    const name = this.columnName(column);
    const { type } = column;
    switch (type.kind) {
      case 'decimal':
        // money as text has two decimals; as a decimal it has all four.
        return baseType(type.native).endsWith('money')
          ? `CONVERT(varchar(42), CONVERT(decimal(19, 4), ${name}))`
          : `CONVERT(varchar(42), ${name})`;
      case 'date':
        return `CONVERT(varchar(10), ${name}, 23)`;
      case 'timestamp':
        return type.zoned
          ? `CONVERT(varchar(27), CONVERT(datetime2(7), SWITCHOFFSET(${name}, '+00:00')), 126)`
          : utcText(name, type, this.zone);
      case 'time':
        return `CONVERT(varchar(16), ${name}, 121)`;
      case 'opaque':
        return opaqueText(name, baseType(type.native));
      case 'boolean':
      case 'integer':
      case 'float':
      case 'text':
      case 'uuid':
      case 'json':
      case 'binary':
      case 'hex':
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
    }
  }
}

/** A JSON number with all its digits; only one that is written with an exponent goes by way of a float. */
const JSON_NUMBER =
  "TRY_CONVERT(decimal(38, 10), CASE WHEN j.value LIKE '%[eE]%'" +
  ' THEN CONVERT(varchar(50), TRY_CONVERT(decimal(38, 10), TRY_CONVERT(float, j.value)))' +
  ' ELSE j.value END)';

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

/** Whether the code page of a column has every character of a text: what it has not would turn into question marks. */
function isInCodePage(encoded: string, text: string): string {
  return `CONVERT(nvarchar(4000), ${encoded}) COLLATE Latin1_General_BIN2 = ${text}`;
}

/** The object or array that a step found, for the next one to look into. */
function inner(alias: string): string {
  return `CASE WHEN ${alias}.type IN (4, 5) THEN ${alias}.value END`;
}

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`;
}
