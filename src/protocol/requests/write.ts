import { ProtocolError } from '../../base/errors.ts';
import type {
  AttributeUploadRequest,
  DeleteRequest,
  DeleteSetRequest,
  ParsedRequest,
  PathRef,
  SaveRequest,
  Selector,
} from '../ast.ts';
import {
  collectParameters,
  isWriteMethod,
  type MethodParameter,
  methodParameter,
  type RequestParameters,
  type WriteMethod,
} from '../url/url.ts';
import { parseExpand, parseNaturalKey } from '../url/literals.ts';
import { type DataclassUrl, ParameterReader } from '../url/parameter-reader.ts';
import { lastName } from './content.ts';

/** Selectors of entities that can be read and deleted, and saved by their own keys only. */
const SEVERAL: ReadonlySet<Selector['kind']> = new Set(['keys', 'keyList', 'entitySet']);

/** Parses the URL of a write (§4.6, §4.13). POST and PUT without `$method` update, as PATCH does, and DELETE deletes (DECISIONS, "Updates"). */
export function parseWrite(
  url: DataclassUrl,
): ParsedRequest<SaveRequest | DeleteRequest | DeleteSetRequest | AttributeUploadRequest> {
  const { target, verb, parameters } = url;
  const given = methodParameter(parameters);
  if (given === null && parameters.some(({ name }) => name === '$rawPict' || name === '$binary')) {
    return parseAttributeUpload(url);
  }
  const method = methodOf(url, given);
  if (target.segments.length > 0) {
    // A verb that no attribute or relation takes is not listed in Allow.
    const error = given === null ? 'verbNotAllowed' : 'notApplicable';
    const what = given === null ? verb : `$method=${method}`;
    const message = `${what} applies to ${target.name} and its entities, such as ${target.name}(key), not to what stands behind them in the path. The bytes of an image or BLOB need $rawPict=image/png or $binary=true.`;
    throw new ProtocolError(error, message);
  }
  if (given === null && (verb === 'PUT' || verb === 'PATCH') && SEVERAL.has(target.selector.kind)) {
    const message = `${verb} saves the one entity of its URL, or those of its body at ${target.name}: it applies to no entity set and to no list of keys.`;
    throw new ProtocolError('verbNotAllowed', message);
  }
  return method === 'delete' ? parseDelete(url) : parseSave(url, method);
}

function methodOf({ verb }: DataclassUrl, given: MethodParameter | null): WriteMethod {
  const own = verb === 'DELETE' ? 'delete' : 'update';
  const name = given?.name ?? own;
  if (!isWriteMethod(name)) {
    throw new ProtocolError('verbNotAllowed', `$method=${name} is allowed on GET only.`, given?.at);
  }
  if (name === own || (verb !== 'DELETE' && verb !== 'PATCH')) return name;
  const message = `$method=${name} is not allowed on ${verb}: use POST.`;
  throw new ProtocolError('verbNotAllowed', message, given?.at);
}

const FILTER_OF_ANSWER =
  'changes nothing: it chooses what a save with $atomic=true answers. To change what it finds, read that, and save it by __KEY';

function parseSave(url: DataclassUrl, method: 'update' | 'insert'): ParsedRequest<SaveRequest> {
  const { name, selector, shape } = url.target;
  const what = `$method=${method}`;
  const reader = new ParameterReader(url, what, ['save'], `save ${method} ${shape}`);
  const atomic = readAtomic(reader);
  const filter = reader.filter();
  if (filter !== null && !atomic) {
    // A client that means to change what a filter finds would create an entity.
    throw reader.notApplicable('$filter', FILTER_OF_ANSWER);
  }
  return reader.parsed({
    kind: 'save',
    method,
    dataclass: name,
    selector,
    atomic,
    dryRun: reader.flag('$refresh'),
    replace: reader.read('$replace', parseExpand, []),
    naturalKey: readNaturalKey(reader, method, selector),
    filter,
    ...reader.lists(),
  });
}

/** Reads `$key`, by which the entities of a body are found; null where it is not given. */
function readNaturalKey(
  reader: ParameterReader,
  method: 'update' | 'insert',
  { kind }: Selector,
): readonly PathRef[] | null {
  const names = reader.read<readonly PathRef[] | null>('$key', parseNaturalKey, null);
  if (names === null) return null;
  if (method === 'insert') {
    throw reader.notApplicable('$key', 'is allowed with $method=update only');
  }
  if (kind === 'all') return names;
  const why =
    'finds the entities of the body, but the URL names which to save: leave one of them out';
  throw reader.notApplicable('$key', why);
}

function parseDelete(url: DataclassUrl): ParsedRequest<DeleteRequest | DeleteSetRequest> {
  const { name: dataclass, selector, shape } = url.target;
  const reader = new ParameterReader(url, '$method=delete', ['delete'], `delete ${shape}`);
  const atomic = readAtomic(reader);
  const dryRun = reader.flag('$refresh');
  const filter = reader.filter('$filter', undefined, { isExact: true });
  const { orderBy } = reader.lists();
  return selector.kind === 'entitySet'
    ? reader.parsed({ kind: 'deleteSet', dataclass, id: selector.id, dryRun, filter, orderBy })
    : reader.parsed({ kind: 'delete', dataclass, selector, atomic, dryRun, filter, orderBy });
}

/** `$atomic` and `$atOnce` are equivalent (§4.13 rule 1). */
function readAtomic(reader: ParameterReader): boolean {
  return reader.flag('$atomic') || reader.flag('$atOnce');
}

/** Parses an upload to the one attribute that its path ends in: `/Employee(5)/photo`. */
function parseAttributeUpload(url: DataclassUrl): ParsedRequest<AttributeUploadRequest> {
  const { name, selector, segments, shape } = url.target;
  const given = collectParameters(url.parameters, 'an upload', ['attributeUpload']);
  if (url.verb === 'DELETE' || url.verb === 'PATCH') {
    const message = `${url.verb} does not apply to an attribute: replace it by PUT, or set it to null by $method=update.`;
    throw new ProtocolError('verbNotAllowed', message);
  }
  const image = uploadedImage(given);
  const attribute = segments.length === 1 ? lastName({ segments }) : null;
  if (attribute === null) {
    const message = `An upload names one attribute of an entity: ${name}(key)/attribute.`;
    throw new ProtocolError('badUrl', message);
  }
  return {
    ast: { kind: 'attributeUpload', dataclass: name, selector, attribute, image },
    shape: [`upload ${shape}`, ...given.keys()].join('\n'),
    values: url.values.items,
  };
}

/**
 * Reads the content type of an upload: `$rawPict` is true or the image's type, as `image/png` or `.png`; `$binary` is true. The `+` of
 * `image/svg+xml` was read as a blank. @returns the type of the image, `png`, in lower case; null if none is named
 */
export function uploadedImage(given: RequestParameters): string | null {
  const kinds = [
    [
      '$rawPict',
      /^(?:true|image\/[\w.+-]+|\.\w+)$/i,
      ' or the type of the image, such as image/png',
    ],
    ['$binary', /^true$/i, ''],
  ] as const;
  for (const [name, pattern, more] of kinds) {
    const value = given.get(name);
    if (value === undefined || pattern.test(value.text.replaceAll(' ', '+'))) continue;
    const message = `The value of ${name} is "${value.text}"; expected true${more}.`;
    throw new ProtocolError('badUrl', message, value.at);
  }
  const [, type = null] = /^(?:image\/|\.)(.+)$/i.exec(given.get('$rawPict')?.text ?? '') ?? [];
  return type === null ? null : type.replaceAll(' ', '+').toLowerCase();
}
