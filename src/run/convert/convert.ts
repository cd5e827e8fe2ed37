import { ProtocolError } from '../../base/errors.ts';
import { excerpt, withoutLast } from '../../base/text.ts';
import type { CoarseTime, ColumnType } from '../../schema/types.ts';
import { NUMBER } from '../../schema/type-rules.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { instantText, isUtc } from '../../sql/local-time.ts';
import { comparedNumber, decimal, isLess, notNumber } from './decimals.ts';
import { ConversionError } from './conversion-error.ts';
import { cutAtEnd, roundDecimal } from './steps.ts';
import { distantDay, distantInstant, endOfDay } from './times.ts';

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
    return canonical(text, type, limits);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw new ProtocolError(
      'wrongType',
      `"${excerpt(text)}" is not a value for ${meets}: expected ${error.message}`,
      { within: literal.within, position: literal.position },
    );
  }
}

/** What is assumed of an engine where nobody says which one it is. */
const FINEST: ValueLimits = {
  fractionDigits: 7,
  subnormals: true,
  decimalDigits: 38,
  distantTimes: false,
  timeZone: 'UTC',
  notNumbers: false,
};

/**
 * A client's value as canonical text of the type it is stored as, with all the digits that a column may hold.
 * @throws ConversionError when the type cannot hold the value
 */
export function canonicalText(
  text: string,
  type: ColumnType,
  limits: ValueLimits = FINEST,
): string {
  return canonical(text, type, limits);
}

/** More characters than any number of a column has, however it is written. */
const MOST_DIGITS = 200_000;

/** More characters than any other value has that is not text, and no bytes. */
const MOST_CHARACTERS = 1000;

function mostCharacters(kind: ColumnType['kind']): number {
  switch (kind) {
    case 'text':
    case 'opaque':
    case 'hex':
    case 'json':
    case 'binary':
      return Infinity;
    case 'integer':
    case 'decimal':
    case 'float':
      return MOST_DIGITS;
    case 'boolean':
    case 'uuid':
    case 'date':
    case 'timestamp':
    case 'time':
      return MOST_CHARACTERS;
  }
}

function canonical(text: string, type: ColumnType, limits: ValueLimits): string {
  const most = mostCharacters(type.kind);
  if (text.length > most) throw new ConversionError(`a value of at most ${most} characters`);
  switch (type.kind) {
    case 'boolean':
      return boolean(text);
    case 'integer':
      return integer(text, type);
    case 'decimal':
      return (
        (limits.notNumbers ? notNumber(text.trim()) : null) ??
        decimal(text, isWide(type, limits) ? OPEN : type, limits.decimalDigits)
      );
    case 'float':
      return (limits.notNumbers ? notNumber(text.trim()) : null) ?? float(text, type, limits);
    case 'text':
    case 'opaque':
      return plainText(text);
    case 'uuid':
      return uuid(text);
    case 'date': {
      const { day } = instantAndDay(text);
      return (limits.distantTimes ? distantDay(day) : null) ?? date(day);
    }
    case 'timestamp': {
      const { instant } = instantAndDay(text);
      return (
        (limits.distantTimes ? distantInstant(instant, isUtc(limits.timeZone)) : null) ??
        timestamp(instant, type, limits)
      );
    }
    case 'time':
      return (
        (limits.distantTimes ? endOfDay(text.trim()) : null) ??
        time(text, type, limits.fractionDigits)
      );
    case 'hex':
      return hex(text);
    case 'json':
    case 'binary':
      throw new Error(`a ${type.kind} column is compared with no value`);
  }
}

/** A number of JSON where the engine holds those with all their digits. */
function isWide(type: ColumnType, { decimalDigits }: ValueLimits): boolean {
  return type === NUMBER && decimalDigits > (NUMBER.precision ?? 0);
}

const OPEN = { ...NUMBER, precision: null, scale: null };

function boolean(text: string): string {
  if (/^(?:true|1)$/i.test(text)) return 'true';
  if (/^(?:false|0)$/i.test(text)) return 'false';
  throw new ConversionError('true or false');
}

/** Digits as they are canonical, of numbers that JavaScript's own hold exactly. */
const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

function integer(text: string, type: Extract<ColumnType, { kind: 'integer' }>): string {
  // Nearly all there are: the way below takes twenty times as long.
  if (SHORT_INTEGER.test(text) && isHeldBy(Number(text), type)) return text;
  const bits = BigInt(type.bits);
  const lowest = type.signed ? -(2n ** (bits - 1n)) : 0n;
  const highest = type.signed ? 2n ** (bits - 1n) - 1n : 2n ** bits - 1n;
  const expected = `a whole number from ${lowest} to ${highest}`;
  const plain = comparedNumber(text);
  if (plain === null) throw new ConversionError(expected);
  if (isLess(plain, lowest.toString())) throw new ConversionError(expected, 'tooSmall');
  if (isLess(highest.toString(), plain)) throw new ConversionError(expected, 'tooLarge');
  if (plain.includes('.')) {
    throw new ConversionError(expected, 'wrongType', { floor: roundDecimal(plain, 0, 'down') });
  }
  return plain;
}

/** The powers of two up to that of the longest integers; to work one out takes as long as all else that is asked of a number. */
const POWERS = Array.from({ length: 65 }, (_, bits) => 2 ** bits);

/** Whether an integer type has a whole number of up to 15 digits. */
function isHeldBy(
  value: number,
  { bits, signed }: Extract<ColumnType, { kind: 'integer' }>,
): boolean {
  const highest = (POWERS[signed ? bits - 1 : bits] ?? 0) - 1;
  return value <= highest && value >= (signed ? -highest - 1 : 0);
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function float(
  text: string,
  type: Extract<ColumnType, { kind: 'float' }>,
  limits: ValueLimits,
): string {
  const trimmed = text.trim();
  if (!FLOAT.test(trimmed)) throw new ConversionError('a number');
  const value = Number(trimmed);
  const rounded = type.bits === 32 ? Math.fround(value) : value;
  if (!Number.isFinite(rounded)) {
    throw new ConversionError(
      `a number of at most ${type.bits === 32 ? '3.4e38' : '1.79e308'}`,
      value < 0 ? 'tooSmall' : 'tooLarge',
    );
  }
  // Engines refuse what is too small for them; the nearest value that they hold is 0.
  const smallest = limits.subnormals ? 0 : 2 ** (type.bits === 32 ? -126 : -1022);
  return rounded === 0 || Math.abs(rounded) < smallest ? '0' : String(value);
}

/** U+0000 cannot be stored by PostgreSQL in any text, so nothing can equal it. */
export function plainText(text: string): string {
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

/** What JSON has for bytes: text, since a number's digits are hexadecimal by accident only. */
export const HEX_TEXT = 'bytes as hexadecimal digits in quotes, such as "0A1B"';

/** Bytes as digits, with or without what SQL puts before them: `0x` or `\\x`. */
function hex(text: string): string {
  const digits = text.trim().replace(/^(?:0x|\\x)/i, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ConversionError('bytes as hexadecimal digits, such as 0A1B');
  }
  return digits.toUpperCase();
}

const DATE_FORMS = 'a date such as 2024-12-31';
const DATE = /^(?:!!)?(\d{4})-(\d{1,2})-(\d{1,2})(?:!!)?$/;
const FAMILY_DATE = /^(\d{1,2})!(\d{1,2})!(\d{4})$/;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** The two forms of one date that the family's browser client sends together: `1950-01-01T00:00:00Z,1!1!1950`. Any other text is both. */
function instantAndDay(text: string): { readonly instant: string; readonly day: string } {
  const trimmed = text.trim();
  const [instant = '', day = '', ...more] = trimmed.split(',');
  const isPair = more.length === 0 && INSTANT.test(instant) && FAMILY_DATE.test(day);
  return isPair ? { instant, day } : { instant: trimmed, day: trimmed };
}

/** `YYYY-MM-DD`, `!!YYYY-MM-DD!!`, `d!m!yyyy`, or an ISO date-time that is a midnight or the end of time. */
function date(trimmed: string): string {
  const day = calendarDay(trimmed);
  if (day !== null) return day;
  const [, part = '', ...rest] = INSTANT.exec(trimmed) ?? [];
  const time = rest.slice(0, 4).map((digits) => (digits as string | undefined) ?? '00');
  const exists = part !== '' && calendarDay(part) !== null && isTime(time);
  if (exists && (time.every((digits) => /^0*$/.test(digits)) || isLastSecond(part, time)))
    return part;
  const side = isPastYears(trimmed) ? 'above' : null;
  throw new ConversionError(DATE_FORMS, 'wrongType', { side, floor: exists ? part : null });
}

function isTime([hour, minute, second]: readonly string[]): boolean {
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

/** What clients send for the end of time. */
function isLastSecond(day: string, time: readonly string[]): boolean {
  return day === '9999-12-31' && time.slice(0, 3).join() === '23,59,59';
}

/** Whether a text is a date, or date-time, of a year behind 9999. The calendar comes again after 400 years. */
function isPastYears(text: string): boolean {
  const near = text.replace(
    /^(!!)?(\d{5,7})(?=-)/,
    (_, marks: string | undefined, year: string) => `${marks ?? ''}${2000 + (Number(year) % 400)}`,
  );
  if (near === text || /^(?:!!)?0/.test(text)) return false;
  return calendarDay(near) !== null || isInstant(near);
}

function isInstant(text: string): boolean {
  const [, part = '', ...time] = INSTANT.exec(text) ?? [];
  return (
    part !== '' &&
    calendarDay(part) !== null &&
    isTime(time.map((digits) => (digits as string | undefined) ?? '00'))
  );
}

function calendarDay(text: string): string | null {
  const iso = DATE.exec(text);
  const family = FAMILY_DATE.exec(text);
  const [year, month, day] =
    iso !== null ? iso.slice(1) : family !== null ? family.slice(1).reverse() : [];
  if (year === undefined || month === undefined || day === undefined) return null;
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = new Date(`${value}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value);
  return exists && year !== '0000' ? value : null;
}

/** An ISO date-time as an instant in UTC with all its digits; without offset it is of the database's time zone, a date alone is its midnight. */
function timestamp(
  trimmed: string,
  type: Extract<ColumnType, { kind: 'timestamp' }>,
  limits: ValueLimits,
): string {
  const day = calendarDay(trimmed);
  if (day !== null) return timestamp(`${day}T00:00:00`, type, limits);
  const { coarse } = type;
  const range = coarse === undefined ? '' : `, from ${coarse.first} to ${coarse.last}`;
  const expected = `${DATE_FORMS} or a date-time such as 2024-12-31T23:59:59.999Z${range}`;
  const [matched, part = '', hour = '', minute = '', second = '00', fraction = '', offset] =
    INSTANT.exec(trimmed) ?? [];
  if (matched === undefined || calendarDay(part) === null) {
    const side = !limits.distantTimes && isPastYears(trimmed) ? 'above' : null;
    throw new ConversionError(expected, 'wrongType', { side });
  }
  const local = `${part}T${hour}:${minute}:${second}`;
  if (Number.isNaN(Date.parse(`${local}Z`))) throw new ConversionError(expected);
  const instant = new Date(
    offset === undefined ? instantText(local, type, limits.timeZone) : local + zoneOf(offset),
  );
  if (Number.isNaN(instant.getTime())) throw new ConversionError(expected);
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) {
    const side = year < 1 ? 'below' : 'above';
    throw new ConversionError(expected, 'wrongType', { side: limits.distantTimes ? null : side });
  }
  const whole = instant.toISOString().slice(0, 19);
  const digits = withoutLast(fraction.slice(0, limits.fractionDigits), '0');
  const value = cutAtEnd(digits === '' ? `${whole}Z` : `${whole}.${digits}Z`, type);
  const side = coarse === undefined ? null : sideOfRange(value, coarse);
  if (side !== null) throw new ConversionError(expected, 'wrongType', { side });
  return value;
}

/** `+0130` as `+01:30`. */
function zoneOf(offset: string): string {
  if (/^z$/i.test(offset)) return 'Z';
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '').padEnd(2, '0')}`;
}

/** On which side of what the type has room for an instant lies. Without the Z, text is in the order of time. */
function sideOfRange(value: string, { first, last }: CoarseTime): 'below' | 'above' | null {
  const at = value.slice(0, -1);
  if (at < first.slice(0, -1)) return 'below';
  return at > last.slice(0, -1) ? 'above' : null;
}

function time(
  text: string,
  type: Extract<ColumnType, { kind: 'time' }>,
  fractionDigits: number,
): string {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?$/.exec(text.trim());
  const [, hour = '', minute = '', second = '00', fraction = ''] = match ?? [];
  if (match === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new ConversionError('a time such as 23:59:59');
  }
  const digits = withoutLast(fraction.slice(0, fractionDigits), '0');
  const whole = `${hour.padStart(2, '0')}:${minute}:${second}`;
  return cutAtEnd(digits === '' ? whole : `${whole}.${digits}`, type);
}
