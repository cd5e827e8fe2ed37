import {
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  plainText,
  text,
  textsIn,
} from './json.ts';

/** An attribute or relation of a dataclass (§2.4). */
export interface Attribute {
  readonly name: string;
  readonly kind: 'storage' | 'calculated' | 'alias' | 'relatedEntity' | 'relatedEntities';
  /** The type of values; of relations the dataclass, or the collection name of the dataclass, that they lead to. */
  readonly type: string;
  readonly isKey: boolean;
  readonly notNull: boolean;
  readonly readOnly: boolean;
  /** Whether the database numbers new entities by it. */
  readonly autosequence: boolean;
  readonly maxLength: number | null;
  /** The only values that the database takes, beside null; null where it lists none. */
  readonly values: readonly string[] | null;
  /** Whether a new entity may leave out what is never null. */
  readonly optional: boolean;
  /** Of relations to one: the attributes that hold the key of what they lead to. */
  readonly foreignKey: readonly string[];
  readonly indexed: boolean;
  readonly unique: boolean;
  /** Of aliases and relations: the path that they stand for. */
  readonly path: string | null;
  /** The relation that leads back; null where there is none. */
  readonly inverse: string | null;
  readonly description: string | null;
}

/** A function that may be called (§2.4). */
export interface ApiFunction {
  readonly name: string;
  readonly appliesTo: string;
  readonly description: string | null;
  readonly parameters: readonly FunctionParameter[];
}

/** A parameter of a function, its type in the words of attributes. */
export interface FunctionParameter {
  readonly name: string;
  readonly type: string;
  readonly maxLength: number | null;
  /** Whether a date has a time of day. */
  readonly hasTime: boolean;
  readonly optional: boolean;
}

export type Change = 'create' | 'update' | 'delete';

const CHANGES: readonly Change[] = ['create', 'update', 'delete'];

/** A dataclass (§2.4). */
export interface Dataclass {
  readonly name: string;
  readonly collection: string;
  readonly description: string | null;
  /** Where the version of an entity comes from: rowversion, xmin, counter, hash; null where the catalog does not tell. */
  readonly stamp: string | null;
  /** Why nobody may change its entities; null where some may. */
  readonly readOnly: string | null;
  /** What the user may do to some of the entities at least. */
  readonly changes: ReadonlySet<Change>;
  readonly attributes: readonly Attribute[];
  /** The names of the attributes and relations that a new entity has to have. */
  readonly required: ReadonlySet<string>;
  /** The attributes of the key, in key order. */
  readonly key: readonly Attribute[];
  readonly functions: readonly ApiFunction[];
}

/** All that a client may know of the model. */
export interface Catalog {
  readonly application: string;
  /** How users may say who they are; empty where nobody is asked. */
  readonly logins: readonly string[];
  readonly dataclasses: ReadonlyMap<string, Dataclass>;
  readonly functions: readonly ApiFunction[];
  readonly singletons: ReadonlyMap<string, readonly ApiFunction[]>;
}

/** Reads the answer to `/rest/$catalog/$all`. */
export function readCatalog(answer: Json): Catalog {
  const body = isObject(answer) ? answer : {};
  const { properties } = body;
  const logins = isObject(properties) ? properties['logins'] : undefined;
  const dataclasses = objectsIn(body['dataClasses']).map(readDataclass);
  return {
    application: text(body['__NAME']) ?? '',
    logins: textsIn(logins),
    dataclasses: new Map(dataclasses.map((dataclass) => [dataclass.name, dataclass])),
    functions: objectsIn(body['methods']).map(readFunction),
    singletons: new Map(
      objectsIn(body['singletons']).map((singleton) => [
        text(singleton['name']) ?? '',
        objectsIn(singleton['methods']).map(readFunction),
      ]),
    ),
  };
}

/** The dataclass that a relation leads to; undefined where it is not exposed. */
export function relationTarget(
  { kind, type }: Attribute,
  { dataclasses }: Catalog,
): Dataclass | undefined {
  if (kind === 'relatedEntity') return dataclasses.get(type);
  if (kind !== 'relatedEntities') return undefined;
  return [...dataclasses.values()].find(({ collection }) => collection === type);
}

function readDataclass(object: JsonObject): Dataclass {
  const attributes = objectsIn(object['attributes']).map(readAttribute);
  const keyNames = objectsIn(object['key']).map(({ name }) => text(name));
  const properties = isObject(object['extraProperties']) ? object['extraProperties'] : {};
  const { stamp, required, readOnly } = properties;
  return {
    name: text(object['name']) ?? '',
    collection: text(object['collectionName']) ?? '',
    description: descriptionOf(object),
    stamp: text(stamp),
    readOnly: text(readOnly),
    changes: changesOf(object),
    attributes,
    required: new Set(Array.isArray(required) ? (required as readonly string[]) : []),
    key: keyNames.flatMap((name) => attributes.find((attribute) => attribute.name === name) ?? []),
    functions: objectsIn(object['methods']).map(readFunction),
  };
}

function changesOf({ extraProperties }: JsonObject): ReadonlySet<Change> {
  const changes = isObject(extraProperties) ? extraProperties['changes'] : undefined;
  return new Set(CHANGES.filter((change) => Array.isArray(changes) && changes.includes(change)));
}

function readAttribute(object: JsonObject): Attribute {
  const maxLength = object['maxLength'];
  const properties = isObject(object['extraProperties']) ? object['extraProperties'] : {};
  const { values, optional } = properties;
  return {
    name: text(object['name']) ?? '',
    kind: (text(object['kind']) ?? 'storage') as Attribute['kind'],
    type: text(object['type']) ?? '',
    isKey: object['identifying'] === true,
    notNull: object['not_null'] === true,
    readOnly: object['readOnly'] === true,
    autosequence: object['autosequence'] === true,
    maxLength: typeof maxLength === 'number' ? maxLength : null,
    values: Array.isArray(values) ? (values as readonly Json[]).map(plainText) : null,
    optional: optional === true,
    foreignKey: text(object['foreignKey'])?.split(',') ?? [],
    indexed: object['indexed'] === true,
    unique: object['unique'] === true,
    path: text(object['path']),
    inverse: text(object['inverseName']),
    description: descriptionOf(object),
  };
}

function readFunction(object: JsonObject): ApiFunction {
  const { extraProperties } = object;
  const parameters = isObject(extraProperties) ? extraProperties['parameters'] : undefined;
  return {
    name: text(object['name']) ?? '',
    appliesTo: text(object['applyTo']) ?? 'dataStore',
    description: descriptionOf(object),
    parameters: objectsIn(parameters).map(({ name, type, maxLength, dateTime, optional }) => ({
      name: text(name) ?? '',
      type: text(type) ?? 'string',
      maxLength: typeof maxLength === 'number' ? maxLength : null,
      hasTime: dateTime === true,
      optional: optional === true,
    })),
  };
}

function descriptionOf({ extraProperties }: JsonObject): string | null {
  return isObject(extraProperties) ? text(extraProperties['description']) : null;
}
