import { ProtocolError } from '../../base/errors.ts';
import { findMember, withoutAliases } from '../../model/lookup.ts';
import { type Dataclass, isRelation, isStored, type Relation } from '../../model/types.ts';
import type { Condition, ValueSource } from '../../sql/ir/ir.ts';
import type { FilterNode, PathRef } from '../../protocol/ast.ts';
import {
  comparedAs,
  type ComparisonContext,
  joinConditions,
  leafCondition,
  type LeafNode,
  leafOf,
  wantedRelated,
} from './comparison.ts';
import type { PlanNotes, WalkedRelation } from '../read/description.ts';
import type { PlanContext } from '../context.ts';
import { checkDepth, type Scope } from './scope.ts';

/**
 * Turns a `$filter` into a condition over the scope (§4.3). A path over to-one relations is the value at its end, null where a relation is null; a
 * condition over a to-many relation means "at least one related entity", each by itself. `notes` collects them for a query plan.
 */
export function planFilter(
  node: FilterNode,
  scope: Scope,
  within: string,
  settings: PlanContext,
  notes: PlanNotes | null = null,
): Condition {
  const source = (parameter: number): ValueSource => ({ from: 'request', parameter });
  const context = { source, ...settings };
  return joinConditions(node, (leaf) => {
    const { position } = leaf.path;
    const names = withoutAliases(leaf.path.names, scope.dataclass);
    return atPath(scope, { names, position }, { node: leaf, within, context, notes });
  });
}

/** A leaf of a filter, and what its condition is made with. */
interface FilterLeaf {
  readonly node: LeafNode;
  readonly within: string;
  readonly context: ComparisonContext & PlanContext;
  readonly notes: PlanNotes | null;
}

/** Walks the rest of a leaf's path to its end. @param before the relations that were walked before */
function atPath(
  scope: Scope,
  path: PathRef,
  leaf: FilterLeaf,
  before: readonly WalkedRelation[] = [],
): Condition {
  const at = { within: leaf.within, position: path.position };
  const ways = [...before];
  let here = scope;
  for (const [index, name] of path.names.entries()) {
    const member = findMember(here.dataclass, name, at);
    const rest = path.names.slice(index + 1);
    if (isStored(member)) {
      const { name: dataclass } = here.dataclass;
      const column = here.attribute(member);
      const as = comparedAs(leaf.node);
      leaf.notes?.met(leaf.node, ways, here, [member.name, ...rest].join('.'));
      const end = leafOf({ dataclass, attribute: member, column, properties: rest, as, at });
      return leafCondition(end, leaf.node, leaf.context);
    }
    if (!isRelation(member)) throw new Error(`alias ${name} was not followed`);
    const wanted = rest.length === 0 ? wantedRelated(leaf.node) : null;
    if (rest.length === 0 && wanted === null) {
      const message = `${here.dataclass.name}.${name} is a relation; compare one of its attributes, such as ${name}.${firstAttribute(member.target)}`;
      throw new ProtocolError('comparatorNotForType', message, at);
    }
    const walked = before.length + index + 1;
    checkDepth(walked, leaf.node.path.names, leaf.context, at);
    // Behind a relation to many, relations to one are a part of the subquery, too.
    if (member.kind === 'relatedEntities' || before.length > 0) {
      scope.aliases.addSubquery(member.hops.length, at);
    }
    if (wanted !== null) {
      leaf.notes?.met(leaf.node, ways, here, member.name);
      return isRelated(here, member, wanted);
    }
    if (member.kind === 'relatedEntity') {
      const next = here.toOne(member);
      ways.push({ hops: member.hops, stops: [here, next] });
      here = next;
    } else {
      const inner = { names: rest, position: path.position };
      return here.exists(member, (target, stops) =>
        atPath(target, inner, leaf, [...ways, { hops: member.hops, stops }]),
      );
    }
  }
  throw new Error('a path has no names');
}

/** Whether there is, or is not, a related entity: one that its dataclass shows. */
function isRelated(scope: Scope, relation: Relation, wanted: boolean): Condition {
  if (relation.kind === 'relatedEntities') {
    const exists = scope.exists(relation, () => ({ kind: 'and', items: [] }));
    return wanted ? exists : { kind: 'not', item: exists };
  }
  const [{ to }] = relation.hops;
  const [column] = to;
  if (column === undefined) throw new Error(`relation ${relation.name} has no columns`);
  const operand = scope.toOne(relation).column(column);
  return { kind: 'isNull', negated: wanted, operand };
}

function firstAttribute(dataclass: Dataclass): string {
  const first = [...dataclass.members.values()].find((member) => !isRelation(member));
  return first?.name ?? 'attribute';
}
