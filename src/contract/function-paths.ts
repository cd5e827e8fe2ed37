import type { ApiFunction } from '../model/functions/function-types.ts';
import type { Dataclass, Model } from '../model/types.ts';
import { resultSchema } from './function-schemas.ts';
import { anyOf, componentName, type JsonObject, type PathEntry, nullable } from './json-schema.ts';
import { operationParameters } from './parameters.ts';
import { changeResponses, readResponses, response } from './responses.ts';
import { sampleValue } from './samples.ts';
import { typeSchema } from './value-schemas.ts';

/** The paths of the functions of the datastore and of singletons (§2.4). */
export function* functionPaths({
  functions,
  singletons,
}: Pick<Model, 'functions' | 'singletons'>): Generator<PathEntry> {
  for (const called of functions.values()) {
    const id = `functions.${componentName(called.name)}.call`;
    yield [
      `/rest/$catalog/${encodeURIComponent(called.name)}`,
      callOperations(called, [], id, null),
    ];
  }
  for (const { name, functions: own } of singletons.values()) {
    for (const called of own.values()) {
      const id = `singletons.${componentName(name)}.${componentName(called.name)}.call`;
      yield [
        `/rest/$singleton/${encodeURIComponent(name)}/${encodeURIComponent(called.name)}`,
        callOperations(called, [], id, null),
      ];
    }
  }
}

/** The operations that call a function: by POST, and by GET where the function allows it. */
export function callOperations(
  called: ApiFunction,
  parameters: readonly JsonObject[],
  id: string,
  dataclass: Dataclass | null,
): JsonObject {
  const { fullName, description, returns } = called;
  const common = {
    tags: [dataclass?.name ?? 'functions'],
    summary: `Calls ${fullName}`,
    ...(description === null ? {} : { description }),
    parameters: operationParameters(
      dataclass === null ? ['call'] : ['call', 'callOnEntities', 'callOnSet'],
      dataclass,
      returns.kind === 'entities' ? ['entityset', 'subentityset'] : ['subentityset'],
    ),
  };
  const answer = response(`What ${fullName} gives`, resultSchema(called));
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    post: {
      ...common,
      operationId: `${id}ByPost`,
      ...(called.parameters.length === 0 ? {} : { requestBody: parametersBody(called) }),
      responses: changeResponses(answer),
    },
    ...(called.allowedOnHTTPGET
      ? { get: { ...common, operationId: `${id}ByGet`, responses: readResponses(answer) } }
      : {}),
  };
}

/** The parameters as a JSON array. */
function parametersBody({ parameters }: ApiFunction): JsonObject {
  const needed = parameters.filter(({ optional }) => !optional).length;
  return {
    required: needed > 0,
    content: {
      'application/json': {
        schema: {
          type: 'array',
          prefixItems: parameters.map(({ name, type }) => ({
            ...nullable(typeSchema(type, { bigNumbersAsStrings: false })),
            title: name,
          })),
          minItems: needed,
          maxItems: parameters.length,
        },
        example: parameters.map(({ name, type }) => sampleValue(type, name)),
      },
    },
  };
}

/** The operation that calls a function, named by `$emMethod`, on the entities that a relation leads to; none where they have no functions. */
export function relatedCall(target: Dataclass, id: string): JsonObject {
  const functions = [...target.functions.values()].filter(
    ({ appliesTo }) => appliesTo === 'entity' || appliesTo === 'entityCollection',
  );
  if (functions.length === 0) return {};
  return {
    post: {
      tags: [target.name],
      operationId: id,
      summary: `Calls a function of ${target.name} on what the relation leads to`,
      parameters: operationParameters(['call', 'callOnEntities'], target, ['subentityset']),
      requestBody: { content: { 'application/json': { schema: { type: 'array' } } } },
      responses: changeResponses(
        response('What the function gives', anyOf(...functions.map(resultSchema))),
      ),
    },
  };
}
