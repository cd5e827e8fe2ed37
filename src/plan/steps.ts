import type { ComparisonOperator, Condition, Operand, Parameter } from '../query/ir.ts';
import { decimalRange } from '../schema/sqlserver-types.ts';
import type { ColumnType } from '../schema/types.ts';

/**
 * Comparisons with types whose steps an engine cannot look between: SQL Server's datetime has no 0.001 s and would take it
 * for 0, a value with more decimals than its column's would convert the column and miss its index, and beside a decimal of
 * 38 digits there is no room for one more. A value between two steps is rounded to the one that keeps the comparison true to
 * what was asked.
 */

type Rounding = NonNullable<Parameter['round']>;

/** Whether a value has to be rounded before the engine does it. */
function isStepped(type: ColumnType): boolean {
  if (type.kind === 'timestamp') return type.coarse !== undefined;
  return type.kind === 'decimal' && (type.precision === 38 || decimalRange(type) !== null);
}

/**
 * A comparison of an operand with a value of a request.
 * @param parameter makes the value's parameter, rounded as it says
 */
export function compareExactly(
  left: Operand,
  operator: ComparisonOperator,
  type: ColumnType,
  parameter: (round?: Rounding) => Operand,
): Condition {
  if (!isStepped(type)) return { kind: 'compare', operator, left, right: parameter() };
  const compare = (rounded: ComparisonOperator, round: Rounding): Condition => ({
    kind: 'compare',
    operator: rounded,
    left,
    right: parameter(round),
  });
  switch (operator) {
    case '<':
    case '>=':
      return compare(operator, 'up');
    case '<=':
    case '>':
      return compare(operator, 'down');
    case '=':
      // The first alone finds the rows by an index; the second is false where the value is between two steps.
      return { kind: 'and', items: [compare('=', 'down'), compare('>=', 'up')] };
    case '<>':
      return { kind: 'or', items: [compare('<', 'up'), compare('>', 'down')] };
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
  return type.kind === 'timestamp' && type.coarse !== undefined
    ? roundInstant(canonical, type.coarse.step, round)
    : canonical;
}

function roundDecimal(canonical: string, scale: number, round: Rounding): string {
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
