import type { ApiFunction } from '../model/functions/function-types.ts';
import { type Dataclass, mayChange } from '../model/types.ts';
import { dataclassRef } from './dataclass-schemas.ts';
import { resultSchemas } from './function-schemas.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  type JsonObject,
  NULL,
  ref,
  schemaRef,
} from './json-schema.ts';

const COMPUTED: readonly JsonObject[] = ['Computed', 'ComputedAll', 'DistinctValues'].map((name) =>
  schemaRef(`protocol.${name}`),
);

const TEXT: JsonObject = { schema: { type: 'string' } };

/** Answers in forms other than JSON (DECISIONS, "Formats"). */
const EXPORTS: JsonObject = { 'text/csv': TEXT, 'application/x-ndjson': TEXT };

/** What the paths of a dataclass answer. */
export type DataclassResponse =
  'Entities' | 'Entity' | 'Related' | 'Set' | 'Changes' | 'Save' | 'Created' | 'NotSaved';

/** A reference to a response of a dataclass. */
export function responseRef({ name }: Dataclass, response: DataclassResponse): JsonObject {
  return ref('responses', componentName(name, response));
}

/** The responses of a dataclass, by their names in the components. */
export function dataclassResponses(dataclass: Dataclass): JsonObject {
  const { name } = dataclass;
  const collection = dataclassRef(dataclass, 'Collection');
  const rows = arrayOf(dataclassRef(dataclass, 'Row'));
  const pages = [collection, rows, schemaRef('protocol.Dashboard')];
  const single = dataclassRef(dataclass, 'Single');
  // Of $emMethod, by which a GET calls a function on what a relation leads to.
  const called = resultSchemas(calledByGet([...dataclass.functions.values()]));
  const savedEntity = dataclassRef(dataclass, 'Saved');
  const savedRows = arrayOf(dataclassRef(dataclass, 'SavedRow'));
  const saved = [
    savedEntity,
    { ...SAVED_LIST, properties: { __ENTITIES: arrayOf(savedEntity) } },
    savedRows,
  ];
  const responses: Record<DataclassResponse, JsonObject> = {
    Entities: response(`Entities of ${name}`, anyOf(...pages, ...COMPUTED, ...called), EXPORTS),
    Entity: response(
      `One entity of ${name}, or several where the URL names several`,
      anyOf(single, ...pages, ...COMPUTED, schemaRef('protocol.Lock')),
      EXPORTS,
    ),
    Related: response(
      `The entity of ${name} that the relation leads to, or null`,
      anyOf(single, NULL, ...pages, ...COMPUTED, ...called),
      EXPORTS,
    ),
    Set: response(
      `Entities of ${name} in an entity set`,
      anyOf(
        collection,
        arrayOf(anyOf(dataclassRef(dataclass, 'Row'), schemaRef('protocol.UndefinedReference'))),
        schemaRef('protocol.Dashboard'),
        ...COMPUTED,
        { type: 'boolean', description: 'Of $logicOperator=INTERSECT.' },
        schemaRef('protocol.Found'),
        schemaRef('protocol.Ok'),
      ),
      EXPORTS,
    ),
    Changes: response(`What has changed of ${name}`, dataclassRef(dataclass, 'Changes')),
    Save: response(
      `What was saved or deleted of ${name}`,
      anyOf(
        ...saved,
        schemaRef('protocol.Ok'),
        ...(mayChange(dataclass, 'delete') ? [schemaRef('protocol.Deleted')] : []),
        // Of $extendedAttributes, by which a read is posted.
        single,
        collection,
      ),
    ),
    Created: {
      ...response(`The new entity of ${name}`, anyOf(savedEntity, savedRows)),
      headers: {
        Location: {
          description: 'The URI of the new entity.',
          required: true,
          schema: { type: 'string', format: 'uri-reference' },
        },
      },
    },
    NotSaved: response(
      'Nothing is saved: errors, or the entity as it is with the errors',
      anyOf(schemaRef('protocol.Errors'), ...saved),
    ),
  };
  return Object.fromEntries(
    Object.entries(responses).map(([part, one]) => [componentName(name, part), one]),
  );
}

function calledByGet(functions: readonly ApiFunction[]): ApiFunction[] {
  return functions.filter(({ allowedOnHTTPGET }) => allowedOnHTTPGET);
}

const SAVED_LIST: JsonObject = {
  type: 'object',
  required: ['__ENTITIES'],
  additionalProperties: false,
};

/** A response of JSON, and of other media types. */
export function response(
  description: string,
  schema: JsonObject,
  others: JsonObject = {},
): JsonObject {
  return { description, content: { 'application/json': { schema }, ...others } };
}

/** The responses that are the same for all dataclasses, by their names in the components. @param dataclasses all that the caller sees */
export function protocolResponses(dataclasses: readonly Dataclass[]): JsonObject {
  const functions = dataclasses.flatMap((dataclass) => [...dataclass.functions.values()]);
  const forms = dataclasses.map((dataclass): JsonObject[] => [
    dataclassRef(dataclass, 'Single'),
    dataclassRef(dataclass, 'Collection'),
    arrayOf(dataclassRef(dataclass, 'Row')),
  ]);
  const errors = schemaRef('protocol.Errors');
  return {
    'protocol.Path': response(
      'What the names in the path lead to: entities of a dataclass, one of them or null, what is computed of their values, or what a function gives',
      anyOf(
        ...forms.flat(),
        ...COMPUTED,
        schemaRef('protocol.Dashboard'),
        ...resultSchemas(calledByGet(functions)),
      ),
      { ...EXPORTS, ...CONTENT },
    ),
    'protocol.Called': response('What the function gives', anyOf(...resultSchemas(functions))),
    'protocol.Content': response(
      'The bytes of the image or BLOB, or {} where there is no such image',
      schemaRef('protocol.NoImage'),
      CONTENT,
    ),
    'protocol.Ok': response('Done', schemaRef('protocol.Ok')),
    'protocol.Deleted': {
      ...response(
        'Whether all is deleted, or which entities',
        anyOf(schemaRef('protocol.Ok'), schemaRef('protocol.Deleted')),
      ),
      headers: {
        'Entitygate-Deleted': {
          description: 'How many entities a filter or an entity set has deleted.',
          schema: { type: 'integer', minimum: 0 },
        },
      },
    },
    'protocol.NoContent': { description: 'There is nothing: the BLOB is null' },
    'protocol.NotModified': {
      description: 'The answer is still that whose ETag If-None-Match names',
    },
    'protocol.Refused': response('The request is refused', errors),
    'protocol.Failed': response('The gateway or the database failed', errors),
    'protocol.LockFailed': response(
      'The gateway or the database failed',
      anyOf(errors, schemaRef('protocol.Lock')),
    ),
  };
}

/** What images and BLOBs are answered as. */
const CONTENT: JsonObject = { 'image/*': {}, 'application/octet-stream': {} };

/** The responses of an operation that reads. @param answer the response with status 200 */
export function readResponses(answer: JsonObject): JsonObject {
  return { '200': answer, '304': ref('responses', 'protocol.NotModified'), ...REFUSALS };
}

/** The responses of an operation that changes something. */
export function changeResponses(answer: JsonObject, refused = REFUSED): JsonObject {
  return { '200': answer, ...REFUSALS, '4XX': refused };
}

const REFUSED = ref('responses', 'protocol.Refused');

const REFUSALS: JsonObject = {
  '4XX': REFUSED,
  '5XX': ref('responses', 'protocol.Failed'),
};
