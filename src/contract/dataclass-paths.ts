import {
  type Dataclass,
  isStored,
  mayChange,
  relationsOf,
  type StorageAttribute,
} from '../model/types.ts';
import { isUnique } from '../plan/condition/keys.ts';
import { naturalKeys } from '../plan/write/natural-key.ts';
import type { Keyword, KeywordUse } from '../protocol/url/url.ts';
import { dataclassRef, isBinary } from './dataclass-schemas.ts';
import {
  callOperations,
  functionsOf,
  ON_ENTITIES,
  pathCall,
  relatedCall,
} from './function-paths.ts';
import {
  anyOf,
  componentName,
  type JsonObject,
  type PathEntry,
  ref,
  schemaRef,
} from './json-schema.ts';
import {
  attributesBody,
  EXTENDED_ATTRIBUTES,
  OF_SEVERAL,
  operationParameters,
  pathParameter,
  saveBody,
} from './parameters.ts';
import {
  changeResponses,
  type DataclassResponse,
  readResponses,
  responseRef,
} from './responses.ts';
import type { ContractSettings } from './settings.ts';

const READ: readonly KeywordUse[] = ['read', 'explain', 'values', 'compute', 'distinct'];

const PATH = pathParameter(
  'path',
  'Attributes with commas between them, or a path of relations with slashes between them, and attributes at its end.',
);

/** The paths of a dataclass. */
export function* dataclassPaths(
  dataclass: Dataclass,
  settings: ContractSettings,
): Generator<PathEntry> {
  const { name, key } = dataclass;
  const base = `/rest/${encodeURIComponent(name)}`;
  yield [base, all(dataclass, settings)];
  yield [`${base}/{path}`, found(dataclass, 'readPath', [PATH])];
  for (const called of functionsOf(dataclass, ['dataClass', 'entityCollection'])) {
    yield [
      `${base}/${encodeURIComponent(called.name)}`,
      callOperations(
        called,
        [],
        `${componentName(name)}.${componentName(called.name)}.call`,
        dataclass,
      ),
    ];
  }
  if (typeof dataclass.changes !== 'string') {
    const changes = operation(dataclass, 'readChanges', {
      summary: `Reads the entities of ${name} that have changed since a token`,
      parameters: operationParameters(['changes']),
      responses: readResponses(responseRef(dataclass, 'Changes')),
    });
    yield [`${base}/$changes`, { get: changes }];
  }
  if (key.length === 0) return;
  const keyed = pathParameter(
    'key',
    `The key, or several keys with commas between them: ${key.map((part) => part.name).join(';')}.`,
  );
  yield* entityPaths(dataclass, `${base}({key})`, [keyed], 'Key', settings);
  for (const called of functionsOf(dataclass, ON_ENTITIES)) {
    yield [
      `${base}({key})/${encodeURIComponent(called.name)}`,
      callOperations(called, [keyed], operationId(dataclass, called.name, 'callByKey'), dataclass),
    ];
  }
  for (const attribute of uniqueAttributes(dataclass)) {
    const value = pathParameter('value', `The value of ${attribute.name}.`);
    const at = `${base}:${encodeURIComponent(attribute.name)}({value})`;
    yield* entityPaths(dataclass, at, [value], `By-${componentName(attribute.name)}`, settings);
  }
  yield* setPaths(dataclass, base);
}

/** The attributes by which one entity is found, besides its key. */
function uniqueAttributes(dataclass: Dataclass): StorageAttribute[] {
  const { key, members } = dataclass;
  return [...members.values()].filter(
    (member): member is StorageAttribute =>
      isStored(member) &&
      !isBinary(member) &&
      isUnique(member, dataclass) &&
      !key.some(({ name }) => name === member.name),
  );
}

/** The paths of entity sets (§4.7). */
function* setPaths(dataclass: Dataclass, base: string): Generator<PathEntry> {
  const id = pathParameter('id', 'The id of the entity set.');
  const deletes = `Deletes the entities of an entity set of ${dataclass.name}`;
  yield [
    `${base}/$entityset/{id}`,
    {
      parameters: [id],
      get: operation(dataclass, 'readSet', {
        summary: `Reads, narrows, combines or releases an entity set of ${dataclass.name}`,
        parameters: operationParameters(
          [...READ, 'entitySet', 'namedSet', 'search', 'release', 'subentityset'],
          ['entityset', 'subentityset', 'release'],
        ),
        responses: readResponses(responseRef(dataclass, 'Set')),
      }),
      ...(mayChange(dataclass, 'delete')
        ? {
            post: operation(dataclass, 'deleteSetByPost', {
              ...deleting(`${deletes}, or reads it as a GET does`, ['delete']),
              // Of $extendedAttributes, by which a read is posted.
              responses: changeResponses(responseRef(dataclass, 'Set')),
            }),
            delete: operation(dataclass, 'deleteSet', deleting(deletes)),
          }
        : { post: readByPost(dataclass, 'Set', `Reads an entity set of ${dataclass.name}`, READ) }),
    },
  ];
  const parts = [id, PATH];
  yield [`${base}/$entityset/{id}/{path}`, found(dataclass, 'readPathOfSet', parts)];
  yield [`${base}/{path}/$entityset/{id}`, found(dataclass, 'readSetOfPath', parts)];
  for (const called of functionsOf(dataclass, ['entityCollection'])) {
    const name = encodeURIComponent(called.name);
    const operations = (word: string): JsonObject =>
      callOperations(called, [id], operationId(dataclass, called.name, word), dataclass);
    yield [`${base}/$entityset/{id}/${name}`, operations('callOnSet')];
    yield [`${base}/${name}/$entityset/{id}`, operations('callOnSetBehind')];
  }
}

function operationId({ name }: Dataclass, member: string, word: string): string {
  return [name, member].map((part) => componentName(part)).join('.') + `.${word}`;
}

function operation({ name }: Dataclass, word: string, rest: JsonObject): JsonObject {
  return { tags: [name], operationId: `${componentName(name)}.${word}`, ...rest };
}

/** The whole dataclass: its entities, and their changes. */
function all(dataclass: Dataclass, { server }: ContractSettings): JsonObject {
  const { name, description, key } = dataclass;
  const isCreated =
    server.createdStatus === 201 && key.length > 0 && mayChange(dataclass, 'create');
  return {
    get: operation(dataclass, 'readAll', {
      summary: `Reads entities of ${name}`,
      ...(description === null ? {} : { description }),
      parameters: operationParameters([...READ, 'entitySet'], ['entityset']),
      responses: readResponses(responseRef(dataclass, 'Entities')),
    }),
    ...changing(dataclass, 'All', isCreated),
  };
}

/** The operations beside GET: those that change entities, or else the read by POST. @param word ends the ids of operations @param isCreated whether one new entity is answered by 201 */
function changing(dataclass: Dataclass, word: string, isCreated = false): JsonObject {
  const isAll = word === 'All';
  const what = `${isAll ? 'entities' : 'one entity'} of ${dataclass.name}`;
  const isSaved = mayChange(dataclass, 'create', 'update');
  const isDeleted = mayChange(dataclass, 'delete');
  const isSought =
    mayChange(dataclass, 'create') &&
    mayChange(dataclass, 'update') &&
    naturalKeys(dataclass).length > 0;
  const methods = isAll ? ['update', 'insert'] : ['update'];
  const save = (verb: string, does: string, some: readonly string[]): JsonObject =>
    operation(dataclass, `${verb}${isAll ? '' : word}`, {
      summary: `${does} ${what}`,
      ...saving(dataclass, some, isAll && isSought ? NONE : WITHOUT_KEY, isCreated),
    });
  const remove = (by: string, some: readonly string[]): JsonObject =>
    operation(dataclass, `delete${isAll ? 'Some' : word}${by}`, deleting(`Deletes ${what}`, some));
  const uses: KeywordUse[] = isAll ? [...READ, 'entitySet'] : [...READ];
  return {
    post: isSaved
      ? isDeleted
        ? save('save', 'Saves or deletes', [...methods, 'delete'])
        : save('save', 'Saves', methods)
      : isDeleted
        ? remove('ByPost', ['delete'])
        : readByPost(dataclass, word, `Reads ${what}`, uses),
    ...(isSaved
      ? { put: save('put', 'Saves', methods), patch: save('patch', 'Updates', ['update']) }
      : {}),
    ...(isDeleted ? { delete: remove('', []) } : {}),
  };
}

/** A read whose attributes are in the body (`$extendedAttributes`). @param word ends the operation's id */
function readByPost(
  dataclass: Dataclass,
  word: string,
  summary: string,
  uses: readonly KeywordUse[],
): JsonObject {
  return operation(dataclass, `read${word}ByPost`, {
    summary: `${summary} with the attributes in the body`,
    parameters: [EXTENDED_ATTRIBUTES, ...operationParameters(uses, ['entityset'])],
    requestBody: attributesBody(dataclass),
    responses: changeResponses(
      responseRef(dataclass, word === 'All' ? 'Entities' : word === 'Set' ? 'Set' : 'Entity'),
    ),
  });
}

const NONE: ReadonlySet<Keyword> = new Set();

/** What does not apply where entities are found by nothing but their keys. */
const WITHOUT_KEY: ReadonlySet<Keyword> = new Set(['$key']);

/** A save. @param except parameters that do not apply @param isCreated whether one new entity is answered by 201 */
function saving(
  dataclass: Dataclass,
  methods: readonly string[],
  except: ReadonlySet<Keyword>,
  isCreated: boolean,
): JsonObject {
  const uses: KeywordUse[] = methods.includes('delete') ? ['save', 'delete'] : ['save'];
  return {
    parameters: operationParameters(uses, methods, except),
    requestBody: saveBody(dataclassRef(dataclass, 'Body'), dataclass),
    responses: {
      ...(isCreated ? { '201': responseRef(dataclass, 'Created') } : {}),
      ...changeResponses(responseRef(dataclass, 'Save'), responseRef(dataclass, 'NotSaved')),
    },
  };
}

/** A deletion. @param methods the values of `$method`, by which a POST asks for it */
function deleting(summary: string, methods: readonly string[] = []): JsonObject {
  return {
    summary,
    parameters: operationParameters(['delete'], methods),
    responses: changeResponses(ref('responses', 'protocol.Deleted')),
  };
}

/** The paths of one entity, or of several by their keys. @param word ends the ids of operations */
function* entityPaths(
  dataclass: Dataclass,
  at: string,
  parameters: readonly JsonObject[],
  word: string,
  { locks }: ContractSettings,
): Generator<PathEntry> {
  const { name, members } = dataclass;
  const isSaved = mayChange(dataclass, 'create', 'update');
  const uses: KeywordUse[] = [...READ, 'entitySet', ...(locks ? (['lock'] as const) : [])];
  const lockFailed = locks ? { '5XX': ref('responses', 'protocol.LockFailed') } : {};
  yield [
    at,
    {
      parameters,
      get: operation(dataclass, `read${word}`, {
        summary: `Reads one entity of ${name}, or those of several keys`,
        parameters: operationParameters(
          uses,
          ['entityset'],
          word === 'Key' ? undefined : OF_SEVERAL,
        ),
        responses: {
          ...readResponses(responseRef(dataclass, 'Entity')),
          ...lockFailed,
          ...(locks ? { '409': ref('responses', 'protocol.LockFailed') } : {}),
        },
      }),
      ...changing(dataclass, word),
    },
  ];
  for (const relation of relationsOf(dataclass)) {
    const { target, kind } = relation;
    const many = kind === 'relatedEntities';
    const form: DataclassResponse = many ? 'Entities' : 'Related';
    const own: KeywordUse[] = [...READ, 'entitySet', 'subentityset'];
    yield [
      `${at}/${encodeURIComponent(relation.name)}`,
      {
        parameters,
        get: {
          ...operation(dataclass, `${componentName(relation.name)}.read${word}`, {
            summary: `Reads what ${name}.${relation.name} leads to: ${many ? 'entities' : 'one entity'} of ${target.name}`,
            parameters: operationParameters(
              own,
              ['entityset', 'subentityset'],
              many ? undefined : OF_SEVERAL,
            ),
            responses: readResponses(responseRef(target, form)),
          }),
          ...(relation.description === null ? {} : { description: relation.description }),
        },
        ...relatedCall(target, operationId(dataclass, relation.name, `call${word}`)),
      },
    ];
    for (const called of functionsOf(target, many ? ['entityCollection'] : ON_ENTITIES)) {
      const id = `${componentName(called.name)}.call${word}`;
      yield [
        `${at}/${encodeURIComponent(relation.name)}/${encodeURIComponent(called.name)}`,
        callOperations(called, parameters, operationId(dataclass, relation.name, id), target),
      ];
    }
  }
  for (const member of members.values()) {
    if (!isBinary(member) || member.kind === 'alias') continue;
    const contentId = componentName(member.name);
    yield [
      `${at}/${encodeURIComponent(member.name)}`,
      {
        parameters,
        get: operation(dataclass, `${contentId}.read${word}`, {
          summary: `Reads the ${'type' in member && member.type === 'image' ? 'image' : 'BLOB'} ${name}.${member.name}`,
          parameters: operationParameters(['content']),
          responses: {
            ...readResponses({
              description:
                'The bytes; {} where there is no such image; without $expand, the entity with the attribute',
              content: {
                'application/json': {
                  schema: anyOf(
                    schemaRef('protocol.NoImage'),
                    dataclassRef(dataclass, 'Single'),
                    dataclassRef(dataclass, 'Collection'),
                  ),
                },
                'image/*': {},
                'application/octet-stream': {},
              },
            }),
            '204': ref('responses', 'protocol.NoContent'),
            '206': ref('responses', 'protocol.Content'),
          },
        }),
        ...(isSaved && member.readOnly === null
          ? Object.fromEntries(
              (['post', 'put'] as const).map((verb) => [
                verb,
                operation(dataclass, `${contentId}.${verb}${word}`, {
                  summary: `Sets ${name}.${member.name} to the bytes of the body`,
                  parameters: operationParameters(['attributeUpload']),
                  requestBody: { required: true, content: { '*/*': {} } },
                  responses: changeResponses(ref('responses', 'protocol.Ok')),
                }),
              ]),
            )
          : {}),
      },
    ];
  }
  yield [
    `${at}/{path}`,
    {
      ...found(dataclass, `readPath${word}`, [...parameters, PATH]),
      ...pathCall(dataclass, `${componentName(name)}.callPath${word}`),
    },
  ];
}

/** What a path of names leads to. @param word ends the id of the operation */
function found(dataclass: Dataclass, word: string, parameters: readonly JsonObject[]): JsonObject {
  return {
    parameters,
    get: operation(dataclass, word, {
      summary: `Reads attributes of ${dataclass.name}, or what relations lead to`,
      parameters: operationParameters(
        [...READ, 'content', 'entitySet', 'namedSet', 'search', 'subentityset'],
        ['entityset', 'subentityset'],
      ),
      responses: {
        ...readResponses(ref('responses', 'protocol.Path')),
        '204': ref('responses', 'protocol.NoContent'),
        '206': ref('responses', 'protocol.Content'),
      },
    }),
  };
}
