import type { Dataclass, Model } from '../model/types.ts';
import { dataclassPaths } from './dataclass-paths.ts';
import { dataclassSchemas } from './dataclass-schemas.ts';
import { functionPaths } from './function-paths.ts';
import type { JsonObject, PathEntry } from './json-schema.ts';
import { protocolParameters } from './parameters.ts';
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
  const reached = new Set<string>();
  let comma = '';
  for (const [path, item] of pathsOf(model, settings)) {
    yield `${comma}${JSON.stringify(path)}:${writtenPart(item, reached)}`;
    comma = ',';
  }
  yield '},"components":{';
  yield* componentsWriting(componentsOf(dataclasses, settings), reached);
  yield `"securitySchemes":${JSON.stringify(schemes)}}}`;
}

const DESCRIPTION =
  'Names of dataclasses and attributes are case-sensitive. In paths a key stands between parentheses or brackets, Name(key) or Name[key], ' +
  'text with other characters in quotes. HEAD answers as GET does, without the body. __KEY is the key of an entity, __STAMP its version, which a save sends back.';

function* pathsOf(
  model: Pick<Model, 'dataclasses' | 'functions' | 'singletons'>,
  settings: ContractSettings,
): Generator<PathEntry> {
  yield* servicePaths([...model.dataclasses.values()]);
  yield* functionPaths(model);
  for (const dataclass of model.dataclasses.values()) yield* dataclassPaths(dataclass, settings);
}

/** A section of the components with parts of it by name. */
type Components = readonly [section: 'schemas' | 'responses' | 'parameters', parts: JsonObject];

function* componentsOf(
  dataclasses: readonly Dataclass[],
  settings: ContractSettings,
): Generator<Components> {
  yield ['schemas', protocolSchemas(settings)];
  for (const one of dataclasses) yield ['schemas', dataclassSchemas(one, settings)];
  yield ['responses', protocolResponses(dataclasses)];
  for (const one of dataclasses) yield ['responses', dataclassResponses(one)];
  yield ['parameters', protocolParameters()];
}

/** Writes the components that are reached, and those that they reach in turn. @param reached pointers such as `schemas/Employee` */
function* componentsWriting(
  components: Iterable<Components>,
  reached: Set<string>,
): Generator<string, void> {
  const parts = new Map<string, unknown>();
  for (const [section, named] of components) {
    for (const [name, part] of Object.entries(named)) parts.set(`${section}/${name}`, part);
    // Between pieces, even empty ones, other requests have their turn.
    yield '';
  }
  const texts = new Map<string, string>();
  // The iteration goes on with what is added meanwhile.
  for (const pointer of reached) {
    texts.set(pointer, writtenPart(parts.get(pointer), reached));
    yield '';
  }
  for (const section of ['schemas', 'responses', 'parameters']) {
    yield `"${section}":{`;
    let comma = '';
    for (const pointer of parts.keys()) {
      const text = texts.get(pointer);
      if (text === undefined || !pointer.startsWith(`${section}/`)) continue;
      yield `${comma}${JSON.stringify(pointer.slice(section.length + 1))}:${text}`;
      comma = ',';
    }
    yield '},';
  }
}

/** Within a text of JSON, quotes are escaped. */
const REFERENCE = /"\$ref":"#\/components\/([^"]+)"/g;

/** Writes a part of the document, and adds the components that it refers to. */
function writtenPart(part: unknown, reached: Set<string>): string {
  const text = JSON.stringify(part);
  for (const [, pointer = ''] of text.matchAll(REFERENCE)) reached.add(pointer);
  return text;
}
