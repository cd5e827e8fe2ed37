import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { memoize } from '../../base/collections.ts';
import { ADMIN, type Principal } from '../../base/principal.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import { allFunctions, functionsOf } from '../../model/lookup.ts';
import type { IsFunction } from '../../protocol/parse.ts';
import type { Change, Model, Right } from '../../model/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import {
  everyRestriction,
  everySight,
  anyRestriction,
  hasClaim,
  NEVER_MET,
  NO_RIGHTS,
  roleView,
  servedModel,
  type Sight,
} from './role-view.ts';
import { type Grant, reading, type Role, type Rule, type Verb } from './roles.ts';

/** The users who see the same model, and so share plans. */
export interface Audience {
  /** Identifies it; empty for those who see everything. */
  readonly key: string;
  readonly model: Model;
  /** Tells the functions of the model from its attributes. */
  readonly isFunction: IsFunction;
  /** The sorted names of the claims that decide which entities are seen. */
  readonly claims: readonly string[];
  readonly isAdmin: boolean;
}

/** How many audiences, one for each combination of roles, are kept. */
const MAX_AUDIENCES = 1000;

interface AgentRights {
  /** Whether agents of users who see everything may change data. */
  readonly mayWrite: boolean;
}

/** The beginning of the keys of agents: no key of a client's audience has it. */
const AGENTS = 'agents';

/** Finds the audience of each principal; for agents, which have fewer rights than those they act for, by an instance of its own. */
export class Audiences {
  /** With what is left out: what the roles see of the rest depends on it. */
  readonly #model: Model;
  readonly #roles: ReadonlyMap<string, Role> | null;
  readonly #limits: ValueLimits;
  readonly #byKey = new LRUCache<string, Audience>({ max: MAX_AUDIENCES });
  readonly #byPrincipal = new WeakMap<Principal, Audience>();
  readonly #agents: AgentRights | null;

  /**
   * @param roles null where none are configured, and everybody may do everything
   * @param agents null for the audiences of clients themselves
   */
  constructor(
    model: Model,
    roles: ReadonlyMap<string, Role> | null,
    limits: ValueLimits,
    agents: AgentRights | null = null,
  ) {
    this.#model = model;
    this.#roles = roles;
    this.#limits = limits;
    this.#agents = agents;
  }

  /** Returns the audience of a principal, by its roles and claims. */
  of(principal: Principal): Audience {
    let audience = this.#byPrincipal.get(principal);
    if (audience === undefined) {
      audience = this.#find(principal);
      this.#byPrincipal.set(principal, audience);
    }
    return audience;
  }

  #find({ name, roles, claims }: Principal): Audience {
    const isAdmin = roles.includes(ADMIN);
    if (this.#roles === null || isAdmin) {
      return { ...this.#everything(isAdmin || name === null), isAdmin };
    }
    const own = [...new Set(roles)].sort().flatMap((name) => this.#roles?.get(name) ?? []);
    const isMet = (rule: Rule): boolean =>
      rule.claims.every((use) => hasClaim(use, claims, this.#limits));
    // Sets that were made under another policy of a role are not found under this one.
    const roleKey = JSON.stringify(
      own.map((role) => [role.name, role.definition, ...unmet(role, isMet)]),
    );
    const model = this.#model;
    if (this.#agents === null) {
      return memoize(this.#byKey, roleKey, () => audienceOf(roleKey, own, isMet, model, false));
    }
    const key = `${AGENTS} ${roleKey}`;
    return memoize(this.#byKey, key, () => {
      const acting = own.map((role) => roleOfAgents(role, model));
      return audienceOf(key, acting, isMet, model, true);
    });
  }

  #everything(mayKnowWhy: boolean): Audience {
    const [model, agents] = [this.#model, this.#agents];
    if (agents !== null) {
      return memoize(this.#byKey, AGENTS, () =>
        unrestricted(AGENTS, modelOfAgents(model, agents.mayWrite)),
      );
    }
    // Those who may know why something is left out see no more than the others: they share plans.
    return memoize(this.#byKey, mayKnowWhy ? 'why' : '', () =>
      unrestricted('', servedModel(model, mayKnowWhy)),
    );
  }
}

function unrestricted(key: string, model: Model): Audience {
  return { key, model, isFunction: functionsOf(model), claims: [], isAdmin: false };
}

/** A key of the entities that a principal sees: those with the same key may share entity sets. */
export function setAudience({ key, claims }: Audience, principal: Principal): string {
  if (claims.length === 0) return key;
  const values = claims.map((name) => principal.claims.get(name));
  return createHash('sha256')
    .update(JSON.stringify([key, values]))
    .digest('base64');
}

/** Lists the rules of a role whose claims are not met. */
function unmet({ grants }: Role, isMet: (rule: Rule) => boolean): string[] {
  return [...grants].flatMap(([dataclass, { rules }]) =>
    Object.entries(rules).flatMap(([verb, rule]) => (isMet(rule) ? [] : [`${dataclass} ${verb}`])),
  );
}

function audienceOf(
  key: string,
  roles: readonly Role[],
  isMet: (rule: Rule) => boolean,
  model: Model,
  ofAgents: boolean,
): Audience {
  const sights = new Map<string, Sight>();
  const claims = new Set<string>();
  for (const name of new Set([...model.dataclasses.keys(), ...model.leftOut.keys()])) {
    const grants = roles.flatMap(({ grants: own }) => own.get(name) ?? []);
    if (grants.length === 0) continue;
    sights.set(name, sightOf(grants, isMet));
    for (const { rules } of grants) {
      if (isMet(rules.read)) for (const { claim } of rules.read.claims) claims.add(claim);
    }
  }
  const executed = new Set(roles.flatMap(({ functions }) => [...functions]));
  const view = roleView(model, sights, ({ fullName }) => executed.has(fullName), {
    needsStamps: ofAgents,
  });
  return {
    key,
    model: view,
    isFunction: functionsOf(view),
    claims: [...claims].sort(),
    isAdmin: false,
  };
}

/** Combines what several roles see of a dataclass. */
function sightOf(grants: readonly Grant[], isMet: (rule: Rule) => boolean): Sight {
  const rightOf = ({ rules }: Grant, verb: Verb): Right =>
    rules[verb].right === 'denied' || isMet(rules[verb]) ? rules[verb].right : NEVER_MET;
  const read = anyRestriction(grants.map((grant) => rightOf(grant, 'read')));
  // A role's right to change applies only to entities that the same role shows.
  const right = (verb: Change): Right =>
    anyRestriction(
      grants.map((grant) => {
        const shown = rightOf(grant, 'read');
        const allowed = rightOf(grant, verb);
        if (grants.length === 1 || allowed === 'denied' || shown === 'denied') return allowed;
        return everyRestriction([shown, allowed]);
      }),
    );
  const writing: readonly Change[] = ['create', 'update'];
  return {
    where: read === 'denied' ? NEVER_MET : read,
    rights: { create: right('create'), update: right('update'), delete: right('delete') },
    // As with members: aggregates that one role gives must not tell of the rows of another.
    aggregates:
      grants.some((grant) => grant.aggregates && rightOf(grant, 'read') === null) ||
      grants.every(({ aggregates }) => aggregates),
    hidden: withheld(grants, (grant) => rightOf(grant, 'read'), ['hidden']),
    readOnly: new Set(
      writing.flatMap((verb) => [
        ...withheld(grants, (grant) => rightOf(grant, verb), ['hidden', 'readOnly']),
      ]),
    ),
  };
}

/**
 * Collects the members that roles withhold by some settings. A member that one role withholds stays withheld although another one gives it, unless
 * that role gives it for every row: each role has rows of its own, and the first one's rows must not show it.
 */
function withheld(
  grants: readonly Grant[],
  rightOf: (grant: Grant) => Right,
  settings: readonly ('hidden' | 'readOnly')[],
): Set<string> {
  const giving = grants.filter((grant) => rightOf(grant) !== 'denied');
  const withheldBy = ({ attributes }: Grant): string[] =>
    [...attributes].flatMap(([name, setting]) => (settings.includes(setting) ? [name] : []));
  const giveAll = giving.filter((grant) => rightOf(grant) === null).map(withheldBy);
  const names = giving.flatMap(withheldBy);
  return new Set(names.filter((name) => giveAll.every((withholds) => withholds.includes(name))));
}

/** A role as it is for agents: without `mcp: write` it only reads, and executes only functions that change nothing. */
export function roleOfAgents(role: Role, model: Model): Role {
  if (role.mcp === 'write') return role;
  const harmless = allFunctions(model).filter(changesNothing);
  const names = harmless.map(({ fullName }) => fullName);
  return {
    ...role,
    functions: new Set(names.filter((name) => role.functions.has(name))),
    grants: new Map(
      [...role.grants].map(([name, { rules, ...grant }]) => [
        name,
        { ...grant, rules: reading(rules.read) },
      ]),
    ),
  };
}

function changesNothing({ allowedOnHTTPGET }: Pick<ApiFunction, 'allowedOnHTTPGET'>): boolean {
  return allowedOnHTTPGET;
}

/** The model as agents of those who see everything have it. @param mayWrite whether they may change it */
export function modelOfAgents(model: Model, mayWrite: boolean): Model {
  const sights = everySight(
    model,
    (dataclass) => (mayWrite ? dataclass?.rights : null) ?? NO_RIGHTS,
  );
  return roleView(model, sights, mayWrite ? () => true : changesNothing, { needsStamps: true });
}
