import { nameHint } from '../base/names.ts';
import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { defaultLimits, type RequestLimits } from '../base/limits.ts';
import type {
  CatalogRequest,
  ComputeRequest,
  ContentRequest,
  DistinctRequest,
  EntitySetRequest,
  Literal,
  LockRequest,
  ParsedRequest,
  ReadRequest,
  ReleaseRequest,
} from './ast.ts';
import { isCall, type IsFunction, parseCall, parsePlainCall } from './requests/call.ts';
import { parseValues, valueQuestion } from './requests/compute.ts';
import { isContent, parseContent } from './requests/content.ts';
import { parseDirectory, parseInfo } from './requests/directory.ts';
import { isByEntitySet, parseEntitySet } from './requests/entity-set.ts';
import {
  collectParameters,
  flag,
  isExport,
  isSetMethod,
  type Keyword,
  methodParameter,
  notServed,
  readFormat,
} from './url/keywords.ts';
import { ValueList } from './url/literals.ts';
import { ParameterReader } from './url/parameter-reader.ts';
import { type DataclassPath, parsePath, type PathAst } from './url/path.ts';
import { type RawParameter, splitUrl } from './url/url.ts';
import type { Reading, Verb } from './rest-request.ts';
import { parseWrite, uploadedImage } from './requests/write.ts';

const LOCK_KEYWORDS: ReadonlySet<Keyword> = new Set(['$lock', '__STAMP']);

/** Whether a GET asks for a lock, or gives one up. */
function isLock(parameters: readonly RawParameter[]): boolean {
  return parameters.some(({ name }) => name === '$lock');
}

/**
 * Reads the URL of a request that locks or unlocks an entity (§4.12), and the stamp that the client has read it with (DECISIONS, "Locks").
 * @throws ProtocolError with the position in the text where reading failed, or notApplicable for what is not a single entity
 */
function parseLock(
  { name, selector, segments, shape }: DataclassPath,
  parameters: readonly RawParameter[],
  values: ValueList,
): ParsedRequest<LockRequest> {
  const given = collectParameters(parameters, 'a lock', LOCK_KEYWORDS);
  const isOne = selector.kind === 'key' || selector.kind === 'unique';
  if (!isOne || segments.length > 0) {
    throw new ProtocolError(
      'notApplicable',
      `$lock is for one entity: expected /rest/${name}(key)?$lock=true.`,
    );
  }
  const stamp = given.get('__STAMP')?.text;
  return {
    ast: {
      kind: 'lock',
      dataclass: name,
      selector,
      wanted: flag('$lock', given.get('$lock')?.text ?? ''),
      stamp: stamp === undefined ? null : values.add(stampLiteral(stamp)),
    },
    shape,
    values: values.items,
  };
}

function stampLiteral(text: string): Literal {
  const value = text.trim();
  const at = { within: '__STAMP', position: 1 };
  if (/^\d{1,16}$/.test(value)) return { value, class: 'number', ...at };
  throw new ProtocolError(
    'badNumber',
    `The value of __STAMP is "${value}"; expected the stamp that the entity was read with.`,
    at,
  );
}

/** What may begin a path below `/rest` besides a dataclass. */
const pathKeywords: readonly string[] = [
  '$catalog',
  '$directory',
  '$info',
  '$singleton',
  '$upload',
];

const READ_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$filter',
  '$params',
  '$orderby',
  '$top',
  '$limit',
  '$skip',
  '$attributes',
  '$expand',
  '$asArray',
  '$format',
  // Where it is false; the values that it asks for otherwise are read elsewhere.
  '$distinct',
]);

/** What a read of entities has besides. */
const PAGE_KEYWORDS: ReadonlySet<Keyword> = new Set([...READ_KEYWORDS, '$queryplan', '$querypath']);

/**
 * Reads the URL of a request below `/rest`.
 * @param url the raw URL as it came, path and query
 * @param limits what it may ask for at most
 * @param isFunction tells the functions from attributes that a GET names in its path
 * @throws ProtocolError with the position in the text where reading failed, and what was expected there
 */
export function parseRequest(
  url: string,
  verb: Verb = 'GET',
  limits: RequestLimits = defaultLimits,
  isFunction: IsFunction = () => false,
): ParsedRequest {
  const { path, parameters } = splitUrl(url);
  const values = new ValueList();
  const target = parsePath(path.replace(/^\/rest(?=\/|$)/, ''), values);
  switch (target.kind) {
    case 'catalog':
      if (
        /^[^$]/.test(target.what) &&
        (verb === 'POST' || (isReading(verb) && isFunction(null, [target.what])))
      ) {
        return parsePlainCall({ kind: 'datastore' }, target.what, verb, parameters, limits);
      }
      if (!isReading(verb)) throw readOnly(verb, '/rest/$catalog');
      collectParameters(parameters, 'the catalog', READ_KEYWORDS);
      return { ast: catalogRequest(target.what), shape: path, values: [] };
    case 'keyword':
      return parseKeywordPath(target, verb, parameters, limits);
    case 'dataclass':
      if (isCall(target, verb, parameters, isFunction)) {
        return parseCall(target, verb, parameters, values, limits);
      }
      return isReading(verb)
        ? parseRead(target, verb, parameters, values, limits)
        : parseWrite(target, verb, parameters, values, limits);
  }
}

function parseKeywordPath(
  { keyword, what, more, at }: Extract<PathAst, { kind: 'keyword' }>,
  verb: Verb,
  parameters: readonly RawParameter[],
  limits: RequestLimits,
): ParsedRequest {
  if (!pathKeywords.includes(keyword)) {
    throw new ProtocolError(
      'unknownKeyword',
      `There is nothing called ${keyword}.${nameHint(keyword, pathKeywords)}`,
      at,
    );
  }
  if (keyword === '$directory') {
    return { ast: parseDirectory(what, verb, parameters, at), shape: keyword, values: [] };
  }
  if (keyword === '$info') {
    return { ast: parseInfo(what, verb, parameters, at), shape: keyword, values: [] };
  }
  if (keyword === '$singleton') {
    if (what === '' || more === '') {
      throw new ProtocolError('badUrl', 'Expected /rest/$singleton/Name/function.', at);
    }
    return parsePlainCall({ kind: 'singleton', name: what }, more, verb, parameters, limits);
  }
  if (keyword !== '$upload') throw notServed(keyword, at);
  if (verb !== 'POST') {
    throw new ProtocolError('verbNotAllowed', `${verb} does not apply to $upload: use POST.`, at);
  }
  const given = collectParameters(parameters, 'an upload', new Set(['$rawPict', '$binary']));
  if (given.size === 0) {
    throw new ProtocolError(
      'badUrl',
      'An upload says what it holds: $rawPict=true or $binary=true.',
    );
  }
  return { ast: { kind: 'upload', image: uploadedImage(given) }, shape: '$upload', values: [] };
}

function isReading(verb: Verb): verb is Reading {
  return verb === 'GET' || verb === 'HEAD';
}

function parseRead(
  target: DataclassPath,
  verb: Reading,
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<
  | ReadRequest
  | ContentRequest
  | EntitySetRequest
  | ReleaseRequest
  | LockRequest
  | ComputeRequest
  | DistinctRequest
> {
  if (isLock(parameters)) {
    if (verb === 'HEAD') throw notByHead('$lock');
    return parseLock(target, parameters, values);
  }
  const method = methodParameter(parameters);
  if (method !== null && !isSetMethod(method.name)) {
    throw new ProtocolError(
      'verbNotAllowed',
      `$method=${method.name} changes data: use POST.`,
      method.at,
    );
  }
  const question = valueQuestion(parameters);
  if (question !== null) {
    const parsed = parseValues(question, target, method, parameters, values, limits);
    const { of } = parsed.ast;
    if (verb === 'HEAD' && of.kind === 'entitySet' && of.saved !== null) throw savedByHead();
    return parsed;
  }
  if (isByEntitySet(target, method)) {
    const page = { keywords: PAGE_KEYWORDS, read: readPage };
    if (verb === 'HEAD' && method !== null) {
      throw notByHead(`$method=${method.name}`, method.at);
    }
    const parsed = parseEntitySet(target, method, parameters, values, { limits, page });
    if (verb === 'HEAD' && parsed.ast.kind === 'entitySet' && parsed.ast.saved !== null) {
      throw savedByHead();
    }
    return parsed;
  }
  if (isContent(parameters)) {
    return parseContent(target, parameters, values, { limits, readPage });
  }
  const given = collectParameters(parameters, 'a read', PAGE_KEYWORDS);
  const reader = new ParameterReader(given, target.shape, values, limits);
  const ast = readPage(target, reader);
  return { ast, shape: reader.shape(), values: values.items };
}

function savedByHead(): ProtocolError {
  return notByHead('$savedfilter');
}

function notByHead(what: string, at?: TextPosition): ProtocolError {
  return new ProtocolError(
    'verbNotAllowed',
    `${what} is allowed on GET only: HEAD changes nothing.`,
    at,
  );
}

function readPage(target: DataclassPath, reader: ParameterReader): ReadRequest {
  const filter = reader.filter();
  const format = reader.read('$format', readFormat, 'json');
  reader.has('$distinct');
  const explain = reader.explain();
  if (explain !== null && format !== 'json') {
    throw new ProtocolError(
      'notApplicable',
      `Query plans are JSON: $queryplan and $querypath are not allowed with $format=${format}.`,
    );
  }
  const lists = reader.lists(format === 'ndjson');
  if (lists.asArray && (format === 'csv' || format === 'dashboard')) {
    throw new ProtocolError(
      'notApplicable',
      `$asArray answers JSON of its own layout: it is not allowed with $format=${format}.`,
    );
  }
  return {
    kind: 'read',
    dataclass: target.name,
    selector: target.selector,
    segments: target.segments,
    filter,
    ...lists,
    ...(isExport(format) ? reader.narrowing() : reader.page()),
    ...(explain === null ? {} : { explain }),
    ...(format === 'json' ? {} : { format }),
  };
}

function catalogRequest(what: string): CatalogRequest {
  if (what === '') return { kind: 'catalog', detail: 'brief', names: [] };
  if (what === '$all') return { kind: 'catalog', detail: 'full', names: [] };
  return { kind: 'catalog', detail: 'full', names: what.split(',').map((name) => name.trim()) };
}

function readOnly(verb: Verb, what: string): ProtocolError {
  return new ProtocolError(
    'verbNotAllowed',
    `${verb} does not apply to ${what}: it is read by GET.`,
  );
}
