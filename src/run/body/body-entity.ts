import { catching, Mistakes, notApplicable, ProtocolError } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import {
  type Dataclass,
  isRelation,
  isStored,
  mayChange,
  type Relation,
  type StorageAttribute,
  takesLists,
} from '../../model/types.ts';
import { checkRights } from '../../plan/write/rights.ts';
import {
  attributeNames,
  bodyEntity,
  type BodyEntity,
  isAttributeName,
} from '../../protocol/body/body.ts';
import {
  digitsOf,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/body/json.ts';
import type { Column } from '../../schema/types.ts';
import { EntityValues, type Given } from '../convert/entity-values.ts';
import { isShort, storedAtOnce, storing } from '../convert/stored-value.ts';
import type {
  BodyPosition,
  EntityContext,
  KeyTexts,
  NestedEntities,
  NestingBounds,
  PlannedDelete,
  PlannedEntity,
  ReadEntity,
  RefusedEntity,
  RelatedEntity,
} from '../convert/types.ts';
import { bodyKey, bodyStamp, checkStamp, entityKey, neededStamp, OWN_KEY } from './entity-key.ts';
import { mistakesOfNew, refusalsIn } from '../save/rows/columns.ts';
import { addUuids, attributeSlot, readRelation } from './slots.ts';

/** Reads one object of a body by the model, in steps where it holds long values or other objects; a refused object keeps its key for messages. */
export function readEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): ReadEntity | Generator<void, ReadEntity> {
  const named = context.urlAttribute === null ? context.urlKey : null;
  const settled = (read: PlannedEntity | ProtocolError): ReadEntity => {
    if (!(read instanceof ProtocolError)) return read;
    const hasKey = [body.key, body.stamp, named].some((one) => (one ?? null) !== null);
    const refused = refusedEntity(read, body, index, context, named);
    return { ...refused, isNew: !hasKey && isNew(null, context) };
  };
  const read = readOwn(body, index, context);
  if (!('reading' in read)) return settled(read);
  return (function* () {
    return settled(yield* finished(read, context));
  })();
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
    names: new Set(attributeNames(body)),
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

/** An entity of which long values, or objects within it, are still to be read. */
interface Unfinished {
  readonly entity: PlannedEntity;
  readonly reading: Reading;
}

/** Reads the rest of an entity. @returns the error of all mistakes in it and within it, in the order of the body */
function* finished(
  { entity, reading }: Unfinished,
  context: EntityContext,
): Generator<void, PlannedEntity | ProtocolError> {
  if (reading.long !== null) reading.given = yield* withLong(reading.given, reading.long, context);
  const { mistakes } = reading;
  const nested: NestedEntities[] = [];
  for (const { relation, objects, isWhole } of reading.within) {
    const entities: PlannedEntity[] = [];
    for (const [at, object] of objects.entries()) {
      // Nothing of it is saved, and no more mistakes are reported: the others need not be read.
      if (isReportFull(mistakes, context.position)) break;
      const inner = yield* planNested(object, at, relation, context);
      if (inner instanceof ProtocolError) mistakes.add(reading.placeOf(relation.name), inner);
      else entities.push(inner);
      yield;
    }
    nested.push({ relation, entities, isWhole });
  }
  return reading.mistake() ?? { ...entity, given: reading.given, nested };
}

function placed(mistake: ProtocolError, { position: { path } }: EntityContext): ProtocolError {
  return path === '' ? mistake : mistake.inside(path);
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
  const inner = { ...context, ...target };
  const read = readOwn(body, index, inner);
  return 'reading' in read ? yield* finished(read, inner) : read;
}

/** Reads an entity without its long values and those within it. */
function readOwn(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): PlannedEntity | Unfinished | ProtocolError {
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
    const reading = new Reading(body, isNew(key, context), context);
    for (const name of Object.keys(body.members)) {
      if (isReportFull(reading.mistakes, context.position)) break;
      if (isAttributeName(name)) reading.read(name, body.members[name] ?? null);
    }
    if (key === null) addUuids(reading.given, () => reading.filled);
    // Not by a spread: this runs for each entity of a body.
    const entity: PlannedEntity = {
      index,
      key,
      ownKey,
      stamp: neededStamp(stamp),
      given: reading.given,
      related: reading.related,
      nested: NONE,
      denied,
    };
    const isRead = reading.long === null && reading.within.length === 0;
    return isRead ? (reading.mistake() ?? entity) : { entity, reading };
  } catch (error) {
    if (error instanceof ProtocolError) return placed(error, context);
    throw error;
  }
}

const NONE: readonly never[] = [];

function deniedRight(dataclass: Dataclass, change: 'create' | 'update'): ProtocolError | null {
  if (mayChange(dataclass, change)) return null;
  return readOrError(() => {
    checkRights(dataclass, change);
    return null;
  });
}

/** Whether an entity has no row yet; one that is sought by a natural key may have one. */
function isNew(key: KeyTexts | null, { position }: EntityContext): boolean {
  return key === null && position.isSought !== true;
}

/** The members of an entity as far as they are read. */
class Reading {
  given: EntityValues;
  related: readonly RelatedEntity[] = NONE;
  /** The values that take steps to read, by their slots. */
  long: Map<number, JsonValue> | null = null;
  within: readonly Within[] = NONE;
  /** Those that no row can make good, by the places of their members in the body. */
  readonly mistakes = new Mistakes();
  #places: ReadonlyMap<string, number> | null = null;
  /** Relations whose values cannot be read. */
  #refused: readonly Relation[] = NONE;
  readonly #body: BodyEntity;
  readonly #isNew: boolean;
  readonly #context: EntityContext;

  constructor(body: BodyEntity, isNew: boolean, context: EntityContext) {
    this.given = new EntityValues(context.dataclass);
    this.#body = body;
    this.#isNew = isNew;
    this.#context = context;
  }

  /** The columns that the entity's owner, or entities within it, fill. */
  get filled(): readonly Column[] {
    const led = this.within.flatMap(({ relation: { kind, hops } }) =>
      kind === 'relatedEntity' ? hops[0].from : [],
    );
    return [...this.#context.position.filled, ...led];
  }

  /** Reads a member. */
  read(name: string, value: JsonValue): void {
    const { dataclass } = this.#context;
    const member = dataclass.members.get(name);
    // Answers carry the entity's own address, which clients send back.
    if (member === undefined && name === 'uri') return;
    if (member === undefined) this.#refuse(name, noSuchAttribute(dataclass, name));
    else if (isStored(member)) this.#readAttribute(member, value);
    else if (isRelation(member)) {
      catching(
        ProtocolError,
        () => this.#readRelation(member, value),
        (error) => {
          this.#refuse(name, error.about(`${dataclass.name}.${name}`));
          this.#refused = [...this.#refused, member];
        },
      );
    }
    // An alias is a value of another entity.
  }

  #refuse(name: string, error: ProtocolError): void {
    this.mistakes.add(this.placeOf(name), placed(error, this.#context));
    this.#context.position.bounds.mistakes += 1;
  }

  /** The place of a member in the body; behind all others where the body does not have it. */
  placeOf(name: string): number {
    this.#places ??= new Map(Object.keys(this.#body.members).map((each, at) => [each, at]));
    return this.#places.get(name) ?? Infinity;
  }

  /** The error of all mistakes, once all is read; null where there are none. The values for an existing row may be its own, unless it is refused anyway. */
  mistake(): ProtocolError | null {
    const { mistakes, given, related } = this;
    const later = (): readonly Column[] => {
      const relations = [...related.map(({ relation }) => relation), ...this.#refused];
      return [...this.filled, ...relations.flatMap(({ hops }) => hops[0].from)];
    };
    const ofValues = this.#isNew
      ? mistakesOfNew(given, later)
      : mistakes.count > 0 && given.doubts !== null
        ? refusalsIn(given)
        : null;
    for (const error of ofValues?.inOrder() ?? []) {
      if (isReportFull(mistakes, this.#context.position)) break;
      this.#refuse(error.member?.split('.').pop() ?? '', error);
    }
    return mistakes.joined();
  }

  #readAttribute(attribute: StorageAttribute, value: JsonValue): void {
    const { given } = this;
    const { dataclass, limits } = this.#context;
    const slot = attributeSlot(attribute, dataclass);
    if (!isShort(value, attribute.columnType)) {
      (this.long ??= new Map()).set(given.values.length, value);
      given.add(slot, null);
      return;
    }
    let stored: string | null;
    try {
      stored = storedAtOnce(value, slot, limits);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // It may be the answer for the entity, which may be sent back: that is known when the row is read.
      given.add(slot, null, value, { refusal: error.about(slot.member) });
      return;
    }
    // A new entity has no row to be compared with.
    given.add(slot, stored, this.#isNew ? undefined : value);
  }

  #readRelation(relation: Relation, value: JsonValue): void {
    const objects = nestedObjects(relation, value);
    if (objects !== null) {
      this.within = [...this.within, { relation, ...objects }];
      return;
    }
    const named = (): ReadonlySet<string> => namedColumns(this.#body, this.#context.dataclass);
    const related = readRelation(relation, value, named, this.given, this.#context);
    if (related !== null) this.related = [...this.related, related];
  }
}

/** Reads long values into those given; takes out deferred images and BLOBs. */
function* withLong(
  given: EntityValues,
  long: ReadonlyMap<number, JsonValue>,
  context: EntityContext,
): Generator<void, EntityValues> {
  const read = new Map<number, Given | null>();
  for (const [at, slot] of given.shape.slots.entries()) {
    const value = long.get(at);
    if (value === undefined) continue;
    try {
      const stored = yield* storing(value, slot, context);
      read.set(at, stored === undefined ? null : { value: stored, sent: value });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      read.set(at, {
        value: null,
        sent: value,
        doubt: { refusal: error.about(slot.member) },
      });
    }
  }
  return given.revised((_, at) => read.get(at));
}

/** The names of the columns to which the attributes of a body give a value. */
function namedColumns(body: BodyEntity, { members }: Dataclass): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const name of attributeNames(body)) {
    const member = members.get(name);
    const isNull = (body.members[name] ?? null) === null;
    if (member !== undefined && isStored(member) && !isNull) columns.add(member.column.name);
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

/** How many mistakes are reported of one body; of each further object then the first. */
const MOST_REPORTED = 10_000;

/** The position of the entities of the URL's dataclass. */
export function outermost(limits: Pick<NestingBounds, 'maxDepth' | 'maxEntities'>): BodyPosition {
  return {
    path: '',
    relations: [],
    filled: [],
    bounds: { count: 0, mistakes: 0, paths: new Set(), ...limits },
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

/** Whether no more mistakes of an object are reported: its error has as many as it may, or the body has too many, or holds too many objects. */
function isReportFull({ count, isFull }: Mistakes, { bounds }: BodyPosition): boolean {
  const isLarge = bounds.count > bounds.maxEntities || bounds.mistakes > MOST_REPORTED;
  return isFull || (count > 0 && isLarge);
}
