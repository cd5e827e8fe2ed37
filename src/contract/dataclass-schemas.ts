import {
  attributeOf,
  type Dataclass,
  isRelation,
  type Member,
  type Relation,
  takesLists,
} from '../model/types.ts';
import { takesNull } from '../model/writable.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  COUNT,
  type JsonObject,
  NULL,
  nullable,
  objectOf,
  schemaRef,
} from './json-schema.ts';
import { ERRORS, GLOBAL_STAMP, planProperties, SAVE_STATUS, STAMP } from './protocol-schemas.ts';
import { attributeSchema, typeSchema, type ValueSettings } from './value-schemas.ts';

/** A reference to one of a dataclass's schemas. */
export function dataclassRef({ name }: Pick<Dataclass, 'name'>, part: DataclassPart): JsonObject {
  return schemaRef(componentName(name, part));
}

/** The entity (empty) as it stands in a collection, and its other forms. */
export type DataclassPart =
  '' | 'Single' | 'Row' | 'Collection' | 'Changes' | 'Related' | 'Saved' | 'SavedRow' | 'Body';

/** The schemas of a dataclass, by their names in the components. */
export function dataclassSchemas(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const schemas: Record<DataclassPart, JsonObject> = {
    '': { ...entity(dataclass, settings), ...described(dataclass) },
    Single: single(dataclass, settings),
    Row: row(dataclass, settings),
    Collection: collection(dataclass),
    Changes: changes(dataclass),
    Related: objectOf({
      __ENTITYSET: { type: ['string', 'null'] },
      __GlobalStamp: GLOBAL_STAMP,
      __COUNT: COUNT,
      __FIRST: { const: 0 },
      __ENTITIES: arrayOf(dataclassRef(dataclass, '')),
      __SENT: COUNT,
    }),
    Saved: saved(dataclass, settings),
    SavedRow: savedRow(dataclass, settings),
    Body: body(dataclass, settings),
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([part, schema]) => [componentName(dataclass.name, part), schema]),
  );
}

/** Whether a member is an image or a BLOB. */
export function isBinary(member: Member): boolean {
  if (isRelation(member)) return false;
  const { type } = attributeOf(member);
  return type === 'image' || type === 'blob';
}

function described({ description }: Pick<Dataclass, 'description'>): JsonObject {
  return description === null ? {} : { description };
}

/** The members of an entity by the schemas of their values. */
function memberSchemas(
  dataclass: Dataclass,
  settings: ValueSettings,
  ofRelation: (relation: Relation) => JsonObject,
): JsonObject {
  const isKey = (name: string): boolean => dataclass.key.some((part) => part.name === name);
  const schemaOf = (member: Member): JsonObject => {
    if (isRelation(member)) return { ...ofRelation(member), ...described(member) };
    if (!isBinary(member)) return attributeSchema(member, isKey(member.name), settings);
    const content = anyOf(schemaRef('protocol.DeferredContent'), NULL);
    return { ...(dataclass.key.length === 0 ? NULL : content), ...described(member) };
  };
  return Object.fromEntries(
    [...dataclass.members.values()].map((member) => [member.name, schemaOf(member)]),
  );
}

/** A relation in an entity that is read: deferred, or what it leads to. */
function readRelation({ kind, target }: Relation, { key }: Dataclass): JsonObject[] {
  if (kind === 'relatedEntity') {
    return [schemaRef('protocol.Deferred'), dataclassRef(target, ''), NULL];
  }
  const deferred = [schemaRef('protocol.DeferredSelection'), dataclassRef(target, 'Related')];
  return key.length === 0 ? [...deferred, NULL] : deferred;
}

function rowRelation({ kind, target }: Relation): JsonObject[] {
  const one = dataclassRef(target, 'Row');
  return kind === 'relatedEntity' ? [one, NULL] : [arrayOf(one)];
}

/** `__KEY`, `__TIMESTAMP` and `__STAMP`, as far as the dataclass has them. */
function version({ key, timestamp, isTimestampSeen }: Dataclass): JsonObject {
  return {
    ...(key.length === 0 ? {} : { __KEY: { type: 'string', description: 'The key as text.' } }),
    ...(timestamp === null || !isTimestampSeen
      ? {}
      : {
          __TIMESTAMP: {
            type: ['string', 'null'],
            format: timestamp.type.kind === 'date' ? 'date' : 'date-time',
          },
        }),
    __STAMP: STAMP,
  };
}

function entity(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = memberSchemas(dataclass, settings, (relation) =>
    anyOf(...readRelation(relation, dataclass)),
  );
  return objectOf({ ...version(dataclass), ...members }, Object.keys(members));
}

function names({ name }: Dataclass): JsonObject {
  return { __entityModel: { const: name }, __DATACLASS: { const: name } };
}

function single(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = memberSchemas(dataclass, settings, (relation) =>
    anyOf(...readRelation(relation, dataclass)),
  );
  const properties = {
    ...names(dataclass),
    ...version(dataclass),
    ...members,
    ...planProperties,
  };
  return {
    ...objectOf(properties, [...Object.keys(members), ...Object.keys(planProperties)]),
    ...described(dataclass),
  };
}

/** The key and the stamp of an entity in the form of `$asArray`. */
function rowVersion(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const [only, ...more] = dataclass.key;
  if (only === undefined) return { __STAMP: STAMP };
  const isNumber = ['integer', 'decimal', 'float'].includes(only.columnType.kind);
  const key =
    more.length === 0 && isNumber ? typeSchema(only.columnType, settings) : { type: 'string' };
  return { __KEY: key, __STAMP: STAMP };
}

function row(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = memberSchemas(dataclass, settings, (relation) => anyOf(...rowRelation(relation)));
  return objectOf({ ...rowVersion(dataclass, settings), ...members }, Object.keys(members));
}

function collection(dataclass: Dataclass): JsonObject {
  const { name } = dataclass;
  const properties = {
    __ENTITYSET: { type: 'string', description: 'The URI of the entity set that was made.' },
    __DATACLASS: { const: name },
    __entityModel: { const: name },
    __GlobalStamp: GLOBAL_STAMP,
    __COUNT: COUNT,
    __FIRST: COUNT,
    __ENTITIES: arrayOf(
      anyOf(dataclassRef(dataclass, ''), schemaRef('protocol.UndefinedReference')),
    ),
    __SENT: COUNT,
    ...planProperties,
  };
  return objectOf(properties, ['__ENTITYSET', '__COUNT', ...Object.keys(planProperties)]);
}

/** A page of `$changes`. */
function changes(dataclass: Dataclass): JsonObject {
  const { name } = dataclass;
  const properties = {
    __DATACLASS: { const: name },
    __entityModel: { const: name },
    __REMOVED: {
      ...arrayOf({ type: 'string' }),
      description:
        'Keys of entities to remove, before those of __ENTITIES are added; only where they can be told.',
    },
    __ENTITIES: arrayOf(dataclassRef(dataclass, '')),
    __SENT: COUNT,
    __MORE: { type: 'boolean', description: 'Whether the next page has more of these changes.' },
    __TOKEN: { type: 'string', description: 'The value of since for what comes next.' },
  };
  return objectOf(properties, ['__REMOVED']);
}

/** Makes all of an answer to a save optional but its status: an entity that was not saved has no more. */
function ofSave(dataclass: Dataclass, own: JsonObject): JsonObject {
  const uri = { type: dataclass.key.length === 0 ? ['string', 'null'] : 'string' };
  const properties = { ...names(dataclass), ...own, uri, __ERROR: ERRORS };
  return objectOf({ __STATUS: SAVE_STATUS, ...properties }, Object.keys(properties));
}

function saved(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = memberSchemas(dataclass, settings, (relation) => {
    const along = dataclassRef(relation.target, 'Saved');
    return anyOf(
      ...readRelation(relation, dataclass),
      relation.kind === 'relatedEntity' ? along : objectOf({ __ENTITIES: arrayOf(along) }),
    );
  });
  return ofSave(dataclass, { ...version(dataclass), ...members });
}

function savedRow(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = memberSchemas(dataclass, settings, (relation) => {
    const along = dataclassRef(relation.target, 'SavedRow');
    return anyOf(
      ...rowRelation(relation),
      relation.kind === 'relatedEntity' ? along : arrayOf(along),
    );
  });
  // The key of an entity that was not saved is text.
  const key = dataclass.key.length === 0 ? {} : { __KEY: { type: ['number', 'string'] } };
  return ofSave(dataclass, { ...key, __STAMP: STAMP, ...members });
}

/** An entity as clients send it. All that it may name is optional. */
function body(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const members = [...dataclass.members.values()].filter(({ readOnly }) => readOnly === null);
  const schemaOf = (member: Member): JsonObject => {
    if (isRelation(member)) return relationBody(member, dataclass);
    const mayBeNull = takesNull(attributeOf(member), dataclass);
    if (isBinary(member)) return mayBeNull ? nullable(contentBody) : contentBody;
    const isKey = dataclass.key.some(({ name }) => name === member.name);
    return attributeSchema(member, isKey, settings, mayBeNull);
  };
  return {
    type: 'object',
    properties: {
      __KEY: { type: ['string', 'number', 'object'] },
      __STAMP: STAMP,
      ...Object.fromEntries(members.map((member) => [member.name, schemaOf(member)])),
    },
    // An entity can be sent as it was read.
    additionalProperties: true,
    ...described(dataclass),
  };
}

/** Base64, or the ID of an upload. */
const contentBody: JsonObject = anyOf(
  { type: 'string', contentEncoding: 'base64' },
  objectOf({ ID: { type: 'string' } }),
);

function relationBody(relation: Relation, dataclass: Dataclass): JsonObject {
  const { target } = relation;
  const entities = dataclassRef(target, 'Body');
  if (relation.kind === 'relatedEntity') {
    const key = { type: ['string', 'number'] };
    const related = anyOf(key, schemaRef('protocol.Deferred'), entities);
    return {
      ...(takesNull(relation, dataclass) ? nullable(related) : related),
      ...described(relation),
    };
  }
  return {
    ...(takesLists(relation) ? arrayOf(entities) : schemaRef('protocol.DeferredSelection')),
    ...described(relation),
  };
}
