import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { Condition, DeleteWhereQuery } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { DeleteRequest, FilterNode } from '../../protocol/ast.ts';
import { planFilter } from '../condition/filter.ts';
import { checkRights, neededFor } from './rights.ts';
import type { PlanContext } from '../context.ts';
import { countQuery, filterJoins, planOrder } from '../read/read.ts';
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
  readonly where: Statement | null;
  /** Counts what is to be deleted, where that is told and no keys come back; null where it need not be. */
  readonly counted: Statement | null;
  /** Counts what the filter finds still, where no error tells of what is kept; null where nothing can be. */
  readonly left: Statement | null;
}

/** The context that deletes depend on. */
export interface DeleteContext extends PlanContext {
  /** Whether entities can be locked, so that it has to be looked at what a filter finds. */
  readonly locks: boolean;
  /** Where writes are told to an audit log, so that it has to hear of what a filter finds; left out where there is none. */
  readonly audit?: object | undefined;
}

/**
 * Plans a delete.
 * @throws ProtocolError for names that do not exist, a read-only dataclass, and what does not go together
 */
export function planDelete(request: DeleteRequest, context: DeleteContext): DeletePlan {
  const { printer } = context;
  const dataclass = findDataclass(context.model, request.dataclass);
  checkRights(dataclass, 'delete');
  const target = urlTarget(request.selector, dataclass);
  const scope = Scope.root(dataclass, new Aliases());
  planOrder(request.orderBy, scope, context);
  if (target !== null && request.filter !== null) {
    throw new ProtocolError(
      'notApplicable',
      'The URL names what to delete by key, and by $filter as well: give one of them.',
    );
  }
  const { table } = dataclass;
  const found = request.filter === null ? null : foundBy(request.filter, dataclass, context);
  const mayBeKept =
    table.beforeDelete === true ||
    table.instead?.includes('delete') === true ||
    neededFor(dataclass, 'delete') !== null;
  const meant = found === null ? null : permittedOf(found, dataclass);
  const isCounted = context.audit !== undefined && dataclass.key.length === 0;
  return {
    dataclass,
    // Several keys in one URL are one request: all of them or none.
    atomic:
      request.atomic || request.selector.kind === 'keyList' || request.selector.kind === 'keys',
    target,
    where: meant === null ? null : printer.printWrite(deleteWhere(meant, dataclass, context)),
    counted:
      meant !== null && isCounted ? printer.print(countQuery(meant.scope, meant.where)) : null,
    left: found !== null && mayBeKept ? printer.print(countQuery(found.scope, found.where)) : null,
  };
}

/** What a filter finds, to be counted or deleted. */
interface Found {
  readonly scope: Scope;
  readonly where: Condition;
}

function foundBy(filter: FilterNode, dataclass: Dataclass, context: DeleteContext): Found {
  const scope = Scope.root(dataclass, new Aliases());
  const where = planFilter(filter, scope, '$filter', context);
  const { restrictions } = scope;
  return {
    scope,
    where: restrictions.length === 0 ? where : { kind: 'and', items: [...restrictions, where] },
  };
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
  context: DeleteContext,
): DeleteWhereQuery {
  return {
    kind: 'deleteWhere',
    from: scope.source,
    joins: filterJoins(scope.joins, where),
    where,
    key: dataclass.key.map(({ column }) => scope.column(column)),
    ...(context.locks || context.audit !== undefined ? { returning: true } : {}),
    instead: dataclass.table.instead?.includes('delete') ?? false,
  };
}
