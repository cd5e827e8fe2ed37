import { catching, type Consequence, notApplicable, ProtocolError } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import {
  type Dataclass,
  isRelation,
  isStored,
  type Relation,
  type StorageAttribute,
  takesLists,
} from '../../model/types.ts';
import { checkRights } from '../../plan/write/rights.ts';
import { bodyEntity, type BodyEntity } from '../../protocol/body/body.ts';
import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/body/json-value.ts';
import { GivenValue, type Slot } from '../convert/given-value.ts';
import { isShort, storedAtOnce, storing } from '../convert/stored-value.ts';
import type {
  BodyPosition,
  EntityContext,
  KeyTexts,
  NestedEntities,
  NestingBounds,
  PlannedDelete,
  PlannedEntity,
  RefusedEntity,
  RelatedEntity,
} from '../convert/types.ts';
import { bodyKey, bodyStamp, checkStamp, entityKey, neededStamp, OWN_KEY } from './entity-key.ts';
import { attributeSlot, newUuids, readRelation } from './given-value.ts';

/** Reads one object of a body by the model, in steps; a refused object keeps its key for messages. */
export function* readEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): Generator<void, PlannedEntity | RefusedEntity> {
  const named = context.urlAttribute === null ? context.urlKey : null;
  const read = yield* planEntity(body, index, context);
  return read instanceof ProtocolError ? refusedEntity(read, body, index, context, named) : read;
}

/** @param otherwise the key that names the object where its own cannot be read */
function refusedEntity(
  error: ProtocolError,
  body: BodyEntity,
  index: number,
  { dataclass, limits }: Pick<EntityContext, 'dataclass' | 'limits'>,
  otherwise: KeyTexts | null,
): RefusedEntity {
  const key = readOrError(() => bodyKey(body.key ?? null, dataclass, OWN_KEY, limits));
  return {
    index,
    key: key instanceof ProtocolError ? otherwise : key,
    names: new Set(body.fields.keys()),
    error,
  };
}

/** The result of reading, or the ProtocolError that it throws. */
function readOrError<Result>(read: () => Result): Result | ProtocolError {
  return catching(ProtocolError, read, (error) => error);
}

/** The objects under one relation of an entity. */
interface Within extends NestedObjects {
  readonly relation: Relation;
}

/** A value that is read in steps, and where it stands among those given. */
interface LongValue {
  readonly at: number;
  readonly attribute: StorageAttribute;
  readonly value: JsonValue;
}

/** What an entity is given, and what of it is still to be read: long values and the objects within it. */
interface Values {
  readonly given: GivenValue[];
  readonly related: RelatedEntity[];
  readonly nested: NestedEntities[];
  readonly long: LongValue[];
  readonly within: Within[];
}

/** Reads one object of a body, and the entities within it; the error of a mistake names the attribute, that of mistakes within it is about all of them. */
function* planEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): Generator<void, PlannedEntity | ProtocolError> {
  const { path } = context.position;
  const placed = (mistake: ProtocolError) => (path === '' ? mistake : mistake.inside(path));
  const own = readOwn(body, index, context);
  if (own instanceof ProtocolError) return placed(own);
  const { entity, values } = own;
  const { long, within, nested } = values;
  const mistake = long.length === 0 ? null : yield* readLong(values, entity.key === null, context);
  if (mistake !== null) return placed(mistake);
  const errors: ProtocolError[] = [];
  for (const { relation, objects, isWhole } of within) {
    const entities: PlannedEntity[] = [];
    for (const [at, object] of objects.entries()) {
      // Nothing of it is saved, and no more mistakes are reported: the others need not be read.
      if (isReportFull(errors, context.position)) break;
      const inner = yield* planNested(object, at, relation, context);
      if (inner instanceof ProtocolError) errors.push(inner);
      else entities.push(inner);
      yield;
    }
    nested.push({ relation, entities, isWhole });
  }
  const [first, ...others] = errors;
  return first === undefined ? entity : allOf(first, others);
}

function* planNested(
  object: JsonValue,
  index: number,
  relation: Relation,
  context: EntityContext,
): Generator<void, PlannedEntity | ProtocolError> {
  const isListed = relation.kind === 'relatedEntities';
  const begun = readOrError(() => {
    const position = positionBelow(context.position, relation, isListed ? index : null);
    return { position, body: bodyEntity(object, position.path) };
  });
  if (begun instanceof ProtocolError) return begun;
  const { position, body } = begun;
  const target = { dataclass: relation.target, urlKey: null, urlAttribute: null, position };
  return yield* planEntity(body, index, { ...context, ...target });
}

/** An entity, whose values get more while its long ones and those within it are read. */
interface ReadOwn {
  readonly entity: PlannedEntity;
  readonly values: Values;
}

/** Reads an entity without its long values and those within it. */
function readOwn(body: BodyEntity, index: number, context: EntityContext): ReadOwn | ProtocolError {
  try {
    const { dataclass } = context;
    checkDataclass(body, dataclass);
    const { key, ownKey } = entityKey(body, context);
    // Refused before a missing stamp: with the stamp, the client would get the same answer.
    const denied = deniedRight(dataclass, key === null ? 'create' : 'update');
    const isWithin = context.position.path !== '';
    if (denied !== null && !(isWithin && key !== null)) throw denied;
    const stamp = bodyStamp(body.stamp, dataclass);
    checkStamp(key, stamp, context);
    const values: Values = { given: [], related: [], nested: [], long: [], within: [] };
    const of: MemberOf = { isNew: key === null, body, context, values };
    for (const [name, value] of body.fields) readMember(name, value, of);
    if (key === null) {
      const led = values.within.flatMap(({ relation: { kind, hops } }) =>
        kind === 'relatedEntity' ? hops[0].from : [],
      );
      const filled = [...context.position.filled, ...led];
      for (const uuid of newUuids(dataclass, values.given, filled)) values.given.push(uuid);
    }
    const { given, related, nested } = values;
    // Not by a spread: this runs for each entity of a body.
    const entity: PlannedEntity = {
      index,
      key,
      ownKey,
      stamp: neededStamp(stamp),
      given,
      related,
      nested,
      denied,
    };
    return { entity, values };
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

function deniedRight(dataclass: Dataclass, change: 'create' | 'update'): ProtocolError | null {
  return readOrError(() => {
    checkRights(dataclass, change);
    return null;
  });
}

/** The entity that a member is read of. */
interface MemberOf {
  readonly isNew: boolean;
  readonly body: BodyEntity;
  readonly context: EntityContext;
  readonly values: Values;
}

/** Reads a member of an entity. @throws ProtocolError naming it */
function readMember(name: string, value: JsonValue, of: MemberOf): void {
  const { dataclass, limits } = of.context;
  const member = dataclass.members.get(name);
  // Answers carry the entity's own address, which clients send back.
  if (member === undefined && name === 'uri') return;
  if (member === undefined) throw noSuchAttribute(dataclass, name);
  if (isStored(member)) {
    const { given, long } = of.values;
    const slot = attributeSlot(member, dataclass);
    if (!isShort(value, member.columnType)) {
      long.push({ at: given.length, attribute: member, value });
      given.push(new GivenValue(slot, null));
      return;
    }
    let stored: string | null;
    try {
      stored = storedAtOnce(value, member, dataclass.name, limits);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      given.push(refusedValue(slot, value, error, of.isNew));
      return;
    }
    given.push(new GivenValue(slot, stored, value));
    return;
  }
  // An alias is a value of another entity.
  if (!isRelation(member)) return;
  try {
    readRelated(member, value, of);
  } catch (error) {
    throw error instanceof ProtocolError ? error.about(`${dataclass.name}.${name}`) : error;
  }
}

/** A value that its column cannot hold: it may be the answer for the entity, which may be sent back, and that is known when the row is read. @throws ProtocolError of a new entity */
function refusedValue(
  slot: Slot,
  bodyValue: JsonValue,
  error: ProtocolError,
  isNew: boolean,
): GivenValue {
  const refusal = error.about(slot.member);
  if (isNew) throw refusal;
  return new GivenValue(slot, null, bodyValue, refusal);
}

/** Reads the long values of an entity; takes out deferred images and BLOBs. @returns the first mistake; null where there is none */
function* readLong(
  { given, long }: Values,
  isNew: boolean,
  context: EntityContext,
): Generator<void, ProtocolError | null> {
  const { dataclass } = context;
  const deferred: number[] = [];
  for (const { at, attribute, value } of long) {
    const slot = attributeSlot(attribute, dataclass);
    try {
      const stored = yield* storing(value, attribute, dataclass.name, context);
      if (stored === undefined) deferred.push(at);
      else given[at] = new GivenValue(slot, stored, value);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const refused = readOrError(() => refusedValue(slot, value, error, isNew));
      if (refused instanceof ProtocolError) return refused;
      given[at] = refused;
    }
  }
  for (const at of deferred.reverse()) given.splice(at, 1);
  return null;
}

/** Reads a relation. @throws ProtocolError */
function readRelated(
  member: Relation,
  value: JsonValue,
  { body, context, values }: MemberOf,
): void {
  const objects = nestedObjects(member, value);
  if (objects !== null) {
    values.within.push({ relation: member, ...objects });
    return;
  }
  const named = (): ReadonlySet<string> => namedColumns(body, context.dataclass);
  const { given, related } = readRelation(member, value, named, context);
  for (const one of given) values.given.push(one);
  for (const one of related) values.related.push(one);
}

/** The names of the columns to which the attributes of a body give a value. */
function namedColumns({ fields }: BodyEntity, { members }: Dataclass): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const [name, value] of fields) {
    const member = members.get(name);
    if (member !== undefined && isStored(member) && value !== null) columns.add(member.column.name);
  }
  return columns;
}

function checkDataclass({ dataclass: named }: BodyEntity, { name }: Dataclass): void {
  if (named === undefined || named === null || named === name) return;
  const message = `The entity says that it is of dataclass ${typeof named === 'string' ? named : 'unknown'}, but the URL names ${name}.`;
  throw notApplicable(message);
}

/** Reads the key, and the stamp where there is one, of an entity to delete; a refused object keeps its key for messages. */
export function readDelete(
  body: BodyEntity,
  index: number,
  context: Pick<EntityContext, 'dataclass' | 'limits'>,
): PlannedDelete | RefusedEntity {
  const { dataclass, limits } = context;
  const read = readOrError((): PlannedDelete => {
    const { key } = body;
    if (key === undefined || key === null) {
      throw new ProtocolError('keyIsNull', 'There is no __KEY: it says which entity to delete.');
    }
    return {
      index,
      key: bodyKey(key, dataclass, OWN_KEY, limits),
      stamp: neededStamp(bodyStamp(body.stamp, dataclass)),
    };
  });
  return read instanceof ProtocolError ? refusedEntity(read, body, index, context, null) : read;
}

/** On how many paths of relations the nested objects of a body may stand. */
const MOST_PATHS = 100;

/** How many mistakes of nested objects one error reports. */
const MOST_REPORTED = 100;

/** The position of the entities of the URL's dataclass. */
export function outermost(limits: Pick<NestingBounds, 'maxDepth' | 'maxEntities'>): BodyPosition {
  return {
    path: '',
    relations: [],
    filled: [],
    bounds: { count: 0, paths: new Set(), ...limits },
  };
}

/** The objects under a relation that are saved along with the entity. */
interface NestedObjects {
  readonly objects: readonly JsonValue[];
  readonly isWhole: boolean;
}

/** The objects saved with the entity: the list under one to many, the object without a key under one to one; null for a mere reference. */
function nestedObjects(relation: Relation, value: JsonValue): NestedObjects | null {
  const { kind, target } = relation;
  if (kind === 'relatedEntity') return isNewEntity(value, target) ? whole([value]) : null;
  if (!takesLists(relation)) return null;
  if (isJsonArray(value)) return whole(value);
  if (!isJsonObject(value) || '__deferred' in value) return null;
  const { __ENTITIES: objects, __COUNT: count, __FIRST: first } = value;
  const isCollection = Object.keys(value).every((name) => name.startsWith('__'));
  if (objects === undefined || !isJsonArray(objects) || !isCollection) return null;
  const length = Number(count === undefined ? objects.length : digitsOf(count));
  const begins = Number(first === undefined ? 0 : digitsOf(first));
  return { objects, isWhole: length === objects.length && begins === 0 };
}

function whole(objects: readonly JsonValue[]): NestedObjects {
  return { objects, isWhole: true };
}

/** Whether a value under a relation to one gives values to an entity, and not only its key. */
function isNewEntity(value: JsonValue, { key, members }: Dataclass): value is JsonObject {
  if (!isJsonObject(value) || '__deferred' in value || (value[OWN_KEY] ?? null) !== null) {
    return false;
  }
  const isSaid = (name: string): boolean =>
    !name.startsWith('__') && (name !== 'uri' || members.has(name));
  const isOfKey = (name: string): boolean => key.some((part) => part.name === name);
  return Object.keys(value).some((name) => isSaid(name) && !isOfKey(name));
}

/** The position of an object under a relation; `index` is null under one to one. @throws ProtocolError where it is too deep or there are too many */
function positionBelow(
  { path, relations, bounds }: BodyPosition,
  { kind, name, hops }: Relation,
  index: number | null,
): BodyPosition {
  const names = [...relations, name];
  const below = `${pathBelow(path, name)}${index === null ? '' : `[${index}]`}`;
  if (names.length > bounds.maxDepth) {
    const message = `${below}: entities are saved along with others over at most ${bounds.maxDepth} relations.`;
    throw notApplicable(message);
  }
  bounds.count += 1;
  if (bounds.count > bounds.maxEntities) {
    const message = `The body holds more than ${bounds.maxEntities} objects; at most as many are allowed, those within others counted as well.`;
    throw new ProtocolError('badBody', message);
  }
  bounds.paths.add(names.join('.'));
  if (bounds.paths.size > MOST_PATHS) {
    const message = `The body holds objects by more than ${MOST_PATHS} paths of relations.`;
    throw new ProtocolError('badBody', message);
  }
  const filled = kind === 'relatedEntities' ? hops[0].to : [];
  return { path: below, relations: names, filled, bounds };
}

/** The path of a relation of the entity at a path. */
export function pathBelow(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Whether no more mistakes are reported: one error has as many as it may, or the body holds too many objects. */
function isReportFull({ length }: readonly ProtocolError[], { bounds }: BodyPosition): boolean {
  return length > MOST_REPORTED || (length > 0 && bounds.count > bounds.maxEntities);
}

/** Joins several mistakes in the error of the first one; each is an item of `__ERROR`. */
function allOf(first: ProtocolError, others: readonly ProtocolError[]): ProtocolError {
  const items = others.flatMap(({ errorName, message, consequences }): Consequence[] => [
    { errorName, message },
    ...consequences,
  ]);
  return first.leadingTo(...items.slice(0, MOST_REPORTED));
}
