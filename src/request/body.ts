import { ProtocolError } from '../base/errors.ts';
import {
  BrokenJson,
  digitsOf,
  isJsonArray,
  isJsonObject,
  parseJson,
  repetitionIn,
  type JsonObject,
  type JsonValue,
} from './json.ts';

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
export interface RawBody {
  /** The header Content-Type; undefined where it is missing. */
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

const URL_ENCODED = 'application/x-www-form-urlencoded';

/** What clients say of bodies that hold JSON; some of the protocol's send forms (DECISIONS, "URLs and encodings"). */
const JSON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'text/json',
  'text/plain',
  URL_ENCODED,
]);

/** How many objects one body may hold, those that are within others counted as well. */
export const MOST_ENTITIES = 100_000;

/**
 * Reads the body of a request that writes (§4.6, §4.13; DECISIONS, "URLs and encodings").
 * @returns null for an empty body
 * @throws ProtocolError badMediaType, or badBody with the position where reading failed
 */
export function parseBody(body: RawBody): Body | null {
  const value = bodyJson(body);
  if (value === undefined) return null;
  if (isJsonArray(value)) return many(value);
  if (!isJsonObject(value)) throw notAnObject('The body', value);
  const entities = value['__ENTITIES'];
  if (entities === undefined) return { form: 'one', entities: [entity(value)] };
  if (!isJsonArray(entities)) throw notAnObject('__ENTITIES', entities);
  checkCollection(value);
  return many(entities);
}

/**
 * The JSON that a body holds; undefined for an empty one.
 * @throws as {@link parseBody}
 */
export function bodyJson({ contentType, bytes }: RawBody): JsonValue | undefined {
  const type = mediaType(contentType);
  const text = decodeBody(bytes, type === URL_ENCODED);
  return text.trim() === '' ? undefined : readJson(text);
}

/** The media type without its parameters, in lower case; JSON where none is given. */
function mediaType(contentType: string | undefined): string {
  const [type = '', ...parameters] = (contentType ?? 'application/json')
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

function decodeBody(bytes: Buffer, isForm: boolean): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ProtocolError('badBody', 'The body is not in UTF-8.');
  }
  // Clients that send JSON as a form escape these five characters and no others.
  return isForm ? text.replace(/%(?:2[1789A])/gi, (escape) => decodeURIComponent(escape)) : text;
}

function readJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw notJson(error);
  }
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

function many(values: readonly JsonValue[]): Body {
  if (values.length > MOST_ENTITIES) {
    throw new ProtocolError(
      'badBody',
      `The body holds ${values.length} objects; at most ${MOST_ENTITIES} are allowed.`,
    );
  }
  return {
    form: 'many',
    entities: values.map((value, index) => {
      return bodyEntity(value, `Element ${index} of the body`);
    }),
  };
}

/**
 * An object that says what an entity holds.
 * @param what the place in the body, for messages: `Element 2 of the body`
 * @throws ProtocolError badBody for what is no object, and for one that names a member twice
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
