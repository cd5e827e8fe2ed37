import { ProtocolError } from '../base/errors.ts';
import type { Dataclass, Model } from '../model/types.ts';
import type { Condition, CountQuery, DeleteWhereQuery } from '../query/ir.ts';
import type { DeleteRequest, FilterNode } from '../request/ast.ts';
import { planFilter } from './filter.ts';
import { checkRights } from './rights.ts';
import { filterJoins, planOrder, type PlanSettings } from './read.ts';
import { urlTarget, type UrlTarget } from './save.ts';
import { Aliases, Scope } from './scope.ts';
import { findDataclass } from '../model/lookup.ts';

/** What to delete, for all requests of one shape. */
export interface DeletePlan {
  readonly dataclass: Dataclass;
  readonly atomic: boolean;
  /** The entities that the URL names; null where it names none. */
  readonly target: UrlTarget | null;
  /** Deletes what the filter finds; null where there is none, and the body says what to delete. */
  readonly where: DeleteWhereQuery | null;
  /** Counts what the filter finds, where triggers may keep rows and no error tells of it; null where they cannot. */
  readonly left: CountQuery | null;
}

/** The settings that deletes depend on. */
export interface DeleteSettings extends PlanSettings {
  /** Whether entities can be locked, so that it has to be looked at what a filter finds. */
  readonly locks: boolean;
}

/**
 * Plans a delete.
 * @throws ProtocolError for names that do not exist, a read-only dataclass, and what does not go together
 */
export function planDelete(
  request: DeleteRequest,
  model: Model,
  settings: DeleteSettings,
): DeletePlan {
  const dataclass = findDataclass(model, request.dataclass);
  checkRights(dataclass, 'deleted');
  const target = urlTarget(request.selector, dataclass);
  const scope = Scope.root(dataclass, new Aliases());
  planOrder(request.orderBy, scope);
  if (target !== null && request.filter !== null) {
    throw new ProtocolError(
      'notApplicable',
      'The URL names what to delete by key, and by $filter as well: give one of them.',
    );
  }
  const where = request.filter === null ? null : deleteWhere(request.filter, dataclass, settings);
  const { table } = dataclass;
  const isKept = table.beforeDelete === true || table.instead?.includes('delete') === true;
  return {
    dataclass,
    // Several keys in one URL are one request: all of them or none.
    atomic:
      request.atomic || request.selector.kind === 'keyList' || request.selector.kind === 'keys',
    target,
    where,
    left: where !== null && isKept ? countOf(where) : null,
  };
}

/** How many rows the condition of a delete finds. */
function countOf({ from, joins, where }: DeleteWhereQuery): CountQuery {
  return { kind: 'count', from, joins, where };
}

function deleteWhere(
  filter: FilterNode,
  dataclass: Dataclass,
  settings: DeleteSettings,
): DeleteWhereQuery {
  const scope = Scope.root(dataclass, new Aliases());
  const found = planFilter(filter, scope, '$filter', settings);
  const { restriction } = scope;
  const where: Condition =
    restriction === null ? found : { kind: 'and', items: [restriction, found] };
  return {
    kind: 'deleteWhere',
    from: scope.source,
    joins: filterJoins(scope.joins, where),
    where,
    key: dataclass.key.map(({ column }) => scope.column(column)),
    ...(settings.locks ? { returning: true } : {}),
    instead: dataclass.table.instead?.includes('delete') ?? false,
  };
}
