import type { ColumnType } from '../schema/types.ts';
import { roundDecimal } from './steps.ts';
import { ConversionError } from './conversion-error.ts';

/** Most digits that SQL Server's decimal holds. */
const DECIMAL_DIGITS = 38;

/**
 * A decimal as plain digits.
 * @param most the digits of a type whose precision is not declared
 * @throws ConversionError when the type cannot hold the value
 */
export function decimal(
  text: string,
  type: Extract<ColumnType, { kind: 'decimal' }>,
  most: number,
): string {
  const plain = comparedNumber(text);
  if (plain === null) throw new ConversionError('a number');
  const [whole = '', fraction = ''] = plain.replace(/^-?0*/, '').split('.');
  const digits = Math.max(type.precision === null ? most : DECIMAL_DIGITS, type.precision ?? 0);
  if (whole.length + fraction.length > digits) {
    const expected = `a number of at most ${digits} digits`;
    if (whole.length > digits - (type.scale ?? 0))
      throw new ConversionError(expected, tooFar(plain));
    checkRange(plain, type);
    const floor = roundDecimal(plain, type.scale ?? digits - whole.length, 'down');
    throw new ConversionError(expected, 'tooLong', { floor });
  }
  // Digits behind the column's last one make no value too large: they are compared, and equal none of its values.
  if (type.precision !== null && whole.length > type.precision - (type.scale ?? 0)) {
    throw new ConversionError(
      `a number of at most ${type.precision - (type.scale ?? 0)} digits before its point`,
      tooFar(plain),
    );
  }
  checkRange(plain, type);
  return type.precision === null
    ? plain
    : shortened(plain, type.precision - (type.scale ?? 0), type);
}

/** A value has to be one of the type's, or between two. */
function checkRange(plain: string, { range }: Extract<ColumnType, { kind: 'decimal' }>): void {
  if (range === undefined) return;
  const { lowest, highest } = range;
  if (isLess(plain, lowest) || isLess(highest, plain)) {
    throw new ConversionError(`a number from ${lowest} to ${highest}`, tooFar(plain));
  }
}

/** Whether one plain number is less than another, whatever their digits. */
export function isLess(one: string, other: string): boolean {
  const digits = (text: string): number => text.split('.')[1]?.length ?? 0;
  const longest = Math.max(digits(one), digits(other));
  const whole = (text: string): bigint =>
    BigInt(text.replace('.', '') + '0'.repeat(longest - digits(text)));
  return whole(one) < whole(other);
}

/**
 * A decimal with no more digits behind its point than an engine can compare beside a column's whole digits. What is cut
 * leaves a last digit of 1, so that the value stays between the same two values of the column.
 */
function shortened(
  plain: string,
  wholeDigits: number,
  { scale }: Extract<ColumnType, { kind: 'decimal' }>,
): string {
  const longest = DECIMAL_DIGITS - wholeDigits;
  const [whole = '', fraction = ''] = plain.split('.');
  if (fraction.length <= longest || longest <= (scale ?? 0)) return plain;
  return `${whole}.${fraction.slice(0, longest - 1)}1`;
}

function tooFar(plain: string): 'tooSmall' | 'tooLarge' {
  return plain.startsWith('-') ? 'tooSmall' : 'tooLarge';
}

/** `-0012.50e1` as `-125`; null for what is no number, and for those whose digits would fill pages. */
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
  const right = withoutLastZeros(padded.slice(at));
  return right === '' ? left : `${left}.${right}`;
}

/** A pattern such as `0+$` tries again at each zero, which in `1e-20000` are so many that a request would take seconds. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
