import { notApplicable } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { Condition } from '../../sql/ir/ir.ts';
import type { Printer, Statement } from '../../sql/ir/statement.ts';
import type { DeleteRequest, FilterNode } from '../../protocol/ast.ts';
import { planFilter } from '../condition/filter.ts';
import { checkRights, neededFor } from './rights.ts';
import type { PlanContext } from '../context.ts';
import { countQuery, filterJoins, planOrder } from '../read/read.ts';
import { isFoundDirectly, isInstead, urlTarget, type UrlTarget } from './save.ts';
import { Aliases, Scope } from '../condition/scope.ts';
import { findDataclass } from '../../model/lookup.ts';

/** The plan of a delete, for all requests of one shape. */
export interface DeletePlan {
  readonly dataclass: Dataclass;
  readonly atomic: boolean;
  readonly dryRun: boolean;
  /** The entities that the URL names; null where it names none. */
  readonly target: UrlTarget | null;
  /** Whether a statement may delete entities by their keys and stamps whose rows are not read first. */
  readonly isPlain: boolean;
  /** Deletes what the filter finds; null without a filter: then the body names the entities. */
  readonly where: Statement | null;
  /** Counts what the filter finds, where the statement that deletes does not return all keys; null otherwise. */
  readonly counted: Statement | null;
  /** Counts what the filter still finds, where rows may be kept without an error; null otherwise. */
  readonly left: Statement | null;
}

/** What deletes are planned with. */
export interface DeleteContext extends PlanContext {
  /** Whether entities can be locked: then the locks of what a filter finds are checked. */
  readonly locks: boolean;
  /** The audit log, to which deletes by a filter are reported; left out where there is none. */
  readonly audit?: object | undefined;
}

/** Plans a delete. @throws ProtocolError for names that do not exist, a read-only dataclass, and a key with a filter */
export function planDelete(request: DeleteRequest, context: DeleteContext): DeletePlan {
  const { model, printer } = context;
  const dataclass = findDataclass(model, request.dataclass);
  checkRights(dataclass, 'delete');
  const target = urlTarget(request.selector, dataclass);
  const scope = Scope.root(dataclass, new Aliases());
  planOrder(request.orderBy, scope, context);
  if (target !== null && request.filter !== null) {
    throw notApplicable(
      'The URL names what to delete by key, and by $filter as well: give one of them.',
    );
  }
  const { table } = dataclass;
  const needed = neededFor(dataclass, 'delete');
  const found = request.filter === null ? null : foundBy(request.filter, dataclass, context);
  const mayBeKept = table.mayKeepRows === true || isInstead(dataclass, 'delete') || needed !== null;
  const permitted =
    found === null || needed === null ? found : meetingBoth(found.scope.meeting(needed), found);
  const isCounted =
    dataclass.key.length === 0 || !returnsKeys(context) || isInstead(dataclass, 'delete');
  return {
    dataclass,
    // Several keys in one URL are one request: all of them or none.
    atomic:
      request.atomic || request.selector.kind === 'keyList' || request.selector.kind === 'keys',
    dryRun: request.dryRun,
    target,
    isPlain:
      (target?.unique ?? null) === null &&
      dataclass.where === null &&
      table.mayKeepRows !== true &&
      isFoundDirectly(dataclass, 'delete'),
    where:
      permitted === null
        ? null
        : printer.printWrite({
            kind: 'deleteWhere',
            from: permitted.scope.source,
            joins: filterJoins(permitted.scope.joins, permitted.where),
            where: permitted.where,
            key: dataclass.key.map(({ column }) => permitted.scope.column(column)),
            ...(returnsKeys(context) ? { returning: true } : {}),
            instead: isInstead(dataclass, 'delete'),
          }),
    counted: permitted !== null && isCounted ? countOf(permitted, printer) : null,
    left: found !== null && mayBeKept ? countOf(found, printer) : null,
  };
}

/** Whether the keys of what is deleted are needed: to check locks, or for the audit log. */
function returnsKeys({ locks, audit }: DeleteContext): boolean {
  return locks || audit !== undefined;
}

/** The rows that a filter finds. */
interface Found {
  readonly scope: Scope;
  readonly where: Condition;
}

function foundBy(filter: FilterNode, dataclass: Dataclass, context: DeleteContext): Found {
  const scope = Scope.root(dataclass, new Aliases());
  const where = planFilter(filter, scope, '$filter', context);
  const { restrictionInSubqueries: restriction } = scope;
  return restriction === null ? { scope, where } : meetingBoth(restriction, { scope, where });
}

function meetingBoth(condition: Condition, { scope, where }: Found): Found {
  return { scope, where: { kind: 'and', items: [condition, where] } };
}

function countOf({ scope, where }: Found, { print }: Printer): Statement {
  return print(countQuery(scope, where));
}
