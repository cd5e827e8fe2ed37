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
import { isBinary } from './dataclass-schemas.ts';
import {
  callOperations,
  functionsOf,
  ON_ENTITIES,
  pathCall,
  relatedCall,
} from './function-paths.ts';
import { componentName, type JsonObject, type PathEntry, ref } from './json-schema.ts';
import { OF_FORM, OF_SEVERAL, operationParameters } from './parameters.ts';
import {
  changeResponses,
  type DataclassResponse,
  readResponses,
  responseRef,
} from './responses.ts';
import type { ContractSettings } from './settings.ts';

/** A read that answers entities as they usually are. */
const READ: readonly KeywordUse[] = ['read'];

/** A read that answers whatever may be asked. */
const READ_ANY: readonly KeywordUse[] = [
  ...READ,
  'explain',
  'values',
  'compute',
  'distinct',
  'groups',
];

const PATH = ref('parameters', 'path');

const LOCK_FAILED = ref('responses', 'LockFailed');

/** What does not apply where a path lists attributes of the dataclass. */
const LISTED: ReadonlySet<Keyword> = new Set(['$attributes']);

/** The paths of a dataclass. */
export function* dataclassPaths(
  dataclass: Dataclass,
  settings: ContractSettings,
): Generator<PathEntry> {
  const { name, key } = dataclass;
  const base = `/rest/${encodeURIComponent(name)}`;
  yield [base, all(dataclass, settings)];
  yield [`${base}/{path}`, found(dataclass, 'readPath', [PATH], READ_ANY, LISTED)];
  for (const called of functionsOf(dataclass, ['dataClass', 'entityCollection'])) {
    yield [
      `${base}/${encodeURIComponent(called.name)}`,
      callOperations(called, [], operationId(dataclass, called.name, 'call'), dataclass),
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
  const keyed = ref('parameters', componentName(name, 'Key'));
  yield [
    // Brackets, escaped, as URLs have none.
    `${base}%5B{keys}%5D`,
    {
      parameters: [ref('parameters', 'keys')],
      get: operation(dataclass, 'readKeys', {
        summary: `Reads entities of ${name} by keys${settings.locks ? ', or locks one' : ''}`,
        parameters: operationParameters(
          [...READ, ...(settings.locks ? (['lock'] as const) : [])],
          [],
          OF_FORM,
        ),
        responses: {
          ...readResponses(responseRef(dataclass, 'Keys')),
          ...(settings.locks ? { '409': LOCK_FAILED, '5XX': LOCK_FAILED } : {}),
        },
      }),
    },
  ];
  yield [`${base}({key})`, one(dataclass, keyed, 'Key')];
  yield* memberPaths(dataclass, `${base}({key})`, [keyed]);
  for (const called of functionsOf(dataclass, ON_ENTITIES)) {
    yield [
      `${base}({key})/${encodeURIComponent(called.name)}`,
      callOperations(called, [keyed], operationId(dataclass, called.name, 'callByKey'), dataclass),
    ];
  }
  for (const attribute of uniqueAttributes(dataclass)) {
    const word = `By-${componentName(attribute.name)}`;
    const value = ref('parameters', componentName(name, word));
    yield [`${base}:${encodeURIComponent(attribute.name)}({value})`, one(dataclass, value, word)];
  }
  yield* setPaths(dataclass, base);
}

/** The attributes by which one entity is found, besides its key. */
export function uniqueAttributes(dataclass: Dataclass): StorageAttribute[] {
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
  const id = ref('parameters', 'id');
  const deletes = `Deletes the entities of an entity set of ${dataclass.name}`;
  yield [
    `${base}/$entityset/{id}`,
    {
      parameters: [id],
      get: operation(dataclass, 'readSet', {
        summary: `Reads, combines or releases an entity set of ${dataclass.name}`,
        parameters: operationParameters(
          [...READ, 'entitySet', 'namedSet', 'search', 'release', 'subentityset'],
          ['entityset', 'subentityset', 'release'],
          OF_FORM,
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
  yield [
    `${base}/$entityset/{id}/{path}`,
    found(
      dataclass,
      'readPathOfSet',
      [id, PATH],
      [...READ_ANY, 'entitySet', 'subentityset'],
      LISTED,
    ),
  ];
  for (const called of functionsOf(dataclass, ['entityCollection'])) {
    yield [
      `${base}/$entityset/{id}/${encodeURIComponent(called.name)}`,
      callOperations(called, [id], operationId(dataclass, called.name, 'callOnSet'), dataclass),
    ];
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
      parameters: operationParameters([...READ, 'explain', 'entitySet'], ['entityset'], OF_FORM),
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
  const except = isAll ? (isSought ? NONE : WITHOUT_KEY) : OF_KEYED;
  const save = (
    verb: string,
    does: string,
    some: readonly string[],
    answer: 'Save' | 'SaveOne' = 'Save',
  ): JsonObject =>
    operation(dataclass, isAll ? verb : verb + word, {
      summary: `${does} ${what}`,
      ...saving(dataclass, some, answer === 'Save' ? except : OF_ONE, isCreated, answer),
    });
  const answer = isAll ? 'Save' : 'SaveOne';
  const remove = (by: string, some: readonly string[]): JsonObject =>
    operation(
      dataclass,
      `delete${isAll ? 'Some' : word}${by}`,
      deleting(`Deletes ${what}`, some, except),
    );
  const uses: KeywordUse[] = isAll ? [...READ, 'entitySet'] : [...READ];
  return {
    post: isSaved
      ? isDeleted
        ? save('save', 'Saves or deletes', [...methods, 'delete'])
        : save('save', 'Saves', methods)
      : isDeleted
        ? remove('ByPost', ['delete'])
        : readByPost(dataclass, word, `Reads ${what}`, uses),
    ...(isSaved && {
      put: save('put', 'Saves', isAll ? methods : [], answer),
      patch: save('patch', 'Updates', [], answer),
    }),
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
    summary: `${summary} with attributes in the body`,
    parameters: [
      ref('parameters', 'extendedAttributes'),
      ...operationParameters(
        uses,
        ['entityset'],
        word === 'All' || word === 'Set' ? OF_FORM : OF_SEVERAL,
      ),
    ],
    requestBody: ref('requestBodies', componentName(dataclass.name, 'Attributes')),
    responses: changeResponses(
      responseRef(dataclass, word === 'All' ? 'Entities' : word === 'Set' ? 'Set' : 'Entity'),
    ),
  });
}

const NONE: ReadonlySet<Keyword> = new Set();

/** What does not apply where entities are found by nothing but their keys. */
const WITHOUT_KEY: ReadonlySet<Keyword> = new Set(['$key']);

/** What does not apply to a save or a delete of one entity by its URL. */
const OF_KEYED: ReadonlySet<Keyword> = new Set(['$key', '$filter', '$params', '$orderby']);

/** The same, and what gives the answer of a save another form. */
const OF_ONE: ReadonlySet<Keyword> = new Set([...OF_KEYED, '$asArray']);

/** A save. @param except parameters that do not apply @param isCreated whether one new entity is answered by 201 */
function saving(
  dataclass: Dataclass,
  methods: readonly string[],
  except: ReadonlySet<Keyword>,
  isCreated: boolean,
  answer: 'Save' | 'SaveOne',
): JsonObject {
  const uses: KeywordUse[] = methods.includes('delete') ? ['save', 'delete'] : ['save'];
  return {
    parameters: operationParameters(uses, methods, except),
    requestBody: ref('requestBodies', componentName(dataclass.name, 'Save')),
    responses: {
      ...(isCreated ? { '201': responseRef(dataclass, 'Created') } : {}),
      ...changeResponses(responseRef(dataclass, answer), responseRef(dataclass, 'NotSaved')),
    },
  };
}

/** A deletion. @param methods the values of `$method`, by which a POST asks for it @param except parameters that do not apply */
function deleting(
  summary: string,
  methods: readonly string[] = [],
  except: ReadonlySet<Keyword> = NONE,
): JsonObject {
  return {
    summary,
    parameters: operationParameters(['delete'], methods, except),
    responses: changeResponses(ref('responses', 'Deleted')),
  };
}

/** One entity. @param word ends the ids of operations */
function one(dataclass: Dataclass, parameter: JsonObject, word: string): JsonObject {
  return {
    parameters: [parameter],
    get: operation(dataclass, `read${word}`, {
      summary: `Reads one entity of ${dataclass.name}`,
      parameters: operationParameters(READ, [], OF_SEVERAL),
      responses: readResponses(responseRef(dataclass, 'Entity')),
    }),
    ...changing(dataclass, word),
  };
}

/** The paths behind an entity: its relations, images and BLOBs, and all that longer paths lead to. */
function* memberPaths(
  dataclass: Dataclass,
  at: string,
  parameters: readonly JsonObject[],
): Generator<PathEntry> {
  const { name, members } = dataclass;
  const isSaved = mayChange(dataclass, 'create', 'update');
  for (const relation of relationsOf(dataclass)) {
    const { target, kind } = relation;
    const many = kind === 'relatedEntities';
    const form: DataclassResponse = many ? 'Entities' : 'Related';
    yield [
      `${at}/${encodeURIComponent(relation.name)}`,
      {
        parameters,
        get: {
          ...operation(dataclass, `${componentName(relation.name)}.readKey`, {
            summary: `Reads ${name}.${relation.name}: ${many ? 'entities' : 'one entity'} of ${target.name}`,
            parameters: operationParameters(READ, [], many ? OF_FORM : OF_SEVERAL),
            responses: readResponses(responseRef(target, form)),
          }),
          ...(relation.description === null ? {} : { description: relation.description }),
        },
        ...relatedCall(target, operationId(dataclass, relation.name, 'callKey')),
      },
    ];
    for (const called of functionsOf(target, many ? ['entityCollection'] : ON_ENTITIES)) {
      const id = `${componentName(called.name)}.callKey`;
      yield [
        `${at}/${encodeURIComponent(relation.name)}/${encodeURIComponent(called.name)}`,
        callOperations(called, parameters, operationId(dataclass, relation.name, id), target),
      ];
    }
  }
  for (const member of members.values()) {
    if (!isBinary(member) || member.kind === 'alias') continue;
    const contentId = componentName(member.name);
    const upload = (verb: string): JsonObject =>
      operation(dataclass, `${contentId}.${verb}Key`, {
        summary: `Sets ${name}.${member.name} to the bytes of the body`,
        parameters: operationParameters(['attributeUpload']),
        requestBody: { required: true, content: { '*/*': {} } },
        responses: changeResponses(ref('responses', 'Ok')),
      });
    yield [
      `${at}/${encodeURIComponent(member.name)}`,
      {
        parameters,
        get: operation(dataclass, `${contentId}.readKey`, {
          summary: `Reads the ${'type' in member && member.type === 'image' ? 'image' : 'BLOB'} ${name}.${member.name}`,
          parameters: operationParameters(['content']),
          responses: {
            ...readResponses(responseRef(dataclass, 'Content')),
            '204': ref('responses', 'NoContent'),
            '206': ref('responses', 'Content'),
          },
        }),
        ...(isSaved && member.readOnly === null && { post: upload('post'), put: upload('put') }),
      },
    ];
  }
  const uses: KeywordUse[] = [...READ_ANY, 'content', 'entitySet', 'subentityset'];
  yield [
    `${at}/{path}`,
    {
      ...found(dataclass, 'readPathKey', [...parameters, PATH], uses),
      ...pathCall(dataclass, `${componentName(name)}.callPathKey`),
    },
  ];
}

/** What a path of names leads to, in any form. @param word ends the id of the operation @param except parameters that do not apply */
function found(
  dataclass: Dataclass,
  word: string,
  parameters: readonly JsonObject[],
  uses: readonly KeywordUse[],
  except: ReadonlySet<Keyword> = NONE,
): JsonObject {
  return {
    parameters,
    get: operation(dataclass, word, {
      summary: `Reads along a path from ${dataclass.name}, in any form`,
      parameters: operationParameters(uses, ['entityset', 'subentityset'], except),
      responses: {
        ...readResponses(ref('responses', 'Path')),
        ...(uses.includes('content')
          ? { '204': ref('responses', 'NoContent'), '206': ref('responses', 'Content') }
          : {}),
      },
    }),
  };
}
