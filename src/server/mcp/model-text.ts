import { nameHint } from '../../base/names.ts';
import { excerpt } from '../../base/text.ts';
import type { McpSettings } from '../../config/settings/mcp.ts';
import type { ApiFunction } from '../../model/functions/function-types.ts';
import { findDataclass } from '../../model/lookup.ts';
import {
  attributeOf,
  changesOf,
  type Dataclass,
  isRelation,
  type Member,
  type Model,
  relationsOf,
  type StorageAttribute,
} from '../../model/types.ts';
import { decodeEscapes } from '../../protocol/url/url.ts';
import { fitted } from './cut.ts';
import { RpcError } from './json-rpc.ts';
import { functionToolNames } from './tools/functions.ts';
import { pageSchemas, textOf } from './tools/reading.ts';
import { namesSchema, READS, type Tool } from './tools/tool.ts';

/** The dataclasses of a model in brief: their names, with what the mapping files say of them. */
export function briefly({ dataclasses }: Model): object[] {
  return Array.from(dataclasses.values(), ({ name, description }) => ({
    name,
    ...described(description),
  }));
}

/** A dataclass as an agent has to know it. @param toolOf gives the name of the tool that calls a function; null where there is none */
export function inDetail(
  dataclass: Dataclass,
  toolOf: (called: ApiFunction) => string | null,
): object {
  const { name, description, key, members } = dataclass;
  const functions = [...dataclass.functions.values()].flatMap((called) => {
    const tool = toolOf(called);
    return tool === null ? [] : [{ tool, ...described(called.description) }];
  });
  return {
    name,
    ...described(description),
    key: key.map((part) => part.name),
    mayChange: changesOf(dataclass),
    attributes: [...members.values()].flatMap((member) =>
      isRelation(member) ? [] : [attribute(member, dataclass)],
    ),
    relations: relationsOf(dataclass).map((relation) => ({
      name: relation.name,
      to: relation.target.name,
      many: relation.kind === 'relatedEntities',
      ...(relation.foreignKey.length === 0 ? {} : { foreignKey: relation.foreignKey }),
      ...(relation.readOnly === null ? {} : { readOnly: true }),
      ...described(relation.description),
    })),
    ...(functions.length === 0 ? {} : { functions }),
  };
}

function described(description: string | null): object {
  return description === null ? {} : { description };
}

function attribute(
  member: Exclude<Member, { hops: unknown }>,
  { key }: Pick<Dataclass, 'key'>,
): object {
  const { name, description, readOnly } = member;
  const { type, columnType, column, indexed, allowedValues } = attributeOf(member);
  const isKey = key.some((part) => part.name === name);
  return {
    name,
    type,
    ...(columnType.kind === 'timestamp' ? { dateTime: true } : {}),
    ...(allowedValues === null ? lengthOf(columnType) : { values: allowedValues }),
    ...(column.nullable && !isKey ? { nullable: true } : {}),
    ...(readOnly === null ? {} : { readOnly: true }),
    ...(indexed && member.kind !== 'alias' ? { indexed: true } : {}),
    ...(member.kind === 'alias' ? { path: member.path.join('.') } : {}),
    ...described(description),
  };
}

function lengthOf(type: StorageAttribute['columnType']): object {
  return type.kind === 'text' && type.maxLength !== null ? { maxLength: type.maxLength } : {};
}

const MODEL = 'entitygate://model';
const DATACLASS = 'entitygate://dataclass/';
const mimeType = 'application/json';

/** How many dataclasses are listed; the others are in the model, and read by the template. */
const MOST_LISTED = 200;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${DATACLASS}{name}`,
    name: 'dataclass',
    title: 'A dataclass',
    description: 'The attributes, relations and functions of a dataclass.',
    mimeType,
  },
] as const;

/** Lists the model and its dataclasses, as the caller sees them. */
export function listResources({ dataclasses }: Model): object[] {
  return [
    { uri: MODEL, name: 'model', title: 'The dataclasses', mimeType },
    ...[...dataclasses.values()].slice(0, MOST_LISTED).map(({ name, description }) => ({
      uri: DATACLASS + encodeURIComponent(name),
      name,
      ...described(description),
      mimeType,
    })),
  ];
}

/** Reads the description of the model, or of a dataclass. @throws RpcError for another URI, and a dataclass that the caller does not see */
export function readResource(
  uri: string,
  model: Model,
  { maxAnswerBytes: maxBytes, tools }: Pick<McpSettings, 'maxAnswerBytes' | 'tools'>,
): object {
  const name = uri.startsWith(DATACLASS) ? decodeEscapes(uri.slice(DATACLASS.length)) : null;
  if (uri !== MODEL && (name === null || !model.dataclasses.has(name))) {
    const hint = name === null ? '' : nameHint(name, model.dataclasses.keys());
    throw new RpcError('noSuchResource', `There is no resource ${excerpt(uri)}.${hint}`);
  }
  const described = uri === MODEL ? briefly(model) : describedIn(model, [name ?? ''], tools)[0];
  const { data, note } = fitted(JSON.stringify(described), { maxBytes, window: null });
  const text = note === null ? data : `{"note":${JSON.stringify(note)},"data":${data}}`;
  return { contents: [{ uri, mimeType, text }] };
}

/** How many dataclasses are described at once. */
const MOST_DESCRIBED = 50;

const NO_TOOLS: ReadonlyMap<ApiFunction, string> = new Map();

/** The tool that describes the model, as the caller sees it. */
export function describeModel(model: Model, offered: readonly string[]): Tool {
  return {
    name: 'describe_model',
    title: 'Describe the model',
    description:
      'Lists the dataclasses or, for those named, describes their attributes, relations and functions, and what may be changed. Begin here.',
    parameters: {
      dataclasses: {
        ...namesSchema,
        maxItems: MOST_DESCRIBED,
        description: 'The names of dataclasses to describe; their list where it is left out.',
      },
      skip: pageSchemas.skip,
    },
    required: [],
    annotations: READS,
    call: (given) => {
      const { dataclasses: named, skip: passed } = given;
      const skip = Number(passed ?? 0);
      const names = Array.isArray(named) ? named.map(textOf) : [];
      const list = names.length === 0 ? briefly(model) : describedIn(model, names, offered);
      return { text: JSON.stringify(list.slice(skip)), window: { skip, top: Infinity } };
    },
  };
}

/** Dataclasses in detail. @param offered the tools that there are @throws ProtocolError noSuchDataclass, with the nearest names */
export function describedIn(
  model: Model,
  names: readonly string[],
  offered: readonly string[],
): object[] {
  const tools = offered.includes('functions') ? functionToolNames(model) : NO_TOOLS;
  return names.map((name) =>
    inDetail(findDataclass(model, name), (called) => tools.get(called) ?? null),
  );
}
