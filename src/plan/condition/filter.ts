import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { findMember, wayOf } from '../../model/lookup.ts';
import {
  type Dataclass,
  type Hop,
  isRelation,
  type Relation,
  type Restriction,
  type StorageAttribute,
  type Way,
} from '../../model/types.ts';
import type { FilterNode, Literal, PathRef } from '../../protocol/ast.ts';
import { comparedByText } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ColumnRef, Condition, TableSource, ValueSource } from '../../sql/ir/ir.ts';
import { checkDepth, type PlanContext } from '../context.ts';
import {
  ANY,
  comparedAs,
  type ComparisonContext,
  flatten,
  isNullLiteral,
  leafCondition,
  type LeafNode,
  leafOf,
  wantedRelated,
} from './comparison.ts';

/** A table of a statement that conditions are planned for; a `Scope` is one. */
export interface Place {
  readonly dataclass: Dataclass;
  readonly source: TableSource;
  readonly aliases: { addSubquery: (tables: number, at: TextPosition) => void };
  attribute(attribute: StorageAttribute): ColumnRef;
  toOne(relation: Relation): Place;
  behind(restriction: Restriction): Place;
  exists(
    relation: Relation,
    condition: (target: Place, stops: readonly Place[]) => Condition,
  ): Condition;
}

/** Relations that a condition walks: their hops, and all places on the way, the first one included. */
export interface WalkedRelation {
  readonly hops: readonly Hop[];
  readonly stops: readonly Place[];
}

/** Notes the field that a leaf of a filter compares, and the relations that lead to its place. */
interface LeafNotes {
  met(leaf: LeafNode, walked: readonly WalkedRelation[], place: Place, field: string): void;
}

/** How the leaves of a filter are planned. */
export interface FilterPlanning extends ComparisonContext {
  /** The setting or parameter that has the filter, for messages. */
  readonly within: string;
  /** Finds where a path leads. */
  readonly wayOf: (path: PathRef) => Way;
  /** Whether the joins of the place are printed where the condition stands; else all other tables are in subqueries, so that it can stand anywhere. */
  readonly isJoined: boolean;
  /** Whether a claim stands for the value of a leaf. */
  readonly isClaim?: (leaf: LeafNode) => boolean;
  readonly notes?: LeafNotes | null;
}

/**
 * Turns a `$filter` into a condition over the scope (§4.3). A path over to-one relations is the value at its end, null where a relation is null; a
 * condition over a to-many relation means "at least one related entity", each by itself. `notes` collects them for a query plan.
 */
export function planFilter(
  filter: FilterNode,
  place: Place,
  within: string,
  settings: PlanContext,
  notes: LeafNotes | null = null,
): Condition {
  const { nullsMatchNotEqual } = settings;
  return planNode(filter, place, {
    within,
    wayOf: ({ names, position }) => {
      const at = { within, position };
      const way = wayOf(names, place.dataclass, (here, name) => findMember(here, name, at));
      checkDepth(way.relations.length, names, settings, at);
      // Behind a relation to many, relations to one are a part of the subquery, too.
      const first = way.relations.findIndex(({ kind }) => kind === 'relatedEntities');
      const inSubquery = first === -1 ? [] : way.relations.slice(first);
      place.aliases.addSubquery(inSubquery.flatMap(({ hops }) => hops).length, at);
      return way;
    },
    isJoined: true,
    nullsMatchNotEqual,
    source: (parameter) => ({ from: 'request', parameter }),
    notes,
  });
}

/**
 * Plans a node of a filter, or its negation. `NOT` is carried to the comparisons: one over a relation to one is unknown where nothing is related, which
 * `NOT EXISTS` would take for true. `EXCEPT` is the difference of two sets (DECISIONS).
 * @throws ProtocolError comparatorNotForType
 */
export function planNode(
  node: FilterNode,
  place: Place,
  planning: FilterPlanning,
  isNegated = false,
): Condition {
  const plan = (inner: FilterNode, isInnerNegated = isNegated): Condition =>
    planNode(inner, place, planning, isInnerNegated);
  switch (node.kind) {
    case 'and':
    case 'or': {
      const isAnd = (node.kind === 'and') !== isNegated;
      const items = flatten(node, node.kind).map((item) => plan(item));
      return { kind: isAnd ? 'and' : 'or', items };
    }
    case 'except':
      return isNegated
        ? { kind: 'or', items: [plan(node.left), plan(node.right, false)] }
        : { kind: 'and', items: [plan(node.left), { kind: 'isNotTrue', item: plan(node.right) }] };
    case 'not':
      return plan(node.operand, !isNegated);
    case 'flag':
    case 'comparison':
      return planLeaf(node, place, planning, isNegated);
  }
}

function planLeaf(
  node: LeafNode,
  place: Place,
  planning: FilterPlanning,
  isNegated: boolean,
): Condition {
  const at = { within: planning.within, position: node.path.position };
  const { relations, dataclass, attribute, properties } = planning.wayOf(node.path);
  const start = { place, isNegated, isJoined: planning.isJoined, walked: [] };
  if (attribute === null) {
    const wanted = wantedRelated(node);
    const last = relations.at(-1);
    if (last === undefined) throw new Error('a path has no names');
    if (wanted === null) {
      const message = `${dataclass.name}.${last.name} is a relation; compare one of its attributes, such as ${last.name}.${firstAttribute(last.target)}`;
      throw new ProtocolError('comparatorNotForType', message, at);
    }
    return along(start, relations.slice(0, -1), (holder) => {
      planning.notes?.met(node, holder.walked, holder.place, last.name);
      const isMetByNull = wanted === holder.isNegated;
      const found = holder.place.exists(last, () => ANY);
      return { condition: isMetByNull ? not(found) : found, isMetByNull };
    }).condition;
  }
  const isClaim = planning.isClaim?.(node) === true;
  // Nothing is in the list of a claim that is empty: by joins, rows to which nothing is related would meet that, and only by joins.
  const isList = isClaim && node.kind === 'comparison' && node.comparator === 'in';
  const isJoined = planning.isJoined && !(isNegated && isList);
  // A claim that the database cannot read as a type would fail every request; as text it meets nothing.
  const compared = isClaim
    ? { ...attribute, columnType: comparedByText(attribute.columnType) }
    : attribute;
  return along({ ...start, isJoined }, relations, (target) => {
    planning.notes?.met(
      node,
      target.walked,
      target.place,
      [attribute.name, ...properties].join('.'),
    );
    const end = leafOf({
      dataclass: dataclass.name,
      attribute: compared,
      column: target.place.attribute(compared),
      properties,
      as: comparedAs(node),
      at,
    });
    const condition = leafCondition(end, node, planning);
    const signed = target.isNegated ? not(condition) : condition;
    return { condition: signed, isMetByNull: valueAtNull(signed) === true };
  }).condition;
}

function firstAttribute(dataclass: Dataclass): string {
  const first = [...dataclass.members.values()].find((member) => !isRelation(member));
  return first?.name ?? 'attribute';
}

/** How far a path was walked, and how its end is planned. */
interface Reached {
  readonly place: Place;
  readonly isNegated: boolean;
  readonly isJoined: boolean;
  readonly walked: readonly WalkedRelation[];
}

/** A condition at the end of a path. */
interface PathCondition {
  readonly condition: Condition;
  /** Whether it is met where relations to one on the path lead to nothing. */
  readonly isMetByNull: boolean;
}

/** Walks relations to a condition at their end; a relation to many wants at least one entity that meets what is behind it. */
function along(
  from: Reached,
  [relation, ...others]: readonly Relation[],
  end: (reached: Reached) => PathCondition,
): PathCondition {
  if (relation === undefined) return end(from);
  const { place, isNegated, isJoined, walked } = from;
  const { hops, kind } = relation;
  const isMany = kind === 'relatedEntities';
  if (isJoined && !isMany) {
    const target = place.toOne(relation);
    const next = [...walked, { hops, stops: [place, target] }];
    return along({ ...from, place: target, walked: next }, others, end);
  }
  let isMetByNull = isNegated;
  const found = place.exists(relation, (target, stops) => {
    const behind = along(
      {
        place: target,
        // NOT stands before the EXISTS of a relation to many: no related entity meets what is behind it.
        isNegated: !isMany && isNegated,
        isJoined: true,
        walked: [...walked, { hops, stops }],
      },
      others,
      end,
    );
    if (!isMany) ({ isMetByNull } = behind);
    return behind.condition;
  });
  if (isMany) return { condition: isNegated ? not(found) : found, isMetByNull };
  if (!isMetByNull) return { condition: found, isMetByNull };
  const none = not(place.exists(relation, () => ANY));
  return { condition: { kind: 'or', items: [found, none] }, isMetByNull };
}

function not(item: Condition): Condition {
  return { kind: 'not', item };
}

/** Whether null meets a comparison; null where that is unknown. */
function valueAtNull(condition: Condition): boolean | null {
  switch (condition.kind) {
    case 'isNull':
      return !condition.negated;
    case 'not': {
      const value = valueAtNull(condition.item);
      return value === null ? null : !value;
    }
    case 'and':
    case 'or': {
      const deciding = condition.kind === 'or';
      const values = condition.items.map(valueAtNull);
      if (values.includes(deciding)) return deciding;
      return values.includes(null) ? null : !deciding;
    }
    case 'in':
      // Nothing is in an empty list, which is known.
      return condition.right.size === 0 ? false : null;
    case 'isNotTrue':
    case 'compare':
    case 'like':
    case 'keyIn':
    case 'exists':
    case 'writtenIn':
    case 'changedBefore':
      return null;
  }
}

/** Is called for each value of a restriction, with the type it is compared as and the attribute. */
export type OnValue = (value: Literal, type: ColumnType, meets: string) => void;

/** How a restriction is planned. */
interface RestrictionOptions {
  /** As that of a filter: not joined, it can stand anywhere. */
  readonly isJoined?: boolean;
  readonly onValue?: OnValue;
}

/**
 * Plans a restriction as a condition over a table. A path over relations means what it does in a `$filter`.
 * @throws ProtocolError comparatorNotForType, only while the model is built
 */
export function planRestriction(
  restriction: Restriction,
  place: Place,
  options: RestrictionOptions = {},
): Condition {
  switch (restriction.kind) {
    case 'filter': {
      const { filter, ways, values, nullsMatchNotEqual, within } = restriction;
      return planNode(filter, place, {
        within,
        wayOf: (path) => {
          const way = ways.get(path);
          if (way === undefined) throw new Error(`${path.names.join('.')} leads nowhere`);
          return way;
        },
        isJoined: options.isJoined === true,
        isClaim: (leaf) =>
          leaf.kind === 'comparison' && values[leaf.value.parameter]?.claim !== undefined,
        nullsMatchNotEqual,
        source: (parameter, type, meets) => {
          const literal = values[parameter];
          if (literal === undefined) throw new Error(`the restriction has no value ${parameter}`);
          options.onValue?.(literal, type, meets);
          return sourceOf(literal, type);
        },
      });
    }
    case 'all': {
      // What the filter of a role computes is computed for entities alone, and not for rows that the mapping file leaves out.
      let behind = place;
      const items = restriction.items.map((item) => {
        const condition = planRestriction(item, behind, options);
        behind = behind.behind(item);
        return condition;
      });
      return { kind: 'and', items };
    }
    case 'any': {
      const items = restriction.items.map((item) => planRestriction(item, place, options));
      return { kind: 'or', items };
    }
  }
}

/** A value of the mapping file, or the claim that stands in for one. The plan handles the nulls of a list. */
function sourceOf({ value, claim }: Literal, type: ColumnType): ValueSource {
  if (claim !== undefined) return { from: 'claim', name: claim };
  if (typeof value === 'string') return { from: 'model', value };
  const items = value.flatMap((item) =>
    isNullLiteral(item.class, type) || typeof item.value !== 'string' ? [] : [item.value],
  );
  return { from: 'model', value: items };
}
