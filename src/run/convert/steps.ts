import { withoutLast } from '../../base/text.ts';
import type { Parameter } from '../../sql/ir/ir.ts';
import { isStepped, type ColumnType } from '../../schema/types.ts';

/** Values between two steps of a type, rounded as the comparison that they stand in asks for. */

type Rounding = NonNullable<Parameter['round']>;

/** Whether the type has exactly this value. */
export function isOnStep(canonical: string, type: ColumnType): boolean {
  return roundToStep(canonical, type, 'down') === roundToStep(canonical, type, 'up');
}

/** The type's nearest value that is not greater, or not less; the value itself where the type has it. */
export function roundToStep(canonical: string, type: ColumnType, round: Rounding): string {
  if (!isStepped(type)) return canonical;
  if (type.kind === 'decimal') return roundDecimal(canonical, type.scale ?? 0, round);
  if (type.kind === 'timestamp' && type.coarse !== undefined) {
    return roundInstant(canonical, type.coarse.step, round);
  }
  return type.kind === 'timestamp'
    ? roundFraction(canonical, type.fractionDigits ?? 7, round)
    : canonical;
}

/** Behind the last value of a type there is none: what is between them is the last one. */
function roundFraction(canonical: string, digits: number, round: Rounding): string {
  const [, whole = '', fraction = '', zone = ''] =
    /^([^.Z]*)(?:\.(\d+))?(Z?)$/.exec(canonical) ?? [];
  if (!/[1-9]/.test(fraction.slice(digits))) return canonical;
  const cut = fraction.slice(0, digits);
  if (round === 'down') return withFraction(whole, cut) + zone;
  const next = String(BigInt(`1${cut}`) + 1n);
  if (!next.startsWith('2')) return withFraction(whole, next.slice(1)) + zone;
  const second = new Date(Date.parse(`${whole}Z`) + 1000).toISOString();
  return (second.startsWith('+') ? withFraction(whole, cut) : second.slice(0, 19)) + zone;
}

function withFraction(whole: string, fraction: string): string {
  const digits = withoutLast(fraction, '0');
  return digits === '' ? whole : `${whole}.${digits}`;
}

/**
 * A time without the digits that its column has no room for, where the engine would round it: into another year or day at
 * the end of one (`9999-12-31T23:59:59.9999999Z`, which clients of .NET send for "never").
 */
export function cutToStep(canonical: string, type: ColumnType): string {
  if (type.kind !== 'timestamp' && type.kind !== 'time' && type.kind !== 'opaque') return canonical;
  if (type.kind === 'timestamp' && type.coarse !== undefined) {
    const [whole = '', fraction = ''] = roundToStep(canonical, type, 'down')
      .slice(0, -1)
      .split('.');
    return `${withFraction(whole, fraction)}Z`;
  }
  const { fractionDigits } = type;
  if (fractionDigits === undefined) return canonical;
  const [, whole = '', digits = '', rest = ''] =
    /^([^.]*)\.(\d+)((?!\d).*)?$/.exec(canonical) ?? [];
  if (digits.length <= fractionDigits) return canonical;
  const kept = withoutLast(digits.slice(0, fractionDigits), '0');
  return `${whole}${kept === '' ? '' : `.${kept}`}${rest}`;
}

/**
 * A value that is compared: what clients send for the end of time, all nines behind the last value of the type and within its last
 * second, is that last one; of SQL Server's older types all within the last tick or minute is. So a column finds what it was given.
 */
export function cutAtEnd(canonical: string, type: ColumnType): string {
  if (type.kind === 'timestamp' && type.coarse !== undefined) {
    const cut = cutToStep(canonical, type);
    return cut === type.coarse.last ? cut : canonical;
  }
  if (!/\.9+Z?$/.test(canonical)) return canonical;
  const cut = cutToStep(canonical, type);
  if (type.kind === 'time') return canonical.startsWith('23:59:59') ? cut : canonical;
  return canonical.startsWith('9999-12-31T23:59:59') ? cut : canonical;
}

/** A decimal with no more digits behind its point than a scale. */
export function roundDecimal(canonical: string, scale: number, round: Rounding): string {
  const [whole = '', fraction = ''] = canonical.split('.');
  if (fraction.length <= scale) return canonical;
  const isNegative = whole.startsWith('-');
  // Digits that are cut bring a value nearer to zero.
  const cut = BigInt(whole.replace('-', '') + fraction.slice(0, scale));
  const magnitude = (round === 'down') === isNegative ? cut + 1n : cut;
  const digits = magnitude.toString().padStart(scale + 1, '0');
  const at = digits.length - scale;
  const sign = isNegative && magnitude !== 0n ? '-' : '';
  return `${sign}${digits.slice(0, at)}${scale === 0 ? '' : `.${digits.slice(at)}`}`;
}

/** What a tick looks like: 1/300 and 2/300 of a second are written as 3 and 7 milliseconds. */
const TICKS = [0, 3, 7, 10];

function roundInstant(canonical: string, step: 'tick' | 'minute', round: Rounding): string {
  const [, whole = '', fraction = ''] = /^([^.]*?)(?:\.(\d+))?Z$/.exec(canonical) ?? [];
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const second = Date.parse(`${whole}Z`);
  const hasMore = /[1-9]/.test(fraction.slice(3));
  const at = second + milliseconds;
  const base = step === 'tick' ? at - (milliseconds % 10) : minuteOf(at);
  const offsets = step === 'tick' ? TICKS : [0, 60_000];
  const isReached = (offset: number): boolean => base + offset <= at;
  const floor = base + (offsets.findLast(isReached) ?? 0);
  const isExact = floor === at && !hasMore;
  const next = base + (offsets.find((offset) => !isReached(offset)) ?? 0);
  return new Date(round === 'down' || isExact ? floor : next).toISOString();
}

function minuteOf(at: number): number {
  return Math.floor(at / 60_000) * 60_000;
}
