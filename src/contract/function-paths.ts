import type { ApiFunction } from '../model/functions/function-types.ts';
import { columnsOf } from '../model/functions/function-types.ts';
import type { Dataclass, Model } from '../model/types.ts';
import { dataclassRef } from './dataclass-schemas.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  type JsonObject,
  type PathEntry,
  nullable,
  objectOf,
} from './json-schema.ts';
import { operationParameters } from './parameters.ts';
import { changeResponses, readResponses, response } from './responses.ts';
import { sampleValue } from './samples.ts';
import { typeSchema } from './value-schemas.ts';

const NO_RESULT = objectOf({ result: { type: 'null' } });

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

function resultSchema({ returns, routine }: ApiFunction): JsonObject {
  switch (returns.kind) {
    case 'nothing':
      return NO_RESULT;
    case 'entities': {
      const of = { name: returns.dataclass };
      return anyOf(
        dataclassRef(of, returns.one ? 'Single' : 'Collection'),
        arrayOf(dataclassRef(of, 'Row')),
        NO_RESULT,
      );
    }
    case 'row':
      return objectOf({
        result: nullable(rowSchema(columnsOf(routine)?.map(({ name }) => name) ?? null)),
      });
    case 'rows':
      return objectOf({
        result: arrayOf(rowSchema(columnsOf(routine)?.map(({ name }) => name) ?? null)),
      });
    case 'all':
      return objectOf({
        result: objectOf({
          returnValue: {},
          output: { type: 'object' },
          resultSets: arrayOf(arrayOf({ type: 'object' })),
        }),
      });
    case 'value':
    case 'output':
      return objectOf({ result: {} });
  }
}

/** A row of a routine's answer. @param names those of its columns, where the database tells them */
function rowSchema(names: readonly string[] | null): JsonObject {
  return names === null || new Set(names).size < names.length
    ? { type: 'object' }
    : objectOf(Object.fromEntries(names.map((name) => [name, {}])));
}
