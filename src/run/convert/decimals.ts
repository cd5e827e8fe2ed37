import { withoutLast } from '../../base/text.ts';
import { decimalDigits, type DecimalDigits } from '../../schema/type-rules.ts';
import type { ColumnType, DecimalRange } from '../../schema/types.ts';
import { roundDecimal } from './steps.ts';
import { ConversionError } from './conversion-error.ts';

/** How many digits more than the sum an average has behind its point. */
const MORE_DIGITS = 10;

/**
 * The average of exact numbers, the same on every engine: each would give it a scale of its own.
 * @param sum plain digits
 * @param count how many numbers it is the sum of; not 0
 * @returns plain digits, ten more behind the point than the sum has, the last one rounded, half away from zero; without zeros at the end
 */
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

/** A plain number without the zeros at the end of its fraction: `2.50` as `2.5`, `3.0` as `3`. */
export function withoutLastZeros(number: string): string {
  if (!number.includes('.')) return number;
  let end = number.length;
  while (number[end - 1] === '0') end -= 1;
  return number.slice(0, number[end - 1] === '.' ? end - 1 : end);
}

type Decimal = Extract<ColumnType, { kind: 'decimal' }>;

/** Most digits that SQL Server's decimal holds. */
const DECIMAL_DIGITS = 38;

/**
 * A decimal as plain digits.
 * @param most the digits of a type whose precision is not declared
 * @throws ConversionError when the type cannot hold the value
 */
export function decimal(text: string, type: Decimal, most: number): string {
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
  // Digits behind the column's last one make no value too large: they are compared, and equal none of its values.
  if (held !== null && whole.length > held.whole) {
    throw new ConversionError(
      `a number of at most ${held.whole} digits before its point`,
      tooFar(plain),
    );
  }
  checkRange(plain, type);
  return held === null ? plain : shortened(plain, held);
}

/** A value has to be one of the type's, or between two. */
function checkRange(plain: string, type: Decimal): void {
  const range = type.range ?? fractionRange(type);
  if (range === null) return;
  const { lowest, highest } = range;
  if (isLess(plain, lowest) || isLess(highest, plain)) {
    throw new ConversionError(`a number from ${lowest} to ${highest}`, tooFar(plain));
  }
}

/** The range of a column whose scale is above its precision: of numeric(3,5), 0.00999 is the highest value. */
function fractionRange({ precision, scale }: Decimal): DecimalRange | null {
  if (precision === null || scale === null || scale <= precision) return null;
  const highest = `0.${'0'.repeat(scale - precision)}${'9'.repeat(precision)}`;
  return { lowest: `-${highest}`, highest };
}

/** Whether one plain number is less than another. They are compared digit by digit: to make a number of many digits takes long. */
export function isLess(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.sign !== b.sign) return a.sign < b.sign;
  const [small, large] = a.sign < 0 ? [b, a] : [a, b];
  if (small.whole.length !== large.whole.length) return small.whole.length < large.whole.length;
  if (small.whole !== large.whole) return small.whole < large.whole;
  return small.fraction < large.fraction;
}

/** A plain number without zeros that say nothing. */
interface NumberParts {
  readonly sign: -1 | 0 | 1;
  readonly whole: string;
  readonly fraction: string;
}

function partsOf(plain: string): NumberParts {
  const [digits = '', behind = ''] = plain.replace('-', '').split('.');
  const whole = digits.replace(/^0+/, '');
  const fraction = withoutLast(behind, '0');
  if (whole === '' && fraction === '') return { sign: 0, whole, fraction };
  return { sign: plain.startsWith('-') ? -1 : 1, whole, fraction };
}

/**
 * A decimal with no more digits behind its point than an engine can compare beside a column's whole digits. What is cut
 * leaves a last digit of 1, so that the value stays between the same two values of the column.
 */
function shortened(plain: string, held: DecimalDigits): string {
  const longest = DECIMAL_DIGITS - held.whole;
  const [whole = '', fraction = ''] = plain.split('.');
  if (fraction.length <= longest || longest <= held.fraction) return plain;
  return `${whole}.${fraction.slice(0, longest - 1)}1`;
}

function tooFar(plain: string): 'tooSmall' | 'tooLarge' {
  return plain.startsWith('-') ? 'tooSmall' : 'tooLarge';
}

/** `-0012.50e1` as `-125`; null for what is not a number, and for those whose digits would fill pages. */
export function plainNumber(text: string): string | null {
  const match = NUMBER.exec(text.trim());
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  if (match === null || whole + fraction === '') return null;
  if (Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const plain = shiftPoint(whole, fraction, Number(exponent));
  return sign === '-' && plain !== '0' ? `-${plain}` : plain;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Past all digits that an engine's numbers have before and behind their point. */
const MOST_EXPONENT = 20_000;

/** As {@link plainNumber}; of numbers with more digits, one that is beyond all columns' numbers, or nearer to 0, as well. */
export function comparedNumber(text: string): string | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text.trim()) ?? [];
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
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const right = withoutLast(padded.slice(at), '0');
  return right === '' ? left : `${left}.${right}`;
}

/**
 * What a column of numbers may hold that is not a number, as PostgreSQL writes it; null for anything else
 * (https://www.postgresql.org/docs/current/datatype-numeric.html).
 */
export function notNumber(text: string): string | null {
  if (/^nan$/i.test(text)) return 'NaN';
  const [, sign] = /^([+-]?)inf(?:inity)?$/i.exec(text) ?? [];
  if (sign === undefined) return null;
  return sign === '-' ? '-Infinity' : 'Infinity';
}
