import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
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
  flag,
  isSetMethod,
  methodParameter,
  type RequestParameters,
  type MethodParameter,
  type Keyword,
  type WriteMethod,
} from '../url/keywords.ts';
import { parseExpand } from '../url/lists.ts';
import type { ValueList } from '../url/literals.ts';
import { ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';

const SAVE_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$method',
  '$atomic',
  '$atOnce',
  '$filter',
  '$params',
  '$orderby',
  '$attributes',
  '$expand',
  '$asArray',
  '$refresh',
  '$replace',
]);

const DELETE_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$method',
  '$atomic',
  '$atOnce',
  '$filter',
  '$params',
  '$orderby',
]);

/** What selects entities that are read and deleted, and are saved by their own keys only. */
const SEVERAL: ReadonlySet<Selector['kind']> = new Set(['keys', 'keyList', 'entitySet']);

/** What says that the body is the bytes of one attribute. */
const ATTRIBUTE_UPLOAD_KEYWORDS: ReadonlySet<Keyword> = new Set(['$rawPict', '$binary', '$expand']);

/**
 * Reads the URL of a request that writes (§4.6, §4.13). POST and PUT without `$method` update, DELETE deletes (DECISIONS,
 * "Updates").
 * @throws ProtocolError with the position in the text where reading failed
 */
export function parseWrite(
  target: DataclassPath,
  verb: 'POST' | 'PUT' | 'DELETE',
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<SaveRequest | DeleteRequest | DeleteSetRequest | AttributeUploadRequest> {
  const given = methodParameter(parameters);
  if (given === null && parameters.some(({ name }) => name === '$rawPict' || name === '$binary')) {
    return parseAttributeUpload(target, verb, parameters, values);
  }
  const method = methodOf(verb, given);
  if (target.segments.length > 0) {
    // A verb that goes with no attribute or relation is none to list in Allow.
    const what = given === null ? verb : `$method=${method}`;
    throw new ProtocolError(
      given === null ? 'verbNotAllowed' : 'notApplicable',
      `${what} applies to ${target.name} and its entities, not to what stands behind them in the path. The bytes of an image or BLOB need $rawPict=image/png or $binary=true.`,
    );
  }
  if (given === null && verb === 'PUT' && SEVERAL.has(target.selector.kind)) {
    throw new ProtocolError(
      'verbNotAllowed',
      `PUT saves the one entity of its URL, or those of its body at ${target.name}: it applies to no entity set and to no list of keys.`,
    );
  }
  return method === 'delete'
    ? parseDelete(target, parameters, values, limits)
    : parseSave(target, method, parameters, values, limits);
}

function methodOf(verb: 'POST' | 'PUT' | 'DELETE', given: MethodParameter | null): WriteMethod {
  const name = given?.name ?? (verb === 'DELETE' ? 'delete' : 'update');
  if (isSetMethod(name)) {
    throw new ProtocolError('verbNotAllowed', `$method=${name} is allowed on GET only.`, given?.at);
  }
  if (given === null || verb !== 'DELETE' || name === 'delete') return name;
  throw new ProtocolError(
    'verbNotAllowed',
    `$method=${given.name} is not allowed on DELETE: use POST.`,
    given.at,
  );
}

function parseSave(
  target: DataclassPath,
  method: 'update' | 'insert',
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<SaveRequest> {
  const given = collectParameters(parameters, `$method=${method}`, SAVE_KEYWORDS);
  const reader = new ParameterReader(given, `save ${method} ${target.shape}`, values, limits);
  const ast: SaveRequest = {
    kind: 'save',
    method,
    dataclass: target.name,
    selector: target.selector,
    atomic: readAtomic(reader),
    dryRun: reader.read('$refresh', (text) => flag('$refresh', text), false),
    replace: reader.read('$replace', (text) => parseExpand(text, '$replace'), []),
    filter: reader.filter(),
    ...reader.lists(),
  };
  return { ast, shape: reader.shape(), values: values.items };
}

function parseDelete(
  target: DataclassPath,
  parameters: readonly RawParameter[],
  values: ValueList,
  limits: RequestLimits,
): ParsedRequest<DeleteRequest | DeleteSetRequest> {
  const given = collectParameters(parameters, '$method=delete', DELETE_KEYWORDS);
  const reader = new ParameterReader(given, `delete ${target.shape}`, values, limits);
  const { selector } = target;
  const atomic = readAtomic(reader);
  const filter = reader.filter();
  const { orderBy } = reader.lists();
  const dataclass = target.name;
  const ast: DeleteRequest | DeleteSetRequest =
    selector.kind === 'entitySet'
      ? { kind: 'deleteSet', dataclass, id: selector.id, filter, orderBy }
      : { kind: 'delete', dataclass, selector, atomic, filter, orderBy };
  return { ast, shape: reader.shape(), values: values.items };
}

/** `$atomic` and `$atOnce` are equivalent (§4.13 rule 1). */
function readAtomic(reader: ParameterReader): boolean {
  return (
    reader.read('$atomic', (text) => flag('$atomic', text), false) ||
    reader.read('$atOnce', (text) => flag('$atOnce', text), false)
  );
}

function parseAttributeUpload(
  target: DataclassPath,
  verb: 'POST' | 'PUT' | 'DELETE',
  parameters: readonly RawParameter[],
  values: ValueList,
): ParsedRequest<AttributeUploadRequest> {
  const given = collectParameters(parameters, 'an upload', ATTRIBUTE_UPLOAD_KEYWORDS);
  if (verb === 'DELETE') {
    throw new ProtocolError(
      'verbNotAllowed',
      'DELETE does not apply to an attribute: set it to null by $method=update.',
    );
  }
  const image = uploadedImage(given);
  const attribute = onlyAttribute(target);
  const ast: AttributeUploadRequest = {
    kind: 'attributeUpload',
    dataclass: target.name,
    selector: target.selector,
    attribute,
    image,
  };
  const shape = [`upload ${target.shape}`, ...given.keys()].join('\n');
  return { ast, shape, values: values.items };
}

/** The one attribute that the path of an upload ends in: `/Employee(5)/photo`. */
function onlyAttribute({ name, segments }: DataclassPath): PathRef {
  const [segment, ...more] = segments;
  const [attribute, ...others] = segment ?? [];
  if (
    attribute === undefined ||
    more.length + others.length > 0 ||
    attribute.star ||
    attribute.names.length > 1
  ) {
    throw new ProtocolError(
      'badUrl',
      `An upload names one attribute of an entity: ${name}(key)/attribute.`,
    );
  }
  return attribute;
}

/**
 * What an upload holds: `$rawPict` is true or the type of the image, as `image/png` or `.png`, `$binary` is true. The `+` of
 * `image/svg+xml` was read as a blank.
 * @returns the type of the image, `png`, in lower case; null where none is named
 * @throws ProtocolError badUrl for anything else
 */
export function uploadedImage(given: RequestParameters): string | null {
  const kinds = [
    [
      '$rawPict',
      /^(?:true|image\/[\w.+-]+|\.\w+)$/i,
      'true or the type of the image, such as image/png',
    ],
    ['$binary', /^true$/i, 'true'],
  ] as const;
  for (const [name, pattern, expected] of kinds) {
    const value = given.get(name);
    if (value === undefined || pattern.test(value.text.replaceAll(' ', '+'))) continue;
    throw new ProtocolError(
      'badUrl',
      `The value of ${name} is "${value.text}"; expected ${expected}.`,
      value.at,
    );
  }
  const [, type = null] = /^(?:image\/|\.)(.+)$/i.exec(given.get('$rawPict')?.text ?? '') ?? [];
  return type === null ? null : type.replaceAll(' ', '+').toLowerCase();
}
