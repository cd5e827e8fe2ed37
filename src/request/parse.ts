import { nameHint } from '../base/names.ts';
import { ProtocolError, type TextPosition } from '../base/errors.ts';
import { defaultLimits, type RequestLimits } from '../base/limits.ts';
import { isExport } from './export-format.ts';
import type {
  AnswerFormat,
  CatalogRequest,
  ComputeRequest,
  ContentRequest,
  DistinctRequest,
  EntitySetRequest,
  LockRequest,
  ParsedRequest,
  ReadRequest,
  ReleaseRequest,
} from './ast.ts';
import { parseValues, valueQuestion } from './compute.ts';
import { isContent, parseContent } from './content.ts';
import { parseDirectory, parseInfo } from './directory.ts';
import { isByEntitySet, parseEntitySet } from './entity-set.ts';
import {
  collectParameters,
  isSetMethod,
  methodParameter,
  notServed,
  type Keyword,
} from './keywords.ts';
import { ValueList } from './literals.ts';
import { isLock, parseLock } from './lock.ts';
import { ParameterReader } from './parameter-reader.ts';
import { parsePath, type DataclassPath, type PathAst } from './path.ts';
import { splitUrl, type RawParameter } from './url.ts';
import type { Reading, Verb } from './verb.ts';
import { uploadedImage, parseWrite } from './write.ts';

/** What may begin a path below `/rest` besides a dataclass. */
const pathKeywords: readonly string[] = [
  '$catalog',
  '$directory',
  '$info',
  '$singleton',
  '$upload',
];

const FORMATS: readonly AnswerFormat[] = ['json', 'dashboard', 'csv', 'ndjson'];

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

/**
 * Reads the URL of a request below `/rest`.
 * @param url the raw URL as it came, path and query
 * @param limits what it may ask for at most
 * @throws ProtocolError with the position in the text where reading failed, and what was expected there
 */
export function parseRequest(
  url: string,
  verb: Verb = 'GET',
  limits: RequestLimits = defaultLimits,
): ParsedRequest {
  const { path, parameters } = splitUrl(url);
  const values = new ValueList();
  const target = parsePath(path.replace(/^\/rest(?=\/|$)/, ''), values);
  switch (target.kind) {
    case 'catalog':
      if (verb === 'POST' && /^[^$]/.test(target.what)) throw noFunction(target.what);
      if (!isReading(verb)) throw readOnly(verb, '/rest/$catalog');
      collectParameters(parameters, 'the catalog', READ_KEYWORDS);
      return { ast: catalogRequest(target.what), shape: path, values: [] };
    case 'keyword':
      return parseKeywordPath(target, verb, parameters);
    case 'dataclass':
      return isReading(verb)
        ? parseRead(target, verb, parameters, values, limits)
        : parseWrite(target, verb, parameters, values, limits);
  }
}

function parseKeywordPath(
  { keyword, what, at }: Extract<PathAst, { kind: 'keyword' }>,
  verb: Verb,
  parameters: readonly RawParameter[],
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
    if (verb === 'HEAD') throw notByHead('$lock goes');
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
    const page = { keywords: READ_KEYWORDS, read: readPage };
    if (verb === 'HEAD' && method !== null) {
      throw notByHead(`$method=${method.name} goes`, method.at);
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
  const given = collectParameters(parameters, 'a read', READ_KEYWORDS);
  const reader = new ParameterReader(given, target.shape, values, limits);
  const ast = readPage(target, reader);
  return { ast, shape: reader.shape(), values: values.items };
}

function savedByHead(): ProtocolError {
  return notByHead('$savedfilter may make the set again and goes');
}

function notByHead(what: string, at?: TextPosition): ProtocolError {
  return new ProtocolError('verbNotAllowed', `${what} with GET: HEAD changes nothing.`, at);
}

function readPage(target: DataclassPath, reader: ParameterReader): ReadRequest {
  const filter = reader.filter();
  const format = reader.read('$format', readFormat, 'json');
  reader.has('$distinct');
  const lists = reader.lists(format === 'ndjson');
  if (lists.asArray && (format === 'csv' || format === 'dashboard')) {
    throw new ProtocolError(
      'notApplicable',
      `$asArray answers JSON of its own layout: it does not go with $format=${format}.`,
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
    ...(format === 'json' ? {} : { format }),
  };
}

function catalogRequest(what: string): CatalogRequest {
  if (what === '') return { kind: 'catalog', detail: 'brief', names: [] };
  if (what === '$all') return { kind: 'catalog', detail: 'full', names: [] };
  return { kind: 'catalog', detail: 'full', names: what.split(',').map((name) => name.trim()) };
}

/** POST behind the catalog calls a function of the datastore (DECISIONS, "Functions"). */
function noFunction(name: string): ProtocolError {
  return new ProtocolError(
    'noSuchFunction',
    `There is no function ${name}: this version of the gateway has none.`,
  );
}

function readOnly(verb: Verb, what: string): ProtocolError {
  return new ProtocolError(
    'verbNotAllowed',
    `${verb} does not apply to ${what}: it is read by GET.`,
  );
}

function readFormat(text: string): AnswerFormat {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw new ProtocolError(
    'badFormat',
    `There is no format "${text}"; expected json, dashboard, csv or ndjson.${nameHint(text, FORMATS)}`,
    { within: '$format', position: 1 },
  );
}
