import type { Request } from 'tedious';
import { ProtocolError } from '../../base/errors.ts';
import { readType } from '../../schema/sqlserver-types.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { WireValue } from '../../sql/dialect.ts';
import { MOST_CALLED_ROWS, type ResultSet } from '../database.ts';

/** What the driver tells of a column; its types leave out most of it. */
interface ColumnMetadata {
  readonly colName: string;
  readonly type: { readonly name: string };
  /** In bytes; 65535 for max. */
  readonly dataLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

interface RawResult {
  readonly metadata: readonly ColumnMetadata[];
  readonly rows: (readonly unknown[])[];
}

/**
 * The results of a call, whose columns nobody knows before: what the driver makes of their values is brought to the forms that the
 * dialect's readers read.
 */
export class CalledResults {
  readonly #results: RawResult[] = [];
  #rows = 0;

  /** Takes what a request answers; of rows that are too many, none is kept. */
  collect(request: Request): void {
    request.on('columnMetadata', (columns: unknown) => {
      this.#results.push({ metadata: columns as readonly ColumnMetadata[], rows: [] });
    });
    request.on('row', (cells: readonly { readonly value: unknown }[]) => {
      this.#rows += 1;
      if (this.#rows > MOST_CALLED_ROWS) return;
      this.#results.at(-1)?.rows.push(cells.map(({ value }) => value));
    });
  }

  /** @throws ProtocolError answerTooLarge, and inexactResult for a decimal that the driver has cut */
  read(): ResultSet[] {
    if (this.#rows > MOST_CALLED_ROWS) throw tooManyRows();
    return this.#results.map(({ metadata, rows }) => {
      const types = metadata.map(columnType);
      return {
        columns: metadata.map(({ colName }) => colName),
        types,
        rows: rows.map((row) =>
          row.map((value, index) => wireValue(value, types[index], metadata[index])),
        ),
      };
    });
  }
}

/** The answer to a call with more rows than are held. */
export function tooManyRows(): ProtocolError {
  return new ProtocolError(
    'answerTooLarge',
    `The function answers more than ${MOST_CALLED_ROWS} rows: have it answer fewer.`,
  );
}

/** Types that the driver names by their family, by the bytes that a value has. */
const FAMILIES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  IntN: { 1: 'tinyint', 2: 'smallint', 4: 'int', 8: 'bigint' },
  FloatN: { 4: 'real', 8: 'float' },
  MoneyN: { 4: 'smallmoney', 8: 'money' },
  DateTimeN: { 4: 'smalldatetime', 8: 'datetime' },
};

const NAMES: Readonly<Record<string, string>> = {
  BitN: 'bit',
  DecimalN: 'decimal',
  NumericN: 'numeric',
  Variant: 'sql_variant',
  UDT: 'udt',
};

/** The longest of a type that has no limit, as the driver says it. */
const MAX_LENGTH = 65_535;

function columnType({ type, dataLength = 0, precision, scale }: ColumnMetadata): ColumnType {
  const name = FAMILIES[type.name]?.[dataLength] ?? NAMES[type.name] ?? type.name.toLowerCase();
  return readType({
    name,
    bytes: dataLength >= MAX_LENGTH ? -1 : dataLength,
    precision: precision ?? 53,
    scale: scale ?? 0,
    collation: null,
  });
}

function wireValue(
  value: unknown,
  type: ColumnType | undefined,
  column: ColumnMetadata | undefined,
): WireValue {
  if (value === null || value === undefined || type === undefined) return null;
  if (value instanceof Date) return dateText(value, type);
  if (type.kind === 'decimal' && typeof value === 'number') {
    return decimalText(value, type.scale ?? 0, column?.colName ?? '');
  }
  if (type.kind === 'opaque' && value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  return value;
}

/** What a Date cannot hold of a second's fraction the driver puts beside it, in seconds. */
function dateText(value: Date, { kind }: ColumnType): string {
  const { nanosecondsDelta = 0 } = value as { nanosecondsDelta?: number };
  const rest = Math.round(nanosecondsDelta * 1e7);
  const text = value.toISOString().slice(0, -1) + (rest === 0 ? '' : String(rest).padStart(4, '0'));
  if (kind === 'date') return text.slice(0, 10);
  return kind === 'time' ? text.slice(11) : text;
}

/** Below this many of its smallest unit, the double that the driver makes of a decimal has all of its digits. */
const EXACT_UNITS = 1e15;

/** The driver has no decimals but doubles: those that may have lost digits are no answer. */
function decimalText(value: number, scale: number, column: string): string {
  if (Math.abs(value) * 10 ** scale < EXACT_UNITS) return value.toFixed(scale);
  throw new ProtocolError(
    'inexactResult',
    `The function’s column ${column} holds a decimal of more than 15 digits, which cannot be answered exactly. Have the procedure answer it as text, or with fewer decimals.`,
  );
}
