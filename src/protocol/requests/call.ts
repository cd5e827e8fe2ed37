import { ProtocolError } from '../../base/errors.ts';
import type { CallRequest, ParsedRequest, ReadRequest } from '../ast.ts';
import { type KeywordUse, methodParameter } from '../url/url.ts';
import { type DataclassUrl, parameterLiteral, ParameterReader } from '../url/parameter-reader.ts';
import { type DataclassPath, pathNames } from '../url/path.ts';
import { readLifetime, readSaved } from './entity-set.ts';
import { readJsonFormat } from './read.ts';

/** Parses the URL of a call of a function of the datastore or of a singleton. */
export function parsePlainCall(
  on: CallRequest['on'],
  name: string,
  url: Omit<DataclassUrl, 'target'>,
): ParsedRequest<CallRequest> {
  if (url.verb === 'PUT' || url.verb === 'PATCH' || url.verb === 'DELETE') {
    throw new ProtocolError('verbNotAllowed', `${url.verb} calls no function: use POST.`);
  }
  const target: DataclassPath = {
    kind: 'dataclass',
    name: '',
    selector: { kind: 'all' },
    segments: [],
    shape: JSON.stringify([on, name]),
  };
  return parseCall({ target, ...url }, on, name);
}

/**
 * Parses the URL of a call. @param on the owner of the function; by default the selection of the dataclass's URL
 * @param plainName the function's name, if it is not in the URL of a dataclass
 */
export function parseCall(
  url: DataclassUrl,
  on: CallRequest['on'] = { kind: 'dataclass' },
  plainName?: string,
): ParsedRequest<CallRequest> {
  const { target, parameters, values } = url;
  const { selector, segments, shape } = target;
  const isGet = url.verb !== 'POST';
  const uses: KeywordUse[] = ['call'];
  if (on.kind === 'dataclass') uses.push('callOnEntities');
  if (selector.kind === 'entitySet') uses.push('callOnSet');
  const callShape = `call ${isGet ? 'GET' : 'POST'} ${shape}`;
  const reader = new ParameterReader(url, 'a call', uses, callShape);
  const method = methodParameter(parameters);
  const named = reader.text('$emMethod');
  if (named !== undefined && method?.name !== 'subentityset') {
    const why =
      'calls a function on the entities that a relation leads to: add $method=subentityset';
    throw reader.notApplicable('$emMethod', why);
  }
  const makesSet = method?.name === 'entityset' || method?.name === 'subentityset';
  if (method !== null && !makesSet) {
    const message = `$method=${method.name} does not apply to a call.`;
    throw new ProtocolError('notApplicable', message, method.at);
  }
  if (makesSet && url.verb === 'HEAD') {
    const why = `$method=${method.name} is allowed on GET and POST: HEAD changes nothing.`;
    throw new ProtocolError('verbNotAllowed', why, method.at);
  }
  // They are the function's, unless the filter of a POST takes them.
  const isOfFilter =
    !isGet && (reader.text('$filter') !== undefined || reader.text('$savedfilter') !== undefined);
  const params = isOfFilter ? undefined : reader.takeOut('$params');
  const filter = reader.filter();
  readJsonFormat(reader, 'What a function gives');
  const read: ReadRequest = {
    kind: 'read',
    dataclass: target.name,
    selector,
    segments: named === undefined ? segments.slice(0, -1) : segments,
    filter,
    ...reader.lists(),
    ...reader.page(),
  };
  reader.read('$emMethod', () => true, false);
  const saved = selector.kind === 'entitySet' ? readSaved(reader, true) : null;
  reader.read('$method', () => true, false);
  return reader.parsed({
    kind: 'call',
    name: plainName ?? named ?? pathNames(target)?.at(-1) ?? '',
    on,
    isGet,
    params: params === undefined ? null : values.add(parameterLiteral('$params', params)),
    read,
    ofRelation: named !== undefined,
    saved,
    lifetime: makesSet ? readLifetime(reader) : null,
  });
}
