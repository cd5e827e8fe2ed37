import { ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import {
  COMPUTATIONS,
  type ComputeKeyword,
  type ComputeRequest,
  type DistinctRequest,
  type ParsedRequest,
  type ReadRequest,
} from '../ast.ts';
import type { MethodParameter } from '../url/url.ts';
import { parseAttributes, parseOrder } from '../url/literals.ts';
import type { DataclassUrl, ParameterReader } from '../url/parameter-reader.ts';
import { parseEntitySet } from './entity-set.ts';
import { type EntityReading, parseRead, readJsonFormat } from './read.ts';

/** The keywords of §4.10, without the `$` that `$all` is written with. */
const COMPUTE_KEYWORDS: readonly ComputeKeyword[] = ['all', ...COMPUTATIONS];

/** The parameter of a request for an attribute's values: a computation, or the distinct ones. */
export type Question = '$compute' | '$distinct';

/** Parses the URL of a GET that computes something from one attribute's values (§4.10), or reads the distinct ones (§4.11). */
export function parseValues(
  question: Question,
  url: DataclassUrl,
  method: MethodParameter | null,
): ParsedRequest<ComputeRequest | DistinctRequest> {
  if (method !== null) {
    const message = `$method=${method.name} answers entities, and ${question} values: they cannot be combined.`;
    throw new ProtocolError('notApplicable', message, method.at);
  }
  const reading: EntityReading = {
    uses: ['values', question === '$compute' ? 'compute' : 'distinct'],
    read: (reader) => readEntities(question, reader),
  };
  const { ast: of, ...rest } =
    url.target.selector.kind === 'entitySet'
      ? parseEntitySet(url, null, reading)
      : parseRead(url, question, reading);
  const given = new Map(url.parameters.map(({ name, value }) => [name, value]));
  const topped = given.has('$top') || given.has('$limit');
  if (question === '$distinct') return { ...rest, ast: { kind: 'distinct', of, all: !topped } };
  const keyword = computeKeyword(given.get('$compute') ?? '');
  return { ...rest, ast: { kind: 'compute', keyword, of, narrowed: topped || given.has('$skip') } };
}

/** Reads the entities and the attribute: no relation of theirs is expanded. */
function readEntities(question: Question, reader: ParameterReader): ReadRequest {
  reader.read(question, (text) => text, '');
  readJsonFormat(reader, `What ${question} asks for`);
  const { name, selector, segments } = reader.target;
  return {
    kind: 'read',
    dataclass: name,
    selector,
    segments,
    filter: reader.filter(),
    orderBy: reader.read('$orderby', parseOrder, []),
    attributes: reader.read('$attributes', parseAttributes, null),
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
  const message = `There is nothing called "${text}" to compute.${nameHint(text, shown)}`;
  throw new ProtocolError('badComputeKeyword', message, { within: '$compute', position: 1 });
}
