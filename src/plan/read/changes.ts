import { notApplicable } from '../../base/errors.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { Changes, ChangeSource, Dataclass } from '../../model/types.ts';
import type { ReadRequest } from '../../protocol/ast.ts';
import { COUNT, ROW_VERSION } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import { partsBehind } from '../../sql/ir/index-use.ts';
import type { ColumnRef, Condition, Parameter, Period, SelectQuery } from '../../sql/ir/ir.ts';
import type { Printer, Reader, Statement } from '../../sql/ir/statement.ts';
import { allOf } from '../condition/comparison.ts';
import { planFilter } from '../condition/filter.ts';
import { Aliases, Scope } from '../condition/scope.ts';
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
  const { scope } = selection;
  const { plan, query, sought } = planRows(read, selection, context, scope.keyColumns);
  const { deleted } = changes;
  const keeper = deleted === null ? undefined : model.dataclasses.get(deleted.dataclass);
  return {
    changes,
    bound: printer.print({ kind: 'versionBound', of: changes.source.kind }),
    entities: plan,
    pages: pagesByKey(query, scope, printer, sought),
    unmet: read.filter === null ? null : planUnmet(read, dataclass, context),
    deleted: keeper === undefined ? null : planKeys(openScope(keeper), [], read, printer),
  };
}

function openScope(dataclass: Dataclass): Scope {
  return Scope.root(dataclass, new Aliases());
}

/** The keys of the entities for which a filter is false or unknown. */
function planUnmet(read: ReadRequest, dataclass: Dataclass, context: PlanContext): KeysPlan {
  const scope = openScope(dataclass);
  const { filter } = read;
  const met = filter === null ? [] : [planFilter(filter, scope, '$filter', context)];
  const unmet = met.map((item): Condition => ({ kind: 'isNotTrue', item }));
  return planKeys(scope, unmet, read, context.printer);
}

function planKeys(
  scope: Scope,
  conditions: readonly Condition[],
  read: ReadRequest,
  printer: Printer,
): KeysPlan {
  const { dataclass, joinedRestriction } = scope;
  const columns = dataclass.key.map((attribute) => scope.attribute(attribute));
  const query = scope.select({
    outputs: columns.map((operand) => ({ kind: 'value', operand })),
    where: allOf([joinedRestriction, ...conditions]),
    orderBy: scope.keyColumns.map((operand) => ({ operand, descending: false })),
    window: windowOf(read),
  });
  return {
    dataclass,
    key: dataclass.key.map(({ name, columnType }, column) => ({ name, column, type: columnType })),
    readers: printer.print(query).readers,
    pages: pagesByKey(query, scope, printer, [...columns.keys()]),
  };
}

/** Prints the pages of a query that is in the order of the key. @param order the result columns of the key */
function pagesByKey(
  query: SelectQuery,
  scope: Scope,
  printer: Printer,
  order: readonly number[],
): PagesByKey {
  const { changes, key } = scope.dataclass;
  if (typeof changes === 'string' || query.window === null) throw new Error('no pages of changes');
  const { source } = changes;
  const window = { offset: null, limit: query.window.limit };
  const columns = scope.keyColumns;
  const behind = partsBehind(
    { columns, descending: false },
    key.map(() => false),
  );
  const print = ({ isOfPeriod, isBehind }: PageChoice): readonly Statement[] => {
    const conditions = [query.where, isOfPeriod ? writtenIn(source, scope) : null];
    const parts = isBehind ? behind : [null];
    return parts.map((part) =>
      printer.print({ ...query, where: allOf([...conditions, part]), window }),
    );
  };
  const printed = new Map<string, readonly Statement[]>();
  const statements: PagesByKey['statements'] = (which) => {
    const id = JSON.stringify(which);
    const known = printed.get(id) ?? print(which);
    printed.set(id, known);
    return known;
  };
  return { order, statements };
}

/** Whether the row of a scope was written in the period whose changes are read. */
function writtenIn(source: ChangeSource, scope: Scope): Condition {
  if (source.kind === 'xmin') {
    const { alias } = scope.source;
    const [since, until] = [versionParameter('since', COUNT), versionParameter('until', COUNT)];
    return { kind: 'writtenIn', alias, since, until };
  }
  const { column, kind } = source;
  const left = scope.column(column, kind === 'rowversion' ? ROW_VERSION : column.type);
  return {
    kind: 'and',
    items: [compared('>=', 'since', left), compared('<', 'until', left)],
  };
}

function compared(operator: '>=' | '<', end: keyof Period, left: ColumnRef): Condition {
  return { kind: 'compare', operator, left, right: versionParameter(end, left.type) };
}

function versionParameter(end: keyof Period, type: ColumnType): Parameter {
  return { kind: 'parameter', source: { from: 'period', end }, type, use: 'value', meets: 'since' };
}
