import { isUtf8 } from 'node:buffer';
import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { inSlices, mapInSlices, type TimeSlice } from '../../base/time.ts';
import type { RestRequest } from '../rest-request.ts';
import { decodeQuoteCodes, MOST_ATTRIBUTES } from '../url/literals.ts';
import { isWriteMethod, readParameters } from '../url/url.ts';
import {
  BrokenJson,
  Digits,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonReading,
  type JsonValue,
  parseJson,
  repetitionIn,
  TooManyEntities,
} from './json.ts';

/** One object of a body: its `__KEY`, `__STAMP` and `__DATACLASS`, where it has them, and all of its members. */
export interface BodyEntity {
  readonly key: JsonValue | undefined;
  readonly stamp: JsonValue | undefined;
  readonly dataclass: JsonValue | undefined;
  readonly members: JsonObject;
}

/** Whether a member may be an attribute. Those that begin with `__` are the protocol's (§1), or notes of clients. */
export function isAttributeName(name: string): boolean {
  return !name.startsWith('__');
}

/** The names of the members that may be attributes. */
export function attributeNames({ members }: Pick<BodyEntity, 'members'>): string[] {
  return Object.keys(members).filter(isAttributeName);
}

/** The body of a request that writes: one object, or several (an array, or an object with `__ENTITIES`). */
export interface Body {
  readonly form: 'one' | 'many';
  readonly entities: readonly BodyEntity[];
}

/** A body as it came over HTTP, with its header Content-Type. */
interface RawBody {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

const JSON_TYPE = 'application/json';
const URL_ENCODED = 'application/x-www-form-urlencoded';

/** The content types of bodies that hold JSON; some clients send forms (DECISIONS, "URLs and encodings"). */
const JSON_TYPES: ReadonlySet<string> = new Set([
  JSON_TYPE,
  'text/json',
  'text/plain',
  URL_ENCODED,
]);

/** How a body is parsed: in slices, with a limit on its objects. */
export interface BodyReading {
  readonly slice: TimeSlice;
  readonly maxEntities: number;
}

/** Parses the body of a write (§4.6, §4.13; DECISIONS, "URLs and encodings"); null for an empty one. @throws ProtocolError badMediaType, badBody */
export async function parseBody(body: RawBody, reading: BodyReading): Promise<Body | null> {
  const value = await bodyJson(body, reading.slice, reading.maxEntities);
  if (value === undefined) return null;
  if (isJsonArray(value)) return many(value, reading);
  if (!isJsonObject(value)) throw notAnObject('The body', value);
  const entities = value['__ENTITIES'];
  if (entities === undefined) return { form: 'one', entities: [entity(value)] };
  if (!isJsonArray(entities)) throw notAnObject('__ENTITIES', entities);
  checkCollection(value);
  return many(entities, reading);
}

/** Parses the JSON of a body; undefined for an empty one. @throws as {@link parseBody} */
export async function bodyJson(
  { contentType, bytes }: RawBody,
  slice: TimeSlice,
  maxEntities?: number,
): Promise<JsonValue | undefined> {
  const type = mediaType(contentType);
  const plain = type === URL_ENCODED ? await unescapeForm(bytes, slice) : bytes;
  const text = plain.length <= SHORT ? decodeShort(plain) : await decode(plain, slice);
  if (text.trim() === '') return undefined;
  await slice.pause();
  try {
    return await inSlices(jsonReading(text, maxEntities), slice);
  } catch (error) {
    if (error instanceof TooManyEntities) {
      const message = `The body holds more than ${maxEntities} objects; at most as many are allowed.`;
      throw badBody(message);
    }
    throw error instanceof BrokenJson ? notJson(error) : error;
  }
}

/** The media type without its parameters, in lower case; JSON where none is given. */
function mediaType(contentType: string | undefined): string {
  if (contentType === JSON_TYPE) return JSON_TYPE;
  const [type = '', ...parameters] = (contentType ?? JSON_TYPE)
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?(?:utf-?8|us-ascii)"?$/.test(charset);
  if ((JSON_TYPES.has(type) || /^application\/[\w.-]+\+json$/.test(type)) && isUtf8) return type;
  const message = `The body’s content type is "${contentType ?? ''}"; expected JSON in UTF-8: application/json.`;
  throw new ProtocolError('badMediaType', message);
}

/** How many bytes are decoded before other requests may have their turn. */
const PIECE = 1_048_576;

/** Up to how many bytes a body is decoded at once: to make a decoder would take longer. */
const SHORT = 4096;

const BYTE_ORDER_MARK = '\uFEFF';

function decodeShort(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  const text = bytes.toString('utf8');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

async function decode(bytes: Buffer, slice: TimeSlice): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += PIECE) {
      text += decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
      if (bytes.length > PIECE) await slice.pause();
    }
    return text + decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? notUtf8() : error;
  }
}

function notUtf8(): ProtocolError {
  return badBody('The body is not in UTF-8.');
}

/** The characters that clients escape in JSON sent as a form, by the last digit of their escapes `%2…`. */
const FORM_ESCAPES: ReadonlyMap<number | undefined, number> = new Map(
  Object.entries({ '1': '!', '7': "'", '8': '(', '9': ')', A: '*', a: '*' }).map(
    ([digit, character]) => [digit.charCodeAt(0), character.charCodeAt(0)],
  ),
);

async function unescapeForm(bytes: Buffer, slice: TimeSlice): Promise<Buffer> {
  const unescaped = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const isEscape = bytes[at] === 0x25 && bytes[at + 1] === 0x32;
    const escaped = isEscape ? FORM_ESCAPES.get(bytes[at + 2]) : undefined;
    unescaped[length] = escaped ?? bytes[at] ?? 0;
    length += 1;
    if (escaped !== undefined) at += 2;
    if (length % 10_000 === 0) await slice.pause();
  }
  return unescaped.subarray(0, length);
}

function notJson({ message, position }: BrokenJson): ProtocolError {
  return badBody(`The body is not valid JSON: ${message}`, { within: 'the body', position });
}

function badBody(message: string, at?: TextPosition): ProtocolError {
  return new ProtocolError('badBody', message, at);
}

/** Only in the values of attributes may a name be repeated: there the database allows it, too. */
function checkMembers(value: JsonObject): void {
  const repetition = repetitionIn(value);
  if (repetition !== undefined) throw notJson(repetition);
}

/** A collection has the protocol's members only; an object with a key, a stamp or attributes is an entity. */
function checkCollection(value: JsonObject): void {
  checkMembers(value);
  const own = Object.keys(value).find(
    (name) => !name.startsWith('__') || name === '__KEY' || name === '__STAMP',
  );
  if (own === undefined) return;
  const message = `The body is an entity, as its ${own} says, and has __ENTITIES besides: expected one entity, or a collection with its header.`;
  throw badBody(message);
}

async function many(values: readonly JsonValue[], { slice }: BodyReading): Promise<Body> {
  const read = (value: JsonValue, index: number) =>
    bodyEntity(value, `Element ${index} of the body`);
  return { form: 'many', entities: await mapInSlices(values, read, slice) };
}

/** Splits an object of a body into its parts. @param what the object, for messages: `Element 2 of the body` @throws ProtocolError badBody */
export function bodyEntity(value: JsonValue, what: string): BodyEntity {
  if (!isJsonObject(value)) throw notAnObject(what, value, '');
  return entity(value);
}

function entity(members: JsonObject): BodyEntity {
  checkMembers(members);
  const { __KEY: key, __STAMP: stamp, __DATACLASS: dataclass } = members;
  return { key, stamp, dataclass, members };
}

function notAnObject(
  what: string,
  value: JsonValue,
  otherwise = ', or an array of such objects',
): ProtocolError {
  const kind = isJsonArray(value) ? 'array' : value instanceof Digits ? 'number' : typeof value;
  const found = `${what} is of type ${value === null ? 'null' : kind}`;
  return badBody(`${found}; expected an object with the attributes of an entity${otherwise}.`);
}

/** Parses the parameters of a POST call: a JSON array, or an object with one as `params`; `[]` for an empty body. @throws as {@link parseBody} */
export async function bodyParams(
  body: RawBody | null,
  slice: TimeSlice,
): Promise<readonly JsonValue[]> {
  const value = body === null ? undefined : await bodyJson(body, slice);
  if (value === undefined) return [];
  if (isJsonArray(value)) return value;
  if (isJsonObject(value)) {
    const { params } = value;
    if (isJsonArray(params)) return params;
    if (Object.keys(value).length === 0) return [];
  }
  throw badBody('The body holds no parameters: expected a JSON array of them, or {"params": […]}.');
}

/** Parses the parameters of a GET call: the text of `$params`. @throws ProtocolError badParameters */
export function urlParams(text: string): readonly JsonValue[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  try {
    const value = parseJson(trimmed);
    // Clients write quotes in texts as character codes (§4.3).
    if (isJsonArray(value)) {
      return value.map((one) => (typeof one === 'string' ? decodeQuoteCodes(one) : one));
    }
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    const at = { within: '$params', position: error.position };
    throw new ProtocolError('badParameters', 'The value of $params is not valid JSON.', at);
  }
  const message = 'The value of $params is not a JSON array of the function’s parameters.';
  throw new ProtocolError('badParameters', message);
}

/** Whether a POST is a read whose attributes are in its body (`$extendedAttributes`). */
export function postsAttributes(url: string): boolean {
  const given = readParameters(url);
  return (
    given.some(({ name, value }) => name === '$extendedAttributes' && /^true$/i.test(value)) &&
    !given.some(({ name, value }) => name === '$method' && isWriteMethod(value))
  );
}

/**
 * Moves the attributes of a read from its body to its URL: `{"firstName":true,"employer":{"name":true}}` is
 * `$attributes=firstName,employer.name`. @throws ProtocolError badBody, badMediaType, badAttributeList
 */
export async function withPostedAttributes(
  request: RestRequest,
  slice: TimeSlice,
): Promise<RestRequest> {
  const { body, headers, url } = request;
  const contentType = headers['content-type'];
  const value = body === null ? undefined : await bodyJson({ contentType, bytes: body }, slice);
  if (value !== undefined && !isJsonObject(value)) throw notAttributes('The body');
  const paths = [...attributePaths(value ?? {}, [])];
  if (paths.length === 0) return { ...request, body: null };
  const listed = paths.map((path) => path.map(encodeURIComponent).join('.')).join(',');
  return { ...request, body: null, url: `${url}&$attributes=${listed}` };
}

function* attributePaths(
  attributes: JsonObject,
  before: readonly string[],
  count = { paths: 0 },
): Generator<readonly string[]> {
  for (const [name, value] of Object.entries(attributes)) {
    const path = [...before, name];
    if (value === false || value === null) continue;
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      yield* attributePaths(value, path, count);
    } else if (value === true || isJsonObject(value)) {
      count.paths += 1;
      if (count.paths > MOST_ATTRIBUTES) {
        const message = `The body names more than ${MOST_ATTRIBUTES} attributes.`;
        throw new ProtocolError('badAttributeList', message);
      }
      yield path;
    } else {
      throw notAttributes(path.join('.'));
    }
  }
}

function notAttributes(what: string): ProtocolError {
  const message = `${what} is not a list of attributes; expected an object such as {"firstName":true,"employer":{"name":true}}.`;
  return new ProtocolError('badBody', message);
}
