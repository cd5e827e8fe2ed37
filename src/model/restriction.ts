import { type ErrorName, ProtocolError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import type { FilterNode, PathRef } from '../protocol/ast.ts';
import { type CLAIMS, parseFilter } from '../protocol/filter.ts';
import { ValueList } from '../protocol/url/literals.ts';
import type { Drafts, MappingContext } from './mapping-context.ts';
import type {
  FilterRestriction,
  ModelSettings,
  RestrictedDataclass,
  Restriction,
  RestrictionCheck,
  StorageAttribute,
} from './types.ts';

/** How many comparisons all restrictions have together: one statement may use all of them, and SQL Server takes 2,100 parameters, two for each. */
export const MOST_COMPARISONS = 400;

/** Reads the `where` of a mapping file, a `$filter` over the dataclass's own attributes; null without one, and where it is wrong, which is reported. */
export function readWhere(
  context: MappingContext,
  name: string,
  stored: ReadonlyMap<string, StorageAttribute>,
): FilterRestriction | null {
  const text = context.mapping.where;
  if (text === undefined) return null;
  const read = readRestriction(text, 'where', { name, stored }, null, context.settings);
  if (!Array.isArray(read)) return read;
  for (const message of read) context.problem(['where'], message);
  return null;
}

/** Reads the restriction in the setting `within`, or says what is wrong. `origin` tells whether values may be the user's: `region = $claims.region`. */
export function readRestriction(
  text: string,
  within: string,
  { name, stored }: RestrictedDataclass,
  origin: typeof CLAIMS | null,
  { nullsMatchNotEqual = false }: Pick<ModelSettings, 'nullsMatchNotEqual'>,
): FilterRestriction | string[] {
  const values = new ValueList();
  let filter: FilterNode;
  try {
    filter = parseFilter(text, within, origin, values).node;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const isPlaceholder = PLACEHOLDER_ERRORS.includes(error.errorName);
    return [isPlaceholder ? 'placeholders have no values here' : error.message];
  }
  const unknown = pathsOf(filter).filter(({ names: [first = ''] }) => !stored.has(first));
  if (unknown.length > 0) return unknown.map((path) => unknownPath(path, within, name, stored));
  return { kind: 'filter', filter, values: values.items, nullsMatchNotEqual, within };
}

const PLACEHOLDER_ERRORS: readonly ErrorName[] = ['badPlaceholder', 'placeholderWithoutValue'];

/** Reports restrictions whose values do not pass `check`, and more comparisons than one statement may have. */
export function checkRestrictions(drafts: Drafts, check: RestrictionCheck): void {
  let count = 0;
  for (const { context, dataclass } of drafts.values()) {
    const { where } = dataclass;
    if (where === null) continue;
    try {
      check(where, dataclass);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      context.problem(['where'], error.message);
    }
    const before = count;
    count += comparisons(where);
    if (before > MOST_COMPARISONS || count <= MOST_COMPARISONS) continue;
    const message = `all files together may have ${MOST_COMPARISONS} comparisons in their where; this one goes beyond`;
    context.problem(['where'], message);
  }
}

/** How many comparisons a restriction has. */
export function comparisons(restriction: Restriction): number {
  return restriction.kind === 'filter'
    ? pathsOf(restriction.filter).length
    : restriction.items.reduce((sum, item) => sum + comparisons(item), 0);
}

function unknownPath(
  { names, position }: PathRef,
  within: string,
  name: string,
  stored: RestrictedDataclass['stored'],
): string {
  const [first = '', ...rest] = names;
  const at = `(at position ${position} of ${within})`;
  return rest.length > 0
    ? `${names.join('.')} goes further than ${name}: a where is over attributes of the dataclass itself ${at}`
    : `${name} has no attribute ${first}.${nameHint(first, stored.keys())} ${at}`;
}

/** The paths that a filter names. */
function pathsOf(node: FilterNode): PathRef[] {
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
