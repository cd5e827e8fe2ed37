import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Model } from '../../model/types.ts';
import type { Condition, CountQuery, DeleteWhereQuery } from '../../sql/ir/ir.ts';
import type { DeleteRequest, FilterNode } from '../../protocol/ast.ts';
import { planFilter } from '../condition/filter.ts';
import { checkRights, neededFor } from './rights.ts';
import { filterJoins, planOrder, type PlanSettings } from '../read/read.ts';
import { urlTarget, type UrlTarget } from './save.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import { findDataclass } from '../../model/lookup.ts';

/** What to delete, for all requests of one shape. */
export interface DeletePlan {
  readonly dataclass: Dataclass;
  readonly atomic: boolean;
  /** The entities that the URL names; null where it names none. */
  readonly target: UrlTarget | null;
  /** Deletes what the filter finds; null where there is none, and the body says what to delete. */
  readonly where: DeleteWhereQuery | null;
  /** Counts what is to be deleted, where that is told and no keys come back; null where it need not be. */
  readonly counted: CountQuery | null;
  /** Counts what the filter finds still, where no error tells of what is kept; null where nothing can be. */
  readonly left: CountQuery | null;
}

/** The settings that deletes depend on. */
export interface DeleteSettings extends PlanSettings {
  /** Whether entities can be locked, so that it has to be looked at what a filter finds. */
  readonly locks: boolean;
  /** Where writes are told to an audit log, so that it has to hear of what a filter finds; left out where there is none. */
  readonly audit?: object | undefined;
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
  checkRights(dataclass, 'delete');
  const target = urlTarget(request.selector, dataclass);
  const scope = Scope.root(dataclass, new Aliases());
  planOrder(request.orderBy, scope, settings);
  if (target !== null && request.filter !== null) {
    throw new ProtocolError(
      'notApplicable',
      'The URL names what to delete by key, and by $filter as well: give one of them.',
    );
  }
  const { table } = dataclass;
  const found = request.filter === null ? null : foundBy(request.filter, dataclass, settings);
  const mayBeKept =
    table.beforeDelete === true ||
    table.instead?.includes('delete') === true ||
    neededFor(dataclass, 'delete') !== null;
  const meant = found === null ? null : permittedOf(found, dataclass);
  const isCounted = settings.audit !== undefined && dataclass.key.length === 0;
  return {
    dataclass,
    // Several keys in one URL are one request: all of them or none.
    atomic:
      request.atomic || request.selector.kind === 'keyList' || request.selector.kind === 'keys',
    target,
    where: meant === null ? null : deleteWhere(meant, dataclass, settings),
    counted: meant !== null && isCounted ? countOf(meant) : null,
    left: found !== null && mayBeKept ? countOf(found) : null,
  };
}

/** What a filter finds, to be counted or deleted. */
interface Found {
  readonly scope: Scope;
  readonly where: Condition;
}

function foundBy(filter: FilterNode, dataclass: Dataclass, settings: DeleteSettings): Found {
  const scope = Scope.root(dataclass, new Aliases());
  const where = planFilter(filter, scope, '$filter', settings);
  const { restrictions } = scope;
  return {
    scope,
    where: restrictions.length === 0 ? where : { kind: 'and', items: [...restrictions, where] },
  };
}

/** How many rows the condition of a delete finds. */
function countOf({ scope, where }: Found): CountQuery {
  return { kind: 'count', from: scope.source, joins: filterJoins(scope.joins, where), where };
}

/** What of it whoever asks may delete. */
function permittedOf({ scope, where: found }: Found, dataclass: Dataclass): Found {
  const needed = neededFor(dataclass, 'delete');
  const where: Condition =
    needed === null ? found : { kind: 'and', items: [scope.meeting(needed), found] };
  return { scope, where };
}

/** Deletes it: what is left of what the filter finds is counted then. */
function deleteWhere(
  { scope, where }: Found,
  dataclass: Dataclass,
  settings: DeleteSettings,
): DeleteWhereQuery {
  return {
    kind: 'deleteWhere',
    from: scope.source,
    joins: filterJoins(scope.joins, where),
    where,
    key: dataclass.key.map(({ column }) => scope.column(column)),
    ...(settings.locks || settings.audit !== undefined ? { returning: true } : {}),
    instead: dataclass.table.instead?.includes('delete') ?? false,
  };
}
