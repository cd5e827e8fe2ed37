import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { RestRequest } from '../rest-request.ts';
import { type RawParameter, splitUrl } from './url.ts';
import type { AnswerFormat, ExportFormat } from '../ast.ts';

const FORMATS: readonly AnswerFormat[] = ['json', 'dashboard', 'csv', 'ndjson'];

/** Reads the `$format` of entities (§2.7). @throws ProtocolError badFormat with the nearest known ones */
export function readFormat(text: string): AnswerFormat {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw new ProtocolError(
    'badFormat',
    `There is no format "${text}"; expected json, dashboard, csv or ndjson.${nameHint(text, FORMATS)}`,
    { within: '$format', position: 1 },
  );
}

/**
 * Reads the `$format` of what is answered as JSON alone.
 * @param what what is answered, for messages
 * @throws ProtocolError notApplicable
 */
export function checkJson(text: string, what: string): undefined {
  if (text === 'json') return undefined;
  throw new ProtocolError(
    'notApplicable',
    `${what} is answered as JSON: $format=${text} does not apply to it.`,
    { within: '$format', position: 1 },
  );
}

/** Whether a format is one that all entities are sent in, as they are made. */
export function isExport(format: AnswerFormat | undefined): format is ExportFormat {
  return format === 'csv' || format === 'ndjson';
}

/** The keywords of the protocol. */
const KEYWORDS = [
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
  '$method',
  '$atomic',
  '$atOnce',
  '$refresh',
  '$replace',
  '$timeout',
  '$savedfilter',
  '$savedorderby',
  '$subOrderby',
  '$clean',
  '$logicOperator',
  '$otherCollection',
  '$findKey',
  '$removeFromSet',
  '$removeRefOnly',
  '$emMethod',
  '$lock',
  '__STAMP',
  '$binary',
  '$imageformat',
  '$version',
  '$rawPict',
  '$compute',
  '$distinct',
  '$queryplan',
  '$querypath',
] as const;

/** A keyword of the protocol. */
export type Keyword = (typeof KEYWORDS)[number];

/** The parameters of a request by keyword, each given once. */
export type RequestParameters = ReadonlyMap<
  Keyword,
  { readonly text: string; readonly at: TextPosition }
>;

/**
 * The parameters by keyword; what is unknown, said twice, or of no use to the request is an error rather than ignored.
 * @param what the request, for messages: `a read`
 * @param allowed the keywords that apply to it
 * @throws ProtocolError unknownKeyword, notApplicable or badUrl, with the position in the URL
 */
export function collectParameters(
  parameters: readonly RawParameter[],
  what: string,
  allowed: ReadonlySet<Keyword>,
): RequestParameters {
  const given = new Map<Keyword, { text: string; at: TextPosition }>();
  for (const { name, value, position } of parameters) {
    const at = { within: 'the URL', position };
    if (PASSED_OVER.has(name)) continue;
    if (!isKeyword(name)) {
      throw new ProtocolError(
        'unknownKeyword',
        `There is no parameter ${name}.${nameHint(name, KEYWORDS)}`,
        at,
      );
    }
    if (!allowed.has(name)) {
      throw new ProtocolError('notApplicable', `${name} does not apply to ${what}.`, at);
    }
    if (given.has(name)) throw new ProtocolError('badUrl', `${name} is given twice.`, at);
    const synonyms = SYNONYMS.find((pair) => pair.includes(name));
    if (synonyms?.some((synonym) => given.has(synonym)) === true) {
      throw new ProtocolError(
        'badUrl',
        `${synonyms.join(' and ')} mean the same: give one of them.`,
        at,
      );
    }
    given.set(name, { text: value, at });
  }
  return given;
}

/** Hints of the family's clients that change no answer, and the `_=<time>` that browsers' libraries get past caches by. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  '_',
  '$metadata',
  '$progressinfo',
  '$progress4Dinfo',
  // Where it says something, the attributes of its body have been read.
  '$extendedAttributes',
]);

/** Keywords that mean the same. */
const SYNONYMS: readonly (readonly [Keyword, Keyword])[] = [
  ['$top', '$limit'],
  ['$atomic', '$atOnce'],
];

function isKeyword(name: string): name is Keyword {
  return (KEYWORDS as readonly string[]).includes(name);
}

/** The refusal of what the protocol knows and this version does not serve. */
export function notServed(what: string, at: TextPosition): ProtocolError {
  return new ProtocolError(
    'notServed',
    `${what} is not served by this version of the gateway.`,
    at,
  );
}

/** The methods of §4.6 that change data, by POST. */
const WRITES = ['update', 'insert', 'delete'] as const;

/** Those of entity sets, by GET. */
const SET_METHODS = ['entityset', 'subentityset', 'release'] as const;

/** A `$method` that changes data. */
export type WriteMethod = (typeof WRITES)[number];

/** A `$method` of entity sets. */
export type SetMethod = (typeof SET_METHODS)[number];

/** A `$method` of the protocol. */
export type Method = WriteMethod | SetMethod;

/** A `$method` and where it stands. */
export interface MethodParameter {
  readonly name: Method;
  readonly at: TextPosition;
}

/** Whether a method is by POST, and changes data. */
export function isWriteMethod(name: string): name is WriteMethod {
  return (WRITES as readonly string[]).includes(name);
}

/** Whether a method is by GET, of entity sets. */
export function isSetMethod(name: Method): name is SetMethod {
  return (SET_METHODS as readonly string[]).includes(name);
}

/**
 * The `$method` that a request gives, or null.
 * @throws ProtocolError unknownMethod with the nearest known ones
 */
export function methodParameter(parameters: readonly RawParameter[]): MethodParameter | null {
  const given = parameters.find(({ name }) => name === '$method');
  if (given === undefined) return null;
  const { value, position } = given;
  const at = { within: 'the URL', position };
  const known: readonly Method[] = [...WRITES, ...SET_METHODS];
  const name = known.find((method) => method === value);
  if (name !== undefined) return { name, at };
  throw new ProtocolError(
    'unknownMethod',
    `There is no method "${value}".${nameHint(value, known)}`,
    at,
  );
}

/** The parameters of a URL before it is known what it asks for; none where they cannot be read, which is refused later. */
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

/**
 * Reads `true` or `false`.
 * @throws ProtocolError badUrl for anything else
 */
export function flag(name: string, text: string): boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  throw new ProtocolError('badUrl', `The value of ${name} is "${text}"; expected true or false.`, {
    within: name,
    position: 1,
  });
}
