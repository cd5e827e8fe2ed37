import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type { CallRequest, ParsedRequest, ReadRequest, Slot } from '../ast.ts';
import { readLifetime, readSaved } from './entity-set.ts';
import {
  checkJson,
  collectParameters,
  type Keyword,
  methodParameter,
  type MethodParameter,
  type RequestParameters,
} from '../url/keywords.ts';
import { ValueList } from '../url/literals.ts';
import { ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';
import type { Verb } from '../rest-request.ts';

/**
 * Whether a path leads to a function, where it could be one to an attribute as well: a dataclass, or null for the datastore, and the
 * names behind it, the last of which is the function's.
 */
export type IsFunction = (dataclass: string | null, names: readonly string[]) => boolean;

/** What goes with every call: what is answered of the entities that come back, and whether a set is made of them. */
const ANSWER_KEYWORDS: readonly Keyword[] = [
  '$params',
  '$attributes',
  '$expand',
  '$top',
  '$limit',
  '$skip',
  '$asArray',
  '$format',
  '$method',
  '$timeout',
];

/** What says on which entities a function is called. */
const SELECTION_KEYWORDS: readonly Keyword[] = ['$filter', '$orderby', '$emMethod'];

/** What an entity set that is gone is made of again. */
const SET_KEYWORDS: readonly Keyword[] = ['$savedfilter', '$savedorderby'];

/**
 * Whether a URL of a dataclass calls a function: `$emMethod` does, so does POST where the path ends in a name, and GET where that is a
 * function's.
 */
export function isCall(
  target: DataclassPath,
  verb: Verb,
  parameters: readonly RawParameter[],
  isFunction: IsFunction,
): boolean {
  if (verb === 'PUT' || verb === 'DELETE') return false;
  const has = (...names: readonly Keyword[]): boolean =>
    parameters.some(({ name }) => names.includes(name as Keyword));
  if (has('$emMethod')) return true;
  const names = pathNames(target);
  if (names === null || has('$rawPict', '$binary')) return false;
  const method = parameters.find(({ name }) => name === '$method')?.value;
  // $method=subentityset is for relations, too: those are read by GET.
  if (verb !== 'POST' || method === 'subentityset') return isFunction(target.name, names);
  return method === undefined || method === 'entityset';
}

/** The names of a path behind its dataclass; null where it does not end in one, and where one is a list. */
function pathNames({ segments }: DataclassPath): readonly string[] | null {
  const names = segments.map(([first, ...others]) =>
    first === undefined || others.length > 0 || first.star ? null : first.names.join('.'),
  );
  return names.length === 0 || names.includes(null) ? null : names.filter((name) => name !== null);
}

/**
 * Reads the URL of a call on what a dataclass's URL selects.
 * @throws ProtocolError with the position in the text where reading failed, or notApplicable for what does not go together
 */
export function parseCall(
  target: DataclassPath,
  verb: Verb,
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<CallRequest> {
  const isOfSet = target.selector.kind === 'entitySet';
  const given = collectParameters(
    parameters,
    'a call',
    new Set([...ANSWER_KEYWORDS, ...SELECTION_KEYWORDS, ...(isOfSet ? SET_KEYWORDS : [])]),
  );
  const named = given.get('$emMethod');
  const method = methodParameter(parameters);
  if (named !== undefined && method?.name !== 'subentityset') {
    throw new ProtocolError(
      'notApplicable',
      '$emMethod calls a function on the entities that a relation leads to: add $method=subentityset.',
      named.at,
    );
  }
  const name = named?.text ?? pathNames(target)?.at(-1) ?? '';
  const segments = named === undefined ? target.segments.slice(0, -1) : target.segments;
  return read(
    { ...target, segments },
    { verb, name, on: { kind: 'dataclass' }, ofRelation: named !== undefined },
    { given, method, values, limits },
  );
}

/**
 * Reads the URL of a call of a function of the datastore or of a singleton.
 * @throws as {@link parseCall}
 */
export function parsePlainCall(
  on: CallRequest['on'],
  name: string,
  verb: Verb,
  parameters: readonly RawParameter[],
  limits: RequestLimits,
): ParsedRequest<CallRequest> {
  if (verb === 'PUT' || verb === 'DELETE') {
    throw new ProtocolError('verbNotAllowed', `${verb} calls no function: use POST.`);
  }
  const given = collectParameters(parameters, 'a call', new Set(ANSWER_KEYWORDS));
  const method = methodParameter(parameters);
  const shape = JSON.stringify([on, name]);
  return read(
    { kind: 'dataclass', name: '', selector: { kind: 'all' }, segments: [], shape },
    { verb, name, on, ofRelation: false },
    { given, method, values: new ValueList(), limits },
  );
}

/** What was found out of a call before its parameters are read. */
interface Called extends Pick<CallRequest, 'name' | 'on' | 'ofRelation'> {
  readonly verb: Verb;
}

interface Parameters {
  readonly given: RequestParameters;
  readonly method: MethodParameter | null;
  readonly values: ValueList;
  readonly limits: RequestLimits;
}

function read(
  target: DataclassPath,
  { verb, ...called }: Called,
  { given, method, values, limits }: Parameters,
): ParsedRequest<CallRequest> {
  const byGet = verb !== 'POST';
  const makesSet = method?.name === 'entityset' || method?.name === 'subentityset';
  if (method !== null && !makesSet) {
    throw new ProtocolError(
      'notApplicable',
      `$method=${method.name} does not apply to a call.`,
      method.at,
    );
  }
  const params = given.get('$params');
  // They are the function's, unless a filter that is posted takes them.
  const isFunctions = byGet || !(given.has('$filter') || given.has('$savedfilter'));
  const others = new Map([...given].filter(([name]) => !isFunctions || name !== '$params'));
  const reader = new ParameterReader(
    others,
    `call ${byGet ? 'GET' : 'POST'} ${target.shape}`,
    values,
    limits,
  );
  if (makesSet && verb === 'HEAD') {
    const why = `$method=${method.name} is allowed on GET and POST: HEAD changes nothing.`;
    throw new ProtocolError('verbNotAllowed', why, method.at);
  }
  const selection = readSelection(target, reader);
  if (given.has('$emMethod')) reader.read('$emMethod', () => null, null);
  const isOfSet = target.selector.kind === 'entitySet';
  const saved = isOfSet ? readSaved(reader, given, true) : null;
  reader.read('$method', () => null, null);
  const slot: Slot | null =
    isFunctions && params !== undefined
      ? values.add({ value: params.text, class: 'text', within: '$params', position: 1 })
      : null;
  return {
    ast: {
      kind: 'call',
      ...called,
      byGet,
      params: slot,
      read: selection,
      saved,
      lifetime: makesSet ? readLifetime(reader) : null,
    },
    shape: `${reader.shape()}${slot === null ? '' : '\n$params'}`,
    values: values.items,
  };
}

function readSelection(target: DataclassPath, reader: ParameterReader): ReadRequest {
  const filter = reader.filter();
  reader.read('$format', (text) => checkJson(text, 'What a function gives'), undefined);
  return {
    kind: 'read',
    dataclass: target.name,
    selector: target.selector,
    segments: target.segments,
    filter,
    ...reader.lists(),
    ...reader.page(),
  };
}
