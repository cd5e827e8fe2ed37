import type { Literal } from '../request/ast.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Beyond, Side, StatementParameter, ValueLimits } from '../sql/dialect.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText } from './convert.ts';

/** Where a number or a date lies that a type does not have; null for what it has, and for what is neither. */
export function sideOf({ value }: Literal, type: ColumnType, limits?: ValueLimits): Side | null {
  if (!isOrdered(type) || typeof value !== 'string') return null;
  try {
    canonicalText(value, type, limits);
    return null;
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return error.side;
  }
}

function isOrdered({ kind }: ColumnType): boolean {
  return ['integer', 'decimal', 'float', 'date', 'timestamp'].includes(kind);
}

/**
 * The parameters that are compared with a number or a date of the request's which their types do not have: it is compared as
 * what it is (DECISIONS, "`$filter`").
 */
export function beyondRange(
  parameters: readonly StatementParameter[],
  values: readonly Literal[],
  limits: ValueLimits,
): Beyond {
  const beyond = new Map<StatementParameter, Side>();
  for (const parameter of parameters) {
    if (parameter.kind !== 'parameter' || parameter.use !== 'value') continue;
    if (parameter.source.from !== 'request') continue;
    const literal = values[parameter.source.slot];
    const side = literal === undefined ? null : sideOf(literal, parameter.type, limits);
    if (side !== null) beyond.set(parameter, side);
  }
  return beyond;
}
