import { nameHint } from '../base/names.ts';
import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { defaultLimits, type RequestLimits } from '../base/limits.ts';
import type {
  CatalogRequest,
  ComputeRequest,
  DistinctRequest,
  GroupsRequest,
  ParsedRequest,
} from './ast.ts';
import { parseChanges, parseChangesStream } from './requests/changes.ts';
import { parseCall, parsePlainCall } from './requests/call.ts';
import { parseValues, type Question } from './requests/compute.ts';
import { parseContent } from './requests/content.ts';
import { parseEntitySet, parseRelease } from './requests/entity-set.ts';
import { parseGroups } from './requests/groups.ts';
import { parseLock } from './requests/lock.ts';
import { parseRead } from './requests/read.ts';
import { parseDirectory, parseReload, parseStatus, parseUpload } from './requests/services.ts';
import { parseWrite } from './requests/write.ts';
import {
  collectParameters,
  flag,
  isWriteMethod,
  type MethodParameter,
  methodParameter,
  type RawParameter,
  splitUrl,
} from './url/url.ts';
import { ValueList } from './url/literals.ts';
import type { DataclassUrl } from './url/parameter-reader.ts';
import { type KeywordPath, parsePath, pathNames } from './url/path.ts';
import type { Verb } from './rest-request.ts';

/** The keywords that a path below `/rest` may begin with. */
const PATH_KEYWORDS = [
  '$changes',
  '$catalog',
  '$directory',
  '$info',
  '$openapi',
  '$reports',
  '$singleton',
  '$stamp',
  '$upload',
];

/** Whether names that could lead to an attribute lead to a function, the last one's, of a dataclass or, for null, of the datastore. */
export type IsFunction = (dataclass: string | null, names: readonly string[]) => boolean;

/**
 * Parses the URL of a request below `/rest`. @param url raw, path and query @param isFunction tells functions from the attributes of a GET's path
 * @throws ProtocolError with the position in the text where parsing failed, and what was expected there
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
  const parts = { verb, parameters, values, limits };
  switch (target.kind) {
    case 'catalog': {
      const { what } = target;
      const isPlainName = /^[^$]/.test(what);
      if (isPlainName && (verb === 'POST' || (isReading(verb) && isFunction(null, [what])))) {
        return parsePlainCall({ kind: 'datastore' }, what, parts);
      }
      if (!isReading(verb)) {
        const message = `${verb} does not apply to /rest/$catalog: it is read by GET.`;
        throw new ProtocolError('verbNotAllowed', message);
      }
      collectParameters(parameters, 'the catalog', ['read']);
      return { ast: catalogRequest(what), shape: path, values: [] };
    }
    case 'keyword':
      return parseKeywordPath(target, parts);
    case 'dataclass': {
      const request: DataclassUrl = { target, ...parts };
      if (target.asksChanges === true) return parseChanges(request);
      if (isCall(request, isFunction)) return parseCall(request);
      return isReading(verb) ? parseReading(request) : parseWrite(request);
    }
  }
}

function isReading(verb: Verb): boolean {
  return verb === 'GET' || verb === 'HEAD';
}

/** Whether a URL calls a function: with `$emMethod`, by a POST whose path ends in a name, or by a GET if that name is a function's. */
function isCall({ target, verb, parameters }: DataclassUrl, isFunction: IsFunction): boolean {
  if (!isReading(verb) && verb !== 'POST') return false;
  if (isGiven(parameters, '$emMethod')) return true;
  const names = pathNames(target);
  if (names === null || isGiven(parameters, '$rawPict', '$binary')) return false;
  const method = parameters.find(({ name }) => name === '$method')?.value;
  // $method=subentityset is for relations, too: those are read by GET.
  if (verb !== 'POST' || method === 'subentityset') return isFunction(target.name, names);
  return method === undefined || method === 'entityset';
}

function isGiven(parameters: readonly RawParameter[], ...names: readonly string[]): boolean {
  return parameters.some(({ name }) => names.includes(name));
}

function catalogRequest(what: string): CatalogRequest {
  if (what === '') return { kind: 'catalog', detail: 'brief', names: [] };
  if (what === '$all') return { kind: 'catalog', detail: 'full', names: [] };
  return { kind: 'catalog', detail: 'full', names: what.split(',').map((name) => name.trim()) };
}

function parseKeywordPath(path: KeywordPath, parts: Omit<DataclassUrl, 'target'>): ParsedRequest {
  const { keyword, what, more, at } = path;
  const { verb, parameters } = parts;
  switch (keyword) {
    case '$changes':
      return parseChangesStream(path, parts);
    case '$directory':
      return parseDirectory(path, verb, parameters);
    case '$info':
      return what === 'reload'
        ? parseReload(path, verb, parameters)
        : parseStatus('info', path, verb, parameters);
    case '$openapi':
      return parseStatus('openapi', path, verb, parameters);
    case '$reports':
      return parseStatus('reports', path, verb, parameters);
    case '$stamp':
      return parseStatus('stamp', path, verb, parameters);
    case '$upload':
      return parseUpload(path, verb, parameters);
    case '$singleton':
      if (what === '' || more === '') {
        throw new ProtocolError('badUrl', 'Expected /rest/$singleton/Name/function.', at);
      }
      return parsePlainCall({ kind: 'singleton', name: what }, more, parts);
    default: {
      const message = `There is nothing called ${keyword}.${nameHint(keyword, PATH_KEYWORDS)}`;
      throw new ProtocolError('unknownKeyword', message, at);
    }
  }
}

/** Parses a GET or HEAD of a dataclass. */
function parseReading(url: DataclassUrl): ParsedRequest {
  const { target, verb, parameters } = url;
  const isHead = verb === 'HEAD';
  if (isGiven(parameters, '$lock')) {
    if (isHead) throw notByHead('$lock');
    return parseLock(url);
  }
  const method = methodParameter(parameters);
  if (method !== null && isWriteMethod(method.name)) {
    const message = `$method=${method.name} changes data: use POST.`;
    throw new ProtocolError('verbNotAllowed', message, method.at);
  }
  const asked = parseQuestion(url, method);
  if (asked !== null) {
    const { of } = asked.ast;
    if (isHead && of.kind === 'entitySet' && of.saved !== null) throw notByHead('$savedfilter');
    return asked;
  }
  if (method !== null || target.selector.kind === 'entitySet') {
    if (isHead && method !== null) throw notByHead(`$method=${method.name}`, method.at);
    if (method?.name === 'release') return parseRelease(url);
    const parsed = parseEntitySet(url, method);
    if (isHead && parsed.ast.saved !== null) throw notByHead('$savedfilter');
    return parsed;
  }
  const isContent = isGiven(parameters, '$imageformat', '$binary', '$version');
  return isContent ? parseContent(url) : parseRead(url);
}

/** Parses a GET that asks for groups of entities, or for the values of one attribute; null where it asks for entities. */
function parseQuestion(
  url: DataclassUrl,
  method: MethodParameter | null,
): ParsedRequest<GroupsRequest | ComputeRequest | DistinctRequest> | null {
  if (isGiven(url.parameters, '$groupby', '$aggregate')) return parseGroups(url, method);
  const question = valueQuestion(url.parameters);
  return question === null ? null : parseValues(question, url, method);
}

/** The parameter by which a GET asks for the values of one attribute; null where it asks for entities. */
function valueQuestion(parameters: readonly RawParameter[]): Question | null {
  if (isGiven(parameters, '$compute')) return '$compute';
  const distinct = parameters.find(({ name }) => name === '$distinct');
  return distinct !== undefined && flag(distinct.value, '$distinct') ? '$distinct' : null;
}

function notByHead(what: string, at?: TextPosition): ProtocolError {
  const message = `${what} is allowed on GET only: HEAD changes nothing.`;
  return new ProtocolError('verbNotAllowed', message, at);
}
