import type { ApiFunction } from '../../model/functions/function-types.ts';
import {
  type Dataclass,
  type Hop,
  isRelation,
  isStored,
  type Member,
  type Model,
  type Relation,
  type Restriction,
  type Right,
  type Rights,
} from '../../model/types.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Claims } from '../../base/principal.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { convert } from '../../run/convert/convert.ts';
import { fixedLiteral, itemsOf } from '../../run/convert/bind.ts';

/** What nothing meets. */
export const NOTHING: Restriction = { kind: 'any', items: [] };

/** What meets all of them; null where there is nothing to meet. */
export function allOf(restrictions: readonly (Restriction | null)[]): Restriction | null {
  const items = restrictions.filter((restriction) => restriction !== null);
  const [first, ...others] = items;
  if (first === undefined) return null;
  return others.length === 0 ? first : { kind: 'all', items };
}

/** What one of several roles allows is allowed. */
export function anyOf(rights: readonly Right[]): Right {
  const allowed = rights.filter((right) => right !== 'denied');
  const [first, ...others] = allowed;
  if (first === undefined) return 'denied';
  const items = allowed.filter((right) => right !== null);
  if (items.length < allowed.length) return null;
  return others.length === 0 ? first : { kind: 'any', items };
}

/** What is seen of a dataclass. */
export interface Sight {
  /** What its entities have to meet, besides what its mapping file says; null for nothing. */
  readonly where: Restriction | null;
  readonly rights: Rights;
  /** The names of attributes and relations that are not there. */
  readonly hidden: ReadonlySet<string>;
  /** The names of those that cannot be written. */
  readonly readOnly: ReadonlySet<string>;
}

/** A dataclass of a view while its members are still to come. */
interface Draft {
  readonly dataclass: Dataclass;
  readonly members: Map<string, Member>;
  readonly sight: Sight;
  /** The columns of hidden attributes. */
  readonly hiddenColumns: ReadonlySet<string>;
}

type Drafts = ReadonlyMap<Dataclass, Draft>;

/**
 * A model with nothing in it but what is seen: whatever is planned by it, or told of it, cannot give away the rest. A relation is
 * there where both of its ends are, and all that it stands on: not where a dataclass on its way is not seen, and not where it would tell what a hidden
 * attribute holds.
 * @param sights by the names of the dataclasses that are seen
 * @param mayExecute says which functions are there; none of those that answer entities of what is not seen
 */
export function roleView(
  model: Model,
  sights: ReadonlyMap<string, Sight>,
  mayExecute: (called: ApiFunction) => boolean,
): Model {
  const drafts = new Map<Dataclass, Draft>();
  const functionsOf = (functions: ReadonlyMap<string, ApiFunction>): Map<string, ApiFunction> =>
    new Map(
      [...functions].filter(([, called]) => mayExecute(called) && isAnswered(called, sights)),
    );
  for (const dataclass of model.dataclasses.values()) {
    const sight = sights.get(dataclass.name);
    if (sight === undefined) continue;
    const members = new Map<string, Member>();
    const hidden = hiddenColumns(dataclass, sight);
    const seen: Dataclass = {
      ...dataclass,
      isTimestampSeen: !hidden.has(dataclass.timestamp?.name ?? ''),
      // Numbers without gaps do not tell how many there are besides.
      number: drafts.size + 1,
      where: allOf([dataclass.where, sight.where]),
      rights: sight.rights,
      members,
      functions: functionsOf(dataclass.functions),
    };
    drafts.set(dataclass, { dataclass: seen, members, sight, hiddenColumns: hidden });
  }
  const hidden = hiddenHops(drafts);
  for (const [original, draft] of drafts) {
    for (const member of original.members.values()) {
      const seen = memberOf(member, original, { draft, drafts, hidden });
      if (seen !== null) draft.members.set(member.name, seen);
    }
  }
  for (const { dataclass, members } of drafts.values()) {
    for (const member of members.values()) {
      if (member.kind === 'alias' && !leads(member.path, dataclass)) members.delete(member.name);
    }
  }
  for (const draft of drafts.values()) forgetHiddenNames(draft);
  return {
    dataclasses: new Map([...drafts.values()].map(({ dataclass }) => [dataclass.name, dataclass])),
    functions: functionsOf(model.functions),
    singletons: new Map(
      [...model.singletons].flatMap(([name, { functions }]) => {
        const own = functionsOf(functions);
        return own.size === 0 ? [] : [[name, { name, functions: own }]];
      }),
    ),
    warnings: model.warnings,
  };
}

/** Whether the entities that a function answers, if it does, are of a dataclass that is seen. */
function isAnswered({ returns }: ApiFunction, sights: ReadonlyMap<string, Sight>): boolean {
  return returns.kind !== 'entities' || sights.has(returns.dataclass);
}

/** The steps of relations that are hidden by name, a relation to one in both directions. */
function hiddenHops(drafts: Drafts): Set<Hop> {
  const hidden = new Set<Hop>();
  for (const [{ members }, { sight }] of drafts) {
    for (const name of sight.hidden) {
      const relation = members.get(name);
      if (relation === undefined || !isRelation(relation) || relation.through !== null) continue;
      for (const hop of relation.hops) hidden.add(hop);
      const back =
        relation.kind === 'relatedEntity' && relation.inverse !== null
          ? relation.target.members.get(relation.inverse)
          : undefined;
      if (back === undefined || !isRelation(back)) continue;
      for (const hop of back.hops) hidden.add(hop);
    }
  }
  return hidden;
}

/** What a member is seen by. */
interface Seeing {
  readonly draft: Draft;
  readonly drafts: Drafts;
  readonly hidden: ReadonlySet<Hop>;
}

function memberOf(
  member: Member,
  owner: Dataclass,
  { draft: { sight, hiddenColumns }, drafts, hidden }: Seeing,
): Member | null {
  const { name } = member;
  if (sight.hidden.has(name)) return null;
  if (member.kind === 'alias') return member;
  const readOnly = member.readOnly || sight.readOnly.has(name);
  if (isStored(member)) {
    // What is computed of a hidden attribute tells of it: it is seen by those alone whose roles name it.
    const tells = member.column.expression?.some(
      (part) => typeof part !== 'string' && hiddenColumns.has(part.column),
    );
    return tells === true && !sight.readOnly.has(name) ? null : { ...member, readOnly };
  }
  const hops = seenHops(member, owner, drafts, hidden);
  const target = drafts.get(member.target)?.dataclass;
  return hops === null || target === undefined ? null : { ...member, target, hops, readOnly };
}

/** The steps of a relation; null where one of them is not seen. */
function seenHops(
  { hops }: Relation,
  owner: Dataclass,
  drafts: Drafts,
  hidden: ReadonlySet<Hop>,
): Hop[] | null {
  const seen: Hop[] = [];
  let from = owner;
  for (const hop of hops) {
    const target = drafts.get(hop.target);
    if (target === undefined || hidden.has(hop)) return null;
    const isHidden = (dataclass: Dataclass, columns: Hop['from']): boolean =>
      columns.some(({ name }) => drafts.get(dataclass)?.hiddenColumns.has(name) === true);
    if (isHidden(from, hop.from) || isHidden(hop.target, hop.to)) return null;
    seen.push({ ...hop, target: target.dataclass });
    from = hop.target;
  }
  return seen;
}

/** Whether a path of names leads to an attribute. */
function leads(path: readonly string[], dataclass: Dataclass): boolean {
  let here = dataclass;
  for (const [index, name] of path.entries()) {
    const member = here.members.get(name);
    if (member === undefined) return false;
    if (!isRelation(member)) return index === path.length - 1;
    here = member.target;
  }
  return false;
}

/** The columns of the hidden attributes of a dataclass. */
function hiddenColumns(dataclass: Dataclass, { hidden }: Sight): ReadonlySet<string> {
  return new Set(
    [...hidden].flatMap((name) => {
      const member = dataclass.members.get(name);
      return member !== undefined && isStored(member) ? [member.column.name] : [];
    }),
  );
}

/** Takes what is not seen out of what relations say of others. */
function forgetHiddenNames({ members }: Draft): void {
  for (const [name, member] of members) {
    if (!isRelation(member)) continue;
    const { inverse, foreignKey, target } = member;
    members.set(name, {
      ...member,
      inverse: inverse !== null && target.members.has(inverse) ? inverse : null,
      foreignKey: foreignKey.filter((attribute) => members.has(attribute)),
    });
  }
}

/** A claim that stands in for a value of a restriction. */
export interface ClaimUse {
  readonly claim: string;
  /** Whether it stands for a list of values, behind IN. */
  readonly isList: boolean;
  /** What it is compared as. */
  readonly type: ColumnType;
  /** For messages: what it is compared with. */
  readonly meets: string;
}

/**
 * Whether somebody's claims have what a restriction asks for. Who lacks it, or has a list where one value is compared, or text where a
 * number is, meets nothing by that restriction: what cannot be compared lets nobody in.
 */
export function hasClaim(
  { claim, isList, type, meets }: ClaimUse,
  claims: Claims,
  limits: ValueLimits,
): boolean {
  const value = claims.get(claim);
  if (value === undefined || (typeof value !== 'string' && !isList)) return false;
  try {
    for (const item of itemsOf(fixedLiteral(value), type)) convert(item, type, meets, limits);
    return true;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}
