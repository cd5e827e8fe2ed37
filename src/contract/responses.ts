import type { ApiFunction } from '../model/functions/function-types.ts';
import { type Dataclass, mayChange } from '../model/types.ts';
import { dataclassRef } from './dataclass-schemas.ts';
import { resultSchemas } from './function-schemas.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  COUNT,
  jsonContent,
  type JsonObject,
  NULL,
  ref,
  schemaRef,
  TEXT,
} from './json-schema.ts';

/** What is answered in place of entities. */
const VALUES: readonly JsonObject[] = [
  ...['Dashboard', 'Computed', 'ComputedAll', 'DistinctValues', 'Groups'].map((name) =>
    schemaRef(`protocol.${name}`),
  ),
  // Of $asArray.
  arrayOf(schemaRef('protocol.Group')),
];

/** Answers in forms other than JSON (DECISIONS, "Formats"). */
const EXPORTS: JsonObject = {
  'text/csv': { schema: TEXT },
  'application/x-ndjson': { schema: TEXT },
};

const NOTE: JsonObject = { 'Entitygate-Note': ref('headers', 'Entitygate-Note') };

/** What the paths of a dataclass answer. */
export type DataclassResponse =
  | ('Entities' | 'Entity' | 'Keys' | 'Related' | 'Set' | 'Content' | 'Changes')
  | ('Save' | 'SaveOne' | 'Created' | 'NotSaved');

/** A reference to a response of a dataclass. */
export function responseRef({ name }: Dataclass, response: DataclassResponse): JsonObject {
  return ref('responses', componentName(name, response));
}

/** The responses of a dataclass, by their names in the components. */
export function dataclassResponses(dataclass: Dataclass): JsonObject {
  const { name } = dataclass;
  const collection = dataclassRef(dataclass, 'Collection');
  const single = dataclassRef(dataclass, 'Single');
  const savedEntity = dataclassRef(dataclass, 'Saved');
  const savedRows = arrayOf(dataclassRef(dataclass, 'SavedRow'));
  const saves = dataclassRef(dataclass, 'Saves');
  const responses: Record<DataclassResponse, JsonObject> = {
    Entities: {
      ...response(
        `Entities of ${name}. Those that are deleted while $method=entityset makes their set are {"__STAMP":0}`,
        collection,
      ),
      headers: NOTE,
    },
    Entity: response(`One entity of ${name}`, single),
    Keys: response(
      `Entities of ${name} by their keys, or how a lock ended`,
      anyOf(collection, single, schemaRef('protocol.Lock')),
    ),
    Related: response(`The related entity of ${name}, or null`, anyOf(single, NULL)),
    Set: {
      ...response(
        `Entities of ${name} in an entity set`,
        anyOf(
          dataclassRef(dataclass, 'Set'),
          schemaRef('protocol.Intersects'),
          schemaRef('protocol.Found'),
          schemaRef('protocol.Ok'),
        ),
      ),
      headers: NOTE,
    },
    Content: response(
      'The bytes, or {} for no such image; without $expand, the entity with the attribute',
      anyOf(schemaRef('protocol.NoImage'), single, collection),
      CONTENT,
    ),
    Changes: response(`What has changed of ${name}`, dataclassRef(dataclass, 'Changes')),
    Save: response(
      `What was saved or deleted of ${name}`,
      anyOf(
        saves,
        schemaRef('protocol.Ok'),
        ...(mayChange(dataclass, 'delete') ? [schemaRef('protocol.Deleted')] : []),
        // Of $extendedAttributes, by which a read is posted.
        single,
        collection,
      ),
    ),
    SaveOne: response(`What was saved of an entity of ${name}`, savedEntity),
    Created: {
      ...response(`The new entity of ${name}`, anyOf(savedEntity, savedRows)),
      headers: { Location: ref('headers', 'Location') },
    },
    NotSaved: response(
      'Nothing is saved: errors, or the entity as it is, with them',
      anyOf(schemaRef('protocol.Errors'), saves),
    ),
  };
  return Object.fromEntries(
    Object.entries(responses).map(([part, one]) => [componentName(name, part), one]),
  );
}

/** The headers of answers, by their names in the components. */
export const HEADERS: JsonObject = {
  Location: {
    description: 'The URI of the new entity.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Entitygate-Note': {
    description: 'How a $filter is read that joins AND and OR without parentheses.',
    schema: TEXT,
  },
  'Entitygate-Deleted': {
    description: 'How many entities a filter or an entity set has deleted.',
    schema: COUNT,
  },
};

function calledByGet(functions: readonly ApiFunction[]): ApiFunction[] {
  return functions.filter(({ allowedOnHTTPGET }) => allowedOnHTTPGET);
}

/** A response of JSON, and of other media types. */
export function response(
  description: string,
  ...content: Parameters<typeof jsonContent>
): JsonObject {
  return { description, ...jsonContent(...content) };
}

/** The responses that are the same for all dataclasses, by their names in the components. @param dataclasses all that the caller sees */
export function protocolResponses(dataclasses: readonly Dataclass[]): JsonObject {
  const functions = dataclasses.flatMap((dataclass) => [...dataclass.functions.values()]);
  const forms = dataclasses.map((dataclass): JsonObject[] => [
    dataclassRef(dataclass, 'Single'),
    dataclassRef(dataclass, 'Set'),
    arrayOf(anyOf(dataclassRef(dataclass, 'Row'), schemaRef('protocol.UndefinedReference'))),
  ]);
  const errors = schemaRef('protocol.Errors');
  return {
    Path: response(
      'What the names in the path lead to: entities of a dataclass, one of them or null, what is computed of their values, or what a function gives',
      anyOf(...forms.flat(), ...VALUES, ...resultSchemas(calledByGet(functions))),
      { ...EXPORTS, ...CONTENT },
    ),
    Called: response('What the function gives', anyOf(...resultSchemas(functions))),
    Content: response(
      'The bytes of the image or BLOB, or {} where there is no such image',
      schemaRef('protocol.NoImage'),
      CONTENT,
    ),
    Ok: response('Done', schemaRef('protocol.Ok')),
    Deleted: {
      ...response(
        'Whether all is deleted, or which entities',
        anyOf(schemaRef('protocol.Ok'), schemaRef('protocol.Deleted')),
      ),
      headers: { ...NOTE, 'Entitygate-Deleted': ref('headers', 'Entitygate-Deleted') },
    },
    NoContent: { description: 'There is nothing: the BLOB is null' },
    NotModified: {
      description: 'The answer is still that whose ETag If-None-Match names',
    },
    Refused: response('The request is refused', errors),
    Failed: response('The gateway or the database failed', errors),
    LockFailed: response(
      'The gateway or the database failed',
      anyOf(errors, schemaRef('protocol.Lock')),
    ),
  };
}

/** What images and BLOBs are answered as. */
const CONTENT: JsonObject = { 'image/*': {}, 'application/octet-stream': {} };

/** The responses of an operation that reads. @param answer the response with status 200 */
export function readResponses(answer: JsonObject): JsonObject {
  return { '200': answer, '304': ref('responses', 'NotModified'), ...REFUSALS };
}

/** The responses of an operation that changes something. */
export function changeResponses(answer: JsonObject, refused = REFUSED): JsonObject {
  return { '200': answer, ...REFUSALS, '4XX': refused };
}

const REFUSED = ref('responses', 'Refused');

const REFUSALS: JsonObject = {
  '4XX': REFUSED,
  '5XX': ref('responses', 'Failed'),
};
