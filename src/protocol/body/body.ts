import { isUtf8 } from 'node:buffer';
import { ProtocolError } from '../../base/errors.ts';
import { mapInSlices, type TimeSlice } from '../../base/time-slice.ts';
import { parseJson, readJson, repetitionIn } from './json.ts';
import {
  BrokenJson,
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  TooManyEntities,
} from './json-value.ts';
import { decodeQuoteCodes } from '../url/literals.ts';

/** One object of a body, its protocol fields taken out. Values are looked at when the model is known. */
export interface BodyEntity {
  /** `__KEY`; undefined where it is missing. */
  readonly key: JsonValue | undefined;
  /** `__STAMP`; undefined where it is missing. */
  readonly stamp: JsonValue | undefined;
  /** `__DATACLASS`; undefined where it is missing. */
  readonly dataclass: JsonValue | undefined;
  readonly fields: ReadonlyMap<string, JsonValue>;
}

/** The body of a request that writes: one object, or several (an array, or an object with `__ENTITIES`). */
export interface Body {
  readonly form: 'one' | 'many';
  readonly entities: readonly BodyEntity[];
}

/** A body as it came over HTTP. */
interface RawBody {
  /** The header Content-Type; undefined where it is missing. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

const JSON_TYPE = 'application/json';
const URL_ENCODED = 'application/x-www-form-urlencoded';

/** What clients say of bodies that hold JSON; some of the protocol's send forms (DECISIONS, "URLs and encodings"). */
const JSON_TYPES: ReadonlySet<string> = new Set([
  JSON_TYPE,
  'text/json',
  'text/plain',
  URL_ENCODED,
]);

/** What a body is read with. */
export interface BodyReading {
  /** Between pieces of a long body others have their turn. */
  readonly slice: TimeSlice;
  /** How many objects it may hold. */
  readonly maxEntities: number;
}

/**
 * Reads the body of a request that writes (§4.6, §4.13; DECISIONS, "URLs and encodings").
 * @returns null for an empty body
 * @throws ProtocolError badMediaType, or badBody with the position where reading failed; the reason of the slice's signal
 */
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

/**
 * The JSON that a body holds; undefined for an empty one.
 * @throws as {@link parseBody}
 */
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
    return await readJson(text, slice, maxEntities);
  } catch (error) {
    if (error instanceof TooManyEntities) throw tooManyEntities(maxEntities);
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
  throw new ProtocolError(
    'badMediaType',
    `The body’s content type is "${contentType ?? ''}"; expected JSON in UTF-8: application/json.`,
  );
}

/** How many bytes are decoded before others may have their turn. */
const PIECE = 1_048_576;

/** Up to how many bytes a decoder of its own would take longer than what it decodes. */
const SHORT = 4096;

const BYTE_ORDER_MARK = '\uFEFF';

/** The same as {@link decode}, at once. */
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
  return new ProtocolError('badBody', 'The body is not in UTF-8.');
}

/** Clients that send JSON as a form escape `!'()*` and no other characters. */
async function unescapeForm(bytes: Buffer, slice: TimeSlice): Promise<Buffer> {
  const unescaped = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const escaped = bytes[at] === 0x25 ? formEscape(bytes, at) : undefined;
    unescaped[length] = escaped ?? bytes[at] ?? 0;
    length += 1;
    if (escaped !== undefined) at += 2;
    if (length % 10_000 === 0) await slice.pause();
  }
  return unescaped.subarray(0, length);
}

/** The character `!'()*` that `%21`, `%27` to `%2A` or `%2a` stand for; undefined for anything else. */
function formEscape(bytes: Buffer, at: number): number | undefined {
  if (bytes[at + 1] !== 0x32) return undefined;
  switch (bytes[at + 2] ?? 0) {
    case 0x31:
      return 0x21;
    case 0x37:
      return 0x27;
    case 0x38:
      return 0x28;
    case 0x39:
      return 0x29;
    case 0x41:
    case 0x61:
      return 0x2a;
    default:
      return undefined;
  }
}

function tooManyEntities(most = Infinity): ProtocolError {
  return new ProtocolError(
    'badBody',
    `The body holds more than ${most} objects; at most as many are allowed.`,
  );
}

function notJson({ message, position }: BrokenJson): ProtocolError {
  return new ProtocolError('badBody', `The body is not valid JSON: ${message}`, {
    within: 'the body',
    position,
  });
}

/** Which of two members is meant, only the values of attributes may leave open: there the database does not care either. */
function checkMembers(value: JsonObject): void {
  const repetition = repetitionIn(value);
  if (repetition !== undefined) throw notJson(repetition);
}

/** A collection has a header, whose names are the protocol's; what has a key, a stamp or attributes is an entity. */
function checkCollection(value: JsonObject): void {
  checkMembers(value);
  const own = Object.keys(value).find(
    (name) => !name.startsWith('__') || name === '__KEY' || name === '__STAMP',
  );
  if (own === undefined) return;
  throw new ProtocolError(
    'badBody',
    `The body is an entity, as its ${own} says, and has __ENTITIES besides: expected one entity, or a collection with its header.`,
  );
}

async function many(values: readonly JsonValue[], { slice }: BodyReading): Promise<Body> {
  const read = (value: JsonValue, index: number): BodyEntity =>
    bodyEntity(value, `Element ${index} of the body`);
  return { form: 'many', entities: await mapInSlices(values, read, slice) };
}

/**
 * An object that says what an entity holds.
 * @param what the place in the body, for messages: `Element 2 of the body`
 * @throws ProtocolError badBody for what is not an object, and for one that names a member twice
 */
export function bodyEntity(value: JsonValue, what: string): BodyEntity {
  if (!isJsonObject(value)) throw notAnObject(what, value, '');
  return entity(value);
}

/** Names that begin with `__` are the protocol's (§1): what answers say besides, and what clients note for themselves. */
function entity(value: JsonObject): BodyEntity {
  checkMembers(value);
  const { __KEY: key, __STAMP: stamp, __DATACLASS: dataclass } = value;
  const attributes = Object.entries(value).filter(([name]) => !name.startsWith('__'));
  return { key, stamp, dataclass, fields: new Map(attributes) };
}

function notAnObject(
  what: string,
  value: JsonValue,
  otherwise = ', or an array of such objects',
): ProtocolError {
  const kind =
    value === null
      ? 'null'
      : digitsOf(value) !== null
        ? 'number'
        : isJsonArray(value)
          ? 'array'
          : typeof value;
  return new ProtocolError(
    'badBody',
    `${what} is of type ${kind}; expected an object with the attributes of an entity${otherwise}.`,
  );
}

/**
 * The parameters of a call that is posted: a JSON array, or an object that has one as `params`; none for an empty body.
 * @throws ProtocolError badMediaType, badBody
 */
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
  throw new ProtocolError(
    'badBody',
    'The body holds no parameters: expected a JSON array of them, or {"params": […]}.',
  );
}

/**
 * The parameters of a call by GET: the text of `$params`.
 * @throws ProtocolError badParameters
 */
export function urlParams(text: string): readonly JsonValue[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  try {
    const value = parseJson(trimmed);
    if (isJsonArray(value)) return value.map(withQuotes);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new ProtocolError('badParameters', 'The value of $params is not valid JSON.', {
      within: '$params',
      position: error.position,
    });
  }
  throw new ProtocolError(
    'badParameters',
    'The value of $params is not a JSON array of the function’s parameters.',
  );
}

/** Clients write quotes inside of texts as character codes (§4.3). */
function withQuotes(value: JsonValue): JsonValue {
  return typeof value === 'string' ? decodeQuoteCodes(value) : value;
}
