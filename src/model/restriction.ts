import { ProtocolError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import type { FilterNode, PathRef } from '../request/ast.ts';
import { parseFilter } from '../request/filter.ts';
import { ValueList } from '../request/literals.ts';
import type { ReadAttribute } from './attributes.ts';
import type { Drafts } from './draft.ts';
import type { MappingContext } from './mapping-context.ts';
import type { Restriction, RestrictionCheck } from './types.ts';

/**
 * How many comparisons all restrictions of a model may have together: one statement may walk over all of its dataclasses, and
 * SQL Server takes 2,100 parameters, of which a comparison needs two at most, lists aside, which are bounded by themselves.
 */
const MOST_COMPARISONS = 400;

/**
 * Reads the `where` of a mapping file: a `$filter` over the attributes of the dataclass itself, exposed or not.
 * @returns null where there is none, or it is wrong, which the report says
 */
export function readRestriction(
  context: MappingContext,
  name: string,
  attributes: readonly ReadAttribute[],
): Restriction | null {
  const { mapping, settings } = context;
  const text = mapping.where;
  if (text === undefined) return null;
  const problem = (message: string): null => {
    context.problem(['where'], message);
    return null;
  };
  const values = new ValueList();
  const known = new Map(attributes.map(({ attribute }) => [attribute.name, attribute]));
  let filter: FilterNode;
  try {
    filter = parseFilter(text, 'where', null, values).node;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return problem(isPlaceholder(error) ? 'placeholders have no values here' : error.message);
  }
  const unknown = pathsOf(filter).filter(({ names: [first = ''] }) => !known.has(first));
  for (const path of unknown) problem(complaint(path, name, known.keys()));
  if (unknown.length > 0) return null;
  return {
    filter,
    values: values.items,
    attributes: known,
    nullsMatchNotEqual: settings.nullsMatchNotEqual ?? false,
  };
}

/**
 * Reports restrictions whose values are not for their attributes, and more comparisons than one statement may have.
 * @param check looks at the values of one
 */
export function checkRestrictions(drafts: Drafts, check: RestrictionCheck): void {
  let count = 0;
  for (const { context, dataclass } of drafts.values()) {
    if (dataclass.where === null) continue;
    try {
      check(dataclass);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      context.problem(['where'], error.message);
    }
    const before = count;
    count += pathsOf(dataclass.where.filter).length;
    if (before > MOST_COMPARISONS || count <= MOST_COMPARISONS) continue;
    const message = `all files together may have ${MOST_COMPARISONS} comparisons in their where; this one goes beyond`;
    context.problem(['where'], message);
  }
}

function isPlaceholder({ errorName }: ProtocolError): boolean {
  return errorName === 'badPlaceholder' || errorName === 'placeholderWithoutValue';
}

function complaint({ names, position }: PathRef, name: string, known: Iterable<string>): string {
  const [first = '', ...rest] = names;
  const at = `(at position ${position} of where)`;
  return rest.length > 0
    ? `${names.join('.')} goes further than ${name}: a where is over attributes of the dataclass itself ${at}`
    : `${name} has no attribute ${first}.${nameHint(first, known)} ${at}`;
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
