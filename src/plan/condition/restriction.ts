import { ProtocolError } from '../../base/errors.ts';
import type {
  Dataclass,
  FilterRestriction,
  Relation,
  Restriction,
  StorageAttribute,
} from '../../model/types.ts';
import type { FilterNode, Literal } from '../../protocol/ast.ts';
import { comparedByText } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ColumnRef, Condition, ValueSource } from '../../sql/ir/ir.ts';
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

/** Is called for each value of a restriction, with the type it is compared as and the attribute. */
export type OnValue = (value: Literal, type: ColumnType, meets: string) => void;

/** A table of a statement, as its `Scope` has it. */
interface Place {
  readonly dataclass: Pick<Dataclass, 'name'>;
  attribute(attribute: StorageAttribute): ColumnRef;
  toOne(relation: Relation): Place;
  behind(restriction: Restriction): Place;
  exists(relation: Relation, condition: (target: Place) => Condition): Condition;
}

/** How a restriction is planned. */
interface RestrictionOptions {
  /** Whether the joins of the place are printed where the condition stands; else all other tables are in subqueries, so that it can stand anywhere. */
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
    case 'filter':
      return planNode(restriction.filter, false, (leaf, isNegated) =>
        planLeaf(leaf, isNegated, restriction, place, options),
      );
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

/**
 * Plans a node, or its negation. `NOT` is carried to the comparisons: one over a relation to one is unknown where nothing is related, which `NOT EXISTS`
 * would take for true.
 */
function planNode(
  node: FilterNode,
  isNegated: boolean,
  leaf: (node: LeafNode, isNegated: boolean) => Condition,
): Condition {
  const plan = (inner: FilterNode, isInnerNegated = isNegated): Condition =>
    planNode(inner, isInnerNegated, leaf);
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
      return leaf(node, isNegated);
  }
}

function planLeaf(
  node: LeafNode,
  isNegated: boolean,
  { ways, values, nullsMatchNotEqual, within }: FilterRestriction,
  place: Place,
  options: RestrictionOptions,
): Condition {
  const { path } = node;
  const way = ways.get(path);
  if (way === undefined) throw new Error(`${path.names.join('.')} leads nowhere`);
  const { relations, attribute, properties } = way;
  const at = { within, position: path.position };
  const { onValue } = options;
  // Nothing is in the list of a claim that is empty: by joins, rows to which nothing is related would meet that, and only by joins.
  const isJoined = options.isJoined === true && !(isNegated && isClaimList(node, values));
  const context: ComparisonContext = {
    nullsMatchNotEqual,
    source: (parameter, type, meets) => {
      const literal = values[parameter];
      if (literal === undefined) throw new Error(`the restriction has no value ${parameter}`);
      onValue?.(literal, type, meets);
      return sourceOf(literal, type);
    },
  };
  if (attribute === null) {
    const wanted = wantedRelated(node);
    if (wanted === null) {
      const message = `${path.names.join('.')} is a relation: compare one of its attributes, or the relation with null`;
      throw new ProtocolError('comparatorNotForType', message, at);
    }
    return along(place, relations.slice(0, -1), isNegated, isJoined, (holder, isHolderNegated) => {
      const isMetByNull = wanted === isHolderNegated;
      const [last] = relations.slice(-1);
      if (last === undefined) throw new Error('a path has no names');
      const found = holder.exists(last, () => ANY);
      return { condition: isMetByNull ? not(found) : found, isMetByNull };
    }).condition;
  }
  // A claim that the database cannot read as a type would fail every request; as text it meets nothing.
  const isClaim = node.kind === 'comparison' && values[node.value.parameter]?.claim !== undefined;
  const compared = isClaim
    ? { ...attribute, columnType: comparedByText(attribute.columnType) }
    : attribute;
  return along(place, relations, isNegated, isJoined, (target, isTargetNegated) => {
    const end = leafOf({
      dataclass: target.dataclass.name,
      attribute: compared,
      column: target.attribute(compared),
      properties,
      as: comparedAs(node),
      at,
    });
    const condition = leafCondition(end, node, context);
    const signed = isTargetNegated ? not(condition) : condition;
    return { condition: signed, isMetByNull: valueAtNull(signed) === true };
  }).condition;
}

function isClaimList(node: LeafNode, values: FilterRestriction['values']): boolean {
  if (node.kind !== 'comparison' || node.comparator !== 'in') return false;
  return values[node.value.parameter]?.claim !== undefined;
}

/** A condition at the end of a path. */
interface PathCondition {
  readonly condition: Condition;
  /** Whether it is met where relations to one on the path lead to nothing. */
  readonly isMetByNull: boolean;
}

/** Walks relations to a condition at their end; a relation to many wants at least one entity that meets what is behind it. */
function along(
  place: Place,
  [relation, ...others]: readonly Relation[],
  isNegated: boolean,
  isJoined: boolean,
  end: (place: Place, isNegated: boolean) => PathCondition,
): PathCondition {
  if (relation === undefined) return end(place, isNegated);
  if (relation.kind === 'relatedEntities') {
    const found = place.exists(
      relation,
      (target) => along(target, others, false, true, end).condition,
    );
    return { condition: isNegated ? not(found) : found, isMetByNull: isNegated };
  }
  if (isJoined) return along(place.toOne(relation), others, isNegated, true, end);
  let isMetByNull = isNegated;
  const found = place.exists(relation, (target) => {
    const behind = along(target, others, isNegated, true, end);
    ({ isMetByNull } = behind);
    return behind.condition;
  });
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

/** A value of the mapping file, or the claim that stands in for one. The plan handles the nulls of a list. */
function sourceOf({ value, claim }: Literal, type: ColumnType): ValueSource {
  if (claim !== undefined) return { from: 'claim', name: claim };
  if (typeof value === 'string') return { from: 'model', value };
  const items = value.flatMap((item) =>
    isNullLiteral(item.class, type) || typeof item.value !== 'string' ? [] : [item.value],
  );
  return { from: 'model', value: items };
}
