import { memoize, zip } from '../../base/collections.ts';
import { notApplicable } from '../../base/errors.ts';
import { keeperOf } from '../../model/changes.ts';
import { findDataclass, findMember, wayOf } from '../../model/lookup.ts';
import { pathsOf } from '../../model/restriction.ts';
import { type Changes, type Dataclass, type Model } from '../../model/types.ts';
import type { FilterNode, ReadRequest } from '../../protocol/ast.ts';
import { COUNT, ROW_VERSION } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { partsBehind } from '../../sql/ir/index-use.ts';
import type {
  ColumnRef,
  Condition,
  Parameter,
  Period,
  SelectQuery,
  Source,
} from '../../sql/ir/ir.ts';
import type { Printer, Reader, Statement } from '../../sql/ir/statement.ts';
import { allOf } from '../condition/comparison.ts';
import { planFilter } from '../condition/filter.ts';
import { Aliases, equalColumns, Scope } from '../condition/scope.ts';
import type { KeyPart, ReadPlan } from '../condition/types.ts';
import type { PlanContext } from '../context.ts';
import { planRows, windowOf } from './read.ts';
import { planSelection } from './selection.ts';

/** A read of changes, for all requests of one shape. */
export interface ChangesPlan {
  readonly changes: Changes;
  /** Tells how far changes are complete. */
  readonly bound: Statement;
  /** The entities that are answered. */
  readonly entities: ReadPlan;
  readonly pages: PagesByKey;
  /** The keys of changed entities that do not meet the filter; null where there is none. */
  readonly unmet: KeysPlan | null;
  /** The keys of deleted entities; null where nobody keeps them, or the user does not see who does. */
  readonly deleted: KeysPlan | null;
}

/** Rows in the order of their keys, page by page. */
export interface PagesByKey {
  /** The result columns of the key. */
  readonly order: readonly number[];
  /** Returns the statements that together find the rows, in order. */
  readonly statements: (which: PageChoice) => readonly Statement[];
}

/** Which rows a page has: all, or those that were written in a period; from the first on, or behind the last row. */
export interface PageChoice {
  readonly isOfPeriod: boolean;
  readonly isBehind: boolean;
}

/** Keys of entities, page by page. */
export interface KeysPlan {
  readonly dataclass: Dataclass;
  readonly key: readonly KeyPart[];
  readonly readers: readonly Reader[];
  readonly pages: PagesByKey;
}

/** Plans a read of changes. @throws ProtocolError as a read; notApplicable where the dataclass cannot tell what has changed */
export function planChanges(read: ReadRequest, context: PlanContext): ChangesPlan {
  const { model, printer } = context;
  const dataclass = findDataclass(model, read.dataclass);
  const { changes } = dataclass;
  if (typeof changes === 'string') {
    throw notApplicable(`The changes of ${dataclass.name} cannot be read: ${changes}.`);
  }
  const selection = planSelection(read, context);
  // A change of another entity would decide whether one meets the filter.
  for (const { names, position } of read.filter === null ? [] : pathsOf(read.filter)) {
    const at = { within: '$filter', position };
    const way = wayOf(names, dataclass, (here, name) => findMember(here, name, at));
    const [first] = way.relations;
    if (first === undefined) continue;
    const message = `The $filter of $changes takes attributes of ${dataclass.name} alone: changes of what ${first.name} leads to are not reported`;
    throw notApplicable(message, at);
  }
  const { scope } = selection;
  const { plan, query, sought } = planRows(read, selection, context, scope.keyColumns);
  return {
    changes,
    bound: printer.print({ kind: 'versionBound', of: changes.source.kind, table: dataclass.table }),
    entities: plan,
    pages: pagesByKey(query, scope.keyColumns, writtenIn(scope), printer, sought),
    unmet: read.filter === null ? null : planUnmet(read.filter, read, dataclass, context),
    deleted: planDeleted(dataclass, model, read, printer),
  };
}

/** The keys of deleted entities: of the dataclass that has them, or of change tracking, which does not tell whose they were. */
function planDeleted(
  dataclass: Dataclass,
  model: Model,
  read: ReadRequest,
  printer: Printer,
): KeysPlan | null {
  const { changes, key, table, where } = dataclass;
  if (typeof changes === 'string') return null;
  if (changes.deleted !== null) {
    const keeper = keeperOf(dataclass, model);
    if (keeper === null) return null;
    const scope = Scope.root(keeper, new Aliases());
    return planKeys(scope, [isGone(dataclass, scope)], read, printer);
  }
  if (changes.source.kind !== 'changeTracking' || where !== null) return null;
  const alias = 't0';
  const columns = key.map(({ column: { name }, columnType: type }): ColumnRef => ({
    kind: 'column',
    alias,
    name,
    type,
    nullable: false,
  }));
  const from = { schema: table.schema, name: table.name, alias, changedSince: BEFORE };
  const isDeleted: Condition = { kind: 'changedBefore', alias, until: UNTIL, isDeletion: true };
  return keysPlan(dataclass, { columns, from, joins: [], where: isDeleted }, null, read, printer);
}

/**
 * The condition that no entity has the key of a deleted one. A key may be inserted again by a transaction of PostgreSQL that began to write before the
 * deletion: the version of the deletion is then the later one.
 */
function isGone(dataclass: Dataclass, kept: Scope): Condition {
  const scope = Scope.root(dataclass, kept.aliases);
  const same = zip(scope.keyColumns, kept.keyColumns).map(equalColumns);
  const { restrictionInSubqueries: restriction } = scope;
  const items = restriction === null ? same : [...same, restriction];
  const exists: Condition = {
    kind: 'exists',
    from: scope.source,
    joins: scope.joins,
    where: { kind: 'and', items },
  };
  return { kind: 'not', item: exists };
}

/** The keys of the entities for which a filter is false or unknown. */
function planUnmet(
  filter: FilterNode,
  read: ReadRequest,
  dataclass: Dataclass,
  context: PlanContext,
): KeysPlan {
  const scope = Scope.root(dataclass, new Aliases());
  const met = planFilter(filter, scope, '$filter', context);
  return planKeys(scope, [{ kind: 'isNotTrue', item: met }], read, context.printer);
}

function planKeys(
  scope: Scope,
  conditions: readonly Condition[],
  read: ReadRequest,
  printer: Printer,
): KeysPlan {
  const { dataclass, restrictionByJoins } = scope;
  const columns = dataclass.key.map((attribute) => scope.attribute(attribute));
  const where = allOf([restrictionByJoins, ...conditions]);
  const rows = { columns, from: scope.source, joins: scope.joins, where };
  return keysPlan(dataclass, rows, writtenIn(scope), read, printer);
}

/** @param within the condition on rows of the period; null where all are */
function keysPlan(
  dataclass: Dataclass,
  { columns, ...source }: Source & { readonly columns: readonly ColumnRef[] },
  within: Condition | null,
  read: ReadRequest,
  printer: Printer,
): KeysPlan {
  const query: SelectQuery = {
    kind: 'select',
    ...source,
    outputs: columns.map((operand) => ({ kind: 'value', operand })),
    orderBy: columns.map((operand) => ({ operand, descending: false })),
    window: windowOf(read),
  };
  return {
    dataclass,
    key: dataclass.key.map(({ name, columnType }, column) => ({ name, column, type: columnType })),
    readers: printer.print(query).readers,
    pages: pagesByKey(query, columns, within, printer, [...columns.keys()]),
  };
}

/** Prints the pages of a query that is in the order of the key. @param order the result columns of the key */
function pagesByKey(
  query: SelectQuery,
  columns: readonly ColumnRef[],
  within: Condition | null,
  printer: Printer,
  order: readonly number[],
): PagesByKey {
  const behind = partsBehind(
    { columns, descending: false },
    columns.map(() => false),
  );
  const window = query.window && { offset: null, limit: query.window.limit };
  const print = ({ isOfPeriod, isBehind }: PageChoice): readonly Statement[] => {
    const conditions = [query.where, isOfPeriod ? within : null];
    const parts = isBehind ? behind : [null];
    return parts.map((part) =>
      printer.print({ ...query, where: allOf([...conditions, part]), window }),
    );
  };
  const printed = new Map<string, readonly Statement[]>();
  const statements: PagesByKey['statements'] = (which) =>
    memoize(printed, JSON.stringify(which), () => print(which));
  return { order, statements };
}

/** Whether the row of a scope was written in the period whose changes are read. */
function writtenIn(scope: Scope): Condition | null {
  const { source: table, dataclass } = scope;
  const { changes } = dataclass;
  if (typeof changes === 'string') return null;
  const { source } = changes;
  switch (source.kind) {
    case 'xmin':
      return { kind: 'writtenIn', alias: table.alias, since: SINCE, until: UNTIL };
    case 'changeTracking': {
      const from = { ...scope.aliases.source(dataclass.table), changedSince: BEFORE };
      const own = scope.keyColumns.map((column): Condition => ({
        kind: 'compare',
        operator: '=',
        left: { ...column, alias: from.alias },
        right: column,
      }));
      const isBefore: Condition = {
        kind: 'changedBefore',
        alias: from.alias,
        until: UNTIL,
        isDeletion: false,
      };
      return { kind: 'exists', from, joins: [], where: { kind: 'and', items: [...own, isBefore] } };
    }
    case 'rowversion':
    case 'timestamp': {
      const { column, kind } = source;
      const left = scope.column(column, kind === 'rowversion' ? ROW_VERSION : column.type);
      return {
        kind: 'and',
        items: [compared('>=', 'since', left), compared('<', 'until', left)],
      };
    }
  }
}

function compared(operator: '>=' | '<', end: keyof Period, left: ColumnRef): Condition {
  return { kind: 'compare', operator, left, right: versionParameter(end, left.type, 'value') };
}

function versionParameter(end: keyof Period, type: ColumnType, use: 'value' | 'count'): Parameter {
  return { kind: 'parameter', source: { from: 'period', end }, type, use, meets: 'since' };
}

const [SINCE, UNTIL, BEFORE] = (['since', 'until', 'before'] as const).map((end) =>
  versionParameter(end, COUNT, 'count'),
) as [Parameter, Parameter, Parameter];
