import { ProtocolError } from '../../base/errors.ts';
import type {
  Dataclass,
  FilterRestriction,
  Relation,
  Restriction,
  StorageAttribute,
} from '../../model/types.ts';
import type { FilterNode, Literal } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ColumnRef, Condition, ValueSource } from '../../sql/ir/ir.ts';
import {
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
  readonly attribute: (attribute: StorageAttribute) => ColumnRef;
  readonly exists: (relation: Relation, condition: (target: Place) => Condition) => Condition;
}

/** What a restriction is planned with. */
interface Planning {
  readonly scope: Place;
  /** An attribute of the restricted dataclass itself. */
  readonly column: (attribute: StorageAttribute) => ColumnRef;
  readonly onValue?: OnValue | undefined;
}

/**
 * Plans a restriction as a condition over one table, in which all others are in subqueries: so it can stand wherever a condition may. A path over
 * relations means what it does in a `$filter`. @throws ProtocolError comparatorNotForType, only while the model is built
 */
export function planRestriction(restriction: Restriction, planning: Planning): Condition {
  switch (restriction.kind) {
    case 'filter':
      return planNode(restriction.filter, false, restriction, planning);
    case 'all':
    case 'any': {
      const items = restriction.items.map((item) => planRestriction(item, planning));
      return { kind: restriction.kind === 'all' ? 'and' : 'or', items };
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
  restriction: FilterRestriction,
  planning: Planning,
): Condition {
  const plan = (inner: FilterNode, isInnerNegated = isNegated): Condition =>
    planNode(inner, isInnerNegated, restriction, planning);
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
      return planLeaf(node, isNegated, restriction, planning);
  }
}

function planLeaf(
  node: LeafNode,
  isNegated: boolean,
  { ways, values, nullsMatchNotEqual, within }: FilterRestriction,
  { scope, column, onValue }: Planning,
): Condition {
  const { path } = node;
  const way = ways.get(path);
  if (way === undefined) throw new Error(`${path.names.join('.')} leads nowhere`);
  const { relations, attribute, properties } = way;
  const at = { within, position: path.position };
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
    return along(scope, relations.slice(0, -1), isNegated, (holder, isHolderNegated) => {
      const isMetByNull = wanted === isHolderNegated;
      const [last] = relations.slice(-1);
      if (last === undefined) throw new Error('a path has no names');
      const found = holder.exists(last, () => ANY);
      return { condition: isMetByNull ? not(found) : found, isMetByNull };
    }).condition;
  }
  return along(scope, relations, isNegated, (target, isTargetNegated) => {
    const end = leafOf({
      dataclass: target.dataclass.name,
      attribute,
      column: relations.length === 0 ? column(attribute) : target.attribute(attribute),
      properties,
      as: comparedAs(node),
      at,
    });
    const condition = leafCondition(end, node, context);
    const signed = isTargetNegated ? not(condition) : condition;
    return { condition: signed, isMetByNull: valueAtNull(signed) === true };
  }).condition;
}

/** A condition at the end of a path. */
interface PathCondition {
  readonly condition: Condition;
  /** Whether it is met where relations to one on the path lead to nothing. */
  readonly isMetByNull: boolean;
}

const ANY: Condition = { kind: 'and', items: [] };

/** Walks relations to a condition at their end; a relation to many wants at least one entity that meets what is behind it. */
function along(
  scope: Place,
  [relation, ...others]: readonly Relation[],
  isNegated: boolean,
  end: (place: Place, isNegated: boolean) => PathCondition,
): PathCondition {
  if (relation === undefined) return end(scope, isNegated);
  const isToMany = relation.kind === 'relatedEntities';
  let isMetByNull = isNegated;
  const found = scope.exists(relation, (target) => {
    const behind = along(target, others, !isToMany && isNegated, end);
    if (!isToMany) ({ isMetByNull } = behind);
    return behind.condition;
  });
  if (isToMany) return { condition: isNegated ? not(found) : found, isMetByNull };
  if (!isMetByNull) return { condition: found, isMetByNull };
  const none = not(scope.exists(relation, () => ANY));
  return { condition: { kind: 'or', items: [found, none] }, isMetByNull };
}

function not(item: Condition): Condition {
  return { kind: 'not', item };
}

/** What a comparison is where the value that it looks at is null; null for unknown. */
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
