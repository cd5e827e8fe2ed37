import type { ComputePlan } from '../../plan/read/compute.ts';
import type { DistinctPlan } from '../../plan/read/distinct.ts';
import type { EntityWindow, ValueOrigin } from '../../plan/read/value-selection.ts';
import type { EntitySetPlan } from '../../plan/read/entity-set.ts';
import type { AddressedEntity } from '../../plan/condition/types.ts';
import type { Dataclass } from '../../model/types.ts';
import type { Slot } from '../../protocol/ast.ts';
import type { Dialect, Statement } from '../../sql/dialect.ts';
import {
  printNarrowing,
  printStoredSet,
  type PrintedNarrowing,
  type PrintedStoredSet,
} from '../sets/print-entity-set.ts';

/** A plan for values with its statements printed: what is kept for all requests of one shape. */
export interface PrintedValues<Plan extends ComputePlan | DistinctPlan> {
  readonly plan: Plan;
  readonly origin: PrintedOrigin;
  readonly statement: Statement;
}

/** Whose values are asked for. */
export type PrintedOrigin =
  | {
      readonly kind: 'selection';
      readonly origin: Statement | null;
      readonly addressed: AddressedEntity;
      readonly top: Slot | null;
    }
  | {
      readonly kind: 'set';
      readonly dataclass: Dataclass;
      readonly source: PrintedStoredSet;
      readonly combination: EntitySetPlan['combination'];
      readonly narrowing: PrintedNarrowing | null;
      readonly window: EntityWindow | null;
    };

/** Prints the statements of a plan. */
export function printValues<Plan extends ComputePlan | DistinctPlan>(
  plan: Plan,
  dialect: Dialect,
): PrintedValues<Plan> {
  return {
    plan,
    origin: printOrigin(plan.origin, dialect),
    statement: dialect.print(plan.query),
  };
}

function printOrigin(origin: ValueOrigin, dialect: Dialect): PrintedOrigin {
  if (origin.kind === 'selection') {
    const { origin: query } = origin;
    return { ...origin, origin: query === null ? null : dialect.print(query) };
  }
  const { source, narrowing } = origin;
  return {
    ...origin,
    source: printStoredSet(source, dialect),
    narrowing: narrowing === null ? null : printNarrowing(narrowing, dialect),
  };
}
