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
import type { DialectSettings } from '../dialect.ts';
import { QueryPrinter, type PrintedOutput } from '../printer.ts';
import { baseType } from './native-type.ts';
import { booleanReader, integerReader, tsqlReader } from './readers.ts';

/**
 * Prints for SQL Server 2016 and later (JSON paths as parameters: 2017 and later). Identifiers are in double quotes:
 * QUOTED_IDENTIFIER is on in every session of the driver.
 */
export class TsqlPrinter extends QueryPrinter {
  /** The Windows name of the database's time zone, or null for UTC. */
  readonly #zone: string | null;
  /** The alias of the rows that came as JSON. */
  protected rowsAlias = 'k';

  constructor(settings: DialectSettings, zone: string | null) {
    super(settings);
    this.#zone = zone;
  }

  protected readonly integerReader = integerReader;
  protected readonly booleanReader = booleanReader;
  protected readonly likeEscape = '';

  identifier(name: string): string {
    return `"${name.replaceAll('"', '""')}"`;
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
    return column.type.kind === 'opaque' ? this.#opaqueText(column) : this.columnName(column);
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
      boolean: 'CAST(j.value AS bit)',
    }[property.as];
    return this.#jsonLookup(property, value, ` AND j.type IN (${types})`);
  }

  protected jsonPresence(property: JsonProperty): string {
    return this.#jsonLookup(property, 'j.value', '');
  }

  /**
   * OPENJSON over the property's parent tells the JSON type of what it finds, which JSON_VALUE does not. The path
   * came with the request, so it is a parameter.
   * https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
   */
  #jsonLookup({ column, path }: JsonProperty, value: string, condition: string): string {
    const name = this.columnName(column);
    const last = path.at(-1) ?? '';
    const parent = path.slice(0, -1).map((step) => `.${JSON.stringify(step)}`);
    const parentPath = this.#text(`$${parent.join('')}`);
    const key = this.#text(last);
    const valid = `CASE WHEN ISJSON(${name}) = 1 THEN ${name} END`;
    return (
      `(SELECT ${value} FROM OPENJSON(${valid}, ${parentPath}) j` +
      ` WHERE j."key" = ${key}${condition})`
    );
  }

  #text(value: string): string {
    return this.add({ kind: 'constant', type: UNICODE_TEXT, value });
  }

  /**
   * Text as a value of a column's type. Decimals get as many decimals as leave room for the column's whole digits, so that
   * a value with more decimals than the column's is compared, not rounded. An instant that meets a date-time without
   * offset is first turned into the database's local time.
   */
  protected compared(text: string, type: ColumnType): string {
    switch (type.kind) {
      case 'decimal':
        return `CONVERT(decimal(38, ${comparedScale(type)}), ${text})`;
      case 'date':
        return `CONVERT(date, ${text}, 23)`;
      case 'time':
        return `CONVERT(time(7), ${text}, 121)`;
      case 'timestamp': {
        const instant = `CONVERT(datetimeoffset(7), ${text}, 127)`;
        if (type.zoned) return instant;
        return `CONVERT(${localType(type)}, ${this.local(instant)})`;
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

  /** An instant in the time zone in which date-times without offset are written. */
  protected local(instant: string): string {
    return this.#zone === null ? instant : `${instant} AT TIME ZONE ${literal(this.#zone)}`;
  }

  protected inList(left: Operand, list: Parameter): string {
    const placeholder = this.add(list);
    const compared = this.operand(left);
    const value = list.type.kind === 'text' ? 'v' : this.compared('v', list.type);
    const collated = `${value}${collate(list.type)}`;
    return (
      `${compared} IN (SELECT ${left.kind === 'folded' ? `LOWER(${collated})` : collated}` +
      ` FROM OPENJSON(${placeholder}) WITH (v ${listItemType(list.type)} '$'))`
    );
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

  protected keyListSource(columns: readonly ColumnRef[]): string {
    const list = this.add({ kind: 'keyList', types: columns.map(({ type }) => type) });
    const parts = columns.map(({ type }, index) => ({ name: `k${index}`, type, at: index + 1 }));
    return this.rowSource(list, [ORDINAL, ...parts.map(keyItem)]);
  }

  /** Parts of JSON rows as a source. https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql */
  protected rowSource(rows: string, items: readonly string[]): string {
    return `OPENJSON(${rows}) WITH (${items.join(', ')}) ${this.rowsAlias}`;
  }

  protected keyPart({ type }: ColumnRef, index: number): string {
    const part = `${this.rowsAlias}.k${index}`;
    return type.kind === 'text' ? `${part}${collate(type)}` : this.compared(part, type);
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
        if (type.zoned) return asUtcText(`SWITCHOFFSET(${name}, '+00:00')`);
        return this.#zone === null
          ? `CONVERT(varchar(27), ${name}, 126)`
          : asUtcText(`${name} AT TIME ZONE ${literal(this.#zone)} AT TIME ZONE 'UTC'`);
      case 'time':
        return `CONVERT(varchar(16), ${name}, 121)`;
      case 'opaque':
        return this.#opaqueText(column);
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

  /** The text of types that JSON has no word for: WKT of geometries, the path of a hierarchyid. */
  #opaqueText(column: ColumnRef): string {
    const name = this.columnName(column);
    switch (baseType(column.type.native)) {
      case 'geometry':
      case 'geography':
        return `${name}.STAsText()`;
      case 'hierarchyid':
        return `${name}.ToString()`;
      default:
        return `CONVERT(nvarchar(max), ${name})`;
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
      case 'hash': {
        // Null and empty text have to differ.
        const parts = from.columns.map(
          (column) => `COALESCE(N'=' + ${this.#hashText(column)}, N'-'), N'|'`,
        );
        return digest(`CONCAT(${parts.join(', ')}, N'')`);
      }
    }
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

/** A constant of the gateway's own as a string literal; what a client sends never comes here. */
export function literal(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`;
}

/** The first 56 bits of a SHA-256 as a number. */
function digest(content: string): string {
  return `CONVERT(bigint, SUBSTRING(HASHBYTES('SHA2_256', ${content}), 1, 7))`;
}

function asUtcText(instant: string): string {
  return `CONVERT(varchar(27), CONVERT(datetime2(7), ${instant}), 126)`;
}

/** How many decimals a value is compared with: all that a decimal of 38 digits leaves beside the column's whole ones. */
function comparedScale(type: Extract<ColumnType, { kind: 'decimal' }>): number {
  if (type.precision === null) return 10;
  return 38 - (type.precision - (type.scale ?? 0));
}

/** datetime and smalldatetime as themselves, so that their index serves; datetime2 with all its digits. */
function localType(type: ColumnType): string {
  const base = baseType(type.native);
  return base === 'datetime' || base === 'smalldatetime' ? base : 'datetime2(7)';
}

/** The type of a list's items: the column's own, but for text, which must not be cut, and what is converted from text. */
function listItemType(type: ColumnType): string {
  switch (type.kind) {
    case 'text':
      return baseType(type.native).startsWith('n') ? 'nvarchar(4000)' : 'varchar(8000)';
    case 'decimal':
    case 'date':
    case 'time':
    case 'timestamp':
      return 'varchar(50)';
    case 'boolean':
    case 'integer':
    case 'float':
    case 'uuid':
      return type.native;
    case 'json':
    case 'binary':
    case 'opaque':
      return 'nvarchar(4000)';
  }
}

/** What OPENJSON returns has a collation of its own: it is given the column's, or the two could not be compared. */
export function collate(type: ColumnType): string {
  return type.kind === 'text' && type.collation !== undefined && /^\w+$/.test(type.collation)
    ? ` COLLATE ${type.collation}`
    : '';
}
