import type { Parameter } from '../../sql/ir/ir.ts';
import type { Literal } from '../../protocol/ast.ts';
import { NUMBER } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { OutOfRange, Side, StatementParameter, ValueLimits } from '../../sql/dialect.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText } from './convert.ts';
import { isOnStep } from './steps.ts';
import { itemsOf, valueOf, type GivenValues } from './value-source.ts';

/** Where a number or a date lies that a type does not have; null for what it has, and for what is neither. */
export function sideOf(literal: Literal, type: ColumnType, limits?: ValueLimits): Side | null {
  const place = placeOf(literal, type, limits);
  return typeof place === 'string' ? null : place.side;
}

/**
 * Whether a type has a value, neither beyond its range nor between two of its steps; also of what is no such value at all. Numbers in JSON
 * have no steps: an engine compares them with all their digits, or cuts the digits of both sides.
 */
export function isHeld(literal: Literal, type: ColumnType, limits: ValueLimits): boolean {
  const place = placeOf(literal, type, limits);
  if (typeof place !== 'string') return place.side === null;
  return type === NUMBER || isOnStep(place, type);
}

/** A number or a date as canonical text, or where it lies otherwise; `side` is null of what is neither. */
function placeOf(
  { value }: Literal,
  type: ColumnType,
  limits?: ValueLimits,
): string | { readonly side: Side | null } {
  if (!ORDERED.has(type.kind) || typeof value !== 'string') return { side: null };
  try {
    return canonicalText(value, type, limits);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return error;
  }
}

const ORDERED: ReadonlySet<ColumnType['kind']> = new Set([
  'integer',
  'decimal',
  'float',
  'date',
  'timestamp',
]);

/**
 * The parameters that are compared with a number or a date of the request's which their types do not have: it is compared as
 * what it is (DECISIONS, "`$filter`"). And the lists that have nothing but such values.
 */
export function findOutOfRange(
  parameters: readonly StatementParameter[],
  given: GivenValues,
  limits: ValueLimits,
): OutOfRange {
  const outOfRange = new Map<StatementParameter, Side | 'nowhere'>();
  for (const parameter of parameters) {
    const list = listOf(parameter);
    if (list !== null) {
      if (holdsNone(list, given, limits)) outOfRange.set(list, 'nowhere');
      continue;
    }
    if (parameter.kind !== 'parameter' || parameter.use !== 'value') continue;
    if (parameter.source.from !== 'request') continue;
    const literal = given.values[parameter.source.slot];
    const side = literal === undefined ? null : sideOf(literal, parameter.type, limits);
    if (side !== null) outOfRange.set(parameter, side);
  }
  return outOfRange;
}

function listOf(parameter: StatementParameter): Parameter | null {
  if (parameter.kind === 'listItem') return parameter.index === 0 ? parameter.list : null;
  return parameter.kind === 'parameter' && parameter.use === 'list' ? parameter : null;
}

/** Whether a list has values, and its type none of them. */
function holdsNone({ source, type }: Parameter, given: GivenValues, limits: ValueLimits): boolean {
  const items = itemsOf(valueOf(source, given), type);
  return items.length > 0 && !items.some((item) => isHeld(item, type, limits));
}
