import type { Literal } from '../request/ast.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Beyond, StatementParameter, ValueLimits } from '../sql/dialect.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText } from './convert.ts';

/**
 * On which side of all values of a type a number lies that the type cannot hold; null for what it can, and for what is no
 * number.
 */
export function sideOf(
  { value }: Literal,
  type: ColumnType,
  limits?: ValueLimits,
): 'below' | 'above' | null {
  const isNumber = type.kind === 'integer' || type.kind === 'decimal' || type.kind === 'float';
  if (!isNumber || typeof value !== 'string') return null;
  try {
    canonicalText(value, type, limits);
    return null;
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    if (error.errorName === 'tooSmall') return 'below';
    return error.errorName === 'tooLarge' ? 'above' : null;
  }
}

/**
 * The parameters that are compared with a number of the request's which is out of their types' range: it is compared as the
 * number that it is (DECISIONS, "`$filter`").
 */
export function beyondRange(
  parameters: readonly StatementParameter[],
  values: readonly Literal[],
  limits: ValueLimits,
): Beyond {
  const beyond = new Map<StatementParameter, 'below' | 'above'>();
  for (const parameter of parameters) {
    if (parameter.kind !== 'parameter' || parameter.use !== 'value') continue;
    if (parameter.source.from !== 'request') continue;
    const literal = values[parameter.source.slot];
    const side = literal === undefined ? null : sideOf(literal, parameter.type, limits);
    if (side !== null) beyond.set(parameter, side);
  }
  return beyond;
}
