import { ProtocolError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import type { MappingFile } from '../config/mapping.ts';
import type { FilterNode, PathRef } from '../request/ast.ts';
import { parseFilter } from '../request/filter.ts';
import { ValueList } from '../request/literals.ts';
import type { ReadAttribute } from './attributes.ts';
import type { ModelReport, ModelSettings } from './build.ts';
import type { Restriction } from './types.ts';

/**
 * How many comparisons all restrictions of a model may have together: one statement may walk over all of its dataclasses, and
 * SQL Server takes 2,100 parameters, of which a comparison needs two at most.
 */
export const MOST_RESTRICTION_COMPARISONS = 400;

/** How many comparisons a restriction has. */
export function comparisonCount(restriction: Restriction | null): number {
  return restriction === null ? 0 : pathsOf(restriction.filter).length;
}

/**
 * Reads the `where` of a mapping file: a `$filter` over the attributes of the dataclass itself, exposed or not.
 * @returns null where there is none, or it is wrong, which the report says
 */
export function readRestriction(
  source: MappingFile,
  name: string,
  attributes: readonly ReadAttribute[],
  { nullsMatchNotEqual = false }: ModelSettings,
  report: ModelReport,
): Restriction | null {
  const text = source.mapping.where;
  if (text === undefined) return null;
  const problem = (message: string): null => {
    report.problem(source, ['where'], message);
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
  const where = { filter, values: values.items, attributes: known, nullsMatchNotEqual };
  try {
    report.checkRestriction({ name, where });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return problem(error.message);
  }
  return where;
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
