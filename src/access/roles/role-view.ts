import { changesWithin, withoutKeeper } from '../../model/changes.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import {
  type Dataclass,
  type Hop,
  type Hops,
  isRelation,
  isStored,
  type LeftOut,
  type Member,
  type Model,
  type Relation,
  type Restriction,
  type Right,
  type Rights,
} from '../../model/types.ts';
import { relatedDataclass, wayOf } from '../../model/lookup.ts';
import { catching, ProtocolError } from '../../base/errors.ts';
import type { Claims } from '../../base/principal.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { convert, fixedLiteral, itemsOf } from '../../run/convert/bind.ts';

export const NO_RIGHTS: Rights = { create: 'denied', update: 'denied', delete: 'denied' };

export const NEVER_MET: Restriction = { kind: 'any', items: [] };

/** Joins restrictions by AND; null where there are none. */
export function everyRestriction(
  restrictions: readonly (Restriction | null)[],
): Restriction | null {
  const items = restrictions.filter((restriction) => restriction !== null);
  const [first, ...others] = items;
  if (first === undefined) return null;
  return others.length === 0 ? first : { kind: 'all', items };
}

/** Joins the rights of several roles: what one of them allows is allowed. */
export function anyRestriction(rights: readonly Right[]): Right {
  const allowed = rights.filter((right) => right !== 'denied');
  const [first, ...others] = allowed;
  if (first === undefined) return 'denied';
  const items = allowed.filter((right) => right !== null);
  if (items.length < allowed.length) return null;
  return others.length === 0 ? first : { kind: 'any', items };
}

/** What an audience sees of a dataclass. */
export interface Sight {
  /** The restriction on its entities beside that of its mapping file; null for none. */
  readonly where: Restriction | null;
  readonly rights: Rights;
  readonly aggregates: boolean;
  readonly hidden: ReadonlySet<string>;
  readonly readOnly: ReadonlySet<string>;
}

const EVERYTHING_SEEN: Omit<Sight, 'rights'> = {
  where: null,
  aggregates: true,
  hidden: new Set(),
  readOnly: new Set(),
};

/** A dataclass of a view whose members are still to be added. */
interface Draft {
  readonly dataclass: Dataclass;
  readonly members: Map<string, Member>;
  readonly leftOut: Map<string, LeftOut>;
  readonly sight: Sight;
  readonly hiddenColumns: ReadonlySet<string>;
}

type Drafts = ReadonlyMap<Dataclass, Draft>;

/**
 * Makes a model that holds only what an audience sees, so that nothing planned by it can give away the rest. A relation is kept only where both
 * ends and all steps between are seen, and where it would not reveal a hidden attribute. What is left out is named in it, if it is seen.
 * @param needsStamps whether updates have to say their stamps, whatever the configuration says
 * @param showsWhy whether the audience may know the mapping files' problems
 */
export function roleView(
  model: Model,
  sights: ReadonlyMap<string, Sight>,
  mayExecute: (called: Pick<ApiFunction, 'fullName' | 'allowedOnHTTPGET'>) => boolean,
  { needsStamps = false, showsWhy = false } = {},
): Model {
  const drafts = new Map<Dataclass, Draft>();
  const leftOutOf = (all: Model['leftOut'], owner: string, hidden?: ReadonlySet<string>) => {
    const isKnown = (needs: string | null): boolean => needs === null || sights.has(needs);
    const isSeen = (name: string, { needs, isFunction }: LeftOut): boolean => {
      if (!isFunction && owner === '') return sights.has(name);
      if (!isKnown(needs) || hidden?.has(name) === true) return false;
      return !isFunction || mayExecute({ fullName: owner + name, allowedOnHTTPGET: true });
    };
    const told = ({ why, needs, isFunction }: LeftOut): LeftOut => ({
      why: showsWhy ? why : null,
      needs: isKnown(needs) ? needs : null,
      isFunction,
    });
    const seen = [...all].filter(([name, one]) => isSeen(name, one));
    return new Map(seen.map(([name, one]) => [name, told(one)]));
  };
  const isSeen = ({ returns }: ApiFunction): boolean =>
    returns.kind !== 'entities' || sights.has(returns.dataclass);
  /** Collects the functions that are seen, and into `leftOut` those whose entities cannot be. */
  const functionsOf = (
    functions: ReadonlyMap<string, ApiFunction>,
    leftOut: Map<string, LeftOut>,
    owner = '',
  ): Map<string, ApiFunction> =>
    new Map(
      [...functions].filter(([name, called]) => {
        if (!isSeen(called) || !mayExecute(called)) return false;
        const needs = called.returns.kind === 'entities' ? called.returns.dataclass : '';
        if (!model.leftOut.has(needs)) return true;
        leftOut.set(owner + name, { why: null, needs, isFunction: true });
        return false;
      }),
    );
  for (const dataclass of model.dataclasses.values()) {
    const sight = sights.get(dataclass.name);
    if (sight === undefined) continue;
    const members = new Map<string, Member>();
    const hidden = new Set(
      [...sight.hidden].flatMap((name) => {
        const member = dataclass.members.get(name);
        return member !== undefined && isStored(member) ? [member.column.name] : [];
      }),
    );
    const where = everyRestriction([dataclass.where, sight.where]);
    const leftOut = leftOutOf(dataclass.leftOut, `${dataclass.name}.`, sight.hidden);
    const seen: Dataclass = {
      ...dataclass,
      isTimestampSeen: dataclass.isTimestampSeen && !hidden.has(dataclass.timestamp?.name ?? ''),
      // Numbers with gaps would reveal how many dataclasses there are.
      number: drafts.size + 1,
      changes: changesWithin(dataclass.changes, where),
      where,
      rights: sight.rights,
      aggregates: dataclass.aggregates && sight.aggregates,
      members,
      functions: functionsOf(dataclass.functions, leftOut),
      leftOut,
      ...(needsStamps ? { requireStamp: true, allowsOverwrite: false } : {}),
    };
    drafts.set(dataclass, { dataclass: seen, members, leftOut, sight, hiddenColumns: hidden });
  }
  const hidden = hiddenHops(drafts);
  for (const [original, draft] of drafts) {
    for (const member of original.members.values()) {
      const seen = memberOf(member, original, draft, drafts, hidden);
      if (seen !== null) draft.members.set(member.name, seen);
    }
  }
  for (const { dataclass, members } of drafts.values()) {
    for (const member of members.values()) {
      if (member.kind === 'alias' && !leads(member.path, dataclass)) members.delete(member.name);
    }
  }
  const served = [...drafts.values()].filter(({ dataclass }) => !model.leftOut.has(dataclass.name));
  if (served.length < drafts.size) for (const draft of served) leaveOut(draft, model.leftOut);
  // Relations do not name unseen members as their inverses and foreign keys.
  for (const { members } of served) {
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
  const leftOut = leftOutOf(model.leftOut, '');
  return {
    dataclasses: new Map(served.map(({ dataclass }) => [dataclass.name, dataclass])),
    functions: functionsOf(model.functions, leftOut),
    singletons: new Map(
      [...model.singletons].flatMap(([name, { functions }]) => {
        const own = functionsOf(functions, leftOut, `${name}.`);
        return own.size === 0 ? [] : [[name, { name, functions: own }]];
      }),
    ),
    leftOut,
    warnings: model.warnings,
  };
}

/** What those see who see all entities: of each dataclass, also of those that are left out. */
export function everySight(
  { dataclasses, leftOut }: Model,
  rightsOf: (dataclass: Dataclass | undefined) => Rights,
): Map<string, Sight> {
  const names = new Set([...dataclasses.keys(), ...leftOut.keys()]);
  return new Map(
    Array.from(names, (name) => {
      const rights = rightsOf(dataclasses.get(name));
      return [name, { ...EVERYTHING_SEEN, rights }];
    }),
  );
}

/**
 * The model that is served to those who see everything: without what is left out, and what leads over it.
 * @param showsWhy whether they may know the mapping files' problems
 */
export function servedModel(model: Model, showsWhy = true): Model {
  const all = [model, ...model.dataclasses.values()];
  if (all.every(({ leftOut }) => leftOut.size === 0)) return model;
  const sights = everySight(model, (dataclass) => dataclass?.rights ?? NO_RIGHTS);
  return roleView(model, sights, () => true, { showsWhy });
}

/** Takes what leads over dataclasses that are left out from a dataclass, and names it among what is. */
function leaveOut({ dataclass, members, leftOut }: Draft, unserved: Model['leftOut']): void {
  const needs = new Map<string, string>();
  for (const name of members.keys()) {
    const { relations } = wayOf([name], dataclass, memberNamed);
    const targets = relations.flatMap(({ hops }) => hops.map(({ target }) => target.name));
    const needed = targets.find((target) => unserved.has(target));
    if (needed !== undefined) needs.set(name, needed);
  }
  for (const [name, needed] of needs) {
    members.delete(name);
    leftOut.set(name, { why: null, needs: needed, isFunction: false });
  }
  const { changes } = dataclass;
  const keeper = typeof changes === 'string' ? null : changes.deleted;
  if (keeper !== null && unserved.has(keeper.dataclass)) withoutKeeper(dataclass, keeper.dataclass);
}

/** Collects the steps of hidden relations; of a relation to one, those of its inverse as well. */
function hiddenHops(drafts: Drafts): Set<Hop> {
  const hidden = new Set<Hop>();
  for (const [{ members }, { sight }] of drafts) {
    for (const name of sight.hidden) {
      const relation = members.get(name);
      if (relation === undefined || !isRelation(relation) || relation.through !== null) continue;
      const back =
        relation.kind === 'relatedEntity' && relation.inverse !== null
          ? relation.target.members.get(relation.inverse)
          : undefined;
      const backHops = back !== undefined && isRelation(back) ? back.hops : [];
      for (const hop of [...relation.hops, ...backHops]) hidden.add(hop);
    }
  }
  return hidden;
}

/** Returns a member as it is seen; null where it is not. */
function memberOf(
  member: Member,
  owner: Dataclass,
  { sight, hiddenColumns }: Draft,
  drafts: Drafts,
  hidden: ReadonlySet<Hop>,
): Member | null {
  const { name } = member;
  if (sight.hidden.has(name)) return null;
  if (member.kind === 'alias') return member;
  const readOnly =
    member.readOnly ?? (sight.readOnly.has(name) ? 'your roles may only read it' : null);
  if (isStored(member)) {
    // A value computed from a hidden attribute reveals it: it is seen only where a role names it.
    const reveals = member.column.expression?.some(
      (part) => typeof part !== 'string' && hiddenColumns.has(part.column),
    );
    return reveals === true && !sight.readOnly.has(name) ? null : { ...member, readOnly };
  }
  const hops = seenHops(member, owner, drafts, hidden);
  const target = drafts.get(member.target)?.dataclass;
  return hops === null || target === undefined ? null : { ...member, target, hops, readOnly };
}

/** Returns the steps of a relation as they are seen; null where one is not. */
function seenHops(
  { hops }: Relation,
  owner: Dataclass,
  drafts: Drafts,
  hidden: ReadonlySet<Hop>,
): Hops | null {
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
  const [first, ...others] = seen;
  return first === undefined ? null : [first, ...others];
}

function memberNamed({ name, members }: Dataclass, wanted: string): Member {
  const member = members.get(wanted);
  if (member === undefined) throw new Error(`${name} has no member ${wanted}`);
  return member;
}

/** Whether a path of names leads to an attribute. */
function leads(path: readonly string[], dataclass: Dataclass): boolean {
  const last = relatedDataclass(dataclass, path.slice(0, -1));
  const member = last?.members.get(path.at(-1) ?? '');
  return member !== undefined && !isRelation(member);
}

/** A claim that stands for a value of a restriction. */
export interface ClaimUse {
  readonly claim: string;
  /** Whether it stands for a list, behind IN. */
  readonly isList: boolean;
  readonly type: ColumnType;
  /** What it is compared with, for messages. */
  readonly meets: string;
}

/** Whether the claims hold a value that the restriction can compare: a missing claim, or one of another type, matches no entity. */
export function hasClaim(
  { claim, isList, type, meets }: ClaimUse,
  claims: Claims,
  limits: ValueLimits,
): boolean {
  const value = claims.get(claim);
  if (value === undefined || (typeof value !== 'string' && !isList)) return false;
  const read = (): boolean => {
    for (const item of itemsOf(fixedLiteral(value), type)) convert(item, type, meets, limits);
    return true;
  };
  return catching(ProtocolError, read, () => false);
}
