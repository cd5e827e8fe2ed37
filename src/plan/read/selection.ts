import { notApplicable, ProtocolError } from '../../base/errors.ts';
import { nearestNames } from '../../base/names.ts';
import { findDataclass } from '../../model/lookup.ts';
import { type Dataclass, type Hop, isRelation, type Relation } from '../../model/types.ts';
import type { Condition, SelectQuery } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { AttributeNode, ReadRequest, ParameterRef } from '../../protocol/ast.ts';
import { isTable } from '../../protocol/requests/read.ts';
import { attributeTree, type AttributeTree, columnTree } from './attribute-tree.ts';
import { checkDepth, type PlanContext } from '../context.ts';
import { type PlanDescription, PlanNotes } from './description.ts';
import { allOf } from '../condition/comparison.ts';
import { planFilter } from '../condition/filter.ts';
import { keyParameters, planSelector, uniqueParameter } from '../condition/keys.ts';
import { Aliases, equalColumns, joinOf, Scope, walkHops } from '../condition/scope.ts';
import type { AddressedEntity } from '../condition/types.ts';

/** The entities that a request selects. */
export interface SelectedEntities {
  /** The place of the selected entities, with the joins that {@link where} reads. */
  readonly scope: Scope;
  readonly where: Condition | null;
  /** Whether the URL addresses one entity at most. */
  readonly one: boolean;
  /** Whether it leads there over relations. */
  readonly isWalked: boolean;
  /** Finds the entity that the path begins with, where it leads on from there. */
  readonly origin: Statement | null;
  readonly addressed: AddressedEntity;
  /** Relations that the path walks to them. */
  readonly walked: readonly Relation[];
  /** The attributes that the request names, by its path or by `$attributes`; null for none. */
  readonly named: readonly AttributeNode[] | null;
  /** Where they are named, for messages. */
  readonly within: string;
  /** The description for a query plan; null when the request asks for none. */
  readonly description: PlanDescription | null;
}

/** The entities that a request selects, and the attributes that are answered. */
export interface Selection extends SelectedEntities {
  readonly attributes: AttributeTree;
}

/** Plans which entities a request selects, by its path and its `$filter`. `orderedBy` is the parameter that its order came in, for messages. */
export function planSelection(
  request: ReadRequest,
  context: PlanContext,
  orderedBy: '$orderby' | '$subOrderby' = '$orderby',
): Selection {
  const selected = planSelected(request, context, orderedBy);
  const { dataclass } = selected.scope;
  const { format } = request;
  const attributes = attributeTree(
    dataclass,
    selected.named,
    {
      expand: withoutWalked(request.expand, selected.walked.at(-1)?.name),
      asArray: request.asArray,
    },
    selected.within,
    context,
  );
  return {
    ...selected,
    attributes: isTable(format) ? columnTree(attributes, dataclass, format) : attributes,
  };
}

/** Plans the selection without the attributes of the answer. @throws ProtocolError as {@link planSelection} */
export function planSelected(
  request: ReadRequest,
  context: PlanContext,
  orderedBy: '$orderby' | '$subOrderby' = '$orderby',
): SelectedEntities {
  const { model, printer } = context;
  const start = findDataclass(model, request.dataclass);
  const { walked, attributes, within } = splitSegments(request, start);
  const names = walked.map(({ name }) => name);
  checkDepth(walked.length, names, context, { within: 'the path', position: 1 });
  const dataclass = walked.at(-1)?.target ?? start;
  const scope = Scope.root(dataclass, new Aliases());
  const one = addressesOne(request) && walked.every(({ kind }) => kind === 'relatedEntity');
  refuseOnEntity(request, one, orderedBy);
  const origin = originOf(request, start, walked);
  const notes = request.explain === undefined ? null : new PlanNotes(model, scope);
  const selected =
    walked.length === 0
      ? planSelector(request.selector, scope)
      : [reaches(request, start, walked, scope, notes)];
  const { restrictionByJoins } = scope;
  const { filter } = request;
  const found = filter === null ? null : planFilter(filter, scope, '$filter', context, notes);
  return {
    scope,
    where: allOf([...selected, restrictionByJoins, found]),
    one,
    isWalked: walked.length > 0,
    origin: origin === null ? null : printer.print(origin),
    addressed: { dataclass: addressedName(request), keys: selectorParameters(request, start) },
    walked,
    named: attributes,
    within,
    description: notes?.describe(request, start) ?? null,
  };
}

interface Segments {
  readonly walked: readonly Relation[];
  readonly attributes: readonly AttributeNode[] | null;
  /** Where the attributes stand, for messages. */
  readonly within: string;
}

/** Behind an entity, single relations are walked; a last segment that is not a relation lists attributes. */
export function splitSegments(request: ReadRequest, addressed: Dataclass): Segments {
  const walked: Relation[] = [];
  let here = addressed;
  for (const [index, segment] of request.segments.entries()) {
    const [first] = segment;
    const relation =
      segment.length === 1 && first?.names.length === 1 && !first.star
        ? here.members.get(first.names[0] ?? '')
        : undefined;
    if (index === 0) refuseBareKey(request, segment, here);
    if (relation !== undefined && isRelation(relation) && addressesOne(request)) {
      walked.push(relation);
      here = relation.target;
      continue;
    }
    if (index < request.segments.length - 1) {
      const message =
        'Only the last part of a path can be a list of attributes, and only relations of one entity can be walked.';
      throw new ProtocolError('badUrl', message);
    }
    if (request.attributes !== null) {
      const message = 'The path lists attributes, and so does $attributes: give one.';
      throw new ProtocolError('badUrl', message);
    }
    return { walked, attributes: segment, within: 'the path' };
  }
  return { walked, attributes: request.attributes, within: '$attributes' };
}

/** @throws ProtocolError for a key without parentheses, as other APIs have it: `/Employee/5`, `/Employee/5/projects` */
function refuseBareKey(
  { selector }: ReadRequest,
  [first, ...more]: readonly AttributeNode[],
  { name: dataclass, members, key }: Dataclass,
): void {
  const [name = '', ...properties] = first?.names ?? [];
  if (selector.kind !== 'all' || more.length > 0 || properties.length > 0) return;
  if (members.has(name) || !mayBeKey(name, key)) return;
  if (nearestNames(name, members.keys()).length > 0) return;
  const message = `Dataclass ${dataclass} has no attribute ${name}. Did you mean ${dataclass}(${name})?`;
  throw new ProtocolError('noSuchAttribute', message, {
    within: 'the path',
    position: first?.position ?? 1,
  });
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'uuid']);

/** Whether a text is rather a key than the name of an attribute, which may be misspelt, or hidden from the user. */
function mayBeKey(text: string, [part, ...more]: Dataclass['key']): boolean {
  if (part === undefined || (more.length > 0 && !text.includes(';'))) return false;
  return /^\d/.test(text) || (TEXTS.has(part.type) && !/^[\p{Ll}_][\p{L}\p{Nd}_]*$/u.test(text));
}

/** Whether the URL addresses one entity: only its relations can be walked. */
export function addressesOne({ selector }: ReadRequest): boolean {
  return selector.kind === 'unique' || selector.kind === 'key';
}

function refuseOnEntity(
  request: ReadRequest,
  one: boolean,
  orderedBy: '$orderby' | '$subOrderby',
): void {
  if (!one) return;
  const name = request.filter !== null ? '$filter' : request.orderBy.length > 0 ? orderedBy : null;
  if (name !== null) throw notApplicable(`${name} does not apply to a single entity.`);
}

/** Removes the relation that the path walked last from `$expand`: the protocol's own URIs name it there, and ask for nothing more. */
export function withoutWalked(
  expand: ReadRequest['expand'],
  walked: string | undefined,
): ReadRequest['expand'] {
  return expand.filter(({ names }) => names.length !== 1 || names[0] !== walked);
}

function originOf(
  request: ReadRequest,
  addressed: Dataclass,
  walked: readonly Relation[],
): SelectQuery | null {
  if (walked.length === 0) return null;
  const scope = Scope.root(addressed, new Aliases());
  const where = allOf([...planSelector(request.selector, scope), scope.restrictionByJoins]);
  return scope.select({ outputs: [{ kind: 'globalStamp' }], where });
}

/** The entities that the walked relations lead to from the entity that the path begins with. */
function reaches(
  request: ReadRequest,
  addressed: Dataclass,
  walked: readonly Relation[],
  target: Scope,
  notes: PlanNotes | null,
): Condition {
  const start = Scope.root(addressed, target.aliases);
  const hops: Hop[] = walked.flatMap((relation) => relation.hops);
  const steps = walkHops(hops, start, target);
  notes?.reached({ hops, stops: [start, ...steps.map(({ to }) => to)] });
  const reached: Condition = {
    kind: 'exists',
    from: start.source,
    joins: steps.slice(0, -1).map(joinOf),
    where: allOf([
      ...planSelector(request.selector, start),
      start.restrictionInSubqueries,
      ...(steps.at(-1)?.on ?? []).map(equalColumns),
    ]),
  };
  const isRestricted = [start, ...steps.map(({ from }) => from)].some(
    ({ dataclass: { where } }) => where !== null,
  );
  if (isRestricted) target.reachedWhere(() => reached);
  return reached;
}

/** `Employee`, or `Employee:email` where a unique attribute addresses the entity. */
function addressedName({ dataclass, selector }: ReadRequest): string {
  return selector.kind === 'unique' ? `${dataclass}:${selector.attribute}` : dataclass;
}

/** The values that address the entity of a path, for the message that there is none. */
function selectorParameters(
  { selector }: ReadRequest,
  addressed: Dataclass,
): readonly ParameterRef[] {
  switch (selector.kind) {
    case 'all':
    case 'entitySet':
    case 'keyList':
    case 'keys':
      return [];
    case 'unique':
      return [uniqueParameter(selector, addressed)];
    case 'key':
      return keyParameters(selector.key, addressed);
  }
}
