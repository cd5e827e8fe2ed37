import { ProtocolError } from '../../base/errors.ts';
import type { Claims } from '../../base/principal.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { convert } from '../../run/convert/convert.ts';
import { fixedLiteral, itemsOf } from '../../run/convert/value-source.ts';

/** A claim that stands in for a value of a restriction. */
export interface ClaimUse {
  readonly claim: string;
  /** Whether it stands for a list of values, behind IN. */
  readonly isList: boolean;
  /** What it is compared as. */
  readonly type: ColumnType;
  /** For messages: what it is compared with. */
  readonly meets: string;
}

/**
 * Whether somebody's claims have what a restriction asks for. Who lacks it, or has a list where one value is compared, or text where a
 * number is, meets nothing by that restriction: what cannot be compared lets nobody in.
 */
export function hasClaim(
  { claim, isList, type, meets }: ClaimUse,
  claims: Claims,
  limits: ValueLimits,
): boolean {
  const value = claims.get(claim);
  if (value === undefined || (typeof value !== 'string' && !isList)) return false;
  try {
    for (const item of itemsOf(fixedLiteral(value), type)) convert(item, type, meets, limits);
    return true;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}
