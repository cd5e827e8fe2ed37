import { ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type {
  ComputeKeyword,
  ComputeRequest,
  DistinctRequest,
  EntitySetRequest,
  ParsedRequest,
  ReadRequest,
} from '../ast.ts';
import { isByEntitySet, parseEntitySet, type ReadPage } from './entity-set.ts';
import {
  checkJson,
  collectParameters,
  flag,
  type Keyword,
  type MethodParameter,
} from '../url/keywords.ts';
import { parseAttributes, parseOrder } from '../url/lists.ts';
import type { ValueList } from '../url/literals.ts';
import { ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';

/** What goes with a question for the values of one attribute. */
const VALUE_KEYWORDS: readonly Keyword[] = [
  '$filter',
  '$params',
  '$orderby',
  '$top',
  '$limit',
  '$skip',
  '$attributes',
  '$format',
];

/** The keywords of §4.10, without the `$` that `$all` is written with. */
const COMPUTE_KEYWORDS: readonly ComputeKeyword[] = [
  'all',
  'average',
  'count',
  'max',
  'min',
  'sum',
];

/** What is asked of an attribute's values: something computed of them, or which they are. */
type Question = '$compute' | '$distinct';

/** The parameter by which a GET asks for the values of one attribute; null where it asks for entities. */
export function valueQuestion(parameters: readonly RawParameter[]): Question | null {
  if (parameters.some(({ name }) => name === '$compute')) return '$compute';
  const distinct = parameters.find(({ name }) => name === '$distinct');
  return distinct !== undefined && flag('$distinct', distinct.value) ? '$distinct' : null;
}

/**
 * Reads the URL of a GET that has something computed of one attribute's values (§4.10), or asks for the distinct ones (§4.11).
 * @throws ProtocolError badComputeKeyword, notApplicable for what does not go together, and what reading the parameters throws, with the
 *   position in the text
 */
export function parseValues(
  question: Question,
  target: DataclassPath,
  method: MethodParameter | null,
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<ComputeRequest | DistinctRequest> {
  if (method !== null) {
    throw new ProtocolError(
      'notApplicable',
      `$method=${method.name} answers entities, and ${question} values: they cannot be combined.`,
      method.at,
    );
  }
  const page = {
    keywords: new Set<Keyword>([...VALUE_KEYWORDS, question]),
    read: (path: DataclassPath, reader: ParameterReader) => readEntities(question, path, reader),
  };
  const { ast: of, ...rest } = readOrSet(target, parameters, values, { limits, page }, question);
  const given = new Map(parameters.map(({ name, value }) => [name, value]));
  const topped = given.has('$top') || given.has('$limit');
  if (question === '$distinct') return { ...rest, ast: { kind: 'distinct', of, all: !topped } };
  const keyword = computeKeyword(given.get('$compute') ?? '');
  return { ...rest, ast: { kind: 'compute', keyword, of, narrowed: topped || given.has('$skip') } };
}

/** How the entities are read whose values are asked for. */
interface Reading {
  readonly limits: RequestLimits;
  readonly page: { readonly keywords: ReadonlySet<Keyword>; readonly read: ReadPage };
}

function readOrSet(
  target: DataclassPath,
  parameters: readonly RawParameter[],
  values: ValueList,
  reading: Reading,
  question: Question,
): ParsedRequest<ReadRequest | EntitySetRequest> {
  if (isByEntitySet(target, null)) {
    const { ast, ...rest } = parseEntitySet(target, null, parameters, values, reading);
    if (ast.kind !== 'entitySet') throw new Error(`without $method came a ${ast.kind}`);
    return { ...rest, ast };
  }
  const { limits, page } = reading;
  const given = collectParameters(parameters, question, page.keywords);
  const reader = new ParameterReader(given, target.shape, values, limits);
  const ast = page.read(target, reader);
  return { ast, shape: reader.shape(), values: values.items };
}

/** The entities, and the attribute: no relation of theirs is expanded. */
function readEntities(
  question: Question,
  { name, selector, segments }: DataclassPath,
  reader: ParameterReader,
): ReadRequest {
  reader.read(question, (text) => text, '');
  reader.read('$format', (text) => checkJson(text, `What ${question} asks for`), undefined);
  return {
    kind: 'read',
    dataclass: name,
    selector,
    segments,
    filter: reader.filter(),
    orderBy: reader.read('$orderby', (text) => parseOrder(text, '$orderby'), []),
    attributes: reader.read('$attributes', (text) => parseAttributes(text, '$attributes'), null),
    expand: [],
    asArray: false,
    ...(question === '$compute' ? reader.narrowing() : reader.valueWindow()),
  };
}

/** Clients write `$all` with a `$`, and some of them the others as well. */
function computeKeyword(text: string): ComputeKeyword {
  const name = text.trim().replace(/^\$/, '').toLowerCase();
  const known = COMPUTE_KEYWORDS.find((keyword) => keyword === name);
  if (known !== undefined) return known;
  const shown = COMPUTE_KEYWORDS.map((keyword) => (keyword === 'all' ? '$all' : keyword));
  throw new ProtocolError(
    'badComputeKeyword',
    `There is nothing called "${text}" to compute.${nameHint(text, shown)}`,
    { within: '$compute', position: 1 },
  );
}
