import { notApplicable } from '../../base/errors.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { Dataclass, Model } from '../../model/types.ts';
import type { Condition, OrderTerm, Output, SelectQuery } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type {
  DeleteSetRequest,
  EntitySetRequest,
  FilterNode,
  ReadRequest,
  SavedSelection,
  SetOperator,
  ParameterRef,
} from '../../protocol/ast.ts';
import { describeCombined } from './description.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { allOf } from '../condition/comparison.ts';
import { planFilter } from '../condition/filter.ts';
import { keyParameters } from '../condition/keys.ts';
import { KEYED_OFFSET, Projection } from './projection.ts';
import type { PlanContext } from '../context.ts';
import { layoutOf, planOrder, windowOf } from './read.ts';
import { checkRights } from '../write/rights.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import { planSelection, type Selection, splitSegments } from './selection.ts';
import type { AddressedEntity, EntitiesPlan, FetchPlan } from '../condition/types.ts';

/** A read by way of an entity set, for all requests of one shape. */
export interface EntitySetPlan extends EntitiesPlan {
  readonly source: SetSource;
  readonly combination: { readonly operator: SetOperator; readonly other: ParameterRef } | null;
  /** Narrows and orders the set; null for all of it as it is. */
  readonly narrowing: SetNarrowing | null;
  /** The key whose position alone is answered; null when a page is answered. */
  readonly find: readonly ParameterRef[] | null;
  /** How long the new set lives, in seconds; null when none is kept. */
  readonly lifetime: ParameterRef | null;
  /** The id of the URL's set when the answer names it; else null. */
  readonly namedSet: ParameterRef | null;
  readonly isSorted: boolean;
  readonly page: FetchPlan;
  readonly globalStampColumn: number;
}

/** Where the keys come from: the set that the URL names, or what the request selects. */
export type SetSource =
  | StoredSet
  | {
      readonly kind: 'selection';
      /** Selects the keys, in their order. */
      readonly keys: Statement;
      readonly origin: Statement | null;
      /** The entity that has to exist; null when the selection may be empty. */
      readonly needed: AddressedEntity | null;
      /** Whether it is of one entity at most. */
      readonly one: boolean;
    };

/** A set that is there, or was. */
export interface StoredSet {
  readonly kind: 'set';
  readonly id: ParameterRef;
  /** Makes the set again when it is gone (§4.9); null when that is an error. */
  readonly saved: {
    readonly keys: Statement;
    readonly lifetime: ParameterRef;
    readonly isSorted: boolean;
  } | null;
  /** The positions that are left out, as a list; null for none. */
  readonly removed: ParameterRef | null;
}

/** Finds the entities of a set that exist and meet a condition, by their keys. */
export interface SetNarrowing {
  /** Selects their ordinals, in their order. */
  readonly statement: Statement;
  /** Whether it sorts, so that it needs all keys at once. */
  readonly isOrder: boolean;
  /** Whether undefined references stay, behind all others: they meet no condition, but an order alone sets none. */
  readonly keepsUndefined: boolean;
}

/** Plans a read by way of an entity set. */
export function planEntitySet(request: EntitySetRequest, context: PlanContext): EntitySetPlan {
  const { read, orderedBy, combination, lifetime, clean, saved, find, namesSet, removed } = request;
  const selection = planSelection(read, context, orderedBy);
  const { dataclass } = selection.scope;
  needKey(dataclass);
  if (request.ofRelation && !selection.isWalked) {
    const message = `$method=subentityset makes a set of what a relation of an entity leads to: ${read.dataclass}(key)/relation.`;
    throw notApplicable(message);
  }
  const scope = Scope.root(dataclass, new Aliases());
  const { restrictionByJoins: where } = scope;
  const projection = new Projection(KEYED_OFFSET, context);
  const shape = projection.entity(scope, selection.attributes);
  const globalStampColumn = projection.outputs.add({ kind: 'globalStamp' });
  // At creation it is only looked at.
  const again = planSaved(saved, dataclass, context);
  const page = scope.keyed({ outputs: projection.outputs.items, where });
  return {
    dataclass,
    source:
      read.selector.kind === 'entitySet'
        ? { kind: 'set', id: read.selector.id, saved: again, removed }
        : selectionSource(request, selection, context),
    combination,
    narrowing:
      read.selector.kind === 'entitySet' ? planNarrowing(read, clean, selection, context) : null,
    find: find === null ? null : keyParameters(find, dataclass),
    lifetime,
    namedSet: namesSet && read.selector.kind === 'entitySet' ? read.selector.id : null,
    isSorted: read.orderBy.length > 0,
    page: projection.fetch(shape, context.printer.print(page)),
    globalStamp: context.printer.print({ kind: 'globalStamp' }),
    globalStampColumn,
    top: read.top,
    skip: read.skip,
    asArray: read.asArray,
    description: describeCombined(selection.description, combination),
    layout: layoutOf(read),
  };
}

/** A delete of a set's entities, or of those that a filter finds. */
export interface DeleteSetPlan {
  readonly dataclass: Dataclass;
  readonly id: ParameterRef;
  readonly narrowing: SetNarrowing | null;
  readonly dryRun: boolean;
}

/** Plans the delete of a set's entities. @throws ProtocolError for names that do not exist, and a read-only dataclass */
export function planDeleteSet(
  { dataclass: name, id, filter, orderBy, dryRun }: DeleteSetRequest,
  context: PlanContext,
): DeleteSetPlan {
  const dataclass = findDataclass(context.model, name);
  checkRights(dataclass, 'delete');
  needKey(dataclass);
  planOrder(orderBy, Scope.root(dataclass, new Aliases()), context);
  const scope = Scope.root(dataclass, new Aliases());
  const where = conditionOf(scope, filter, '$filter', context);
  return {
    dataclass,
    id,
    narrowing: planNarrowing({ filter, orderBy: [] }, false, { scope, where }, context),
    dryRun,
  };
}

/** @throws ProtocolError notApplicable for a dataclass without a key */
export function needKey({ key, name }: Dataclass): void {
  if (key.length > 0) return;
  throw notApplicable(`${name} has no key: no entity set can hold its entities.`);
}

/** Plans what a set is made of again where it is gone; null where that is an error. */
export function planSaved(
  saved: SavedSelection | null,
  dataclass: Dataclass,
  context: PlanContext,
): StoredSet['saved'] {
  if (saved === null) return null;
  const { filter, orderBy, lifetime } = saved;
  const scope = Scope.root(dataclass, new Aliases());
  const where = conditionOf(scope, filter, '$savedfilter', context);
  const order = planOrder(orderBy, scope, context, '$savedorderby');
  const keys = context.printer.print(selectKeys(scope, where, order));
  return { keys, lifetime, isSorted: orderBy.length > 0 };
}

function selectionSource(
  { read, orderedBy, isWindowed }: EntitySetRequest,
  { scope, where, origin, one, isWalked, addressed }: Selection,
  context: PlanContext,
): SetSource {
  // One entity needs no order.
  const orderBy = one ? [] : planOrder(read.orderBy, scope, context, orderedBy);
  // A set is made of all of them; of an export, or a long page, no more keys are read than entities are asked for.
  const isCut = !one && (isWindowed === true || isExport(read.format));
  return {
    kind: 'selection',
    keys: context.printer.print(selectKeys(scope, where, orderBy, isCut ? windowOf(read) : null)),
    origin,
    needed: (one && !isWalked) || origin !== null ? addressed : null,
    one,
  };
}

function selectKeys(
  scope: Scope,
  where: Condition | null,
  orderBy: readonly OrderTerm[],
  window: SelectQuery['window'] = null,
): SelectQuery {
  const outputs = scope.dataclass.key.map(({ column }): Output => ({
    kind: 'value',
    operand: scope.column(column),
  }));
  return scope.select({ outputs, where, orderBy, window });
}

/** Plans how the keys of a set are narrowed; null when they are not. */
export function planNarrowing(
  { filter, orderBy }: Pick<ReadRequest, 'filter' | 'orderBy'>,
  clean: boolean,
  { scope, where }: Pick<Selection, 'scope' | 'where'>,
  context: PlanContext,
): SetNarrowing | null {
  if (filter === null && orderBy.length === 0 && !clean) return null;
  // Without terms of its own it is the order of the set.
  const terms = orderBy.length === 0 ? [] : planOrder(orderBy, scope, context);
  return {
    statement: context.printer.print(scope.keyed({ outputs: [], where, orderBy: terms })),
    isOrder: terms.length > 0,
    keepsUndefined: filter === null && !clean,
  };
}

/** The condition on rows to be entities that the filter finds. */
function conditionOf(
  scope: Scope,
  filter: FilterNode | null,
  within: '$filter' | '$savedfilter',
  context: PlanContext,
): Condition | null {
  const { restrictionByJoins } = scope;
  return allOf([
    restrictionByJoins,
    filter === null ? null : planFilter(filter, scope, within, context),
  ]);
}

/** A read by way of keys, as if a set were made of what it selects. */
export function keyedRequest(
  read: ReadRequest,
  how: Partial<EntitySetRequest> = {},
): EntitySetRequest {
  return {
    kind: 'entitySet',
    read,
    ofRelation: false,
    namesSet: false,
    orderedBy: '$orderby',
    lifetime: null,
    clean: false,
    combination: null,
    removed: null,
    saved: null,
    find: null,
    ...how,
  };
}

/** An export, or a long page, reads the keys of what is selected first, and then the entities by their keys. */
export function exportOf(read: ReadRequest): EntitySetRequest {
  return keyedRequest(read, { isWindowed: true });
}

/** Whether the entities of a read have keys. @throws ProtocolError noSuchDataclass, and badUrl for a path that leads nowhere */
export function hasKeys(request: ReadRequest, model: Model): boolean {
  const start = findDataclass(model, request.dataclass);
  const { walked } = splitSegments(request, start);
  return (walked.at(-1)?.target ?? start).key.length > 0;
}
