import { ProtocolError } from '../../base/errors.ts';
import { readType } from '../../schema/sqlserver/types.ts';
import type { ColumnType, TypeOf } from '../../schema/types.ts';
import type { WireValue } from '../../sql/ir/statement.ts';
import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import type { ResultSet } from '../database.ts';
import type { ColumnMetadata } from './driver-internals.ts';

/** A result with the driver's description of its columns. */
export interface DescribedResult extends ResultSet {
  readonly metadata: readonly ColumnMetadata[];
}

/** Adds the types of the columns to a result of a call, and converts its values to the forms that the dialect's readers read. */
export function calledResult({ columns, metadata, rows }: DescribedResult): ResultSet {
  const types = metadata.map(columnType);
  return {
    columns,
    types,
    rows: rows.map((row) => row.map((value, index) => wireValue(value, types[index]))),
  };
}

/** The error for a call with more than {@link MOST_CALLED_ROWS}. */
export function tooManyRows(): ProtocolError {
  const message = `The function answers more than ${MOST_CALLED_ROWS} rows: have it answer fewer.`;
  return new ProtocolError('answerTooLarge', message);
}

/** The types of a family that the driver names, by the length of their values. */
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

/** The length of a type without a limit. */
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

function wireValue(value: unknown, type: ColumnType | undefined): WireValue {
  if (value === null || value === undefined || type === undefined) return null;
  if (value instanceof Date) return dateText(value, type);
  if (typeof value === 'number' && type.kind === 'decimal') return decimalText(value, type);
  if (type.kind === 'opaque' && value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  return value;
}

/** Writes a date, which the driver reads in a sql_variant. It holds the digits that a Date cannot hold beside it, in seconds. */
function dateText(value: Date, { kind }: ColumnType): string {
  const { nanosecondsDelta = 0 } = value as { nanosecondsDelta?: number };
  const rest = Math.round(nanosecondsDelta * 1e7);
  const text = value.toISOString().slice(0, -1) + (rest === 0 ? '' : String(rest).padStart(4, '0'));
  const dateLength = text.indexOf('T');
  if (kind === 'date') return text.slice(0, dateLength);
  return kind === 'time' ? text.slice(dateLength + 1) : text;
}

/** How many units of a decimal's last digit a double tells apart, whatever the scale. */
const EXACT_UNITS = 1e15;

/** Writes a decimal that a driver of an unknown version has read, as a double. @throws ProtocolError badFunctionResult for one that may have lost digits */
function decimalText(value: number, { scale }: TypeOf<'decimal'>): string {
  const digits = scale ?? 0;
  if (Math.abs(value) < EXACT_UNITS / 10 ** digits) return value.toFixed(digits);
  throw new ProtocolError(
    'badFunctionResult',
    'The function answers a decimal of more than 15 digits, which this version of the driver does not read exactly.',
  );
}
