import { notApplicable, ProtocolError, type TextPosition } from '../../base/errors.ts';
import { memoize, zip } from '../../base/collections.ts';
import { computedAttribute } from '../../model/calculated/calculated.ts';
import { findMember, wayOf } from '../../model/lookup.ts';
import {
  type AttributeType,
  type Dataclass,
  isRelation,
  type Relation,
  type StorageAttribute,
} from '../../model/types.ts';
import {
  type AggregateName,
  type AggregateNode,
  AGGREGATES,
  type FilterNode,
  type GroupNode,
  type GroupsRequest,
  type OrderNode,
  type ParameterRef,
  type PathRef,
} from '../../protocol/ast.ts';
import { aggregateNamed } from '../../protocol/requests/groups.ts';
import { COUNT, decimalDigits, FLOAT, NUMBER } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ColumnRef, Condition, OrderTerm } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import {
  type Aggregate,
  COMPUTED,
  type DistinctColumn,
  groupColumn,
  type GroupsQuery,
  type SelectedValue,
  valueColumn,
} from '../../sql/ir/value-ir.ts';
import { checkProperties } from '../condition/comparison.ts';
import { type Place, planNode } from '../condition/filter.ts';
import { checkAggregates, checkDepth, type PlanContext } from '../context.ts';
import { answeredType, computationsOfType } from './compute.ts';
import type { PlanDescription } from './description.ts';
import { windowOf } from './read.ts';
import {
  planSelectedEntities,
  type SelectedForValues,
  type ValueOrigin,
} from './value-selection.ts';
import { selectedType, VALUES, ValueWalk } from './values.ts';

/** Groups of entities with aggregates of each (DECISIONS, "`$groupby`"), for all requests of one shape. */
export interface GroupsPlan {
  readonly origin: ValueOrigin;
  readonly dataclass: Dataclass;
  readonly description: PlanDescription | null;
  /** Result: the columns of the members, and behind them the number of groups. */
  readonly statement: Statement;
  /** The same without what is no number, for where the first one meets some; null where the engine has none. */
  readonly checked: Statement | null;
  /** Counts the groups where a page has none. */
  readonly count: Statement;
  readonly members: readonly GroupMember[];
  /** Whether there are groups, or one of all entities. */
  readonly isGrouped: boolean;
  readonly top: ParameterRef;
  readonly skip: ParameterRef;
  readonly asArray: boolean;
  readonly format: GroupsRequest['format'];
}

/** A member of each group, with the columns of the result that it is written from. */
export type GroupMember = { readonly name: string } & (
  | ({ readonly kind: 'group'; readonly column: number } & Grouping)
  | {
      readonly kind: 'value';
      readonly column: number;
      readonly attribute: Pick<StorageAttribute, 'trim' | 'simpleDate'>;
    }
  | { readonly kind: 'count'; readonly column: number }
  | { readonly kind: 'sum'; readonly column: number }
  | {
      readonly kind: 'average';
      readonly sum: number;
      readonly count: number;
      /** Whether it is computed as a float, or else with all digits. */
      readonly isFloat: boolean;
    }
);

/** What entities are grouped by. */
export interface Grouping {
  /** As a filter names it: `customer.country`. */
  readonly path: string;
  readonly attribute: StorageAttribute;
  readonly by: GroupNode['by'];
}

/** Plans the groups of a request. @throws ProtocolError notApplicable for what is no group or has no such aggregate */
export function planGroups(request: GroupsRequest, context: PlanContext): GroupsPlan {
  const entities = (): SelectedForValues => planSelectedEntities(request.of, false, context);
  const first = entities();
  const { selected, origin } = first;
  const { dataclass } = selected.scope;
  checkAggregates(dataclass);
  if (selected.one) throw notApplicable('$groupby does not apply to a single entity.');
  if (selected.named?.every(({ names, star }) => star && names.length === 0) === false) {
    throw notApplicable(
      'Groups are of entities: the path names an attribute. Give it in $groupby.',
    );
  }
  const groupings = request.groups.map((node) => planGrouping(node, dataclass, context));
  const table = new GroupTable(groupings, first, entities, context);
  const members: GroupMember[] = zip(request.groups, groupings).map(
    ([{ name }, { path, attribute, by }], column) => ({
      kind: 'group',
      name,
      column,
      path,
      attribute,
      by,
    }),
  );
  for (const node of request.aggregates) members.push({ name: node.name, ...table.answered(node) });
  const names = new GroupNames(request, table);
  const having = request.having === null ? null : names.planHaving(request.having, context);
  const orderBy = names.planOrder(request.orderBy);
  const { top, skip, asArray, format } = request;
  const kind = 'groups';
  const query = { kind, having, ...table.query(false) } as const;
  const page = { orderBy, window: windowOf({ top, skip }) };
  const statement = context.printer.print({ kind, having, ...table.query(true), ...page });
  const checked = context.printer.print({ ...query, ...page });
  return {
    origin,
    dataclass,
    description: selected.description,
    statement,
    checked: checked.text === statement.text ? null : checked,
    count: context.printer.print({ ...query, orderBy: [], window: null }),
    members,
    isGrouped: request.groups.length > 0,
    top,
    skip,
    asArray,
    format,
  };
}

/** What a path of the request leads to. */
interface Target {
  readonly relations: readonly Relation[];
  /** Null where the path ends with a relation. */
  readonly attribute: StorageAttribute | null;
  /** For messages: `Order.total`. */
  readonly name: string;
}

function targetOf(
  { names }: PathRef,
  start: Dataclass,
  at: TextPosition,
  context: PlanContext,
): Target {
  const way = wayOf(names, start, (here, name) => findMember(here, name, at));
  const { relations, dataclass, attribute, properties } = way;
  checkDepth(relations.length, names, context, at);
  if (attribute === null) return { relations, attribute, name: names.join('.') };
  checkProperties(dataclass.name, attribute, properties, at);
  const name = [dataclass.name, attribute.name, ...properties].join('.');
  if (properties.length === 0) return { relations, attribute, name };
  const message = `${name} is inside an object: groups are made of attributes. In the mapping file, a calculated attribute can stand for it`;
  throw notApplicable(message, at);
}

interface PlannedGrouping extends Grouping {
  readonly relations: readonly Relation[];
}

/** @throws ProtocolError notApplicable for what entities are not grouped by */
function planGrouping(
  { path, by }: GroupNode,
  dataclass: Dataclass,
  context: PlanContext,
): PlannedGrouping {
  const at = { within: '$groupby', position: path.position };
  const { relations, attribute, name } = targetOf(path, dataclass, at, context);
  for (const { target } of relations) checkAggregates(target);
  const written = path.names.join('.');
  const many = relations.find(({ kind }) => kind === 'relatedEntities');
  if (many !== undefined) {
    const message = `${written} leads to many entities, and each entity is in one group: group ${many.target.name} in place of ${dataclass.name}`;
    throw notApplicable(message, at);
  }
  if (attribute === null) {
    const members = [...(relations.at(-1)?.target.members.values() ?? [])];
    const such = members.find((member) => !isRelation(member))?.name ?? 'attribute';
    const message = `${written} is a relation: group by one of its attributes, such as ${written}.${such}`;
    throw notApplicable(message, at);
  }
  const why = whyNotGrouped(attribute, by);
  if (why !== null) throw notApplicable(`Entities are not grouped by ${name}: ${why}`, at);
  return { path: written, attribute, by, relations };
}

function whyNotGrouped(
  { columnType: { kind }, column, type }: StorageAttribute,
  by: GroupNode['by'],
): string | null {
  if (kind === 'json' || kind === 'binary') return `it is of type ${type}`;
  if (by === null) {
    return column.large === true ? 'the database does not limit how long its values are' : null;
  }
  if ('step' in by) {
    return NUMBERS.has(kind) ? null : `step(${by.step}) is for numbers, and it is of type ${type}`;
  }
  if (kind === 'timestamp' || (kind === 'date' && by.part !== 'hour')) return null;
  return kind === 'date'
    ? 'its dates have no hours'
    : `${by.part} is for dates, and it is of type ${type}`;
}

const NUMBERS: ReadonlySet<ColumnType['kind']> = new Set(['integer', 'decimal', 'float']);

/** The types of columns without nulls that hold what is answered as null. */
const MAY_BE_NULL: ReadonlySet<ColumnType['kind']> = new Set(['decimal', 'float', 'json']);

const COUNTS: ReadonlySet<string> = new Set(['count', 'distinct']);
const EXTREMES: ReadonlySet<string> = new Set(['min', 'max']);

/** Whether an aggregate of values of an attribute is answered. */
function isAnswered(aggregate: AggregateName, { columnType, column }: StorageAttribute): boolean {
  if (aggregate === 'distinct') {
    return columnType.kind !== 'json' && columnType.kind !== 'binary' && column.large !== true;
  }
  return computationsOfType(columnType).includes(aggregate === 'avg' ? 'average' : aggregate);
}

/** The rows of the entities, or those of what one relation to many leads to from them. */
interface Branch {
  readonly entities: SelectedForValues;
  readonly groups: readonly SelectedValue[];
  readonly walk: ValueWalk;
  /** What it adds to the rows, by its index behind the groups. */
  readonly values: Map<number, SelectedValue>;
}

/** An aggregate as it is compared and ordered. */
interface ComparedAggregate {
  readonly column: ColumnRef;
  readonly type: AttributeType;
  readonly ignoreCase: boolean;
}

/**
 * The columns of the groups. What a relation to many leads to has rows of its own beside those of the entities, in the same groups: nothing is counted twice,
 * and the engine chooses how to join.
 */
class GroupTable {
  readonly groupings: readonly PlannedGrouping[];
  readonly dataclass: Dataclass;
  readonly #context: PlanContext;
  readonly #newEntities: () => SelectedForValues;
  readonly #main: Branch;
  /** By the path of the relation to many. */
  readonly #others = new Map<string, Branch>();
  /** The types of what stands behind the groups in the rows. */
  readonly #types: ColumnType[] = [];
  readonly #values = new Map<string, ColumnRef>();
  readonly #aggregates: Aggregate[] = [];
  readonly #indexes = new Map<string, number>();

  constructor(
    groupings: readonly PlannedGrouping[],
    first: SelectedForValues,
    newEntities: () => SelectedForValues,
    context: PlanContext,
  ) {
    this.groupings = groupings;
    this.dataclass = first.selected.scope.dataclass;
    this.#context = context;
    this.#newEntities = newEntities;
    this.#main = this.#open(first, [], { within: '$groupby', position: 1 });
  }

  /** A group as it is compared and ordered. */
  group(index: number): ColumnRef {
    return groupColumn(index, answeredType(this.#typeOf(index)));
  }

  /** The columns from which an aggregate is answered. */
  answered(node: AggregateNode): Answered {
    const target = this.#target(node, { within: '$aggregate', position: node.position });
    const { attribute } = target;
    const { aggregate } = node;
    if (attribute === null) return { kind: 'count', column: this.#add(this.#rows(target)) };
    const add = (kind: Computed): number => this.#add(this.#computed(kind, target, attribute));
    switch (aggregate) {
      case 'count':
      case 'distinct':
        return { kind: 'count', column: add(aggregate) };
      case 'sum':
        return { kind: 'sum', column: add('sum') };
      case 'avg': {
        const isFloat = attribute.columnType.kind === 'float';
        return { kind: 'average', sum: add('sum'), count: add('count'), isFloat };
      }
      case 'min':
      case 'max':
        return { kind: 'value', column: add(aggregate), attribute };
    }
  }

  /** An aggregate as it is compared and ordered: the sum of nothing is 0, as it is answered. */
  compared(node: AggregateNode, at: TextPosition): ComparedAggregate {
    const target = this.#target(node, at);
    const { attribute } = target;
    const { aggregate } = node;
    const column = (one: Aggregate): ColumnRef => groupColumn(this.#add(one), one.type);
    if (attribute === null || aggregate === 'count' || aggregate === 'distinct') {
      const one =
        attribute === null
          ? this.#rows(target)
          : this.#computed(aggregate === 'distinct' ? 'distinct' : 'count', target, attribute);
      return { column: column(one), type: 'long64', ignoreCase: false };
    }
    const computed = { sum: 'total', avg: 'average', min: 'min', max: 'max' } as const;
    const { type, ignoreCase } = attribute;
    return {
      column: column(this.#computed(computed[aggregate], target, attribute)),
      type: aggregate === 'sum' || aggregate === 'avg' ? 'number' : type,
      ignoreCase,
    };
  }

  /**
   * The rows, the groups and the aggregates, when all have been added. @param isPlain columns of numbers are read as they are, which costs less for each
   * row, where aggregates tell whether one holds what is no number
   */
  query(isPlain: boolean): Pick<GroupsQuery, 'rows' | 'groups' | 'aggregates' | 'doubted'> {
    const isOne = this.#others.size === 0;
    // Of several branches, one has the entities; and SQL Server selects no rows without columns.
    const isMarked = !isOne || this.groupings.length + this.#types.length === 0;
    const mark = isMarked ? this.#value('', this.#main, { kind: 'row' }) : null;
    const aggregates = this.#aggregates.map((one): Aggregate =>
      one.function === 'rows' && mark !== null ? { ...one, function: 'count', of: mark } : one,
    );
    const isRead = (column: ColumnRef): boolean => isPlain && this.#tellsAll(column);
    const doubted = this.#aggregates.flatMap((one, index) =>
      one.function !== 'rows' && !COUNTS.has(one.function) && isRead(one.of)
        ? [groupColumn(this.groupings.length + index, one.of.type)]
        : [],
    );
    const rows = [this.#main, ...this.#others.values()].map(({ entities, walk, values }) =>
      walk.rows(
        this.#types.map((type, index) => {
          const value = values.get(index) ?? { kind: 'nothing', type };
          const column = valueColumn(VALUES, this.groupings.length + index, type);
          return value.kind === 'number' && isRead(column) ? value.operand : value;
        }),
        entities.rows,
      ),
    );
    const groups = this.groupings.map(({ attribute, by }, index): DistinctColumn => {
      const type = this.#typeOf(index);
      return {
        column: valueColumn(VALUES, index, type),
        folded: by === null && isFolded(attribute),
        type: answeredType(type),
      };
    });
    return { rows, groups, aggregates, doubted };
  }

  /** Whether what is no number in a column shows in its aggregates: in a sum, or in the least and the greatest where nothing else is made of it. */
  #tellsAll({ name }: ColumnRef): boolean {
    const made = this.#aggregates.flatMap((one) =>
      one.function !== 'rows' && one.of.name === name ? [one.function] : [],
    );
    const isSummed = made.some((one) => !COUNTS.has(one) && !EXTREMES.has(one));
    return isSummed || made.every((one) => EXTREMES.has(one));
  }

  #typeOf(index: number): ColumnType {
    const value = this.#main.groups[index];
    if (value === undefined) throw new Error(`there is no group ${index}`);
    return selectedType(value);
  }

  #target({ aggregate, path }: AggregateNode, at: TextPosition): Target {
    if (path === null) return { relations: [], attribute: null, name: this.dataclass.name };
    const target = targetOf(path, this.dataclass, at, this.#context);
    const { relations, attribute, name } = target;
    for (const { target: dataclass } of relations) checkAggregates(dataclass);
    const many = relations.filter(({ kind }) => kind === 'relatedEntities').length;
    const written = path.names.join('.');
    if (many > 1) throw notApplicable(`${written} goes over more than one relation to many`, at);
    if (attribute === null) {
      if (aggregate === 'count' && relations.at(-1)?.kind === 'relatedEntities') return target;
      const message = `${written} is a relation and has no value: name an attribute behind it`;
      throw new ProtocolError('attributeNeeded', message, at);
    }
    if (isAnswered(aggregate, attribute)) return target;
    const known = AGGREGATES.filter((one) => isAnswered(one, attribute)).join(', ');
    const message = `There is no ${aggregate} of ${name}, which is of type ${attribute.type}: expected ${known}`;
    throw notApplicable(message, at);
  }

  /** The number of the entities, or of what a relation to many leads to. */
  #rows({ relations }: Target): Aggregate {
    if (relations.length === 0) return { function: 'rows', type: COUNT };
    const [key, branch] = this.#branch(relations);
    return { function: 'count', of: this.#value(key, branch, { kind: 'row' }), type: COUNT };
  }

  #computed(kind: Computed, { relations }: Target, attribute: StorageAttribute): Aggregate {
    const [key, branch] = this.#branch(relations);
    const many = relations.findIndex((relation) => relation.kind === 'relatedEntities');
    const place = relations
      .slice(many + 1)
      .reduce((from, relation) => from.toOne(relation), branch.walk.here);
    const operand = place.attribute(attribute);
    const { columnType } = attribute;
    // All entities have the value. Floats and decimals may hold what is no number, and is null here.
    if (
      kind === 'count' &&
      relations.length === 0 &&
      !operand.nullable &&
      !MAY_BE_NULL.has(columnType.kind)
    ) {
      return { function: 'rows', type: COUNT };
    }
    const isCompared = isAnswered('distinct', attribute);
    const value: SelectedValue = NUMBERS.has(columnType.kind)
      ? { kind: 'number', operand }
      : kind === 'count' && !isCompared
        ? { kind: 'present', operand }
        : operand;
    const of = this.#value(key, branch, value);
    switch (kind) {
      case 'count':
        return { function: kind, of, type: COUNT };
      case 'distinct':
        return { function: kind, of, folded: isFolded(attribute), type: COUNT };
      case 'sum':
      case 'total':
      case 'average':
        return { function: kind, of, type: sumType(columnType) };
      case 'min':
      case 'max':
        return { function: kind, of, type: answeredType(columnType) };
    }
  }

  #branch(relations: readonly Relation[]): readonly [string, Branch] {
    const many = relations.findIndex(({ kind }) => kind === 'relatedEntities');
    if (many === -1) return ['', this.#main];
    const way = relations.slice(0, many + 1);
    const key = way.map(({ name }) => name).join('.');
    const branch = memoize(this.#others, key, () =>
      this.#open(this.#newEntities(), way, { within: '$aggregate', position: 1 }),
    );
    return [key, branch];
  }

  #open(entities: SelectedForValues, way: readonly Relation[], at: TextPosition): Branch {
    const { scope } = entities.selected;
    const groups = this.groupings.map(({ relations, attribute, by }): SelectedValue => {
      const place = relations.reduce((from, relation) => from.toOne(relation), scope);
      const operand = place.attribute(attribute);
      if (by === null)
        return NUMBERS.has(operand.type.kind) ? { kind: 'number', operand } : operand;
      return 'part' in by
        ? { kind: 'datePart', operand, part: by.part }
        : { kind: 'step', operand, size: by.step };
    });
    const walk = new ValueWalk(scope, groups);
    walk.along(way, at);
    return { entities, groups, walk, values: new Map() };
  }

  /** The column of a value in the rows. */
  #value(key: string, { values }: Branch, value: SelectedValue): ColumnRef {
    return memoize(this.#values, JSON.stringify([key, value]), () => {
      const type = selectedType(value);
      const index = this.#types.push(type) - 1;
      values.set(index, value);
      return valueColumn(VALUES, this.groupings.length + index, type);
    });
  }

  /** The index of an aggregate among the columns of the groups. */
  #add(aggregate: Aggregate): number {
    const id = JSON.stringify(aggregate);
    const known = this.#indexes.get(id);
    if (known !== undefined) return known;
    const index = this.groupings.length + this.#aggregates.push(aggregate) - 1;
    this.#indexes.set(id, index);
    return index;
  }
}

type Answered = Distribute<Exclude<GroupMember, { kind: 'group' }>>;
type Distribute<Member> = Member extends unknown ? Omit<Member, 'name'> : never;
type Computed = Exclude<Aggregate['function'], 'rows'>;

function isFolded({ columnType: { kind }, ignoreCase }: StorageAttribute): boolean {
  return ignoreCase && (kind === 'text' || kind === 'opaque');
}

/** The type of a sum as it is compared: with the digits of its summands behind the point, and more before it. */
function sumType(type: ColumnType): ColumnType {
  if (type.kind === 'float') return FLOAT;
  if (type.kind !== 'decimal') return NUMBER;
  const digits = decimalDigits(type);
  if (digits === null) return { ...NUMBER, precision: null, scale: null };
  return { ...NUMBER, scale: Math.max(digits.fraction, Math.min(10, 28 - digits.whole)) };
}

/** A member of the groups as the conditions of a filter see it. */
interface NamedMember {
  readonly attribute: StorageAttribute;
  readonly column: ColumnRef;
}

/** The names of `$having` and `$orderby`: those of the answer, and expressions. */
class GroupNames {
  readonly #request: GroupsRequest;
  readonly #table: GroupTable;

  constructor(request: GroupsRequest, table: GroupTable) {
    this.#request = request;
    this.#table = table;
  }

  planHaving(having: FilterNode, { nullsMatchNotEqual }: PlanContext): Condition {
    const within = '$having';
    const columns = new Map<string, ColumnRef>();
    const { dataclass } = this.#table;
    const nowhere = (): never => {
      throw new Error('groups lead nowhere');
    };
    const place: Place = {
      dataclass,
      source: { schema: '', name: '', alias: COMPUTED },
      aliases: { addSubquery: () => undefined },
      attribute: ({ name }) => columns.get(name) ?? nowhere(),
      toOne: nowhere,
      behind: () => place,
      exists: nowhere,
    };
    return planNode(having, place, {
      within,
      wayOf: ({ names, position }) => {
        const { attribute, column } = this.#find(names.join('.'), { within, position });
        columns.set(attribute.name, column);
        return { relations: [], dataclass, attribute, properties: [] };
      },
      isJoined: true,
      nullsMatchNotEqual,
      source: (parameter) => ({ from: 'request', parameter }),
    });
  }

  /** The client's order, then that of the groups. */
  planOrder(nodes: readonly OrderNode[]): OrderTerm[] {
    const terms = nodes.map(({ path: { names, position }, descending }): OrderTerm => {
      const { column } = this.#find(names.join('.'), { within: '$orderby', position });
      return { operand: column, descending };
    });
    const last = this.#table.groupings.map((_, index): OrderTerm => {
      return { operand: this.#table.group(index), descending: false, tieBreak: true };
    });
    // SQL Server refuses repeated terms.
    const seen = new Set<string>();
    return [...terms, ...last].filter(({ operand }) => {
      const id = operand.kind === 'column' ? operand.name : '';
      return seen.size < seen.add(id).size;
    });
  }

  /** @throws ProtocolError noSuchAttribute */
  #find(text: string, at: TextPosition): NamedMember {
    const { groups, aggregates } = this.#request;
    const isNamed = (node: { readonly name: string; readonly text: string }): boolean =>
      node.name === text || node.text === text;
    const group = groups.findIndex(isNamed);
    const grouping = this.#table.groupings[group];
    if (grouping !== undefined) {
      const { attribute, by } = grouping;
      const column = this.#table.group(group);
      const type = by === null ? attribute.type : 'part' in by ? 'date' : 'number';
      const ignoreCase = by === null && attribute.ignoreCase;
      return { column, attribute: memberAttribute(text, column.type, type, ignoreCase) };
    }
    const node = aggregates.find(isNamed) ?? aggregateNamed(text, at.within);
    if (node === null) {
      const known = [...groups, ...aggregates].map(({ name }) => name).join(', ');
      const message = `${text} is neither a group nor an aggregate: expected one of ${known}, or an aggregate such as sum(attribute)`;
      throw new ProtocolError('noSuchAttribute', message, at);
    }
    const { column, type, ignoreCase } = this.#table.compared(node, at);
    return { column, attribute: memberAttribute(text, column.type, type, ignoreCase) };
  }
}

/** A member of the groups as an attribute of theirs. */
function memberAttribute(
  name: string,
  columnType: ColumnType,
  type: AttributeType,
  ignoreCase: boolean,
): StorageAttribute {
  const column = { name, type: columnType };
  return computedAttribute({
    name,
    description: null,
    column,
    type,
    ignoreCase,
    simpleDate: false,
  });
}
