import { ProtocolError } from '../base/errors.ts';
import { noSuchAttribute } from '../model/lookup.ts';
import { isRelation, type Dataclass, type Relation } from '../model/types.ts';
import type { ColumnRef, Condition, Join, JsonProperty } from '../query/ir.ts';
import type { FilterNode, PathRef } from '../request/ast.ts';
import {
  comparedAs,
  fromRequest,
  joinConditions,
  leafCondition,
  leafOf,
  type FilterSettings,
  type Leaf,
  type LeafNode,
} from './comparison.ts';
import { DEEPEST, tooDeep } from './paths.ts';
import { hopPairs, Scope } from './scope.ts';

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
  const context = { ...settings, source: fromRequest };
  return joinConditions(node, (leaf) =>
    atPath(scope, leaf.path, within, comparedAs(leaf), {
      attribute: (found) => leafCondition(found, leaf, context),
      wanted: wantedRelated(leaf),
    }),
  );
}

/** What a condition asks of the end of its path. */
interface PathCondition {
  readonly attribute: (leaf: Leaf) => Condition;
  /** Of a relation, whether there shall be a related entity; null where it is compared with anything but null. */
  readonly wanted: boolean | null;
}

/** `relation = null`, `relation != null` (DECISIONS, "`$filter`"). */
function wantedRelated(leaf: LeafNode): boolean | null {
  if (leaf.kind === 'flag' || leaf.value.class !== 'null') return null;
  switch (leaf.comparator) {
    case '=':
    case '===':
      return false;
    case '!=':
    case '!==':
      return true;
    default:
      return null;
  }
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
  condition: PathCondition,
  depth = 0,
): Condition {
  const at = { within, position: path.position };
  let here = scope;
  for (const [index, name] of path.names.entries()) {
    const member = here.dataclass.members.get(name);
    if (member === undefined) throw noSuchAttribute(here.dataclass, name, at);
    const rest = path.names.slice(index + 1);
    if (!isRelation(member)) {
      const { name: dataclass } = here.dataclass;
      const column = here.attribute(member);
      return condition.attribute(
        leafOf({ dataclass, attribute: member, column, properties: rest, as: property, at }),
      );
    }
    if (rest.length === 0 && condition.wanted === null) {
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
    if (rest.length === 0) return isRelated(here, member, condition.wanted === true);
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

/** Whether there is, or is not, a related entity: one that its dataclass shows. */
function isRelated(scope: Scope, relation: Relation, wanted: boolean): Condition {
  if (relation.kind === 'relatedEntities') {
    const exists = related(scope, relation, () => ({ kind: 'and', items: [] }));
    return wanted ? exists : { kind: 'not', item: exists };
  }
  const [column] = relation.hops[0]?.to ?? [];
  if (column === undefined) throw new Error(`relation ${relation.name} has no columns`);
  const operand = scope.toOne(relation).column(column);
  return { kind: 'isNull', negated: wanted, operand };
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
  const links = relation.hops.slice(0, -1).map((hop) => Scope.root(hop.target, scope.aliases));
  const [first, ...others] = [...links, target];
  const [meetsOuter = [], ...joined] = relation.hops.map((hop, index) =>
    hopPairs(hop, index === 0 ? scope : (links[index - 1] ?? scope), links[index] ?? target),
  );
  const joins = others.map((stop, index): Join => ({
    type: 'inner',
    table: stop.source,
    on: joined[index] ?? [],
    where: stop.restriction,
  }));
  const where = condition(target);
  return {
    kind: 'exists',
    from: first.source,
    joins: [...joins, ...target.joins],
    where: {
      kind: 'and',
      items: [...meetsOuter.map(equalColumns), ...first.restrictions, where],
    },
  };
}

/** Two columns that are to be equal. */
export function equalColumns([left, right]: readonly [ColumnRef, ColumnRef]): Condition {
  return { kind: 'compare', operator: '=', left: right, right: left };
}
