import { hash } from 'node:crypto';
import { catching, ProtocolError, StartupError, type StartupProblem } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { GrantSetting, RoleSettings } from '../../config/settings/roles.ts';
import { allFunctions, allLeftOut } from '../../model/lookup.ts';
import { comparisons, MOST_COMPARISONS, readRestriction } from '../../model/restriction.ts';
import type { Change, Dataclass, Model, Restriction, Right } from '../../model/types.ts';
import { CLAIMS } from '../../protocol/filter.ts';
import { checkRestriction, eachValue } from '../../run/convert/bind.ts';
import { everyRestriction, NEVER_MET, type ClaimUse } from './role-view.ts';

/** The end of a setting that names all functions of a dataclass or singleton. */
const ALL_OF = '.*';

export type Verb = 'read' | Change;

const VERBS: readonly Verb[] = ['read', 'create', 'update', 'delete'];

/** A right of a role to one verb, and the claims in its restriction. */
export interface Rule {
  readonly right: Right;
  readonly claims: readonly ClaimUse[];
}

export interface Grant {
  readonly rules: Readonly<Record<Verb, Rule>>;
  /** Whether something may be computed of many entities. */
  readonly aggregates: boolean;
  /** By the names of attributes and relations. */
  readonly attributes: ReadonlyMap<string, 'hidden' | 'readOnly'>;
}

/** A role. Its grants are those of the dataclasses that it may read, by their names. */
export interface Role {
  readonly name: string;
  /** A digest of its settings: equal for roles of two configurations that are written alike. */
  readonly definition: string;
  /** The functions that it may execute, by their full names. */
  readonly functions: ReadonlySet<string>;
  /** Whether agents may also change data by it. */
  readonly mcp: 'read' | 'write';
  readonly grants: ReadonlyMap<string, Grant>;
}

/** Lists the restrictions of a role, each with its dataclass. */
export function restrictionsOf({ grants }: Role): [dataclass: string, restriction: Restriction][] {
  return [...grants].flatMap(([name, { rules }]) =>
    VERBS.flatMap((verb): [string, Restriction][] => {
      const { right } = rules[verb];
      return right === null || right === 'denied' ? [] : [[name, right]];
    }),
  );
}

interface RoleContext {
  readonly model: Model;
  readonly nullsMatchNotEqual: boolean;
  /** The position of a setting, by its path with dots. */
  readonly locate: (setting: string) => string;
  /** Gets what is wrong about single dataclasses, which are then left out; where it is absent, that is an error. */
  readonly leaveOut?: (dataclass: string, why: string) => void;
}

/** Reads the roles of a configuration. @throws StartupError with every problem and its position */
export function readRoles(settings: RoleSettings, context: RoleContext): Map<string, Role> {
  const problems: StartupProblem[] = [];
  const roles = Object.entries(settings).map(([name, setting]): Role => {
    const { dataclasses, execute, mcp } = setting;
    const reader = new RoleReader(`roles.${name}`, context, problems);
    const text = JSON.stringify([setting, context.nullsMatchNotEqual]);
    return {
      name,
      definition: hash('sha256', text, 'base64'),
      functions: reader.functions(execute),
      mcp,
      grants: reader.grants(dataclasses),
    };
  });
  problems.push(...tooManyComparisons(roles, context));
  if (problems.length > 0) throw new StartupError(problems);
  return new Map(roles.map((role) => [role.name, role]));
}

/** Limits the comparisons of all roles together: a user may have all of them, and so may one statement. */
function tooManyComparisons(
  roles: readonly Role[],
  { model, locate }: RoleContext,
): StartupProblem[] {
  const ofModel = [...model.dataclasses.values()].map(({ where }) => where);
  const ofRoles = roles.flatMap(restrictionsOf).map(([, restriction]) => restriction);
  const count = [...ofModel, ...ofRoles].reduce(
    (sum, restriction) => sum + (restriction === null ? 0 : comparisons(restriction)),
    0,
  );
  if (count <= MOST_COMPARISONS) return [];
  const message = `all filters of roles and mapping files together may have ${MOST_COMPARISONS} comparisons; these have ${count}`;
  return [{ where: locate('roles'), message }];
}

class RoleReader {
  readonly #path: string;
  readonly #context: RoleContext;
  readonly #problems: StartupProblem[];

  constructor(path: string, context: RoleContext, problems: StartupProblem[]) {
    this.#path = path;
    this.#context = context;
    this.#problems = problems;
  }

  /** Returns the full names of the functions. A function may do whatever its routine does, so none is allowed unless it is named. */
  functions(setting: boolean | readonly string[]): ReadonlySet<string> {
    const { model, locate } = this.#context;
    const all = [
      ...allFunctions(model).map(({ fullName }) => fullName),
      ...allLeftOut(model).flatMap(([name, { isFunction }]) => (isFunction ? [name] : [])),
    ];
    if (typeof setting === 'boolean') return new Set(setting ? all : []);
    const named = setting.flatMap((name, index) => {
      const found = name.endsWith(ALL_OF)
        ? all.filter((known) => known.startsWith(name.slice(0, -1)))
        : all.filter((known) => known === name);
      if (found.length === 0 && !model.leftOut.has(name.split('.')[0] ?? '')) {
        const message = `there is no function ${name}.${nameHint(name, all)}`;
        this.#problems.push({ where: locate(`${this.#path}.execute.${index}`), message });
      }
      return found;
    });
    return new Set(named);
  }

  grants(settings: Readonly<Record<string, GrantSetting>>): Map<string, Grant> {
    const { dataclasses, leftOut } = this.#context.model;
    for (const name of Object.keys(settings)) {
      if (name === OTHERS || dataclasses.has(name) || leftOut.has(name)) continue;
      this.#problem([name], `there is no dataclass ${name}.${nameHint(name, dataclasses.keys())}`);
    }
    this.#checkOthers(settings[OTHERS]);
    const grants = new Map<string, Grant>();
    const ownOf = (name: string): GrantSetting | undefined =>
      Object.hasOwn(settings, name) ? settings[name] : undefined;
    for (const [name, { isFunction }] of leftOut) {
      const setting = ownOf(name) ?? settings[OTHERS];
      if (isFunction || dataclasses.has(name) || setting === undefined) continue;
      if (setting.read !== false) grants.set(name, OF_UNKNOWN);
    }
    for (const [name, dataclass] of dataclasses) {
      const own = ownOf(name);
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
      if (given === false) return DENIED;
      const filter = given === true ? null : this.#filter(given, verb, dataclass, path);
      const right = everyRestriction([where, filter]);
      return { right, claims: right === null ? [] : claimsOf(right, dataclass) };
    };
    return {
      rules: {
        read: rule('read'),
        create: rule('create'),
        update: rule('update'),
        delete: rule('delete'),
      },
      aggregates: setting.aggregates,
      attributes: this.#attributes(setting.attributes, dataclass, path),
    };
  }

  #attributes(
    settings: GrantSetting['attributes'],
    { name, key, members, leftOut }: Dataclass,
    path: string,
  ): Map<string, 'hidden' | 'readOnly'> {
    if (path === OTHERS) return new Map();
    const problem = (attribute: string, message: string): void =>
      this.#misfit([path, 'attributes', attribute], message);
    const isKey = new Set(key.map((attribute) => attribute.name));
    for (const [attribute, setting] of Object.entries(settings)) {
      if (!members.has(attribute) && !leftOut.has(attribute)) {
        const hint = nameHint(attribute, members.keys());
        problem(attribute, `${name} has no attribute ${attribute}.${hint}`);
      } else if (setting === 'hidden' && isKey.has(attribute)) {
        problem(
          attribute,
          `${attribute} is part of the key of ${name}, by which entities are called: it cannot be hidden`,
        );
      }
    }
    return new Map(Object.entries(settings));
  }

  /** Reads a filter; null where there is none. One with problems, which are reported, is never met. */
  #filter(
    text: string | undefined,
    within: string,
    dataclass: Dataclass,
    path: string,
  ): Restriction | null {
    if (text === undefined || path === OTHERS) return null;
    const read = readRestriction(text, within, dataclass, CLAIMS, this.#context);
    if (Array.isArray(read)) {
      for (const message of read) this.#misfit([path, within], message);
      return NEVER_MET;
    }
    const check = (): Restriction => {
      checkRestriction(read, dataclass);
      return read;
    };
    return catching(ProtocolError, check, ({ message }) => {
      this.#misfit([path, within], message);
      return NEVER_MET;
    });
  }

  /** Reports what a setting lacks in its dataclass, unless that is left out. */
  #misfit(path: readonly [dataclass: string, ...string[]], message: string): void {
    const { model, leaveOut, locate } = this.#context;
    const [dataclass] = path;
    if (model.leftOut.has(dataclass)) return;
    if (leaveOut === undefined) this.#problem(path, message);
    else leaveOut(dataclass, `${locate(this.#pathOf(path))}: ${message}`);
  }

  #pathOf(path: readonly string[]): string {
    return [this.#path, 'dataclasses', ...path].join('.');
  }

  #problem(path: readonly string[], message: string): void {
    const where = this.#context.locate(this.#pathOf(path));
    if (this.#problems.some((known) => known.where === where && known.message === message)) return;
    this.#problems.push({ where, message });
  }
}

const DENIED: Rule = { right: 'denied', claims: [] };

/** The rules of a role that only reads. */
export function reading(read: Rule): Grant['rules'] {
  return { read, create: DENIED, update: DENIED, delete: DENIED };
}

/** What a role may do with a dataclass whose table is not there: it knows of it. */
const OF_UNKNOWN: Grant = {
  rules: reading({ right: null, claims: [] }),
  aggregates: true,
  attributes: new Map(),
};

/** The setting for all dataclasses that a role does not name. */
const OTHERS = '*';

function claimsOf(restriction: Restriction, dataclass: Dataclass): ClaimUse[] {
  const uses: ClaimUse[] = [];
  eachValue(restriction, dataclass, (literal, type, meets) => {
    if (literal.claim === undefined) return;
    uses.push({ claim: literal.claim, isList: literal.class === 'list', type, meets });
  });
  return uses;
}
