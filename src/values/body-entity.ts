import { ProtocolError } from '../base/errors.ts';
import { noSuchAttribute } from '../model/lookup.ts';
import { isRelation, isStored, type Dataclass } from '../model/types.ts';
import { checkRights } from '../plan/rights.ts';
import type { BodyEntity } from '../request/body.ts';
import { bodyKey, OWN_KEY, type KeyTexts } from './body-key.ts';
import { bodyStamp, checkStamp, entityKey, neededStamp } from './entity-key.ts';
import { attributeValue, newUuids, readRelation } from './given-value.ts';
import { storedValue } from './stored-value.ts';
import type {
  EntityContext,
  GivenValue,
  PlannedEntity,
  RefusedEntity,
  RelatedEntity,
} from './types.ts';

/** Reads one object of a body by the model; one that is refused keeps its key, so that it can be named. */
export function readEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): PlannedEntity | RefusedEntity {
  const named = context.urlAttribute === null ? context.urlKey : null;
  const read = (): PlannedEntity => planEntity(body, index, context);
  return orRefused(read, body, index, context, named);
}

/**
 * What is read of an object of a body, or its refusal.
 * @param otherwise the key that names a refused entity whose own cannot be read
 */
export function orRefused<Read>(
  read: () => Read,
  body: BodyEntity,
  index: number,
  { dataclass, limits }: Pick<EntityContext, 'dataclass' | 'limits'>,
  otherwise: KeyTexts | null,
): Read | RefusedEntity {
  const found = readOrError(read);
  if (!(found instanceof ProtocolError)) return found;
  const key = readOrError(() => bodyKey(body.key ?? null, dataclass, OWN_KEY, limits));
  return {
    index,
    key: key instanceof ProtocolError ? otherwise : key,
    said: new Set(body.fields.keys()),
    error: found,
  };
}

/** What is read, or what is wrong with it for the client. */
function readOrError<Result>(read: () => Result): Result | ProtocolError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
}

/**
 * Reads one object of a body by the model: its key, its stamp, and what it gives each column.
 * @throws ProtocolError for what the protocol or the model refuses, naming the attribute
 */
function planEntity(body: BodyEntity, index: number, context: EntityContext): PlannedEntity {
  const { dataclass } = context;
  checkDataclass(body, dataclass);
  const { key, ownKey } = entityKey(body, context);
  // A stamp that is missing, sent, would be told no better.
  checkRights(dataclass, key === null ? 'create' : 'update');
  const stamp = bodyStamp(body.stamp, dataclass);
  checkStamp(key, stamp, context);
  const given: GivenValue[] = [];
  const related: RelatedEntity[] = [];
  const said = saidColumns(body, dataclass);
  for (const [name, value] of body.fields) {
    const member = dataclass.members.get(name);
    // Answers carry the entity's own address, which clients send back.
    if (member === undefined && name === 'uri') continue;
    if (member === undefined) throw noSuchAttribute(dataclass, name);
    if (isRelation(member)) {
      const read = readRelation(member, value, said, context);
      given.push(...read.given);
      related.push(...read.related);
      continue;
    }
    // It is another entity's: nothing of this one holds it.
    if (member.kind === 'alias') continue;
    const stored = readOrError(() =>
      storedValue(value, member, dataclass.name, context.findUpload, context.limits),
    );
    // What the entity is answered with may be sent back, whatever it is: that is known when its row is read.
    if (stored instanceof ProtocolError) {
      if (key === null) throw stored;
      const nothing = attributeValue(member, null, dataclass.name);
      given.push({ ...nothing, said: value, refusal: stored });
    } else if (stored !== undefined) {
      given.push({ ...attributeValue(member, stored, dataclass.name), said: value });
    }
  }
  if (key === null) given.push(...newUuids(dataclass, given));
  return { index, key, ownKey, stamp: neededStamp(stamp), given, related };
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
