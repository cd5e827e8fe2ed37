import { beginsAs, IMAGE_TYPES } from '../../answer/image/formats.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import { inSlices, mapInSlices, type TimeSlice } from '../../base/time.ts';
import type { Dataclass } from '../../model/types.ts';
import type { DeletePlan } from '../../plan/write/delete.ts';
import type { SavePlan, UrlTarget } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import {
  attributeNames,
  type Body,
  type BodyReading,
  parseBody,
} from '../../protocol/body/body.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../protocol/body/json.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { outermost, readDelete, readEntity } from '../../run/body/body-entity.ts';
import {
  bodyKey,
  bodyStamp,
  entityName,
  heldTooOften,
  isSameKey,
  keyMismatch,
  MOST_TIMES,
  neededStamp,
  OWN_KEY,
  urlKeys,
} from '../../run/body/entity-key.ts';
import type {
  EntityContext,
  KeyTexts,
  PlannedDelete,
  PlannedEntity,
  ReadEntity,
  RefusedEntity,
} from '../../run/convert/types.ts';
import type { Uploads } from '../../state/upload/uploads.ts';

const UPLOAD_ID = /^[0-9A-F]{32}$/;

/** Fetches the uploads that a body refers to, `{"photo": {"ID": …}}`, from where gateways keep them together. @param owner the name of the user */
export async function fetchUploads(
  values: Iterable<JsonValue>,
  uploads: Uploads,
  owner: string | null,
  slice: TimeSlice,
): Promise<void> {
  const left: JsonValue[] = [...values];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isJsonArray(value)) {
      for (const item of value) left.push(item);
    } else if (isJsonObject(value)) {
      const id = value['ID'];
      if (typeof id === 'string' && UPLOAD_ID.test(id)) await uploads.fetch(id, owner);
      for (const inner of Object.values(value)) left.push(inner);
    }
    if (slice.isOver()) await slice.pause();
  }
}

/** Parses the body; null where there is none. @throws ProtocolError badMediaType, badBody */
export function optionalBody(
  { body, headers }: RestRequest,
  reading: BodyReading,
): Promise<Body | null> {
  if (body === null) return Promise.resolve(null);
  return parseBody({ contentType: headers['content-type'], bytes: body }, reading);
}

/** Parses the body of a delete: `{}` counts as none (DECISIONS, "URLs and encodings"). @throws as {@link optionalBody} */
export async function deleteBody(request: RestRequest, reading: BodyReading): Promise<Body | null> {
  const body = await optionalBody(request, reading);
  const isEmpty = body?.entities.every(
    (entity) =>
      entity.key === undefined && entity.stamp === undefined && attributeNames(entity).length === 0,
  );
  return body?.form === 'one' && isEmpty === true ? null : body;
}

/** Parses the body. @throws as {@link optionalBody}, badBody also where there is none */
export async function neededBody(request: RestRequest, reading: BodyReading): Promise<Body> {
  const body = await optionalBody(request, reading);
  if (body !== null) return body;
  const message =
    'The body is empty; expected an object with the attributes of an entity, or an array of such objects.';
  throw new ProtocolError('badBody', message);
}

/** Returns the bytes of the body, checked against the declared type of image; null for any type. @throws ProtocolError badBody, badMedia */
export function neededBytes({ body }: RestRequest, image: string | null): Buffer {
  if (body === null || body.length === 0) {
    const message = 'The body is empty; expected the bytes of an image or BLOB.';
    throw new ProtocolError('badBody', message);
  }
  const begins = image === null || beginsAs(image, body);
  if (begins === true) return body;
  if (begins === null) {
    const message = `${image} is not a known image type: ${IMAGE_TYPES.join(', ')}. Send $rawPict=true for others.`;
    throw new ProtocolError('badMedia', message);
  }
  const message = `The body is not an image of type ${image}: name its type, or send $rawPict=true.`;
  throw new ProtocolError('badMedia', message);
}

/** @throws ProtocolError notApplicable where the body names entities */
export function refuseBody(body: Body | null): void {
  if (body === null || body.entities.length === 0) return;
  throw namedTwice('.');
}

function namedTwice(end: string): ProtocolError {
  const message = `Both the URL and the body name what to delete: send one of them${end}`;
  return new ProtocolError('notApplicable', message);
}

/** Reads the entities to save: the objects of the body, or the one object for the entity in the URL. */
export function savedEntities(
  { dataclass, method, atomic, target, naturalKey }: SavePlan,
  values: readonly Literal[],
  body: Body,
  {
    findUpload,
    limits,
    maxExpandDepth,
    slice,
    maxEntities,
  }: Pick<EntityContext, 'limits' | 'findUpload'> &
    BodyReading &
    Pick<RequestLimits, 'maxExpandDepth'>,
): Promise<ReadEntity[]> {
  const context: EntityContext = {
    dataclass,
    method,
    atomic,
    urlKey: onlyKey(target, values, body, { dataclass, limits }),
    urlAttribute: target?.unique ?? null,
    limits,
    findUpload,
    position: {
      ...outermost({ maxDepth: maxExpandDepth, maxEntities }),
      isSought: naturalKey !== null,
    },
  };
  return inSlices(readEntities(body, context), slice);
}

function* readEntities({ entities }: Body, context: EntityContext): Generator<void, ReadEntity[]> {
  const read: ReadEntity[] = [];
  const refuseRepeated = refusingOften<PlannedEntity>(context.dataclass, context.urlAttribute);
  for (const entity of entities) {
    const reading = readEntity(entity, read.length, context);
    const planned = 'next' in reading ? yield* reading : reading;
    read.push(entities.length === 1 ? planned : refuseRepeated(planned));
    yield;
  }
  return read;
}

/** Refuses an entity that a body holds too often: each time takes a turn, and may be answered with the whole entity. */
function refusingOften<Planned extends PlannedEntity | PlannedDelete>(
  dataclass: Dataclass,
  unique: string | null,
): (entity: Planned | RefusedEntity) => Planned | RefusedEntity {
  const times = new Map<string, number>();
  return (entity) => {
    if ('error' in entity || entity.key === null) return entity;
    const { index, key } = entity;
    const id = JSON.stringify(key);
    const count = (times.get(id) ?? 0) + 1;
    times.set(id, count);
    if (count <= MOST_TIMES) return entity;
    return { index, key, names: new Set(), error: heldTooOften(key, dataclass, unique) };
  };
}

/** Returns the key of the entity in the URL, which takes one object as the body; null where the URL names none. */
function onlyKey(
  target: UrlTarget | null,
  values: readonly Literal[],
  { form }: Body,
  { dataclass, limits }: Pick<EntityContext, 'dataclass' | 'limits'>,
): KeyTexts | null {
  if (target === null) return null;
  const [key, ...more] = urlKeys(target, values, dataclass, limits);
  if (key !== undefined && more.length === 0 && form === 'one') return key;
  const message = 'The URL names the entity to save: expected one key, and one object in the body.';
  throw new ProtocolError('notApplicable', message);
}

/** Reads the entities to delete: those that the URL names, or those of the body. */
export async function deletedEntities(
  { target, dataclass }: DeletePlan,
  values: readonly Literal[],
  body: Body | null,
  limits: EntityContext['limits'],
  slice: TimeSlice,
): Promise<(PlannedDelete | RefusedEntity)[]> {
  if (target !== null) {
    const keys = urlKeys(target, values, dataclass, limits);
    const saysNothing = body === null || body.entities.length === 0;
    const stamp = saysNothing ? null : stampBeside(target, keys, { dataclass, limits }, body);
    return keys.map((key, index) => ({ index, key, stamp }));
  }
  if (body !== null) {
    const refuseRepeated = refusingOften<PlannedDelete>(dataclass, null);
    return mapInSlices(
      body.entities,
      (entity, index) => refuseRepeated(readDelete(entity, index, { dataclass, limits })),
      slice,
    );
  }
  const message = `The request does not name the entities of ${dataclass.name} to delete: use keys, $filter or the body.`;
  throw new ProtocolError('notApplicable', message);
}

/** Reads the stamp in the body for the one entity in the URL; the body may repeat the key, and the rest of it is ignored. */
function stampBeside(
  { unique }: UrlTarget,
  keys: readonly KeyTexts[],
  { dataclass, limits }: Pick<EntityContext, 'dataclass' | 'limits'>,
  { form, entities }: Body,
): string | null {
  const [urlKey, ...others] = keys;
  const [body] = entities;
  const key = body?.key ?? null;
  if (
    body === undefined ||
    urlKey === undefined ||
    others.length > 0 ||
    form !== 'one' ||
    (key === null ? body.stamp === undefined : unique !== null)
  ) {
    throw namedTwice(', or the __STAMP of the one entity in the URL.');
  }
  if (key !== null) {
    const own = bodyKey(key, dataclass, OWN_KEY, limits);
    if (!isSameKey(own, urlKey, dataclass)) throw keyMismatch(entityName(dataclass, urlKey), own);
  }
  return neededStamp(bodyStamp(body.stamp, dataclass));
}
