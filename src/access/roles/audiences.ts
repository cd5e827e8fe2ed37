import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../../base/principal.ts';
import { memoize } from '../../base/cache.ts';
import { ADMIN } from '../../config/settings/roles.ts';
import type { Change, Model, Right } from '../../model/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { allOf, anyOf, hasClaim, NOTHING, roleView, type Sight } from './role-view.ts';
import type { Grant, Role, Rule, Verb } from './roles.ts';

/** Those who see the same model: what is planned for one of them serves all. */
export interface Audience {
  /** Tells it from others; empty for those who see everything. */
  readonly key: string;
  readonly model: Model;
  /** The claims that decide which entities are seen, in their order. */
  readonly claims: readonly string[];
  /** Whether it is that of administrators. */
  readonly isAdmin: boolean;
}

/** How many audiences keep their model: combinations of roles, as users have them. */
const MOST_AUDIENCES = 1000;

/** Which model is for whom. */
export class Audiences {
  readonly #model: Model;
  readonly #roles: ReadonlyMap<string, Role> | null;
  readonly #limits: ValueLimits;
  readonly #byKey = new LRUCache<string, Audience>({ max: MOST_AUDIENCES });
  readonly #byPrincipal = new WeakMap<Principal, Audience>();

  /** @param roles null where there are none, and whoever is let in may do everything */
  constructor(model: Model, roles: ReadonlyMap<string, Role> | null, limits: ValueLimits) {
    this.#model = model;
    this.#roles = roles;
    this.#limits = limits;
  }

  /** The audience that somebody belongs to, by roles and claims. */
  of(principal: Principal): Audience {
    const known = this.#byPrincipal.get(principal);
    if (known !== undefined) return known;
    const audience = this.#find(principal);
    this.#byPrincipal.set(principal, audience);
    return audience;
  }

  #find({ roles, claims }: Principal): Audience {
    const isAdmin = roles.includes(ADMIN);
    if (this.#roles === null || isAdmin) {
      return { key: '', model: this.#model, claims: [], isAdmin };
    }
    const own = [...new Set(roles)].sort().flatMap((name) => this.#roles?.get(name) ?? []);
    const isMet = (rule: Rule): boolean =>
      rule.claims.every((use) => hasClaim(use, claims, this.#limits));
    const key = JSON.stringify(own.map((role) => [role.name, ...unmet(role, isMet)]));
    return memoize(this.#byKey, key, () => audienceOf(key, own, isMet, this.#model));
  }
}

/** What the entity sets of an audience are told apart by: those who see the same entities share them. */
export function setAudience({ key, claims }: Audience, principal: Principal): string {
  if (claims.length === 0) return key;
  const values = claims.map((name) => principal.claims.get(name));
  return createHash('sha256')
    .update(JSON.stringify([key, values]))
    .digest('base64');
}

/** Which of the rules that take claims somebody does not meet. */
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
): Audience {
  const sights = new Map<string, Sight>();
  const claims = new Set<string>();
  for (const name of model.dataclasses.keys()) {
    const grants = roles.flatMap(({ grants: own }) => own.get(name) ?? []);
    if (grants.length === 0) continue;
    sights.set(name, sightOf(grants, isMet));
    for (const { rules } of grants) {
      if (isMet(rules.read)) for (const { claim } of rules.read.claims) claims.add(claim);
    }
  }
  const executed = new Set(roles.flatMap(({ functions }) => [...functions]));
  const view = roleView(model, sights, ({ fullName }) => executed.has(fullName));
  return { key, model: view, claims: [...claims].sort(), isAdmin: false };
}

/** What several roles see of a dataclass together. */
function sightOf(grants: readonly Grant[], isMet: (rule: Rule) => boolean): Sight {
  const rightOf = ({ rules }: Grant, verb: Verb): Right =>
    rules[verb].right === 'denied' || isMet(rules[verb]) ? rules[verb].right : NOTHING;
  const read = anyOf(grants.map((grant) => rightOf(grant, 'read')));
  // What a role lets be changed is some of what the same role shows.
  const right = (verb: Change): Right =>
    anyOf(
      grants.map((grant) => {
        const shown = rightOf(grant, 'read');
        const allowed = rightOf(grant, verb);
        if (grants.length === 1 || allowed === 'denied' || shown === 'denied') return allowed;
        return allOf([shown, allowed]);
      }),
    );
  const writing: readonly Change[] = ['create', 'update'];
  return {
    where: read === 'denied' ? NOTHING : read,
    rights: { create: right('create'), update: right('update'), delete: right('delete') },
    hidden: withheld(grants, (grant) => rightOf(grant, 'read'), ['hidden']),
    readOnly: new Set(
      writing.flatMap((verb) => [
        ...withheld(grants, (grant) => rightOf(grant, verb), ['hidden', 'readOnly']),
      ]),
    ),
  };
}

/**
 * The members that roles withhold. What one of them withholds and another does not is withheld all the same, unless the other gives it for
 * every row: each of them has rows of its own, and of those of the first nothing is to be seen that it does not show.
 * @param rightOf what a role gives
 * @param settings those that withhold it
 */
function withheld(
  grants: readonly Grant[],
  rightOf: (grant: Grant) => Right,
  settings: readonly ('hidden' | 'readOnly')[],
): Set<string> {
  const giving = grants.filter((grant) => rightOf(grant) !== 'denied');
  const isWithheld = ({ attributes }: Grant, name: string): boolean => {
    const setting = attributes.get(name);
    return setting !== undefined && settings.includes(setting);
  };
  const names = new Set(giving.flatMap(({ attributes }) => [...attributes.keys()]));
  return new Set(
    [...names].filter(
      (name) =>
        giving.some((grant) => isWithheld(grant, name)) &&
        !giving.some((grant) => rightOf(grant) === null && !isWithheld(grant, name)),
    ),
  );
}
