import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { noSuchAttribute } from '../model/lookup.ts';
import {
  isRelation,
  type Dataclass,
  type Relation,
  type StorageAttribute,
} from '../model/types.ts';
import type {
  ColumnRef,
  ComparisonOperator,
  Condition,
  Join,
  JsonProperty,
  Operand,
  Parameter,
  ParameterUse,
} from '../query/ir.ts';
import type { Comparator, FilterNode, PathRef, Slot } from '../request/ast.ts';
import { BOOLEAN, NUMBER, TEXT } from '../schema/plain-types.ts';
import type { ColumnType } from '../schema/types.ts';
import { DEEPEST, tooDeep } from './paths.ts';
import { hopPairs, Scope } from './scope.ts';
import { compareExactly } from './steps.ts';

/** Settings of `config.yaml` that change what a filter means. */
export interface FilterSettings {
  readonly nullsMatchNotEqual: boolean;
}

/** An attribute at the end of a path, and what of it is compared. */
interface Leaf {
  readonly attribute: StorageAttribute;
  readonly operand: ColumnRef | JsonProperty;
  /** For messages: `Employee.extra.color`. */
  readonly name: string;
  readonly at: TextPosition;
}

/**
 * Turns a `$filter` into a condition over the scope (§4.3, DECISIONS).
 *
 * A path over to-one relations is the value at its end, null where a relation is null; a condition over a to-many
 * relation means "at least one related entity", for each condition by itself.
 * @throws ProtocolError noSuchAttribute, comparatorNotForType
 */
export function planFilter(
  node: FilterNode,
  scope: Scope,
  within: string,
  settings: FilterSettings,
): Condition {
  const plan = (inner: FilterNode): Condition => planFilter(inner, scope, within, settings);
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, items: flatten(node, node.kind).map(plan) };
    case 'except':
      return {
        kind: 'and',
        items: [plan(node.left), { kind: 'isNotTrue', item: plan(node.right) }],
      };
    case 'not':
      return { kind: 'not', item: plan(node.operand) };
    case 'flag':
      return atPath(scope, node.path, within, 'boolean', flag);
    case 'comparison':
      return atPath(scope, node.path, within, comparedAs(node), (leaf) =>
        compare(leaf, node.comparator, node.value, settings),
      );
  }
}

/** `((a AND b) AND c)` as `[a, b, c]`, so that long filters print flat. */
function flatten(node: FilterNode, kind: 'and' | 'or'): FilterNode[] {
  const items: FilterNode[] = [];
  let rest = node;
  while (rest.kind === kind) {
    items.unshift(rest.right);
    rest = rest.left;
  }
  items.unshift(rest);
  return items;
}

/**
 * Walks a path to its leaf and puts what `condition` makes of it behind the relations on the way.
 * @param depth how many relations were walked before
 */
function atPath(
  scope: Scope,
  path: PathRef,
  within: string,
  property: JsonProperty['as'],
  condition: (leaf: Leaf) => Condition,
  depth = 0,
): Condition {
  const at = { within, position: path.position };
  let here = scope;
  for (const [index, name] of path.names.entries()) {
    const member = here.dataclass.members.get(name);
    if (member === undefined) throw noSuchAttribute(here.dataclass, name, at);
    const rest = path.names.slice(index + 1);
    if (!isRelation(member)) {
      return condition(leafOf(here, member, rest, property, at));
    }
    if (rest.length === 0) {
      throw new ProtocolError(
        'comparatorNotForType',
        `${here.dataclass.name}.${name} is a relation; compare one of its attributes, such as ${name}.${firstAttribute(member.target)}`,
        at,
      );
    }
    const walked = depth + index + 1;
    if (walked > DEEPEST) throw tooDeep(path.names, at);
    // Behind a relation to many, relations to one are a part of the subquery, too.
    if (member.kind === 'relatedEntities' || depth > 0) {
      scope.aliases.tables.addSubquery(member.hops.length, at);
    }
    if (member.kind === 'relatedEntity') {
      here = here.toOne(member);
    } else {
      const inner = { names: rest, position: path.position };
      return related(here, member, (target) =>
        atPath(target, inner, within, property, condition, walked),
      );
    }
  }
  throw new Error('a path has no names');
}

function firstAttribute(dataclass: Dataclass): string {
  const first = [...dataclass.members.values()].find((member) => !isRelation(member));
  return first?.name ?? 'attribute';
}

/** `EXISTS` over the hops of a to-many relation. */
function related(
  scope: Scope,
  relation: Relation,
  condition: (target: Scope) => Condition,
): Condition {
  const target = Scope.root(relation.target, scope.aliases);
  const links = relation.hops.slice(0, -1).map((hop) => scope.aliases.source(hop.table));
  const stops = [scope.source, ...links, target.source];
  const pairs = relation.hops.map((hop, index) =>
    hopPairs(hop, stops[index]?.alias ?? '', stops[index + 1]?.alias ?? ''),
  );
  const [meetsOuter = [], ...joined] = pairs;
  const from = links[0] ?? target.source;
  const joins: Join[] = joined.map((on, index) => ({
    type: 'inner',
    table: stops[index + 2] ?? target.source,
    on,
  }));
  const where = condition(target);
  return {
    kind: 'exists',
    from,
    joins: [...joins, ...target.joins],
    where: { kind: 'and', items: [...meetsOuter.map(equalColumns), where] },
  };
}

/** Two columns that are to be equal. */
export function equalColumns([left, right]: readonly [ColumnRef, ColumnRef]): Condition {
  return { kind: 'compare', operator: '=', left: right, right: left };
}

function leafOf(
  scope: Scope,
  attribute: StorageAttribute,
  properties: readonly string[],
  as: JsonProperty['as'],
  at: TextPosition,
): Leaf {
  const column = scope.attribute(attribute);
  const name = [scope.dataclass.name, attribute.name, ...properties].join('.');
  if (properties.length === 0) return { attribute, operand: column, name, at };
  if (attribute.columnType.kind !== 'json') {
    throw new ProtocolError(
      'noSuchAttribute',
      `${scope.dataclass.name}.${attribute.name} is of type ${attribute.type}: it has no properties, and ${properties.join('.')} is none`,
      at,
    );
  }
  const operand: JsonProperty = {
    kind: 'jsonProperty',
    column,
    path: properties,
    as,
  };
  return { attribute, operand, name, at };
}

/**
 * JSON has no declared types: a property is compared as what the request compares it with, and by comparators for text
 * as text.
 */
function comparedAs({
  comparator,
  value,
}: Extract<FilterNode, { kind: 'comparison' }>): JsonProperty['as'] {
  if (comparator === 'begin' || comparator === 'contains') return 'text';
  const classes = (value.items ?? [value.class]).filter((kind) => kind !== 'null');
  if (classes.length === 0) return 'text';
  if (classes.every((kind) => kind === 'number')) return 'number';
  return classes.every((kind) => kind === 'boolean') ? 'boolean' : 'text';
}

function flag(leaf: Leaf): Condition {
  if (comparedType(leaf).kind !== 'boolean') {
    throw new ProtocolError(
      'comparatorNotForType',
      `${leaf.name} is of type ${leaf.attribute.type}; only a boolean attribute can stand alone: expected a comparator`,
      leaf.at,
    );
  }
  return { kind: 'compare', operator: '=', left: leaf.operand, right: { kind: 'true' } };
}

/** The type that the compared values are converted to. */
function comparedType({ operand, attribute }: Leaf): ColumnType {
  if (operand.kind === 'column') return attribute.columnType;
  return { text: TEXT, number: NUMBER, boolean: BOOLEAN }[operand.as];
}

function compare(
  leaf: Leaf,
  comparator: Comparator,
  value: Slot,
  settings: FilterSettings,
): Condition {
  if (value.class === 'null') return compareWithNull(leaf, comparator);
  const type = comparedType(leaf);
  if (type.kind === 'json' || type.kind === 'binary') {
    throw notForType(leaf, comparator, 'it can only be compared with null');
  }
  const isText = type.kind === 'text' || type.kind === 'opaque';
  const parameter = (use: ParameterUse, round?: Parameter['round']): Parameter => ({
    kind: 'parameter',
    slot: value.slot,
    type,
    use,
    ...(round === undefined ? {} : { round }),
    meets: leaf.name,
  });
  // Text is folded on both sides alike, patterns included; what stands in the column stays as it is.
  const fold = (operand: ColumnRef | JsonProperty | Parameter): Operand =>
    isText && leaf.attribute.ignoreCase ? { kind: 'folded', operand } : operand;
  const left = fold(leaf.operand);
  const like = (use: ParameterUse, negated: boolean): Condition => {
    if (!isText) throw notForType(leaf, comparator, 'it is for text');
    return { kind: 'like', negated, left, right: fold(parameter(use)) };
  };
  const plain = (operator: ComparisonOperator): Condition =>
    leaf.operand.kind === 'column'
      ? compareExactly(left, operator, type, (round) => fold(parameter('value', round)))
      : { kind: 'compare', operator, left, right: fold(parameter('value')) };
  switch (comparator) {
    case 'begin':
      return like('begins', false);
    case 'contains':
      return like('contains', false);
    case 'in':
      return inList(leaf, left, value, parameter('list'));
    case '=':
      if (value.class === 'wild' && isText) return like('wildcard', false);
      return plain('=');
    case '===':
      return plain('=');
    case '!=':
      return orNull(
        leaf,
        value.class === 'wild' && isText ? like('wildcard', true) : plain('<>'),
        settings,
      );
    case '!==':
      return orNull(leaf, plain('<>'), settings);
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (type.kind === 'boolean') throw notForType(leaf, comparator, 'booleans have no order');
      return plain(comparator);
  }
}

function compareWithNull(leaf: Leaf, comparator: Comparator): Condition {
  switch (comparator) {
    case '=':
    case '===':
      return { kind: 'isNull', negated: false, operand: leaf.operand };
    case '!=':
    case '!==':
      return { kind: 'isNull', negated: true, operand: leaf.operand };
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case 'begin':
    case 'contains':
      throw notForType(leaf, comparator, 'null can only be compared by =, IS, != and IS NOT');
  }
}

/** A null among the values of a list is met by `IS NULL`: no value equals it. */
function inList(leaf: Leaf, left: Operand, value: Slot, list: Parameter): Condition {
  const isIn: Condition = { kind: 'in', left, right: list };
  if (!(value.items ?? []).includes('null')) return isIn;
  return {
    kind: 'or',
    items: [isIn, { kind: 'isNull', negated: false, operand: leaf.operand }],
  };
}

function orNull(leaf: Leaf, condition: Condition, settings: FilterSettings): Condition {
  if (!settings.nullsMatchNotEqual) return condition;
  return {
    kind: 'or',
    items: [condition, { kind: 'isNull', negated: false, operand: leaf.operand }],
  };
}

function notForType(leaf: Leaf, comparator: Comparator, why: string): ProtocolError {
  const written = comparator === 'contains' ? '%' : comparator;
  return new ProtocolError(
    'comparatorNotForType',
    `The comparator ${written} is not for ${leaf.name} of type ${leaf.attribute.type}: ${why}`,
    leaf.at,
  );
}
