import { catching, type ErrorName, ProtocolError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import type { FilterNode, PathRef } from '../protocol/ast.ts';
import { type CLAIMS, parseFilter } from '../protocol/filter.ts';
import { ValueList } from '../protocol/url/literals.ts';
import { qualifiedName } from '../schema/types.ts';
import { wayOf } from './lookup.ts';
import type { Drafts, MappingContext } from './mapping-context.ts';
import {
  type Dataclass,
  type FilterRestriction,
  type Hop,
  type Member,
  type ModelSettings,
  type Restriction,
  type RestrictionCheck,
  type Way,
} from './types.ts';

/** How many comparisons all restrictions have together: one statement may use all of them, and SQL Server takes 2,100 parameters, two for each. */
export const MOST_COMPARISONS = 400;

/** Reads the `where` of a mapping file; null without one, and where it is wrong, which is reported. Its paths are resolved by {@link checkRestrictions}. */
export function readWhere(context: MappingContext): FilterRestriction | null {
  const text = context.mapping.where;
  if (text === undefined) return null;
  const read = parseRestriction(text, 'where', null, context.settings);
  return typeof read === 'string' ? context.problem(['where'], read) : read;
}

/** Reads the restriction in the setting `within`, or says what is wrong. `origin` tells whether values may be the user's: `region = $claims.region`. */
export function readRestriction(
  text: string,
  within: string,
  dataclass: Dataclass,
  origin: typeof CLAIMS | null,
  settings: Pick<ModelSettings, 'nullsMatchNotEqual'>,
): FilterRestriction | string[] {
  const read = parseRestriction(text, within, origin, settings);
  if (typeof read === 'string') return [read];
  const problems = findWays(read, dataclass);
  return problems.length > 0 ? problems : read;
}

function parseRestriction(
  text: string,
  within: string,
  origin: typeof CLAIMS | null,
  { nullsMatchNotEqual = false }: Pick<ModelSettings, 'nullsMatchNotEqual'>,
): OpenRestriction | string {
  const values = new ValueList();
  try {
    const filter = parseFilter(text, within, { origin, values }).node;
    const ways = new Map<PathRef, Way>();
    return { kind: 'filter', filter, ways, values: values.items, nullsMatchNotEqual, within };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const isPlaceholder = PLACEHOLDER_ERRORS.includes(error.errorName);
    return isPlaceholder ? 'placeholders have no values here' : error.message;
  }
}

const PLACEHOLDER_ERRORS: readonly ErrorName[] = ['badPlaceholder', 'placeholderWithoutValue'];

/** A restriction whose ways are still to be found. */
type OpenRestriction = FilterRestriction & { readonly ways: Map<PathRef, Way> };

/** Finds the ways of a restriction's paths. @returns what is wrong with the others */
function findWays({ filter, ways, within }: OpenRestriction, dataclass: Dataclass): string[] {
  const problems: string[] = [];
  for (const path of pathsOf(filter)) {
    const find = (here: Dataclass, name: string): Member => {
      const found = here.stored.get(name) ?? here.members.get(name);
      if (found !== undefined) return found;
      const hint = nameHint(name, new Set([...here.stored.keys(), ...here.members.keys()]));
      const message = `${here.name} has no attribute ${name}.${hint}`;
      throw new ProtocolError('noSuchAttribute', message, { within, position: path.position });
    };
    catching(
      ProtocolError,
      () => ways.set(path, wayOf(path.names, dataclass, find)),
      ({ message }) => problems.push(message),
    );
  }
  return problems;
}

/** Resolves the `where` of all mapping files, and reports those that are wrong, whose values do not pass `check`, and more comparisons than one statement may have. */
export function checkRestrictions(drafts: Drafts, check: RestrictionCheck): void {
  const restricted = [...drafts.values()].flatMap(({ context, dataclass }) => {
    if (dataclass.where?.kind !== 'filter') return [];
    const where = dataclass.where as OpenRestriction;
    return { context, dataclass, where, problems: findWays(where, dataclass) };
  });
  let count = 0;
  for (const { where, dataclass, problems } of restricted) {
    const circle = circleFrom(dataclass, dataclass, []);
    if (circle !== null) {
      problems.push(
        `the way over ${circle.join(', ')} leads back to ${dataclass.name}, whose where would need itself`,
      );
    }
    const before = count;
    count += comparisons(where);
    if (before <= MOST_COMPARISONS && count > MOST_COMPARISONS) {
      problems.push(
        `all files together may have ${MOST_COMPARISONS} comparisons in their where; this one goes beyond`,
      );
    }
  }
  for (const { context, problems } of restricted) {
    for (const message of problems) context.problem(['where'], message);
  }
  // One restriction may need others.
  const faulty = restricted.flatMap(({ dataclass, problems }) =>
    problems.length > 0 ? [dataclass.name] : [],
  );
  const ways = restricted.map(({ dataclass, where }) => [dataclass.name, where] as const);
  const unchecked = new Set([...faulty, ...dependents(faulty, ways).keys()]);
  for (const { context, dataclass, where } of restricted) {
    if (unchecked.has(dataclass.name)) continue;
    catching(
      ProtocolError,
      () => check(where, dataclass),
      ({ message }) => context.problem(['where'], message),
    );
  }
}

/** The dataclasses by which the `where` of one leads back to it; null where it does not. */
function circleFrom(
  here: Dataclass,
  start: Dataclass,
  before: readonly Dataclass[],
): string[] | null {
  if (here.where === null) return null;
  for (const { target } of hopsOf(here.where)) {
    if (target === start) return [...before, target].map(({ name }) => name);
    if (before.includes(target)) continue;
    const circle = circleFrom(target, start, [...before, target]);
    if (circle !== null) return circle;
  }
  return null;
}

/** Finds the dataclasses whose restrictions lead to given ones, over however many others. @returns their names, each with that of one that it leads to */
export function dependents(
  names: Iterable<string>,
  restrictions: readonly (readonly [dataclass: string, restriction: Restriction | null])[],
): Map<string, string> {
  const found = new Map<string, string>();
  const open = [...names];
  const known = new Set(open);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const [dataclass, restriction] of restrictions) {
      if (known.has(dataclass) || restriction === null) continue;
      if (!hopsOf(restriction).some(({ target }) => target.name === name)) continue;
      known.add(dataclass);
      found.set(dataclass, name);
      open.push(dataclass);
    }
  }
  return found;
}

/** Whether other rows decide which rows meet a restriction. */
export function readsOthers(restriction: Restriction | null): boolean {
  return restriction !== null && hopsOf(restriction).length > 0;
}

/** The hops that the ways of a restriction take. */
function hopsOf(restriction: Restriction): Hop[] {
  if (restriction.kind !== 'filter') return restriction.items.flatMap(hopsOf);
  return [...restriction.ways.values()].flatMap(({ relations }) =>
    relations.flatMap((relation) => [...relation.hops]),
  );
}

/** The columns by which a restriction finds rows of other tables, where no index begins with them: `SALES.ORD_DTL (ORD_NO)`. */
export function withoutIndex(restriction: Restriction): string[] {
  return hopsOf(restriction).flatMap(({ target: { table }, to }) => {
    const names = to.map(({ name }) => name);
    const isFound = [table.primaryKey, ...table.indexes.map(({ columns }) => columns)].some(
      (columns) => names.includes(columns[0] ?? ''),
    );
    return isFound || table.kind === 'view'
      ? []
      : [`${qualifiedName(table)} (${names.join(', ')})`];
  });
}

/** How many comparisons a restriction has. */
export function comparisons(restriction: Restriction): number {
  return restriction.kind === 'filter'
    ? pathsOf(restriction.filter).length
    : restriction.items.reduce((sum, item) => sum + comparisons(item), 0);
}

/** The paths that a filter names. */
export function pathsOf(node: FilterNode): PathRef[] {
  switch (node.kind) {
    case 'and':
    case 'or':
    case 'except':
      return [...pathsOf(node.left), ...pathsOf(node.right)];
    case 'not':
      return pathsOf(node.operand);
    case 'flag':
    case 'comparison':
      return [node.path];
  }
}
