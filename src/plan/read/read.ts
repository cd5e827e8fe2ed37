import { ProtocolError } from '../../base/errors.ts';
import { findMember, wayOf } from '../../model/lookup.ts';
import type { Dataclass } from '../../model/types.ts';
import type {
  ColumnRef,
  Condition,
  CountQuery,
  Join,
  OrderTerm,
  Parameter,
  SelectQuery,
  Window,
} from '../../sql/ir/ir.ts';
import {
  filteredColumns,
  indexedOrder,
  keyOrder as indexOrder,
  partsBehind,
} from '../../sql/ir/index-use.ts';
import { lazily, type Printer, type Statement } from '../../sql/ir/statement.ts';
import type { OrderNode, ReadRequest, Selector, ParameterRef } from '../../protocol/ast.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { COUNT } from '../../schema/type-rules.ts';
import { checkDepth, type PlanContext } from '../context.ts';
import { checkProperties } from '../condition/comparison.ts';
import { isFolded, uniqueAttribute } from '../condition/keys.ts';
import { keyOrder, Projection } from './projection.ts';
import type { Scope } from '../condition/scope.ts';
import { planSelection, type Selection } from './selection.ts';
import type { Layout, ReadPlan, SlicedReadPlan } from '../condition/types.ts';

/** Plans a read. All that depends on the model is checked here. @throws ProtocolError with the nearest known names, and the position in the request */
export function planRead(request: ReadRequest, context: PlanContext): ReadPlan {
  return planRows(request, planSelection(request, context), context).plan;
}

/** Plans a long read in slices, each of which begins behind the last row of the one before; null where no index has the order of the rows. */
export function planSlicedRead(request: ReadRequest, context: PlanContext): SlicedReadPlan | null {
  const selection = planSelection(request, context);
  const { one, scope } = selection;
  if (one) return null;
  const orderBy = planOrder(request.orderBy, scope, context);
  const { table } = scope.dataclass;
  const order = indexedOrder({ from: scope.source, orderBy }, table, context.printer.nullsFirst);
  if (order === null) return null;
  const { plan, query, sought } = planRows(request, selection, context, order.columns);
  const window = { offset: null, limit: windowOf(request).limit };
  const print = (isNull: readonly boolean[]): readonly Statement[] =>
    partsBehind(order, isNull).map((part) => {
      const items = query.where === null ? [part] : [query.where, part];
      return context.printer.print({ ...query, where: { kind: 'and', items }, window });
    });
  const printed = new Map<string, readonly Statement[]>();
  const behind: SlicedReadPlan['behind'] = (isNull) => {
    const id = isNull.join();
    const statements = printed.get(id) ?? print(isNull);
    printed.set(id, statements);
    return statements;
  };
  return { ...plan, order: sought, behind };
}

/** Plans the rows of a selection. @param sought columns that the rows have besides those that are answered */
export function planRows(
  request: ReadRequest,
  selection: Selection,
  context: PlanContext,
  sought: readonly ColumnRef[] = [],
) {
  const { printer } = context;
  const { scope, where, one, isWalked, origin } = selection;
  const { dataclass } = scope;
  const projection = new Projection(0, context);
  const shape = projection.entity(scope, selection.attributes);
  // A single entity shows the stamp only in lists of related entities.
  const isStampShown = !one || projection.children.length > 0;
  const globalStampColumn = isStampShown ? projection.outputs.add({ kind: 'globalStamp' }) : null;
  const columns = sought.map((operand) => projection.outputs.add({ kind: 'value', operand }));
  const orderBy = one
    ? orderOfOne(request.selector, isWalked, scope)
    : planOrder(request.orderBy, scope, context);
  const layout = layoutOf(request);
  const outputs = projection.outputs.items;
  const query = scope.select({ outputs, where, orderBy, window: one ? null : windowOf(request) });
  const statement = one
    ? prepareEntity(query, dataclass, isWalked, printer)
    : preparePage(query, dataclass, printer);
  const plan: ReadPlan = {
    answer: one ? 'entity' : 'collection',
    dataclass,
    fetch: projection.fetch(shape, statement),
    deepPage: one ? null : prepareDeepPage(query, dataclass, printer),
    count: one || !layout.isCounted ? null : printCount(countQuery(scope, where), printer),
    globalStamp: printer.print({ kind: 'globalStamp' }),
    globalStampColumn,
    top: request.top,
    skip: request.skip,
    origin,
    nullable: isWalked,
    addressed: selection.addressed,
    asArray: request.asArray,
    description: selection.description,
    layout,
  };
  return { plan, query, sought: columns };
}

/** Prints the query of one entity. A lookup by a key or a unique attribute is so fast that several requests may share one statement. */
function prepareEntity(
  query: SelectQuery,
  { table }: Dataclass,
  nullable: boolean,
  printer: Printer,
): Statement {
  const statement = { findsOne: true, ...printer.print(query) } as const;
  const isLookup = table.kind === 'table' && !nullable && query.orderBy.length === 0;
  return isLookup ? shareable(statement, query, printer) : statement;
}

/** Prints the query of a page. Where an index narrows it to few rows, several requests may share one statement. */
function preparePage(query: SelectQuery, { table }: Dataclass, printer: Printer): Statement {
  const statement = withFilteredColumns(printer.print(query), query);
  const isOfTable = table.kind === 'table' && statement.filtered?.every((one) => !one.isRelated);
  return isOfTable === true ? shareable(statement, query, printer) : statement;
}

function printCount(query: CountQuery, { print }: Printer): Statement {
  return withFilteredColumns(print(query), query);
}

/** Prepares to print a page that begins far in, whose first row is found by its key alone; null where this is no faster. */
function prepareDeepPage(
  query: SelectQuery,
  { table }: Dataclass,
  { printDeepPage }: Printer,
): (() => Statement | null) | null {
  const key = printDeepPage === null ? null : indexOrder(query, table);
  return printDeepPage === null || key === null ? null : lazily(() => printDeepPage(query, key));
}

/** A statement that may run for several requests at once. */
function shareable(
  statement: Statement,
  query: SelectQuery,
  { printTogether }: Printer,
): Statement {
  if (printTogether === null) return statement;
  const { findsOne, filtered } = statement;
  const hints = findsOne === true ? { findsOne } : filtered === undefined ? {} : { filtered };
  const together = lazily(() => {
    const printed = printTogether(query);
    return printed === null ? null : { ...hints, ...printed };
  });
  return { together, ...statement };
}

function withFilteredColumns(statement: Statement, query: SelectQuery | CountQuery): Statement {
  const filtered = filteredColumns(query);
  return filtered === null || filtered.length === 0 ? statement : { filtered, ...statement };
}

/** Counts the entities that a condition finds. */
export function countQuery(scope: Scope, where: Condition | null): CountQuery {
  return { kind: 'count', from: scope.source, joins: filterJoins(scope.joins, where), where };
}

/** How the answer of a read is laid out. */
export function layoutOf({ format, filter, asArray, count }: ReadRequest): Layout {
  const isCounted = count !== false && !asArray && !isExport(format);
  return { format: format ?? 'json', isFiltered: filter !== null, isCounted };
}

/** One entity needs no order, unless its search folds case: then it is the first that is found. */
export function orderOfOne(selector: Selector, isWalked: boolean, scope: Scope): OrderTerm[] {
  if (selector.kind !== 'unique' || isWalked) return [];
  return isFolded(uniqueAttribute(selector.attribute, scope.dataclass)) ? keyOrder(scope) : [];
}

/** The client's order, then the key, so that every page is deterministic. @param within the parameter that says it, for messages */
export function planOrder(
  nodes: readonly OrderNode[],
  scope: Scope,
  settings: PlanContext,
  within = '$orderby',
): OrderTerm[] {
  const terms = nodes.map(({ path: { names, position }, descending }): OrderTerm => {
    const at = { within, position };
    const refusal = (why: string): ProtocolError =>
      new ProtocolError('notSortable', `Nothing can be sorted by ${names.join('.')}: ${why}`, at);
    const way = wayOf(names, scope.dataclass, (here, name) => {
      const member = findMember(here, name, at);
      if (member.kind === 'relatedEntities') throw refusal(`${name} leads to many entities`);
      return member;
    });
    const { relations, dataclass, attribute, properties } = way;
    if (attribute === null) {
      throw refusal(`${relations.at(-1)?.name} leads to an entity; name one of its attributes`);
    }
    checkDepth(relations.length, names, settings, at);
    checkProperties(dataclass.name, attribute, properties, at);
    const here = relations.reduce((from, relation) => from.toOne(relation), scope);
    const column = here.attribute(attribute);
    if (properties.length > 0) {
      const operand = { kind: 'jsonProperty', column, path: properties, as: 'text' } as const;
      return { operand, descending };
    }
    const { columnType, type } = attribute;
    if (columnType.kind === 'json' || columnType.kind === 'binary') {
      throw refusal(`it is of type ${type}`);
    }
    return { operand: column, descending };
  });
  // An earlier term has decided already, and SQL Server refuses repeated terms.
  const seen = new Set<string>();
  return [...terms, ...keyOrder(scope)].filter(({ operand }) => {
    const id = JSON.stringify(
      operand.kind === 'column'
        ? [operand.alias, operand.name]
        : [operand.column.alias, operand.column.name, operand.path],
    );
    return seen.size < seen.add(id).size;
  });
}

/** Left joins on unique columns change no count: only those that the condition reads are kept. */
export function filterJoins(joins: readonly Join[], where: Condition | null): readonly Join[] {
  const text = JSON.stringify(where);
  const needed = new Set<string>();
  for (const join of joins.toReversed()) {
    const { alias } = join.table;
    if (!needed.has(alias) && !text.includes(`"alias":"${alias}"`)) continue;
    needed.add(alias);
    for (const [left] of join.on) needed.add(left.alias);
  }
  return joins.filter(({ table }) => needed.has(table.alias));
}

/** The window of rows that a request asks for. */
export function windowOf({ top, skip }: Pick<ReadRequest, 'top' | 'skip'>): Window {
  return { offset: countParameter(skip), limit: countParameter(top) };
}

function countParameter({ parameter }: ParameterRef): Parameter {
  const source = { from: 'request', parameter } as const;
  return { kind: 'parameter', source, type: COUNT, use: 'count', meets: '$top' };
}
