import type { ApiFunction } from '../model/functions/function-types.ts';
import { type Dataclass, type Model, relationsOf } from '../model/types.ts';
import { resultSchema, resultSchemas } from './function-schemas.ts';
import {
  anyOf,
  componentName,
  jsonContent,
  type JsonObject,
  type PathEntry,
  nullable,
  ref,
} from './json-schema.ts';
import { operationParameters } from './parameters.ts';
import { changeResponses, readResponses, response } from './responses.ts';
import { typeSchema } from './value-schemas.ts';

/** The paths of the functions of the datastore and of singletons (§2.4). */
export function* functionPaths({
  functions,
  singletons,
}: Pick<Model, 'functions' | 'singletons'>): Generator<PathEntry> {
  const call = (called: ApiFunction, folder: string, owner: string): PathEntry => [
    `/rest/${folder}/${encodeURIComponent(called.name)}`,
    callOperations(called, [], `${owner}.${componentName(called.name)}.call`, null),
  ];
  for (const called of functions.values()) yield call(called, '$catalog', 'functions');
  for (const { name, functions: own } of singletons.values()) {
    const folder = `$singleton/${encodeURIComponent(name)}`;
    for (const called of own.values()) {
      yield call(called, folder, `singletons.${componentName(name)}`);
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
    ...jsonContent({
      type: 'array',
      prefixItems: parameters.map(({ name, type }) => ({
        ...nullable(typeSchema(type, { bigNumbersAsStrings: false })),
        title: name,
      })),
      minItems: needed,
      maxItems: parameters.length,
    }),
  };
}

/** The kinds of functions that are called on one entity. */
export const ON_ENTITIES: readonly ApiFunction['appliesTo'][] = ['entity', 'entityCollection'];

/** The functions of a dataclass that are called on one of some kinds. */
export function functionsOf(
  { functions }: Dataclass,
  kinds: readonly ApiFunction['appliesTo'][],
): ApiFunction[] {
  return [...functions.values()].filter(({ appliesTo }) => kinds.includes(appliesTo));
}

/** The operation that calls a function, named by `$emMethod`, on the entities that a relation leads to; none where they have no functions. */
export function relatedCall(target: Dataclass, id: string): JsonObject {
  const functions = functionsOf(target, ON_ENTITIES);
  const answer = response('What the function gives', anyOf(...resultSchemas(functions)));
  const summary = `Calls a function of ${target.name} on what the relation leads to`;
  return functions.length === 0 ? {} : { post: anyCall(target, id, summary, answer) };
}

/** The operation that calls a function at the end of a path of relations of an entity; none where they lead to no function. */
export function pathCall(dataclass: Dataclass, id: string): JsonObject {
  const targetsOf = (from: Dataclass): Dataclass[] => relationsOf(from).map(({ target }) => target);
  const reached = new Set(targetsOf(dataclass));
  // The iteration goes on with what is added meanwhile.
  for (const one of reached) for (const target of targetsOf(one)) reached.add(target);
  const isCalled = [...reached].some((one) => functionsOf(one, ON_ENTITIES).length > 0);
  const summary = `Calls a function, whose name ends the path, on what relations of ${dataclass.name} lead to`;
  const answer = ref('responses', 'Called');
  return isCalled ? { post: anyCall(dataclass, id, summary, answer) } : {};
}

/** The operation that calls any of several functions. */
function anyCall(
  dataclass: Dataclass,
  operationId: string,
  summary: string,
  answer: JsonObject,
): JsonObject {
  return {
    tags: [dataclass.name],
    operationId,
    summary,
    parameters: operationParameters(['call', 'callOnEntities'], ['subentityset']),
    requestBody: jsonContent({ type: 'array' }),
    responses: changeResponses(answer),
  };
}
