import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import type { Literal } from '../../protocol/ast.ts';
import { type ColumnType, isStepped } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { ConversionError } from './conversion-error.ts';
import { decimal, float, integer, type Rounding, roundDecimal } from './numbers.ts';
import { date, roundTimestamp, time, timestamp } from './times.ts';

/**
 * A client's value as canonical text of the type it is compared with: digits, `true`/`false`, ISO dates in UTC.
 * @param meets the attribute, for the message
 * @throws ProtocolError wrongType (1508) when the type cannot hold the value, so that no engine has to refuse it
 */
export function convert(
  literal: Literal,
  type: ColumnType,
  meets: string,
  limits: ValueLimits = FINEST,
): string {
  const text = typeof literal.value === 'string' ? literal.value : '';
  try {
    return canonicalText(text, type, limits);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new ProtocolError(
      'wrongType',
      `"${excerpt(text)}" is not a value for ${meets}: expected ${error.message}`,
      { within: literal.within, position: literal.position },
    );
  }
}

/** The limits of an engine that is not known. */
const FINEST: ValueLimits = {
  fractionDigits: 7,
  subnormals: true,
  decimalDigits: 38,
  distantTimes: false,
  timeZone: 'UTC',
  notNumbers: false,
};

/** More characters than any number of a column has, however it is written. */
const MOST_DIGITS = 200_000;

/** More characters than any date, time, UUID or boolean has. */
const MOST_CHARACTERS = 1000;

const UNLIMITED: ReadonlySet<ColumnType['kind']> = new Set([
  'text',
  'opaque',
  'hex',
  'json',
  'binary',
]);

/**
 * A client's value as canonical text of the type it is stored as, with all the digits that a column may hold.
 * @throws ConversionError when the type cannot hold the value
 */
export function canonicalText(
  text: string,
  type: ColumnType,
  limits: ValueLimits = FINEST,
): string {
  const { kind } = type;
  const isNumber = kind === 'integer' || kind === 'decimal' || kind === 'float';
  const most = isNumber ? MOST_DIGITS : MOST_CHARACTERS;
  if (text.length > most && !UNLIMITED.has(kind)) {
    throw new ConversionError(`a value of at most ${most} characters`);
  }
  switch (kind) {
    case 'boolean':
      return boolean(text);
    case 'integer':
      return integer(text, type);
    case 'decimal':
      return decimal(text, type, limits);
    case 'float':
      return float(text, type, limits);
    case 'text':
    case 'opaque':
      return plainText(text);
    case 'uuid':
      return uuid(text);
    case 'date':
      return date(text, limits);
    case 'timestamp':
      return timestamp(text, type, limits);
    case 'time':
      return time(text, type, limits);
    case 'hex':
      return hex(text);
    case 'json':
    case 'binary':
      throw new Error(`a ${kind} column is compared with no value`);
  }
}

/** Whether the type has exactly this value. */
export function isOnStep(canonical: string, type: ColumnType): boolean {
  return roundToStep(canonical, type, 'down') === roundToStep(canonical, type, 'up');
}

/** The type's nearest value that is not greater, or not less; the value itself where the type has it. */
export function roundToStep(canonical: string, type: ColumnType, round: Rounding): string {
  if (!isStepped(type)) return canonical;
  if (type.kind === 'decimal') return roundDecimal(canonical, type.scale ?? 0, round);
  return type.kind === 'timestamp' ? roundTimestamp(canonical, type, round) : canonical;
}

function boolean(text: string): string {
  if (/^(?:true|1)$/i.test(text)) return 'true';
  if (/^(?:false|0)$/i.test(text)) return 'false';
  throw new ConversionError('true or false');
}

/** U+0000 cannot be stored by PostgreSQL in any text, so nothing can equal it. */
function plainText(text: string): string {
  if (text.includes('\u0000')) throw new ConversionError('text without the character U+0000');
  return text.toWellFormed();
}

function uuid(text: string): string {
  const digits = text
    .trim()
    .replace(/^\{|\}$|-/g, '')
    .toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new ConversionError('a UUID of 32 hexadecimal digits');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Bytes are text in JSON: the digits of a number are hexadecimal by accident only. */
export const HEX_TEXT = 'bytes as hexadecimal digits in quotes, such as "0A1B"';

/** Bytes as digits, with or without what SQL puts before them: `0x` or `\\x`. */
function hex(text: string): string {
  const digits = text.trim().replace(/^(?:0x|\\x)/i, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ConversionError('bytes as hexadecimal digits, such as 0A1B');
  }
  return digits.toUpperCase();
}
