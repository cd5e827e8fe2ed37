import type { ColumnRef, OrderTerm, RelatedQuery, StampSource, Window } from '../ir/ir.ts';
import type { DatePart } from '../../base/date-parts.ts';
import { decimalDigits, NUMBER } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { isUtc, offsetsOf } from '../local-time.ts';
import type { DialectSettings } from '../dialect.ts';
import type { OutOfRange, Statement, StatementParameter } from '../ir/statement.ts';
import type { PrintedOutput } from '../syntax.ts';
import type { RowField } from '../write-printer.ts';
import { TsqlConditionPrinter } from './condition-printer.ts';
import {
  baseType,
  collatedAs,
  inColumnsEncoding,
  isInCodePage,
  isUnicode,
  listItemType,
} from './expressions.ts';
import { losslessText } from './text.ts';
import { integerReader, isReadWhole, stampReader, tsqlReader } from './readers.ts';

/** Drops tie-breaks beyond the 8,060 bytes of a sort (https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql). */
function withinSortLimit(terms: readonly OrderTerm[]): OrderTerm[] {
  let left = MOST_BYTES;
  return terms.filter(({ operand, tieBreak = false }) => {
    const bytes = operand.kind === 'column' ? bytesOf(operand.type) : 0;
    if (tieBreak && bytes > left) return false;
    left -= bytes;
    return true;
  });
}

const MOST_BYTES = 8000;

/** How many bytes a value of a type has at most. Of bytes in keys an index can hold 1,700. */
function bytesOf(type: ColumnType): number {
  if (type.kind !== 'text') return BYTES[type.kind];
  return type.maxLength === null ? Infinity : type.maxLength * (isUnicode(type) ? 2 : 1);
}

const BYTES = {
  ...{ boolean: 1, integer: 8, float: 8, decimal: 17, uuid: 16 },
  ...{ date: 10, time: 10, timestamp: 10 },
  ...{ hex: 1700, binary: Infinity, json: Infinity, opaque: Infinity },
} as const;

/** How many digits the sum of many numbers may have before its point. */
function summedDigits(type: ColumnType): number {
  const digits = type.kind === 'decimal' ? decimalDigits(type) : null;
  return (digits?.whole ?? 19) + 10;
}

/** The type of a null in the place of a value of a type, which it does not widen more than it has to. */
function nullType(type: ColumnType): string {
  if (type.kind === 'integer') return 'bigint';
  if (type.kind === 'float') return 'float';
  if (type.kind !== 'decimal') return type.native;
  const { precision, scale } = type;
  return precision === null ? 'decimal(38, 10)' : `decimal(${precision}, ${scale ?? 0})`;
}

/** The rows of a key. */
interface RelatedRows {
  readonly source: string;
  readonly conditions: readonly string[];
}

/** Prints for SQL Server 2016 and later. Identifiers are in double quotes: QUOTED_IDENTIFIER is on in every session of the driver. */
export class TsqlPrinter extends TsqlConditionPrinter {
  /** Whether rows are read as they come over the wire, and not as the driver reads them: its numbers lose digits. */
  readonly readsWire: boolean;

  constructor(settings: DialectSettings, readsWire: boolean, outOfRange?: OutOfRange) {
    super(settings, outOfRange);
    this.readsWire = readsWire;
  }

  protected override orderBy(terms: readonly OrderTerm[], none: string): string {
    return super.orderBy(withinSortLimit(terms), none);
  }

  /** Plans for the first page, whichever is read first (https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql). */
  protected window({ offset, limit }: Window): string {
    const skipped = offset === null ? '0' : this.parameter(offset);
    const fetched = this.parameter(limit);
    const usual = [...(offset === null ? [] : [`${skipped} = 0`]), `${fetched} = 100`];
    this.hint = ` OPTION (OPTIMIZE FOR (${usual.join(', ')}))`;
    return ` OFFSET ${skipped} ROWS FETCH NEXT ${fetched} ROWS ONLY`;
  }

  /** For each key, the count of its rows and the first of them, by an index on the foreign key. Numbering all rows would sort them all. */
  protected override related(query: RelatedQuery): Statement {
    const outputs = query.outputs.map((output) => this.output(output));
    const keys = this.keyList(query.keyColumns);
    const { source, conditions } = this.#relatedRows(query);
    const met = query.where === null ? conditions : [...conditions, this.condition(query.where)];
    const where = met.length === 0 ? '' : ` WHERE ${met.join(' AND ')}`;
    const order = this.orderBy(query.orderBy, this.syntax.anyOrder);
    const first =
      `SELECT TOP (${query.perKey}) ROW_NUMBER() OVER (${order.trim()}) AS r` +
      outputs.map(({ sql }, index) => `, ${sql} AS c${index}`).join('') +
      ` FROM ${source}${this.joins(query.joins)}${where}${order}`;
    return this.statement(
      `SELECT k.o, n.n${outputs.map((_, index) => `, x.c${index}`).join('')} FROM ${keys}` +
        ` CROSS APPLY (SELECT COUNT_BIG(*) AS n FROM ${source}${where}) n` +
        ` CROSS APPLY (${first}) x ORDER BY k.o, x.r`,
      [integerReader, integerReader, ...outputs.map(({ reader }) => reader)],
    );
  }

  /** The rows of a key, directly or over link tables whose repeated links are dropped. */
  #relatedRows({ from, keyColumns, via }: RelatedQuery): RelatedRows {
    const meetsKey = this.meetsKeys(keyColumns);
    const target = this.source(from);
    const [first] = via;
    const last = via.at(-1);
    if (first === undefined || last === undefined) {
      return { source: target, conditions: [meetsKey] };
    }
    const linked = last.on.map(([left], index) => `${this.columnName(left)} AS j${index}`);
    const reaches = last.on.map(
      ([left, right], index) =>
        `${this.columnName(right)} = l.j${index}${collatedAs(left.type, right.type)}`,
    );
    const links =
      `SELECT DISTINCT ${linked.join(', ')} FROM ${this.source(first.table)}${this.links(via)}` +
      ` WHERE ${meetsKey}${this.andWhere(first.where)}`;
    return { source: `(${links}) l JOIN ${target} ON ${reaches.join(' AND ')}`, conditions: [] };
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
    return isInCodePage(inColumnsEncoding(part, type), part, listItemType(type));
  }

  /** Widens int, bigint and money, whose sums overflow with many rows (https://learn.microsoft.com/sql/t-sql/functions/sum-transact-sql). */
  protected summand(column: ColumnRef): string {
    const name = this.comparedColumn(column);
    const { type } = column;
    if (type.kind === 'integer') {
      return `CONVERT(${type.bits === 64 ? 'decimal(38, 0)' : 'bigint'}, ${name})`;
    }
    if (type.kind === 'float' && type.bits === 32) return `CONVERT(float, ${name})`;
    return type.kind === 'decimal' && baseType(type.native).endsWith('money')
      ? `CONVERT(decimal(38, 4), ${name})`
      : name;
  }

  /**
   * With six digits behind the point or more, as the sum leaves room for them: a quotient of two decimals has few of them
   * (https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql).
   */
  protected quotient(sum: string, count: string, type: ColumnType): string {
    if (type.kind === 'float') return `${sum} / ${count}`;
    return `CONVERT(decimal(38, ${Math.max(6, 38 - summedDigits(type))}), ${sum}) / ${count}`;
  }

  protected number(column: ColumnRef): string {
    return this.columnName(column);
  }

  protected notNumber(): null {
    return null;
  }

  /** https://learn.microsoft.com/sql/t-sql/functions/datefromparts-transact-sql */
  protected datePart(column: ColumnRef, part: DatePart): string {
    const name = this.columnName(column);
    const { type } = column;
    const local = type.kind === 'timestamp' && type.zoned ? this.#localTime(name) : name;
    const day = type.kind === 'date' ? local : `CONVERT(date, ${local})`;
    switch (part) {
      case 'year':
        return `DATEFROMPARTS(YEAR(${day}), 1, 1)`;
      case 'quarter':
        return `DATEFROMPARTS(YEAR(${day}), DATEPART(quarter, ${day}) * 3 - 2, 1)`;
      case 'month':
        return `DATEFROMPARTS(YEAR(${day}), MONTH(${day}), 1)`;
      case 'week': {
        // Of the first day of all, which is a Monday, whatever the session takes for the first day of a week.
        const days = `DATEDIFF(day, CONVERT(date, '00010101'), ${day}) % 7`;
        return `DATEADD(day, -(${days}), ${day})`;
      }
      case 'day':
        return day;
      case 'hour':
        return `CONVERT(varchar(10), ${day}, 23) + 'T' + RIGHT('0' + CONVERT(varchar(2), DATEPART(hour, ${local})), 2)`;
    }
  }

  /** A date-time with offset as local time of the database. Windows, which AT TIME ZONE asks, has other names of time zones, and other rules for years gone by. */
  #localTime(name: string): string {
    const utc = `CONVERT(datetime2(7), SWITCHOFFSET(${name}, '+00:00'))`;
    const { timeZone } = this.settings;
    if (isUtc(timeZone)) return utc;
    const offsets = offsetsOf(timeZone).map(({ since, seconds }) => `('${since}', ${seconds})`);
    const offset = `(SELECT TOP (1) z.s FROM (VALUES ${offsets.join(', ')}) z(t, s) WHERE CONVERT(datetime2(0), z.t) <= ${utc} ORDER BY z.t DESC)`;
    return `CASE WHEN CONVERT(date, ${utc}) IN ('0001-01-01', '9999-12-31') THEN ${utc} ELSE DATEADD(second, ${offset}, ${utc}) END`;
  }

  /**
   * Of decimals, the remainder is exact, which a quotient is not (https://learn.microsoft.com/sql/t-sql/language-elements/modulo-transact-sql). A float is the
   * number that its exact digits say, where a decimal has room for it.
   */
  protected step(column: ColumnRef, size: string): string {
    const { type } = column;
    const name = this.columnName(column);
    const fraction = size.split('.')[1]?.length ?? 0;
    const text = this.add({ kind: 'constant', type: NUMBER, value: size });
    const by = `CONVERT(decimal(${size.length}, ${fraction}), ${text})`;
    const below = (value: string): string =>
      `${value} - ${value} % ${by} - CASE WHEN ${value} % ${by} < 0 THEN ${by} ELSE 0 END`;
    if (type.kind === 'float') {
      const value = `CONVERT(decimal(38, ${type.bits === 32 ? 6 : 15}), ${name})`;
      const large = `FLOOR(${name} / CONVERT(float, ${by})) * CONVERT(float, ${by})`;
      return `CASE WHEN ABS(${name}) < 1E15 THEN CONVERT(float, ${below(value)}) ELSE ${large} END`;
    }
    const isMoney = baseType(type.native).endsWith('money');
    const digits = type.kind === 'decimal' ? decimalDigits(type) : null;
    const scale = Math.max(fraction, digits?.fraction ?? 0);
    const step = below(isMoney ? `CONVERT(decimal(19, 4), ${name})` : name);
    return `CONVERT(decimal(38, ${Math.min(scale, 38 - (digits?.whole ?? 0))}), ${step})`;
  }

  protected nothing(type: ColumnType): string {
    return `CONVERT(${nullType(type)}, NULL)`;
  }

  /** Blanks at the end of a text make no difference in any collation, and case makes one in some. */
  protected isExact(): boolean {
    return false;
  }

  /** As Unicode, because to name a collation is to convert to its code page. */
  protected firstText(text: string, type: ColumnType): string {
    const length = type.kind === 'text' ? type.maxLength : null;
    const room = length !== null && length <= 4000 ? length : 'max';
    return `MIN(CONVERT(nvarchar(${room}), ${text}) COLLATE Latin1_General_BIN2)`;
  }

  /** A column of bytes as a type of which any part can be read: those of `image` are cut at 8,000 bytes. */
  protected override bytesColumn(column: ColumnRef): string {
    const name = this.columnName(column);
    return baseType(column.type.native) === 'image' ? `CONVERT(varbinary(max), ${name})` : name;
  }

  protected value(column: ColumnRef): PrintedOutput {
    const name = this.columnName(column);
    const isWhole = this.readsWire && isReadWhole(column.type);
    const sql = isWhole ? name : losslessText(name, column.type);
    return { sql, reader: tsqlReader(column.type, this.settings) };
  }

  /** Stamps are read unconverted, because functions are called for skipped rows, too. Null counters are read as 0. */
  protected override stampOutput(source: StampSource, bits: 53 | 31): PrintedOutput {
    if (source.kind === 'xmin') return super.stampOutput(source, bits);
    const { column } = source;
    const name = this.columnName(column);
    if (!column.nullable) return { sql: name, reader: stampReader(bits) };
    return source.kind === 'column'
      ? { sql: `ISNULL(${name}, 0)`, reader: stampReader(bits) }
      : super.stampOutput(source, bits);
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

/** The ordinal of a JSON row, as an item of OPENJSON. */
export const ORDINAL = "o int '$[0]'";

/** A field of a JSON row that is compared with a column, as an item of OPENJSON. */
export function keyItem({ name, type, at }: Omit<RowField, 'isCompared'>): string {
  return `${name} ${listItemType(type)} '$[${at}]'`;
}

/** A string literal, for constants of the gateway only, never for a client's value. */
export function literal(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`;
}
