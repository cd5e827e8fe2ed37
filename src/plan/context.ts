import type { RequestLimits } from '../base/limits.ts';
import type { Model } from '../model/types.ts';
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
