import { notApplicable, type TextPosition } from '../base/errors.ts';
import type { RequestLimits } from '../base/limits.ts';
import type { Dataclass, Model } from '../model/types.ts';
import type { Printer } from '../sql/ir/statement.ts';

/** What requests are planned with: settings of `config.yaml`, and how their statements are printed. */
export interface PlanContext {
  /** The model as the caller sees it. */
  readonly model: Model;
  readonly printer: Printer;
  readonly limits: RequestLimits;
  readonly nullsMatchNotEqual: boolean;
  readonly stampBits: 53 | 31;
}

/** Refuses a path over too many relations. @param walked how many are known @throws ProtocolError notApplicable */
export function checkDepth(
  walked: number,
  names: readonly string[],
  { limits: { maxExpandDepth } }: PlanContext,
  at: TextPosition,
): void {
  if (walked <= maxExpandDepth) return;
  const message = `${names.join('.')} goes over more than ${maxExpandDepth} ${maxExpandDepth === 1 ? 'relation' : 'relations'}`;
  throw notApplicable(message, at);
}

/** Refuses to compute something of many entities of a dataclass where that is turned off. @throws ProtocolError notApplicable */
export function checkAggregates({ name, aggregates }: Dataclass): void {
  if (!aggregates) throw notApplicable(`Nothing may be computed of the entities of ${name}.`);
}
