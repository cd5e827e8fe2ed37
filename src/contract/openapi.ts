import type { Model } from '../model/types.ts';
import { dataclassPaths } from './dataclass-paths.ts';
import { dataclassSchemas } from './dataclass-schemas.ts';
import { functionPaths } from './function-paths.ts';
import type { JsonObject, PathEntry } from './json-schema.ts';
import { dataclassParameters, protocolParameters } from './parameters.ts';
import { protocolSchemas } from './protocol-schemas.ts';
import { dataclassResponses, protocolResponses } from './responses.ts';
import { securityOf } from './security.ts';
import { servicePaths } from './service-paths.ts';
import type { ContractSettings } from './settings.ts';

/**
 * Writes an OpenAPI document (https://spec.openapis.org/oas/v3.1.0) of a model as one audience sees it, in short pieces of JSON text: a document of many
 * dataclasses takes long to write.
 */
export function* openApiWriting(
  model: Pick<Model, 'dataclasses' | 'functions' | 'singletons'>,
  settings: ContractSettings,
): Generator<string, void> {
  const dataclasses = [...model.dataclasses.values()];
  const { schemes, security } = securityOf(settings);
  const head = {
    openapi: '3.1.0',
    info: { title: settings.application, version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    ...(security.length === 0 ? {} : { security }),
    tags: [
      ...dataclasses.map(({ name, description }) => ({
        name,
        ...(description === null ? {} : { description }),
      })),
      { name: 'functions', description: 'Functions of the datastore and of singletons.' },
      { name: 'services', description: 'The catalog, sessions, uploads.' },
    ],
  };
  yield `${JSON.stringify(head).slice(0, -1)},"paths":{`;
  yield* members(pathsOf(model, settings));
  yield '},"components":{"schemas":{';
  yield* members(
    partsOf([protocolSchemas(settings)], dataclasses, (one) => dataclassSchemas(one, settings)),
  );
  yield '},"responses":{';
  yield* members(partsOf([protocolResponses(dataclasses)], dataclasses, dataclassResponses));
  yield '},"parameters":{';
  yield* members(partsOf([protocolParameters()], dataclasses, dataclassParameters));
  yield Object.keys(schemes).length === 0
    ? '}}}'
    : `},"securitySchemes":${JSON.stringify(schemes)}}}`;
}

const DESCRIPTION =
  'Names of dataclasses and attributes are case-sensitive. In paths a key stands between parentheses or brackets, Name(key) or Name[key], ' +
  'text with other characters in quotes. HEAD is answered as GET is, without the body. __KEY is the key of an entity, __STAMP its version, which a save sends back.';

function* pathsOf(
  model: Pick<Model, 'dataclasses' | 'functions' | 'singletons'>,
  settings: ContractSettings,
): Generator<PathEntry> {
  yield* servicePaths([...model.dataclasses.values()]);
  yield* functionPaths(model);
  for (const dataclass of model.dataclasses.values()) yield* dataclassPaths(dataclass, settings);
}

function* partsOf<Item>(
  common: readonly JsonObject[],
  items: readonly Item[],
  partsOfItem: (item: Item) => JsonObject,
): Generator<readonly [string, unknown]> {
  for (const parts of common) yield* Object.entries(parts);
  for (const item of items) yield* Object.entries(partsOfItem(item));
}

/** Writes the members of an object, with commas between them. */
function* members(entries: Iterable<readonly [string, unknown]>): Generator<string, void> {
  let comma = '';
  for (const [name, value] of entries) {
    yield `${comma}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    comma = ',';
  }
}
