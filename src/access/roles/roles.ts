import { ProtocolError, StartupError, type StartupProblem } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { GrantSetting, RoleSettings } from '../../config/settings/roles.ts';
import { comparisons, MOST_COMPARISONS, readRestriction } from '../../model/restriction.ts';
import type { Change, Dataclass, Model, Restriction, Right } from '../../model/types.ts';
import { CLAIMS } from '../../protocol/filter.ts';
import { checkRestriction, eachValue } from '../../run/convert/bind.ts';
import { allOf, type ClaimUse } from './role-view.ts';

/** Stands for all functions of a dataclass or a singleton. */
const ALL_OF = '.*';

/**
 * The full names of the functions that a role may execute. A function may do whatever its routine does, whoever calls it: what nobody has
 * named, nobody may.
 * @param where the setting's path
 */
function readExecute(
  setting: boolean | readonly string[],
  where: string,
  { model, locate }: { readonly model: Model; readonly locate: (setting: string) => string },
  problems: StartupProblem[],
): ReadonlySet<string> {
  const all = functionNames(model);
  if (typeof setting === 'boolean') return new Set(setting ? all : []);
  return new Set(
    setting.flatMap((name, index) => {
      const found = name.endsWith(ALL_OF)
        ? all.filter((known) => known.startsWith(name.slice(0, -1)))
        : all.filter((known) => known === name);
      if (found.length === 0) {
        const message = `there is no function ${name}.${nameHint(name, all)}`;
        problems.push({ where: locate(`${where}.${index}`), message });
      }
      return found;
    }),
  );
}

/** The full names of all functions of a model. */
function functionNames({ functions, dataclasses, singletons }: Model): string[] {
  return [{ functions }, ...dataclasses.values(), ...singletons.values()].flatMap((owner) =>
    Array.from(owner.functions.values(), ({ fullName }) => fullName),
  );
}

/** What can be done with entities. */
export type Verb = 'read' | Change;

const VERBS: readonly Verb[] = ['read', 'create', 'update', 'delete'];

/** One thing that a role may do with a dataclass, and the claims that this takes. */
export interface Rule {
  readonly right: Right;
  readonly claims: readonly ClaimUse[];
}

/** What a role may do with one dataclass. */
export interface Grant {
  readonly rules: Readonly<Record<Verb, Rule>>;
  /** By the names of attributes and relations. */
  readonly attributes: ReadonlyMap<string, 'hidden' | 'readOnly'>;
}

/** What a role may do. Of dataclasses, by their names, there are those that it may read, and no others. */
export interface Role {
  readonly name: string;
  /** The functions that it may execute, by their full names. */
  readonly functions: ReadonlySet<string>;
  readonly grants: ReadonlyMap<string, Grant>;
}

/** What the roles of a configuration are read with. */
interface RoleContext {
  readonly model: Model;
  readonly nullsMatchNotEqual: boolean;
  /** Where a setting stands, by its path with dots. */
  readonly locate: (setting: string) => string;
}

/**
 * Reads what the roles may do, by the model that they are for.
 * @throws StartupError with everything that is wrong, each with its place
 */
export function readRoles(settings: RoleSettings, context: RoleContext): Map<string, Role> {
  const problems: StartupProblem[] = [];
  const roles = Object.entries(settings).map(([name, { dataclasses, execute }]): Role => {
    const reader = new RoleReader(`roles.${name}.dataclasses`, context, problems);
    const functions = readExecute(execute, `roles.${name}.execute`, context, problems);
    return { name, functions, grants: reader.grants(dataclasses) };
  });
  refuseTooMany(roles, context, problems);
  if (problems.length > 0) throw new StartupError(problems);
  return new Map(roles.map((role) => [role.name, role]));
}

/** All roles together bound what one statement may have to ask: users have several. */
function refuseTooMany(
  roles: readonly Role[],
  { model, locate }: RoleContext,
  problems: StartupProblem[],
): void {
  const ofModel = [...model.dataclasses.values()].map(({ where }) => where);
  const ofRoles = roles.flatMap(({ grants }) =>
    [...grants.values()].flatMap(({ rules }) => VERBS.map((verb) => rules[verb].right)),
  );
  const count = [...ofModel, ...ofRoles].reduce(
    (sum, right) => sum + (right === null || right === 'denied' ? 0 : comparisons(right)),
    0,
  );
  if (count <= MOST_COMPARISONS) return;
  const message = `all filters of roles and mapping files together may have ${MOST_COMPARISONS} comparisons; these have ${count}`;
  problems.push({ where: locate('roles'), message });
}

/** Reads one role, and collects what is wrong with it. */
class RoleReader {
  readonly #path: string;
  readonly #context: RoleContext;
  readonly #problems: StartupProblem[];

  constructor(path: string, context: RoleContext, problems: StartupProblem[]) {
    this.#path = path;
    this.#context = context;
    this.#problems = problems;
  }

  grants(settings: Readonly<Record<string, GrantSetting>>): Map<string, Grant> {
    const { dataclasses } = this.#context.model;
    for (const name of Object.keys(settings)) {
      if (name === OTHERS || dataclasses.has(name)) continue;
      this.#problem([name], `there is no dataclass ${name}.${nameHint(name, dataclasses.keys())}`);
    }
    this.#checkOthers(settings[OTHERS]);
    const grants = new Map<string, Grant>();
    for (const [name, dataclass] of dataclasses) {
      const own = Object.hasOwn(settings, name) ? settings[name] : undefined;
      const setting = own ?? settings[OTHERS];
      if (setting === undefined) continue;
      const grant = this.#grant(setting, dataclass, own === undefined ? OTHERS : name);
      if (grant.rules.read.right !== 'denied') grants.set(name, grant);
    }
    return grants;
  }

  #checkOthers(setting: GrantSetting | undefined): void {
    if (setting === undefined) return;
    const named = VERBS.filter((verb) => typeof setting[verb] === 'string').map(String);
    if (setting.where !== undefined) named.push('where');
    if (Object.keys(setting.attributes).length > 0) named.push('attributes');
    for (const name of named) {
      this.#problem([OTHERS, name], 'names attributes, and * stands for many dataclasses');
    }
  }

  #grant(setting: GrantSetting, dataclass: Dataclass, path: string): Grant {
    if (setting.read === false) {
      for (const verb of VERBS) {
        if (setting[verb] === false) continue;
        this.#problem([path, verb], 'takes read: what cannot be seen cannot be changed');
      }
    }
    const where = this.#filter(setting.where, 'where', dataclass, path);
    const rule = (verb: Verb): Rule => {
      const given = setting[verb];
      if (given === false) return { right: 'denied', claims: [] };
      const filter = given === true ? null : this.#filter(given, verb, dataclass, path);
      const right = allOf([where, filter]);
      return { right, claims: right === null ? [] : claimsOf(right, dataclass) };
    };
    return {
      rules: {
        read: rule('read'),
        create: rule('create'),
        update: rule('update'),
        delete: rule('delete'),
      },
      attributes: this.#attributes(setting.attributes, dataclass, path),
    };
  }

  #attributes(
    settings: GrantSetting['attributes'],
    { name, key, members }: Dataclass,
    path: string,
  ): Map<string, 'hidden' | 'readOnly'> {
    if (path === OTHERS) return new Map();
    const isKey = new Set(key.map((attribute) => attribute.name));
    for (const [attribute, setting] of Object.entries(settings)) {
      if (!members.has(attribute)) {
        const hint = nameHint(attribute, members.keys());
        this.#problem(
          [path, 'attributes', attribute],
          `${name} has no attribute ${attribute}.${hint}`,
        );
      } else if (setting === 'hidden' && isKey.has(attribute)) {
        this.#problem(
          [path, 'attributes', attribute],
          `${attribute} is part of the key of ${name}, by which entities are called: it cannot be hidden`,
        );
      }
    }
    return new Map(Object.entries(settings));
  }

  /** A filter of the configuration; null where there is none, or it is wrong. */
  #filter(
    text: string | undefined,
    within: string,
    dataclass: Dataclass,
    path: string,
  ): Restriction | null {
    if (text === undefined || path === OTHERS) return null;
    const read = readRestriction(text, within, dataclass, CLAIMS, this.#context);
    if (Array.isArray(read)) {
      for (const message of read) this.#problem([path, within], message);
      return null;
    }
    try {
      checkRestriction(read, dataclass);
      return read;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#problem([path, within], error.message);
      return null;
    }
  }

  #problem(path: readonly string[], message: string): void {
    const where = this.#context.locate([this.#path, ...path].join('.'));
    if (this.#problems.some((known) => known.where === where && known.message === message)) return;
    this.#problems.push({ where, message });
  }
}

/** Stands for all dataclasses that a role does not name. */
const OTHERS = '*';

/** The claims that stand in for values of a restriction. */
function claimsOf(restriction: Restriction, dataclass: Dataclass): ClaimUse[] {
  const uses: ClaimUse[] = [];
  eachValue(restriction, dataclass, (literal, type, meets) => {
    if (literal.claim === undefined) return;
    uses.push({ claim: literal.claim, isList: literal.class === 'list', type, meets });
  });
  return uses;
}
