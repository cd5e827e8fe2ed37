import { notApplicable } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { SelectQuery } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { EntitySetRequest, ReadRequest, ParameterRef, ValuesOf } from '../../protocol/ast.ts';
import {
  needKey,
  planNarrowing,
  planSaved,
  type EntitySetPlan,
  type SetNarrowing,
  type StoredSet,
} from './entity-set.ts';
import type { PlanContext } from '../context.ts';
import { filterJoins, planOrder, windowOf } from './read.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import { planSelected, type SelectedEntities } from './selection.ts';
import type { AddressedEntity } from '../condition/types.ts';
import { oneAttribute, planValues, type AttributeValues, type SelectedRows } from './values.ts';

/** The entities whose values are asked for: those of a selection or of a set. */
export type ValueOrigin =
  | {
      readonly kind: 'selection';
      /** Finds the entity that has to be there where there is no value; null where a selection may be empty. */
      readonly origin: Statement | null;
      readonly addressed: AddressedEntity;
      /** How many entities are looked at; null where all are. */
      readonly top: ParameterRef | null;
    }
  | {
      readonly kind: 'set';
      readonly dataclass: Dataclass;
      readonly source: StoredSet;
      readonly combination: EntitySetPlan['combination'];
      /** Which of its keys, and in which order, before they are cut; null where the statement itself may say it. */
      readonly narrowing: SetNarrowing | null;
      readonly window: Pick<ReadRequest, 'top' | 'skip'> | null;
    };

/** The entities whose values are asked for, and how they are chosen in a subquery for values. */
export interface SelectedForValues {
  readonly origin: ValueOrigin;
  readonly selected: SelectedEntities;
  readonly rows: SelectedRows;
}

/** Plans the values of an attribute of {@link planSelectedEntities}. */
export function planSelectedValues(
  of: ValuesOf,
  windowed: boolean,
  context: PlanContext,
): { readonly origin: ValueOrigin; readonly values: AttributeValues } {
  const { origin, selected, rows } = planSelectedEntities(of, windowed, context);
  return { origin, values: planValues(oneAttribute(selected), selected, rows, context) };
}

/** Plans the entities whose values are asked for. Where not `windowed`, `$orderby`, `$top` and `$skip` cut no entities, and only the names are checked. */
export function planSelectedEntities(
  of: ValuesOf,
  windowed: boolean,
  context: PlanContext,
): SelectedForValues {
  return of.kind === 'read'
    ? planOfSelection(of, windowed, context)
    : planOfSet(of, windowed, context);
}

function planOfSelection(
  request: ReadRequest,
  windowed: boolean,
  context: PlanContext,
): SelectedForValues {
  const selected = planSelected(request, context);
  const { scope, where, one, addressed } = selected;
  const isCut = windowed && !one;
  if (!isCut) checkOrder(request, selected, context);
  const rows = {
    keyColumns: null,
    where,
    orderBy: isCut ? planOrder(request.orderBy, scope, context) : [],
    window: isCut ? windowOf(request) : null,
  };
  return {
    origin: {
      kind: 'selection',
      origin: selected.origin ?? (one ? context.printer.print(existenceQuery(selected)) : null),
      addressed,
      top: isCut ? request.top : null,
    },
    selected,
    rows,
  };
}

/** Checks the names of an order that has no effect. */
function checkOrder(
  { orderBy }: ReadRequest,
  { scope: { dataclass } }: SelectedEntities,
  context: PlanContext,
): void {
  planOrder(orderBy, Scope.root(dataclass, new Aliases()), context);
}

/** Finds the one entity that a request addresses. */
function existenceQuery({ scope, where }: SelectedEntities): SelectQuery {
  const joins = filterJoins(scope.joins, where);
  return scope.select({ outputs: [{ kind: 'globalStamp' }], joins, where });
}

function planOfSet(
  { read, combination, saved, clean, removed }: EntitySetRequest,
  windowed: boolean,
  context: PlanContext,
): SelectedForValues {
  if (read.selector.kind !== 'entitySet') throw new Error('no entity set is named');
  const selected = planSelected(read, context);
  const { scope, where } = selected;
  const { dataclass } = scope;
  needKey(dataclass);
  if (combination?.operator === 'intersect') {
    throw notApplicable(
      '$logicOperator=INTERSECT answers true or false: there are no values in that.',
    );
  }
  checkOrder(read, selected, context);
  const narrowing = windowed ? planNarrowing(read, clean, selected, context) : null;
  // What narrows the keys need not be looked at again.
  const own =
    narrowing === null ? selected : { ...selected, scope: Scope.root(dataclass, new Aliases()) };
  const rows = {
    keyColumns: own.scope.keyColumns,
    where: narrowing === null ? where : own.scope.restrictionByJoins,
    orderBy: [],
    window: null,
  };
  return {
    origin: {
      kind: 'set',
      dataclass,
      source: {
        kind: 'set',
        id: read.selector.id,
        saved: planSaved(saved, dataclass, context),
        removed,
      },
      combination,
      narrowing,
      window: windowed ? { top: read.top, skip: read.skip } : null,
    },
    selected: own,
    rows,
  };
}
