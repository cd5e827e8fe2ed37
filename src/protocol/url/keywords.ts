import { type ErrorName, ProtocolError, type TextPosition } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { RestRequest } from '../rest-request.ts';
import { type RawParameter, splitUrl } from './url.ts';

/** The keywords of the protocol, each with the kinds of URL that take it. */
const KEYWORDS = {
  $filter: ['read', 'values', 'callOnEntities', 'save', 'delete'],
  $params: ['read', 'values', 'search', 'call', 'save', 'delete'],
  $orderby: ['read', 'values', 'callOnEntities', 'save', 'delete'],
  $top: ['read', 'values', 'call'],
  $limit: ['read', 'values', 'call'],
  $skip: ['read', 'values', 'call'],
  $attributes: ['read', 'values', 'call', 'save'],
  $expand: ['read', 'call', 'save', 'content', 'attributeUpload'],
  $asArray: ['read', 'call', 'save'],
  $format: ['read', 'values', 'call'],
  $method: ['entitySet', 'release', 'call', 'save', 'delete'],
  $atomic: ['save', 'delete'],
  $atOnce: ['save', 'delete'],
  $refresh: ['save'],
  $replace: ['save'],
  $timeout: ['entitySet', 'search', 'call'],
  $savedfilter: ['entitySet', 'search', 'release', 'callOnSet'],
  $savedorderby: ['entitySet', 'search', 'release', 'callOnSet'],
  $subOrderby: ['subentityset'],
  $clean: ['namedSet'],
  $logicOperator: ['namedSet'],
  $otherCollection: ['namedSet'],
  $findKey: ['search'],
  $removeFromSet: ['namedSet'],
  $removeRefOnly: ['namedSet'],
  $emMethod: ['callOnEntities'],
  $lock: ['lock'],
  __STAMP: ['lock'],
  $binary: ['content', 'upload', 'attributeUpload'],
  $imageformat: ['content'],
  $version: ['content'],
  $rawPict: ['upload', 'attributeUpload'],
  $compute: ['compute'],
  // A read takes it where it is false: otherwise the URL asks for values.
  $distinct: ['read', 'distinct'],
  $queryplan: ['explain'],
  $querypath: ['explain'],
} as const;

/** A keyword of the protocol. */
export type Keyword = keyof typeof KEYWORDS;

/** A kind of URL, as far as it takes keywords. */
export type KeywordUse = (typeof KEYWORDS)[Keyword][number];

/** The parameters of a request by keyword: the text of each, and its position in the URL. */
export type RequestParameters = Map<Keyword, { readonly text: string; readonly at: TextPosition }>;

/**
 * Collects the parameters by keyword. One that is unknown, given twice, or of no use to the request is an error, not ignored.
 * @param what the request, for messages: `a read`
 * @param uses the kinds of URL that it is
 * @throws ProtocolError unknownKeyword, notApplicable or badUrl, with the position in the URL
 */
export function collectParameters(
  parameters: readonly RawParameter[],
  what: string,
  uses: readonly KeywordUse[],
): RequestParameters {
  const given: RequestParameters = new Map();
  for (const { name, value, position } of parameters) {
    const at = { within: 'the URL', position };
    if (IGNORED.has(name)) continue;
    if (!isKeyword(name)) {
      const hint = nameHint(name, Object.keys(KEYWORDS));
      throw new ProtocolError('unknownKeyword', `There is no parameter ${name}.${hint}`, at);
    }
    if (!KEYWORDS[name].some((use) => uses.includes(use))) {
      throw new ProtocolError('notApplicable', `${name} does not apply to ${what}.`, at);
    }
    if (given.has(name)) throw new ProtocolError('badUrl', `${name} is given twice.`, at);
    const synonyms = SYNONYMS.find((pair) => pair.includes(name));
    if (synonyms?.some((synonym) => given.has(synonym)) === true) {
      const message = `${synonyms.join(' and ')} mean the same: give one of them.`;
      throw new ProtocolError('badUrl', message, at);
    }
    given.set(name, { text: value, at });
  }
  return given;
}

/** Hints of the family's clients that change no answer, and the `_=<time>` by which browsers' libraries avoid caches. */
const IGNORED: ReadonlySet<string> = new Set([
  '_',
  '$metadata',
  '$progressinfo',
  '$progress4Dinfo',
  // Where it matters, the attributes in the body have been read already.
  '$extendedAttributes',
]);

/** Keywords that mean the same. */
const SYNONYMS: readonly (readonly [Keyword, Keyword])[] = [
  ['$top', '$limit'],
  ['$atomic', '$atOnce'],
];

function isKeyword(name: string): name is Keyword {
  return Object.hasOwn(KEYWORDS, name);
}

/** The error of what the protocol knows and this version does not serve. */
export function notServed(what: string, at: TextPosition): ProtocolError {
  const message = `${what} is not served by this version of the gateway.`;
  return new ProtocolError('notServed', message, at);
}

/** The methods of POST, which change data (§4.6). */
const WRITES = ['update', 'insert', 'delete'] as const;

/** The methods of GET, which are for entity sets. */
const SET_METHODS = ['entityset', 'subentityset', 'release'] as const;

export type WriteMethod = (typeof WRITES)[number];

/** A `$method`, and its position. */
export interface MethodParameter {
  readonly name: WriteMethod | (typeof SET_METHODS)[number];
  readonly at: TextPosition;
}

export function isWriteMethod(name: string): name is WriteMethod {
  return (WRITES as readonly string[]).includes(name);
}

/**
 * Reads the `$method` of a request; null where it gives none.
 * @throws ProtocolError unknownMethod with the nearest known ones
 */
export function methodParameter(parameters: readonly RawParameter[]): MethodParameter | null {
  const given = parameters.find(({ name }) => name === '$method');
  if (given === undefined) return null;
  const { value, position } = given;
  const at = { within: 'the URL', position };
  const known = [...WRITES, ...SET_METHODS];
  const name = known.find((method) => method === value);
  if (name !== undefined) return { name, at };
  const message = `There is no method "${value}".${nameHint(value, known)}`;
  throw new ProtocolError('unknownMethod', message, at);
}

/** The parameters of a URL whose kind is not known yet; none where they cannot be read, which is refused later. */
export function readParameters(url: string): readonly RawParameter[] {
  try {
    return splitUrl(url).parameters;
  } catch (error) {
    if (error instanceof ProtocolError) return [];
    throw error;
  }
}

/** Whether a GET asks for a delete; older clients send deletes so. */
export function isDeleteByGet({ url, verb }: Pick<RestRequest, 'url' | 'verb'>): boolean {
  const isDelete = ({ name, value }: RawParameter): boolean =>
    name === '$method' && value === 'delete';
  return verb === 'GET' && readParameters(url).some(isDelete);
}

/** The error of a parameter whose value is not as expected. */
export function badValue(
  error: ErrorName,
  name: Keyword,
  value: string,
  expected: string,
): ProtocolError {
  return new ProtocolError(error, `The value of ${name} is "${value}"; expected ${expected}.`, {
    within: name,
    position: 1,
  });
}

/**
 * Reads `true` or `false`.
 * @throws ProtocolError badUrl for anything else
 */
export function flag(text: string, name: Keyword): boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  throw badValue('badUrl', name, text, 'true or false');
}
