import { randomUUID } from 'node:crypto';
import { ProtocolError } from '../base/errors.ts';
import {
  isRelation,
  type Dataclass,
  type Relation,
  type StorageAttribute,
} from '../model/types.ts';
import { isFilledIn } from '../model/attributes.ts';
import type { BodyEntity } from '../request/body.ts';
import { digitsOf, isJsonObject, type JsonValue } from '../request/json.ts';
import type { Column, ColumnType } from '../schema/types.ts';
import { bodyKey, entityName, relatedKey, shownKey, type KeyTexts } from './body-key.ts';
import { noSuchAttribute } from './filter.ts';
import { isSameValue, storedValue, type FindUpload, type StoredValue } from './stored-value.ts';

/** A value that a body gives a column, by way of an attribute or a relation. */
export interface GivenValue {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  /** The attribute or relation, for messages: `Employee.grade`. */
  readonly member: string;
  /** It may repeat what the column holds, and nothing else. */
  readonly readOnly: boolean;
  readonly value: StoredValue;
  /** Why the value leads nowhere, where it is a reference that does. */
  readonly dangling?: string;
}

/** A related entity that has to be looked for before the relation's columns are known, or known to lead somewhere. */
export interface RelatedEntity {
  readonly relation: Relation;
  readonly key: KeyTexts;
}

/** What the body says of one entity, in terms of columns. */
export interface PlannedEntity {
  /** Its index in the body. */
  readonly index: number;
  /** Of an existing entity; null for a new one. Where the URL addresses it by a unique attribute, the value of that. */
  readonly key: KeyTexts | null;
  /** The key in the body of an entity that the URL addresses by a unique attribute: it has to be the entity's own. */
  readonly ownKey: KeyTexts | null;
  /** The stamp that the client holds, as digits. */
  readonly stamp: string | null;
  readonly given: readonly GivenValue[];
  readonly related: readonly RelatedEntity[];
}

/** An object of a body that the protocol or the model refuses. */
export interface RefusedEntity {
  readonly index: number;
  /** Null where it has none that could be read. */
  readonly key: KeyTexts | null;
  readonly error: ProtocolError;
}

/** What all entities of a request have in common. */
export interface EntityContext {
  readonly dataclass: Dataclass;
  readonly method: 'update' | 'insert';
  /** Whether stamps may be left out (§4.13). */
  readonly atomic: boolean;
  /** The values by which the URL addresses the entity; null where it names none. */
  readonly urlKey: KeyTexts | null;
  /** The unique attribute that the URL addresses it by; null where that is the key. */
  readonly urlAttribute: string | null;
  readonly findUpload: FindUpload;
}

/** Reads one object of a body by the model; one that is refused keeps its key, so that it can be named. */
export function readEntity(
  body: BodyEntity,
  index: number,
  context: EntityContext,
): PlannedEntity | RefusedEntity {
  const named = context.urlAttribute === null ? context.urlKey : null;
  const read = (): PlannedEntity => planEntity(body, index, context);
  return orRefused(read, body, index, context.dataclass, named);
}

/**
 * What is read of an object of a body, or its refusal.
 * @param otherwise the key that names a refused entity whose own cannot be read
 */
export function orRefused<Read>(
  read: () => Read,
  body: BodyEntity,
  index: number,
  dataclass: Dataclass,
  otherwise: KeyTexts | null,
): Read | RefusedEntity {
  const found = readOrError(read);
  if (!(found instanceof ProtocolError)) return found;
  const key = readOrError(() => bodyKey(body.key ?? null, dataclass, '__KEY'));
  return { index, key: key instanceof ProtocolError ? otherwise : key, error: found };
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
  const stamp = bodyStamp(body.stamp, dataclass);
  checkStamp(key, stamp, context);
  checkRights(dataclass, key === null ? 'created' : 'updated');
  const given: GivenValue[] = [];
  const related: RelatedEntity[] = [];
  for (const [name, value] of body.fields) {
    const member = dataclass.members.get(name);
    // Answers carry the entity's own address, which clients send back.
    if (member === undefined && name === 'uri') continue;
    if (member === undefined) throw noSuchAttribute(dataclass, name);
    if (isRelation(member)) {
      readRelation(member, value, dataclass, given, related);
      continue;
    }
    const stored = storedValue(value, member, dataclass.name, context.findUpload);
    if (stored !== undefined) given.push(attributeValue(member, stored, dataclass.name));
  }
  if (key === null) given.push(...generatedKey(dataclass, given));
  return { index, key, ownKey, stamp, given, related };
}

/** A value that an attribute gives its column. */
export function attributeValue(
  { column, columnType: type, name, readOnly }: StorageAttribute,
  value: StoredValue,
  dataclass: string,
): GivenValue {
  return { column, type, member: `${dataclass}.${name}`, readOnly, value };
}

function checkDataclass({ dataclass: named }: BodyEntity, { name }: Dataclass): void {
  if (named === undefined || named === null || named === name) return;
  throw new ProtocolError(
    'notApplicable',
    `The entity says that it is of dataclass ${typeof named === 'string' ? named : 'unknown'}, but the URL names ${name}.`,
  );
}

function entityKey(
  { key }: BodyEntity,
  { dataclass, method, urlKey, urlAttribute }: EntityContext,
): Pick<PlannedEntity, 'key' | 'ownKey'> {
  const isGiven = key !== undefined && key !== null;
  if (method === 'insert') {
    if (!isGiven) return { key: null, ownKey: null };
    throw new ProtocolError(
      'notApplicable',
      '$method=insert creates entities, which have no __KEY yet: use $method=update to change this one.',
    );
  }
  if (!isGiven) return { key: urlKey, ownKey: null };
  const own = bodyKey(key, dataclass, '__KEY');
  if (urlKey === null) return { key: own, ownKey: null };
  if (urlAttribute !== null) return { key: urlKey, ownKey: own };
  if (isSameKey(own, urlKey, dataclass)) return { key: own, ownKey: null };
  throw keyMismatch(entityName(dataclass, urlKey), own);
}

/** Whether two keys are of one entity: blanks that CHAR pads a key with aside. */
export function isSameKey(one: KeyTexts, other: KeyTexts, { key }: Dataclass): boolean {
  return key.every(({ columnType }, part) =>
    isSameValue(one[part] ?? null, other[part] ?? null, columnType),
  );
}

/** The body names another entity than the URL. */
export function keyMismatch(addressed: string, own: KeyTexts): ProtocolError {
  return new ProtocolError(
    'keyMismatch',
    `The URL names ${addressed}, but the body’s __KEY is ${shownKey(own)}.`,
  );
}

/**
 * The stamp of a body as digits; null where there is none.
 * @throws ProtocolError wrongType
 */
export function bodyStamp(stamp: JsonValue | undefined, { name }: Dataclass): string | null {
  if (stamp === undefined || stamp === null) return null;
  const text = digitsOf(stamp) ?? stamp;
  if (typeof text === 'string' && /^\d{1,16}$/.test(text)) return BigInt(text).toString();
  throw new ProtocolError(
    'wrongType',
    `The __STAMP of ${name} is no stamp: expected the whole number that the entity was read with.`,
  );
}

/** DECISIONS, "Updates": both mean an update, none a new entity, and each alone is a mistake. */
function checkStamp(
  key: KeyTexts | null,
  stamp: string | null,
  { dataclass, atomic, method, urlAttribute }: EntityContext,
): void {
  if (key === null && stamp !== null) {
    throw method === 'insert'
      ? new ProtocolError(
          'notApplicable',
          '$method=insert creates entities, which have no __STAMP yet.',
        )
      : new ProtocolError(
          'keyIsNull',
          `There is a __STAMP without a __KEY: send both to update an entity of ${dataclass.name}, none to create one.`,
        );
  }
  if (key !== null && stamp === null && !atomic && dataclass.requireStamp) {
    throw new ProtocolError(
      'stampMissing',
      `${entityName(dataclass, key, urlAttribute)} cannot be updated without its __STAMP: send the __STAMP that it was read with.`,
    );
  }
}

const DENIALS = {
  created: 'mayNotCreate',
  updated: 'mayNotUpdate',
  deleted: 'mayNotDelete',
} as const;

/** @throws ProtocolError mayNotCreate, mayNotUpdate or mayNotDelete where the dataclass is read only */
export function checkRights({ name, readOnly }: Dataclass, change: keyof typeof DENIALS): void {
  if (!readOnly) return;
  throw new ProtocolError(
    DENIALS[change],
    `Entities of ${name} cannot be ${change}: it is read only.`,
  );
}

/** A relation to one gives its columns the key it leads to; one to many is written from its other side. */
function readRelation(
  relation: Relation,
  value: JsonValue,
  dataclass: Dataclass,
  given: GivenValue[],
  related: RelatedEntity[],
): void {
  const member = `${dataclass.name}.${relation.name}`;
  if (relation.kind === 'relatedEntities') {
    if (isJsonObject(value) && ('__deferred' in value || '__ENTITYSET' in value)) return;
    throw new ProtocolError(
      'readOnlyAttribute',
      `${member} leads to many entities and cannot be written from here: set the relation in each of them.`,
    );
  }
  const [hop] = relation.hops;
  if (hop === undefined) throw new Error(`relation ${relation.name} has no hop`);
  const key = relatedKey(value, relation.target, member);
  if (key === null) {
    const cleared = hop.from.filter(({ nullable }) => nullable);
    for (const column of cleared.length === 0 ? hop.from : cleared) {
      given.push({
        column,
        type: column.type,
        member,
        readOnly: isReadOnly(column, dataclass),
        value: null,
      });
    }
    return;
  }
  const texts = hop.to.map((to) => {
    const part = relation.target.key.findIndex(({ column }) => column.name === to.name);
    return part < 0 ? undefined : key[part];
  });
  const isDirect = texts.every((text) => text !== undefined);
  if (isDirect) given.push(...relatedValues(relation, texts, dataclass));
  if (!isDirect || !isEnforced(relation, dataclass)) related.push({ relation, key });
}

/** Whether a foreign key of the database sees to it that the related entity exists. */
function isEnforced({ hops, target }: Relation, { table }: Dataclass): boolean {
  const [hop] = hops;
  return table.foreignKeys.some(
    ({ columns, targetSchema, targetTable }) =>
      targetSchema === target.table.schema &&
      targetTable === target.table.name &&
      columns.length === hop?.from.length &&
      hop.from.every(({ name }) => columns.includes(name)),
  );
}

/** What a related entity gives the columns of its relation. */
export function relatedValues(
  relation: Relation,
  texts: readonly (string | null)[],
  dataclass: Dataclass,
): GivenValue[] {
  return (relation.hops[0]?.from ?? []).map((column, index) => ({
    column,
    type: column.type,
    member: `${dataclass.name}.${relation.name}`,
    readOnly: isReadOnly(column, dataclass),
    value: texts[index] ?? null,
  }));
}

function isReadOnly(column: Column, { members }: Dataclass): boolean {
  if (isFilledIn(column)) return true;
  for (const member of members.values()) {
    if (!isRelation(member) && member.column.name === column.name) return member.readOnly;
  }
  return false;
}

/** New GUIDs are made here, so that the key of a new entity is known before it is saved. */
function generatedKey(dataclass: Dataclass, given: readonly GivenValue[]): GivenValue[] {
  return dataclass.key
    .filter(
      ({ columnType, readOnly, column }) =>
        columnType.kind === 'uuid' &&
        !readOnly &&
        !given.some(({ column: { name }, value }) => name === column.name && value !== null),
    )
    .map((attribute) => attributeValue(attribute, randomUUID(), dataclass.name));
}
