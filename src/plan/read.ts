import { ProtocolError } from '../base/errors.ts';
import { findDataclass, noSuchAttribute } from '../model/lookup.ts';
import { isRelation, type Dataclass, type Hop, type Model, type Relation } from '../model/types.ts';
import type {
  Condition,
  CountQuery,
  Join,
  OrderTerm,
  Parameter,
  SelectQuery,
} from '../query/ir.ts';
import type { AttributeNode, OrderNode, ReadRequest, Selector, Slot } from '../request/ast.ts';
import { COUNT } from '../schema/plain-types.ts';
import { attributeTree } from './attribute-tree.ts';
import type { FilterSettings } from './comparison.ts';
import { equalColumns, planFilter } from './filter.ts';
import { isFolded, keySlots, planSelector, uniqueAttribute, uniqueSlot } from './keys.ts';
import { keyOrder, Projection, type ProjectionSettings } from './projection.ts';
import { DEEPEST, tooDeep } from './paths.ts';
import { Aliases, hopPairs, Scope } from './scope.ts';
import type { ReadPlan } from './types.ts';

/** Settings of `config.yaml` that a plan depends on. */
export type PlanSettings = FilterSettings & ProjectionSettings;

/**
 * Plans a read. Everything that depends on the model is said here: names that do not exist, what is not applicable, what
 * cannot be compared or sorted.
 * @throws ProtocolError with the nearest known names, and the position in the request
 */
export function planRead(request: ReadRequest, model: Model, settings: PlanSettings): ReadPlan {
  const addressed = findDataclass(model, request.dataclass);
  if (request.selector.kind === 'entitySet') {
    throw new ProtocolError(
      'notServed',
      'Entity sets are not served by this version of the gateway.',
    );
  }
  const { walked, attributes, within } = splitSegments(request, addressed);
  const dataclass = walked.at(-1)?.target ?? addressed;
  const aliases = new Aliases();
  const scope = Scope.root(dataclass, aliases);
  const projection = new Projection(0, settings);
  const one = addressesOne(request) && walked.every(({ kind }) => kind === 'relatedEntity');
  refuseOnEntity(request, one);

  const origin = originOf(request, addressed, walked);
  const conditions: Condition[] = [];
  if (walked.length === 0) {
    conditions.push(...planSelector(request.selector, scope));
  } else {
    conditions.push(reaches(request, addressed, walked, scope));
  }
  conditions.push(...scope.restrictions);
  if (request.filter !== null) {
    conditions.push(planFilter(request.filter, scope, '$filter', settings));
  }
  const shape = projection.entity(
    scope,
    attributeTree(
      dataclass,
      attributes,
      { expand: expandOf(request, walked), asArray: request.asArray },
      within,
    ),
  );
  const globalStampColumn = projection.outputs.add({ kind: 'globalStamp' });
  const orderBy = one
    ? orderOfOne(request.selector, walked, scope)
    : planOrder(request.orderBy, scope);
  const where: Condition | null =
    conditions.length === 0 ? null : { kind: 'and', items: conditions };
  const query: SelectQuery = {
    kind: 'select',
    outputs: projection.outputs.items,
    from: scope.source,
    joins: scope.joins,
    where,
    orderBy,
    window: one
      ? null
      : { offset: countParameter(request.skip), limit: countParameter(request.top) },
  };
  const count: CountQuery | null = one
    ? null
    : { kind: 'count', from: scope.source, joins: filterJoins(scope.joins, where), where };
  return {
    answer: one ? 'entity' : 'collection',
    dataclass,
    fetch: { query, shape, children: projection.children },
    count,
    globalStamp: { kind: 'globalStamp' },
    globalStampColumn,
    top: request.top,
    skip: request.skip,
    origin,
    nullable: walked.length > 0,
    addressed: { dataclass: addressedName(request), keys: selectorSlots(request, addressed) },
    asArray: request.asArray,
  };
}

/** One entity needs no order, unless case is folded where it is looked for: then it is the first of those that are found. */
function orderOfOne(selector: Selector, walked: readonly Relation[], scope: Scope): OrderTerm[] {
  if (selector.kind !== 'unique' || walked.length > 0) return [];
  return isFolded(uniqueAttribute(selector.attribute, scope.dataclass)) ? keyOrder(scope) : [];
}

interface Segments {
  readonly walked: readonly Relation[];
  readonly attributes: readonly AttributeNode[] | null;
  /** Where the attributes stand, for messages. */
  readonly within: string;
}

/** Behind an entity, single relations are walked; a last segment that is no relation lists attributes. */
function splitSegments(request: ReadRequest, addressed: Dataclass): Segments {
  const walked: Relation[] = [];
  let here = addressed;
  for (const [index, segment] of request.segments.entries()) {
    const [first] = segment;
    const relation =
      segment.length === 1 && first?.names.length === 1 && !first.star
        ? here.members.get(first.names[0] ?? '')
        : undefined;
    if (relation !== undefined && isRelation(relation) && addressesOne(request)) {
      walked.push(relation);
      here = relation.target;
      continue;
    }
    if (index < request.segments.length - 1) {
      throw new ProtocolError(
        'badUrl',
        'Only the last part of a path can be a list of attributes, and only relations of one entity can be walked.',
      );
    }
    if (request.attributes !== null) {
      throw new ProtocolError(
        'badUrl',
        'The path lists attributes, and so does $attributes: give one.',
      );
    }
    return { walked, attributes: segment, within: 'the path' };
  }
  return { walked, attributes: request.attributes, within: '$attributes' };
}

function addressesOne({ selector }: ReadRequest): boolean {
  return selector.kind === 'unique' || selector.kind === 'key';
}

function refuseOnEntity(request: ReadRequest, one: boolean): void {
  if (!one) return;
  const name = request.filter !== null ? '$filter' : request.orderBy.length > 0 ? '$orderby' : null;
  if (name !== null) {
    throw new ProtocolError('notApplicable', `${name} does not apply to a single entity.`);
  }
}

/** `$expand` names the walked relation itself in the protocol's own URIs: that asks for nothing more. */
function expandOf(request: ReadRequest, walked: readonly Relation[]): ReadRequest['expand'] {
  const last = walked.at(-1);
  return request.expand.filter(({ names }) => names.length !== 1 || names[0] !== last?.name);
}

function originOf(
  request: ReadRequest,
  addressed: Dataclass,
  walked: readonly Relation[],
): SelectQuery | null {
  if (walked.length === 0) return null;
  const scope = Scope.root(addressed, new Aliases());
  return {
    kind: 'select',
    outputs: [{ kind: 'globalStamp' }],
    from: scope.source,
    joins: [],
    where: {
      kind: 'and',
      items: [...planSelector(request.selector, scope), ...scope.restrictions],
    },
    orderBy: [],
    window: null,
  };
}

/** The entities that the walked relations lead to from the entity that the path begins with. */
function reaches(
  request: ReadRequest,
  addressed: Dataclass,
  walked: readonly Relation[],
  target: Scope,
): Condition {
  const start = Scope.root(addressed, target.aliases);
  const hops: Hop[] = walked.flatMap((relation) => relation.hops);
  const between = hops.slice(0, -1).map((hop) => Scope.root(hop.target, target.aliases));
  const stops = [start, ...between];
  const pairs = hops.map((hop, index) =>
    hopPairs(hop, stops[index] ?? start, between[index] ?? target),
  );
  const joins = between.map((stop, index): Join => ({
    type: 'inner',
    table: stop.source,
    on: pairs[index] ?? [],
    where: stop.restriction,
  }));
  return {
    kind: 'exists',
    from: start.source,
    joins,
    where: {
      kind: 'and',
      items: [
        ...planSelector(request.selector, start),
        ...start.restrictions,
        ...(pairs.at(-1) ?? []).map(equalColumns),
      ],
    },
  };
}

/** The client's order, then the key, so that every page is deterministic. */
export function planOrder(nodes: readonly OrderNode[], scope: Scope): OrderTerm[] {
  const terms = nodes.map(({ path, descending }): OrderTerm => {
    const at = { within: '$orderby', position: path.position };
    let here = scope;
    for (const [index, name] of path.names.entries()) {
      const member = here.dataclass.members.get(name);
      if (member === undefined) throw noSuchAttribute(here.dataclass, name, at);
      if (isRelation(member)) {
        if (member.kind === 'relatedEntities' || index === path.names.length - 1) {
          throw new ProtocolError(
            'notSortable',
            `Nothing can be sorted by ${path.names.join('.')}: ${name} leads to ${member.kind === 'relatedEntity' ? 'an entity; name one of its attributes' : 'many entities'}`,
            at,
          );
        }
        if (index >= DEEPEST) throw tooDeep(path.names, at);
        here = here.toOne(member);
        continue;
      }
      const properties = path.names.slice(index + 1);
      const column = here.attribute(member);
      if (member.columnType.kind === 'json' && properties.length > 0) {
        return {
          operand: { kind: 'jsonProperty', column, path: properties, as: 'text' },
          descending,
        };
      }
      if (properties.length > 0) {
        throw new ProtocolError(
          'noSuchAttribute',
          `${here.dataclass.name}.${name} is of type ${member.type}: it has no properties, and ${properties.join('.')} is none`,
          at,
        );
      }
      if (member.columnType.kind === 'json' || member.columnType.kind === 'binary') {
        throw new ProtocolError(
          'notSortable',
          `Nothing can be sorted by ${path.names.join('.')}: it is of type ${member.type}`,
          at,
        );
      }
      return { operand: column, descending };
    }
    throw new Error('a path has no names');
  });
  return withoutRepeats([...terms, ...keyOrder(scope)]);
}

/** A term that came before decides already; SQL Server refuses to see it twice. */
function withoutRepeats(terms: readonly OrderTerm[]): OrderTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ operand }) => {
    const id = JSON.stringify(
      operand.kind === 'column'
        ? [operand.alias, operand.name]
        : [operand.column.alias, operand.column.name, operand.path],
    );
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
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

function countParameter(slot: Slot): Parameter {
  return {
    kind: 'parameter',
    source: { from: 'request', slot: slot.slot },
    type: COUNT,
    use: 'count',
    meets: '$top',
  };
}

/** `Employee`, or `Employee:email` where a unique attribute addresses the entity. */
function addressedName({ dataclass, selector }: ReadRequest): string {
  return selector.kind === 'unique' ? `${dataclass}:${selector.attribute}` : dataclass;
}

/** The values that address the entity of a path, for the message that there is none. */
function selectorSlots({ selector }: ReadRequest, addressed: Dataclass): readonly Slot[] {
  switch (selector.kind) {
    case 'all':
    case 'entitySet':
    case 'keyList':
    case 'keys':
      return [];
    case 'unique':
      return [uniqueSlot(selector, addressed)];
    case 'key':
      return keySlots(selector.key, addressed);
  }
}
