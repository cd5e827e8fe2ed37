import { withoutLast } from '../../base/text.ts';
import { type DecimalDigits, decimalDigits, NUMBER } from '../../schema/type-rules.ts';
import type { DecimalRange, TypeOf } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import type { Parameter } from '../../sql/ir/ir.ts';
import { ConversionError } from './conversion-error.ts';

/** How a value between two of a type's is rounded, as the comparison that it stands in asks for. */
export type Rounding = NonNullable<Parameter['round']>;

/** Digits as they are canonical, of numbers that JavaScript's own hold exactly. */
const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

/** An integer as plain digits. @throws ConversionError when the type cannot hold the value */
export function integer(text: string, type: TypeOf<'integer'>): string {
  // Nearly all integers are short: the way below takes twenty times as long.
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

/** Whether an integer type has a whole number of up to 15 digits. */
function isHeldBy(value: number, { bits, signed }: TypeOf<'integer'>): boolean {
  const highest = 2 ** (signed ? bits - 1 : bits) - 1;
  return value <= highest && value >= (signed ? -highest - 1 : 0);
}

const FLOAT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** A float as JavaScript writes it. @throws ConversionError when the type cannot hold the value */
export function float(text: string, { bits }: TypeOf<'float'>, limits: ValueLimits): string {
  const trimmed = text.trim();
  const special = limits.notNumbers ? notNumber(trimmed) : null;
  if (special !== null) return special;
  if (!FLOAT.test(trimmed)) throw new ConversionError('a number');
  const value = Number(trimmed);
  const rounded = bits === 32 ? Math.fround(value) : value;
  if (!Number.isFinite(rounded)) {
    throw new ConversionError(
      `a number of at most ${bits === 32 ? '3.4e38' : '1.79e308'}`,
      value < 0 ? 'tooSmall' : 'tooLarge',
    );
  }
  // Engines refuse numbers that are too small for them; the nearest value that they hold is 0.
  const smallest = limits.subnormals ? 0 : 2 ** (bits === 32 ? -126 : -1022);
  return rounded === 0 || Math.abs(rounded) < smallest ? '0' : String(value);
}

const OPEN = { ...NUMBER, precision: null, scale: null };

/** A decimal as plain digits. @throws ConversionError when the type cannot hold the value */
export function decimal(text: string, type: TypeOf<'decimal'>, limits: ValueLimits): string {
  const special = limits.notNumbers ? notNumber(text.trim()) : null;
  if (special !== null) return special;
  const { decimalDigits: most } = limits;
  // Some engines hold the numbers of JSON with all their digits.
  const isOpen = type === NUMBER && most > (NUMBER.precision ?? 0);
  return plainDecimal(text, isOpen ? OPEN : type, most);
}

/** How many digits more than the sum an average has after its point. */
const MORE_DIGITS = 10;

/** The average of exact numbers, the same on every engine: ten more digits after the point than the sum, the last rounded half away from zero. */
export function exactAverage(sum: string, count: bigint): string {
  const shortest = withoutLastZeros(sum);
  const [, fraction = ''] = shortest.split('.');
  const digits = fraction.length + MORE_DIGITS;
  const scaled = BigInt(shortest.replace('.', '')) * 10n ** BigInt(MORE_DIGITS);
  const size = scaled < 0n ? -scaled : scaled;
  const rounded = ((2n * size + count) / (2n * count)).toString().padStart(digits + 1, '0');
  const plain = `${rounded.slice(0, -digits)}.${rounded.slice(-digits)}`;
  const average = withoutLastZeros(plain);
  return scaled < 0n && average !== '0' ? `-${average}` : average;
}

/** The sum of two plain numbers, with all digits. */
export function sumOf(one: string, other: string): string {
  const digits = Math.max(...[one, other].map((text) => text.split('.')[1]?.length ?? 0));
  const scaled = (text: string): bigint => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  };
  const sum = scaled(one) + scaled(other);
  const plain = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0');
  const at = plain.length - digits;
  return (sum < 0n ? '-' : '') + withFraction(plain.slice(0, at), plain.slice(at));
}

/** A plain number without the zeros at the end of its fraction: `2.50` as `2.5`, `3.0` as `3`. */
export function withoutLastZeros(number: string): string {
  const [whole = '', fraction = ''] = number.split('.');
  return withFraction(whole, fraction);
}

/** A number, or a time, with a fraction without the zeros at its end. */
export function withFraction(whole: string, fraction: string): string {
  const digits = withoutLast(fraction, '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/** The nearest decimal of a scale that is not greater (`down`) or not less (`up`). */
export function roundDecimal(canonical: string, scale: number, round: Rounding): string {
  const [whole = '', fraction = ''] = canonical.split('.');
  if (fraction.length <= scale) return canonical;
  const isNegative = whole.startsWith('-');
  // To cut digits brings a value nearer to zero.
  const cut = BigInt(whole.replace('-', '') + fraction.slice(0, scale));
  const magnitude = (round === 'down') === isNegative ? cut + 1n : cut;
  const digits = magnitude.toString().padStart(scale + 1, '0');
  const at = digits.length - scale;
  const sign = isNegative && magnitude !== 0n ? '-' : '';
  return `${sign}${digits.slice(0, at)}${scale === 0 ? '' : `.${digits.slice(at)}`}`;
}

/** The most digits that SQL Server's decimal holds. */
const DECIMAL_DIGITS = 38;

/** Decimals as they are canonical, of few digits. */
const SHORT_DECIMAL = /^(?:0|-?[1-9]\d{0,9})(?:\.\d{0,4}[1-9])?$/;

/** Whether a type has a decimal of few digits, however it may be rounded. */
function isHeldDecimal(text: string, type: TypeOf<'decimal'>): boolean {
  const { precision, scale, range } = type;
  if (range !== undefined || precision === null || scale === null) return false;
  const point = text.indexOf('.');
  const fraction = point < 0 ? 0 : text.length - point - 1;
  return scale >= fraction && precision - scale >= text.length - fraction;
}

/** @param most the digits of a type whose precision is not declared */
function plainDecimal(text: string, type: TypeOf<'decimal'>, most: number): string {
  // Nearly all decimals are short: the way below takes twenty times as long.
  if (SHORT_DECIMAL.test(text) && isHeldDecimal(text, type)) return text;
  const plain = comparedNumber(text);
  if (plain === null) throw new ConversionError('a number');
  const [whole = '', fraction = ''] = plain.replace(/^-?0*/, '').split('.');
  const held = decimalDigits(type);
  const digits = held === null ? most : Math.max(DECIMAL_DIGITS, held.whole + held.fraction);
  if (whole.length + fraction.length > digits) {
    const expected = `a number of at most ${digits} digits`;
    if (whole.length > digits - (held?.fraction ?? 0))
      throw new ConversionError(expected, tooFar(plain));
    checkRange(plain, type);
    const floor = roundDecimal(plain, held?.fraction ?? digits - whole.length, 'down');
    throw new ConversionError(expected, 'tooLong', { floor });
  }
  // Digits after the column's last one are compared, and equal none of its values.
  if (held !== null && whole.length > held.whole) {
    throw new ConversionError(
      `a number of at most ${held.whole} digits before its point`,
      tooFar(plain),
    );
  }
  checkRange(plain, type);
  return held === null ? plain : shortened(plain, held);
}

/** @throws ConversionError unless the value is one of the type's, or between two */
function checkRange(plain: string, type: TypeOf<'decimal'>): void {
  const range = type.range ?? fractionRange(type);
  if (range === null) return;
  const { lowest, highest } = range;
  if (isLess(plain, lowest) || isLess(highest, plain)) {
    throw new ConversionError(`a number from ${lowest} to ${highest}`, tooFar(plain));
  }
}

/** The range of a column whose scale is above its precision: of numeric(3,5), 0.00999 is the highest value. */
function fractionRange({ precision, scale }: TypeOf<'decimal'>): DecimalRange | null {
  if (precision === null || scale === null || scale <= precision) return null;
  const highest = `0.${'0'.repeat(scale - precision)}${'9'.repeat(precision)}`;
  return { lowest: `-${highest}`, highest };
}

/** Whether one plain number is less than another. They are compared as texts: to parse a number of many digits takes long. */
export function isLess(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.sign !== b.sign) return a.sign < b.sign;
  const [small, large] = a.sign < 0 ? [b, a] : [a, b];
  if (small.whole.length !== large.whole.length) return small.whole.length < large.whole.length;
  if (small.whole !== large.whole) return small.whole < large.whole;
  return small.fraction < large.fraction;
}

/** The sign and the significant digits of a plain number. */
function partsOf(plain: string): { sign: -1 | 0 | 1; whole: string; fraction: string } {
  const [digits = '', behind = ''] = plain.replace('-', '').split('.');
  const whole = digits.replace(/^0+/, '');
  const fraction = withoutLast(behind, '0');
  if (whole === '' && fraction === '') return { sign: 0, whole, fraction };
  return { sign: plain.startsWith('-') ? -1 : 1, whole, fraction };
}

/** Cuts the digits that an engine cannot compare beside a column's whole digits; the last becomes 1, to stay between the same two values. */
function shortened(plain: string, held: DecimalDigits): string {
  const longest = DECIMAL_DIGITS - held.whole;
  const [whole = '', fraction = ''] = plain.split('.');
  if (fraction.length <= longest || longest <= held.fraction) return plain;
  return `${whole}.${fraction.slice(0, longest - 1)}1`;
}

function tooFar(plain: string): 'tooSmall' | 'tooLarge' {
  return plain.startsWith('-') ? 'tooSmall' : 'tooLarge';
}

/** `-0012.50e1` as `-125`; null for text that is not a number, and for numbers whose digits would fill pages. */
export function plainNumber(text: string): string | null {
  const match = PLAIN.exec(text.trim());
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (match === null || whole + fraction === '') return null;
  if (Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const plain = shiftPoint(whole, fraction, Number(exponent));
  return sign === '-' && plain !== '0' ? `-${plain}` : plain;
}

const PLAIN = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** More than all digits that an engine's numbers have before and after their point. */
const MOST_EXPONENT = 20_000;

/** As {@link plainNumber}; a number with more digits becomes one beyond all columns' numbers, or nearer to 0. */
function comparedNumber(text: string): string | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PLAIN.exec(text.trim()) ?? [];
  if (Math.abs(Number(exponent)) <= MOST_EXPONENT) return plainNumber(text);
  if (whole + fraction === '') return null;
  if (/^0*$/.test(whole + fraction)) return '0';
  return plainNumber(`${sign}1e${exponent.startsWith('-') ? '-' : ''}${MOST_EXPONENT}`);
}

/** `12`, `34`, 3 → `12340`; without leading zeros and without zeros at the end of the fraction. */
function shiftPoint(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded =
    point <= 0
      ? '0'.repeat(1 - point) + digits
      : digits.padEnd(Math.max(point, digits.length), '0');
  const at = Math.max(point, 1);
  return withFraction(padded.slice(0, at).replace(/^0+(?=\d)/, ''), padded.slice(at));
}

/** NaN and infinity as PostgreSQL writes them; null for anything else (https://www.postgresql.org/docs/current/datatype-numeric.html). */
function notNumber(text: string): string | null {
  if (/^nan$/i.test(text)) return 'NaN';
  const [, sign] = /^([+-]?)inf(?:inity)?$/i.exec(text) ?? [];
  if (sign === undefined) return null;
  return sign === '-' ? '-Infinity' : 'Infinity';
}
