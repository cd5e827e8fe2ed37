import { ProtocolError } from '../../base/errors.ts';
import { noSuchAttribute } from '../../model/lookup.ts';
import {
  type Dataclass,
  isRelation,
  isStored,
  type Member,
  type Relation,
} from '../../model/types.ts';
import { checkRights } from '../../plan/write/rights.ts';
import { bodyEntity, type BodyEntity } from '../../protocol/body/body.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import { bodyKey, type KeyTexts, OWN_KEY } from './body-key.ts';
import { bodyStamp, checkStamp, entityKey, neededStamp } from './entity-key.ts';
import { attributeValue, newUuids, readRelation } from './given-value.ts';
import { allOf, isToldEnough, nestedObjects, type NestedObjects, placeBelow } from './nested.ts';
import { storing } from '../convert/stored-value.ts';
import type {
  EntityContext,
  GivenValue,
  NestedEntities,
  PlannedDelete,
  PlannedEntity,
  RefusedEntity,
  RelatedEntity,
} from '../convert/types.ts';

/** Reads one object of a body by the model, in steps; one that is refused keeps its key, so that it can be named. */
export function* readEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): Generator<void, PlannedEntity | RefusedEntity> {
  const named = context.urlAttribute === null ? context.urlKey : null;
  const read = yield* orError(planEntity(body, index, context));
  return read instanceof ProtocolError ? refusedEntity(read, body, index, context, named) : read;
}

/**
 * An object of a body that is refused.
 * @param otherwise the key that names it where its own cannot be read
 */
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
    said: new Set(body.fields.keys()),
    error,
  };
}

/** What is read, or what is wrong with it for the client. */
function readOrError<Result>(read: () => Result): Result | ProtocolError {
  try {
    return read();
  } catch (error) {
    return clientError(error);
  }
}

/** The same of what is read in steps. */
function* orError<Result>(steps: Generator<void, Result>): Generator<void, Result | ProtocolError> {
  try {
    return yield* steps;
  } catch (error) {
    return clientError(error);
  }
}

/** What is wrong for the client. @throws what is not the fault of the client's */
function clientError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  throw error;
}

/** What stands under one relation of an entity, as it came. */
interface Within extends NestedObjects {
  readonly relation: Relation;
}

/** An entity of a body that is read but for what is within it. */
interface ReadEntity {
  readonly entity: Omit<PlannedEntity, 'nested'>;
  readonly within: readonly Within[];
}

/**
 * Reads one object of a body by the model: its key, its stamp, what it gives each column, and the entities within it.
 * @throws ProtocolError for what the protocol or the model refuses, naming the attribute; of the entities within it all that is wrong with them
 */
function* planEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): Generator<void, PlannedEntity> {
  const { path } = context.place;
  const read = yield* orError(readOwn(body, index, context));
  if (read instanceof ProtocolError) throw path === '' ? read : read.inside(path);
  const errors: ProtocolError[] = [];
  const nested: NestedEntities[] = [];
  for (const { relation, objects, isWhole } of read.within) {
    const entities: PlannedEntity[] = [];
    for (const [at, object] of objects.entries()) {
      // Nothing of it is saved, and no more is told: what else is there need not be looked at.
      if (isToldEnough(errors, context.place)) break;
      const inner = yield* orError(planNested(object, at, relation, context));
      if (inner instanceof ProtocolError) errors.push(inner);
      else entities.push(inner);
      yield;
    }
    nested.push({ relation, entities, isWhole });
  }
  const [first, ...others] = errors;
  if (first !== undefined) throw allOf([first, ...others]);
  return { nested, ...read.entity };
}

/** @throws ProtocolError that names the object's place */
function* planNested(
  object: JsonValue,
  index: number,
  relation: Relation,
  context: EntityContext,
): Generator<void, PlannedEntity> {
  const isListed = relation.kind === 'relatedEntities';
  const place = placeBelow(context.place, relation, isListed ? index : null);
  const body = bodyEntity(object, place.path);
  const within = {
    ...context,
    dataclass: relation.target,
    urlKey: null,
    urlAttribute: null,
    place,
  };
  return yield* planEntity(body, index, within);
}

/** An entity's own, and what is within it as it came. */
function* readOwn(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): Generator<void, ReadEntity> {
  const { dataclass } = context;
  checkDataclass(body, dataclass);
  const { key, ownKey } = entityKey(body, context);
  // A stamp that is missing, sent, would be told no better.
  const denied = readOrError(() => {
    checkRights(dataclass, key === null ? 'create' : 'update');
    return null;
  });
  const isWithin = context.place.path !== '';
  if (denied !== null && !(isWithin && key !== null)) throw denied;
  const stamp = bodyStamp(body.stamp, dataclass);
  checkStamp(key, stamp, context);
  const given: GivenValue[] = [];
  const related: RelatedEntity[] = [];
  const within: Within[] = [];
  const said = saidColumns(body, dataclass);
  for (const [name, value] of body.fields) {
    const member = dataclass.members.get(name);
    // Answers carry the entity's own address, which clients send back.
    if (member === undefined && name === 'uri') continue;
    if (member === undefined) throw noSuchAttribute(dataclass, name);
    const read = yield* orError(readMember(member, value, key === null, said, context));
    if (read instanceof ProtocolError) throw read.about(`${dataclass.name}.${name}`);
    given.push(...read.given);
    related.push(...read.related);
    if (read.within !== null) within.push(read.within);
  }
  if (key === null) {
    const led = within.flatMap(({ relation: { kind, hops } }) =>
      kind === 'relatedEntity' ? (hops[0]?.from ?? []) : [],
    );
    given.push(...newUuids(dataclass, given, [...context.place.filled, ...led]));
  }
  const entity = { index, key, ownKey, stamp: neededStamp(stamp), given, related, denied };
  return { entity, within };
}

/** What a body says under one name. */
interface ReadMember {
  readonly given: readonly GivenValue[];
  readonly related: readonly RelatedEntity[];
  readonly within: Within | null;
}

function* readMember(
  member: Member,
  value: JsonValue,
  isNew: boolean,
  said: ReadonlySet<string>,
  context: EntityContext,
): Generator<void, ReadMember> {
  const { dataclass, findUpload, limits } = context;
  if (isRelation(member)) {
    const objects = nestedObjects(member, value);
    return objects === null
      ? { within: null, ...readRelation(member, value, said, context) }
      : { given: [], related: [], within: { relation: member, ...objects } };
  }
  const only = (...given: readonly GivenValue[]): ReadMember => ({
    given,
    related: [],
    within: null,
  });
  // It is another entity's: nothing of this one holds it.
  if (member.kind === 'alias') return only();
  const storingContext = { attribute: member, dataclass: dataclass.name, findUpload, limits };
  const stored = yield* orError(storing(value, storingContext));
  // What the entity is answered with may be sent back, whatever it is: that is known when its row is read.
  if (stored instanceof ProtocolError) {
    if (isNew) throw stored;
    const nothing = attributeValue(member, null, dataclass.name);
    const refusal = stored.about(`${dataclass.name}.${member.name}`);
    return only({ said: value, refusal, ...nothing });
  }
  return stored === undefined
    ? only()
    : only({ said: value, ...attributeValue(member, stored, dataclass.name) });
}

/** The names of the columns to which the attributes of a body give a value. */
function saidColumns({ fields }: BodyEntity, { members }: Dataclass): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const [name, value] of fields) {
    const member = members.get(name);
    if (member !== undefined && isStored(member) && value !== null) columns.add(member.column.name);
  }
  return columns;
}

function checkDataclass({ dataclass: named }: BodyEntity, { name }: Dataclass): void {
  if (named === undefined || named === null || named === name) return;
  throw new ProtocolError(
    'notApplicable',
    `The entity says that it is of dataclass ${typeof named === 'string' ? named : 'unknown'}, but the URL names ${name}.`,
  );
}

/** What all entities of a delete have in common. */
type DeleteContext = Pick<EntityContext, 'dataclass' | 'limits'>;

/** Reads one object of a body that says what to delete; one that is refused keeps its key, so that it can be named. */
export function readDelete(
  body: BodyEntity,
  index: number,
  context: DeleteContext,
): PlannedDelete | RefusedEntity {
  const read = readOrError(() => plannedDelete(body, index, context));
  return read instanceof ProtocolError ? refusedEntity(read, body, index, context, null) : read;
}

/**
 * Reads one object of a body that says what to delete: its key, and its stamp where it has one.
 * @throws ProtocolError keyIsNull without a key, keyMismatch, wrongType
 */
function plannedDelete(
  body: BodyEntity,
  index: number,
  { dataclass, limits }: DeleteContext,
): PlannedDelete {
  const { key } = body;
  if (key === undefined || key === null) {
    throw new ProtocolError('keyIsNull', 'There is no __KEY: it says which entity to delete.');
  }
  return {
    index,
    key: bodyKey(key, dataclass, OWN_KEY, limits),
    stamp: neededStamp(bodyStamp(body.stamp, dataclass)),
  };
}
