import {
  attributeOf,
  type Dataclass,
  isRelation,
  type Member,
  type Relation,
  relationsOf,
  takesLists,
} from '../model/types.ts';
import { takesNull } from '../model/writable.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  extending,
  type JsonObject,
  NULL,
  nullable,
  objectOf,
  openObject,
  schemaRef,
  TEXT,
} from './json-schema.ts';
import { STAMP } from './protocol-schemas.ts';
import { attributeSchema, typeSchema, type ValueSettings } from './value-schemas.ts';

/** A reference to one of a dataclass's schemas. */
export function dataclassRef({ name }: Pick<Dataclass, 'name'>, part: DataclassPart): JsonObject {
  return schemaRef(componentName(name, part));
}

/** The entity (empty) as it stands in a collection, its other forms, and what several of them share. */
export type DataclassPart =
  | ('' | 'Attributes' | 'Relations' | 'Single' | 'Row' | 'Collection' | 'Set' | 'Changes')
  | ('Related' | 'One' | 'Many' | 'Saved' | 'SavedList' | 'SavedRow' | 'Saves' | 'Body');

/** The schemas of a dataclass, by their names in the components. */
export function dataclassSchemas(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const entity = dataclassRef(dataclass, '');
  const parts = [dataclassRef(dataclass, 'Attributes'), dataclassRef(dataclass, 'Relations')];
  const page = (open: string, item: JsonObject): JsonObject =>
    extending([schemaRef(`protocol.${open}`)], { ...names(dataclass), __ENTITIES: arrayOf(item) });
  const schemas: Record<DataclassPart, JsonObject> = {
    '': { ...extending(parts, {}), ...described(dataclass) },
    Attributes: attributes(dataclass, settings),
    Relations: relations(dataclass),
    Single: {
      ...extending([...parts, schemaRef('protocol.Plans')], names(dataclass)),
      ...described(dataclass),
    },
    Row: row(dataclass, settings),
    Collection: page('Page', entity),
    Set: page('Page', anyOf(entity, schemaRef('protocol.UndefinedReference'))),
    Changes: page('Changes', entity),
    Related: extending([schemaRef('protocol.Related')], { __ENTITIES: arrayOf(entity) }),
    One: anyOf(schemaRef('protocol.Deferred'), entity, NULL),
    Many: anyOf(schemaRef('protocol.DeferredSelection'), dataclassRef(dataclass, 'Related')),
    Saved: saved(dataclass),
    SavedList: objectOf({ __ENTITIES: arrayOf(dataclassRef(dataclass, 'Saved')) }),
    SavedRow: savedRow(dataclass),
    Saves: anyOf(
      dataclassRef(dataclass, 'Saved'),
      dataclassRef(dataclass, 'SavedList'),
      arrayOf(dataclassRef(dataclass, 'SavedRow')),
    ),
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

/** The attributes of an entity, all optional, in all forms that are read. */
function attributes(dataclass: Dataclass, settings: ValueSettings): JsonObject {
  const { key, members } = dataclass;
  const isKey = (name: string): boolean => key.some((part) => part.name === name);
  const content = key.length === 0 ? NULL : anyOf(schemaRef('protocol.DeferredContent'), NULL);
  const properties = [...members.values()].flatMap((member): [string, JsonObject][] => {
    if (isRelation(member)) return [];
    const schema = isBinary(member)
      ? { ...content, ...described(member) }
      : attributeSchema(member, isKey(member.name), settings);
    return [[member.name, schema]];
  });
  return openObject(
    Object.fromEntries(properties),
    properties.map(([name]) => name),
  );
}

/** The relations of an entity by the schemas of what they hold. */
function relationSchemas(
  dataclass: Dataclass,
  forms: (relation: Relation) => readonly JsonObject[],
): JsonObject {
  return Object.fromEntries(
    relationsOf(dataclass).map((relation) => [
      relation.name,
      { ...anyOf(...forms(relation)), ...described(relation) },
    ]),
  );
}

/** A relation in an entity that is read: deferred, or what it leads to. */
function readRelation({ kind, target }: Relation, { key }: Dataclass): JsonObject[] {
  if (kind === 'relatedEntity') return [dataclassRef(target, 'One')];
  const many = dataclassRef(target, 'Many');
  return key.length === 0 ? [many, NULL] : [many];
}

function rowRelation({ kind, target }: Relation): JsonObject[] {
  const one = dataclassRef(target, 'Row');
  return kind === 'relatedEntity' ? [one, NULL] : [arrayOf(one)];
}

/** `__KEY` and `__TIMESTAMP`, as far as the dataclass has them. */
function identity({ key, timestamp, isTimestampSeen }: Dataclass): JsonObject {
  return {
    ...(key.length === 0 ? {} : { __KEY: TEXT }),
    ...(timestamp === null || !isTimestampSeen
      ? {}
      : {
          __TIMESTAMP: {
            type: ['string', 'null'],
            format: timestamp.type.kind === 'date' ? 'date' : 'date-time',
          },
        }),
  };
}

/** The relations of an entity that is read, all optional, and its version. */
function relations(dataclass: Dataclass): JsonObject {
  const members = relationSchemas(dataclass, (relation) => readRelation(relation, dataclass));
  const properties = { ...identity(dataclass), __STAMP: STAMP, ...members };
  return openObject(properties, Object.keys(members));
}

function names({ name }: Dataclass): JsonObject {
  return { __entityModel: { const: name }, __DATACLASS: { const: name } };
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
  const members = relationSchemas(dataclass, rowRelation);
  const properties = { ...rowVersion(dataclass, settings), ...members };
  return extending([dataclassRef(dataclass, 'Attributes')], properties, Object.keys(members));
}

/** Makes all of an answer to a save optional but its status: an entity that was not saved has no more. */
function ofSave(dataclass: Dataclass, own: JsonObject): JsonObject {
  const uri = { type: dataclass.key.length === 0 ? ['string', 'null'] : 'string' };
  const properties = { ...names(dataclass), ...own, uri };
  const open = [dataclassRef(dataclass, 'Attributes'), schemaRef('protocol.Saved')];
  return extending(open, properties, Object.keys(properties));
}

function saved(dataclass: Dataclass): JsonObject {
  const members = relationSchemas(dataclass, (relation) => {
    const { kind, target } = relation;
    const along = dataclassRef(target, kind === 'relatedEntity' ? 'Saved' : 'SavedList');
    return [...readRelation(relation, dataclass), along];
  });
  return ofSave(dataclass, { ...identity(dataclass), ...members });
}

function savedRow(dataclass: Dataclass): JsonObject {
  const members = relationSchemas(dataclass, (relation) => {
    const along = dataclassRef(relation.target, 'SavedRow');
    const isOne = relation.kind === 'relatedEntity';
    return [...rowRelation(relation), isOne ? along : arrayOf(along)];
  });
  // The key of an entity that was not saved is text.
  const key = dataclass.key.length === 0 ? {} : { __KEY: { type: ['number', 'string'] } };
  return ofSave(dataclass, { ...key, ...members });
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
