import type { Dataclass, Model } from '../model/types.ts';
import { dataclassPaths, uniqueAttributes } from './dataclass-paths.ts';
import { dataclassSchemas } from './dataclass-schemas.ts';
import { functionPaths } from './function-paths.ts';
import { type JsonObject, type PathEntry, type Section, SECTIONS } from './json-schema.ts';
import { dataclassBodies, dataclassParameters, protocolParameters } from './parameters.ts';
import { protocolSchemas } from './protocol-schemas.ts';
import { dataclassResponses, HEADERS, protocolResponses } from './responses.ts';
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
    servers: [{ url: settings.server.publicUrl ?? '/' }],
    security,
    tags: [
      ...dataclasses.map(({ name, description }) => ({
        name,
        description: description ?? `Entities of ${name}.`,
      })),
      { name: 'functions', description: 'Functions of the datastore and of singletons.' },
      { name: 'services', description: 'The catalog, sessions, uploads.' },
    ],
  };
  yield `${JSON.stringify(head).slice(0, -1)},"paths":{`;
  const reached = new Set<string>();
  let comma = '';
  for (const [path, item] of pathsOf(model, settings)) {
    yield `${comma}${JSON.stringify(path)}:${writtenPart(sharing(item), reached)}`;
    comma = ',';
  }
  yield '},"components":{';
  yield* componentsWriting(componentsOf(dataclasses, settings), reached);
  yield `"securitySchemes":${JSON.stringify(schemes)}}}`;
}

const DESCRIPTION =
  'Names of dataclasses and attributes are case-sensitive. In paths a key stands between parentheses or brackets, Name(key) or Name[key], ' +
  'text with other characters in quotes. HEAD answers as GET does, without the body. __KEY is the key of an entity, __STAMP its version, which a save sends back. ' +
  'Parameters that change the form of an answer ($asArray, $format, $compute, $distinct) are described with {path}, whose * is all attributes; the paths before it take them, too. ' +
  'Name:attribute(value) may stand wherever Name(key) does, and what stands behind an entity set may stand before it.';

function* pathsOf(
  model: Pick<Model, 'dataclasses' | 'functions' | 'singletons'>,
  settings: ContractSettings,
): Generator<PathEntry> {
  yield* servicePaths([...model.dataclasses.values()]);
  yield* functionPaths(model);
  for (const dataclass of model.dataclasses.values()) yield* dataclassPaths(dataclass, settings);
}

/** A path or an operation, with references to its parameters. */
type WithParameters = JsonObject & { readonly parameters?: readonly JsonObject[] };

/** Moves the parameters that all of several operations of a path have to the path. */
function sharing(item: JsonObject): JsonObject {
  const { parameters: own = [], ...rest } = item as WithParameters;
  const operations = Object.entries(rest) as [string, WithParameters][];
  const [first = [], ...others] = operations.map(([, { parameters = [] }]) => parameters);
  const isIn = ({ $ref }: JsonObject, list: readonly JsonObject[]): boolean =>
    list.some((one) => one['$ref'] === $ref);
  const shared = first.filter((one) => others.every((list) => isIn(one, list)));
  if (others.length === 0 || shared.length === 0) return item;
  const left = operations.map(([verb, { parameters = [], ...operation }]) => {
    const more = parameters.filter((one) => !isIn(one, shared));
    return [verb, more.length === 0 ? operation : { ...operation, parameters: more }];
  });
  return { parameters: [...own, ...shared], ...Object.fromEntries(left) } as JsonObject;
}

/** A section of the components with parts of it by name. */
type Components = readonly [section: Section, parts: JsonObject];

function* componentsOf(
  dataclasses: readonly Dataclass[],
  settings: ContractSettings,
): Generator<Components> {
  yield ['schemas', protocolSchemas(settings)];
  for (const one of dataclasses) yield ['schemas', dataclassSchemas(one, settings)];
  yield ['responses', protocolResponses(dataclasses)];
  for (const one of dataclasses) yield ['responses', dataclassResponses(one)];
  yield ['parameters', protocolParameters()];
  for (const one of dataclasses) {
    yield ['parameters', dataclassParameters(one, uniqueAttributes(one))];
    yield ['requestBodies', dataclassBodies(one)];
  }
  yield ['headers', HEADERS];
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
  for (const section of SECTIONS) {
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
