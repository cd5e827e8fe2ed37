import { catching, type ErrorName, ProtocolError, type TextPosition } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { RestRequest } from '../rest-request.ts';

/** A parameter, its escapes undone and its outer quotes removed. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  /** 1-based, of its name in the URL. */
  readonly position: number;
}

/**
 * Splits a raw URL into its path, with its escapes, and its parameters (DECISIONS, "URLs and encodings"). A value that begins with a quote
 * runs to the same quote before an `&` or the end; what is inside, `&`, `=`, `/` and `?` too, is text. `%22` and `%27` count as quotes.
 */
export function splitUrl(url: string): {
  readonly path: string;
  readonly parameters: readonly RawParameter[];
} {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, parameters: [] };
  const path = url.slice(0, mark);
  const fragment = url.indexOf('#', mark);
  const query = url.slice(mark + 1, fragment < 0 ? undefined : fragment);
  const boundary = ASKS_CHANGES.test(path) ? BOUNDARY_OF_CHANGES : BOUNDARY;
  const parameters: RawParameter[] = [];
  let at = 0;
  while (at < query.length) {
    if (query[at] === '&') {
      at += 1;
      continue;
    }
    let nameEnd = at;
    while (nameEnd < query.length && query[nameEnd] !== '=' && query[nameEnd] !== '&') nameEnd += 1;
    const name = decodeText(query.slice(at, nameEnd));
    const position = mark + 2 + at;
    if (name === '') {
      const message = 'Expected the name of a parameter, but found "=".';
      throw new ProtocolError('badUrl', message, { within: 'the URL', position });
    }
    if (query[nameEnd] !== '=') {
      parameters.push({ name, value: '', position });
      at = nameEnd;
      continue;
    }
    const value = readValue(query, nameEnd + 1, name, boundary);
    parameters.push({ name, value: decodeText(query.slice(value.from, value.to)), position });
    at = value.next;
  }
  return { path, parameters };
}

/** A quote that opens or closes a value, plain or escaped. */
const QUOTE = /"|%22|'|%27/y;

/** The offsets of a value, and of what follows it. */
interface ValueRange {
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

function readValue(query: string, from: number, name: string, boundary: RegExp): ValueRange {
  const start = skipBlanks(query, from);
  QUOTE.lastIndex = start;
  const opening = QUOTE.exec(query)?.[0];
  if (opening === undefined) return unquotedValue(query, from, name, boundary);
  const quote = decodeEscapes(opening);
  const inside = start + opening.length;
  const closings = quote === '"' ? /"|%22/g : /'|%27/g;
  for (const { 0: closing, index } of query.slice(inside).matchAll(closings)) {
    const to = inside + index;
    const after = skipBlanks(query, to + closing.length);
    if (after >= query.length || isBoundary(query, after, boundary)) {
      return { from: inside, to, next: after };
    }
  }
  const error = quote === '"' ? 'unclosedDoubleQuote' : 'unclosedSingleQuote';
  const message = `The value of ${name} begins with ${quote} and has no ${quote} at its end.`;
  throw new ProtocolError(error, message, { within: name, position: 1 });
}

function unquotedValue(query: string, from: number, name: string, boundary: RegExp): ValueRange {
  for (let at = query.indexOf('&', from); at >= 0; at = query.indexOf('&', at + 1)) {
    if (!FILTERS.includes(name) || isBoundary(query, at, boundary)) {
      return { from, to: at, next: at };
    }
    if (query[at + 1] === '&') at += 1;
  }
  return { from, to: query.length, next: query.length };
}

/** In an unquoted filter `&` may also mean AND: it ends the value where a parameter, or nothing, follows. */
const FILTERS: readonly string[] = ['$filter', '$savedfilter', '$having'];

/** An `&` that ends a value: a parameter's name or the end follows it. */
const BOUNDARY = /^&+(?:$|(?:\$|%24|_)[\w%$-]*(?:[=&]|$))/i;

/** The same among the parameters of `$changes`; elsewhere `since` may be an attribute. */
const BOUNDARY_OF_CHANGES = new RegExp(`${BOUNDARY.source}|^&+since=`, 'i');

const ASKS_CHANGES = /\/(?:\$|%24)changes\/*$/i;

function isBoundary(query: string, at: number, boundary: RegExp): boolean {
  return query[at] === '&' && boundary.test(query.slice(at, at + 64));
}

function skipBlanks(query: string, from: number): number {
  let at = from;
  for (;;) {
    if (query[at] === '+' || query[at] === ' ') at += 1;
    else if (query.startsWith('%20', at)) at += 3;
    else return at;
  }
}

/** Undoes `+`, too. */
export function decodeText(text: string): string {
  return decodeEscapes(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Undoes percent escapes of UTF-8; an invalid escape stays as it is. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(UTF8_CHARACTER, (escapes) => {
      const character = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8');
      return character.startsWith('\uFFFD') ? escapes : character;
    });
  }
}

/** The escapes of one character of UTF-8, by their first digits. */
const UTF8_CHARACTER =
  /%[0-7][0-9a-f]|%[c-d][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;

/** The keywords of the protocol, each with the kinds of URL that take it. */
const KEYWORDS = {
  $filter: ['read', 'values', 'callOnEntities', 'save', 'delete', 'changes', 'groups'],
  $params: ['read', 'values', 'search', 'call', 'save', 'delete', 'changes', 'groups'],
  $orderby: ['read', 'values', 'callOnEntities', 'save', 'delete', 'groups'],
  $top: ['read', 'values', 'call', 'changes', 'groups'],
  $limit: ['read', 'values', 'call', 'changes', 'groups'],
  $skip: ['read', 'values', 'call', 'groups'],
  $count: ['read'],
  $attributes: ['read', 'values', 'call', 'save', 'changes'],
  $expand: ['read', 'call', 'save', 'content', 'attributeUpload', 'changes'],
  $asArray: ['read', 'call', 'save', 'groups'],
  $format: ['read', 'values', 'call', 'groups'],
  $method: ['entitySet', 'release', 'call', 'save', 'delete'],
  $atomic: ['save', 'delete'],
  $atOnce: ['save', 'delete'],
  $refresh: ['save', 'delete'],
  $replace: ['save'],
  $key: ['save'],
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
  $groupby: ['groups'],
  $aggregate: ['groups'],
  $having: ['groups'],
  $queryplan: ['explain'],
  $querypath: ['explain'],
  since: ['changes', 'changesStream'],
  dataclasses: ['changesStream'],
} as const;

/** A keyword of the protocol. */
export type Keyword = keyof typeof KEYWORDS;

/** A kind of URL, as far as it takes keywords. */
export type KeywordUse = (typeof KEYWORDS)[Keyword][number];

/** The keywords that a kind of URL takes, in the order of their table. */
export function keywordsFor(uses: readonly KeywordUse[]): Keyword[] {
  return Object.entries(KEYWORDS).flatMap(([name, taken]) =>
    isKeyword(name) && taken.some((use) => uses.includes(use)) ? [name] : [],
  );
}

/** The parameters of a request by keyword: the text of each, and its position in the URL. */
export type RequestParameters = Map<Keyword, { readonly text: string; readonly at: TextPosition }>;

/**
 * Collects the parameters by keyword. One that is unknown, given twice, or of no use to the request is an error, not ignored.
 * @param what the request, for messages: `a read`
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
      throw new ProtocolError('unknownKeyword', unknownParameter(name), at);
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

/** Parameters of other APIs, without `$` and in lower case, by what says the same here. */
const FOREIGN: readonly (readonly [here: string, elsewhere: readonly string[]])[] = [
  ['$attributes', ['select', 'fields', 'columns', 'properties']],
  ['$expand', ['include', 'embed', 'with']],
  ['$filter', ['where', 'q', 'query', 'search']],
  ['$orderby', ['sort', 'sort_by', 'sortby', 'ordering']],
  ['$skip', ['offset', 'start', 'after', 'page']],
  ['$top', ['first', 'take', 'size', 'per_page', 'perpage', 'page_size', 'pagesize']],
  ['$top=0', ['count', 'inlinecount', 'total']],
  ['$aggregate', ['apply', 'aggregate']],
  ['$groupby', ['group', 'group_by', 'groupby']],
  ['$having', ['having']],
];

/** The end of a message, `. Did you mean …?`, for the parameter of another API; empty where it is not known. */
export function foreignHint(name: string): string {
  const wanted = name.replace(/^\$/, '').toLowerCase();
  const [here] = FOREIGN.find(([, elsewhere]) => elsewhere.includes(wanted)) ?? [];
  return here === undefined ? '' : `. Did you mean ${here}?`;
}

function unknownParameter(name: string): string {
  const foreign = foreignHint(name);
  if (foreign !== '') return `There is no parameter ${name}${foreign}`;
  const hint = nameHint(name, Object.keys(KEYWORDS));
  // Many an API takes its attributes for parameters.
  const filter = /^\p{L}/u.test(name) ? ` Did you mean $filter="${name} = …"?` : '';
  return `There is no parameter ${name}.${hint || filter}`;
}

/** Keywords that mean the same. */
const SYNONYMS: readonly (readonly [Keyword, Keyword])[] = [
  ['$top', '$limit'],
  ['$atomic', '$atOnce'],
];

function isKeyword(name: string): name is Keyword {
  return Object.hasOwn(KEYWORDS, name);
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

/** Reads the `$method` of a request; null if it has none. @throws ProtocolError unknownMethod with the nearest known ones */
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
  return catching(
    ProtocolError,
    () => splitUrl(url).parameters,
    () => [],
  );
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
  const message = `The value of ${name} is "${value}"; expected ${expected}.`;
  return new ProtocolError(error, message, { within: name, position: 1 });
}

/** Reads `true` or `false`. @throws ProtocolError badUrl */
export function flag(text: string, name: Keyword): boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  throw badValue('badUrl', name, text, 'true or false');
}
