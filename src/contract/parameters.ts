import type { Dataclass } from '../model/types.ts';
import { COMPUTATIONS } from '../protocol/ast.ts';
import { type Keyword, type KeywordUse, keywordsFor } from '../protocol/url/url.ts';
import { dataclassRef } from './dataclass-schemas.ts';
import {
  anyOf,
  arrayOf,
  componentName,
  COUNT,
  FLAG,
  jsonContent,
  type JsonObject,
  ref,
  TEXT,
} from './json-schema.ts';

interface DescribedParameter {
  readonly description: string;
  readonly schema: JsonObject;
  readonly example?: unknown;
}

/** `$method` depends on the operation; of two names for one parameter, one is enough. */
type DescribedKeyword = Exclude<Keyword, '$method' | (typeof SYNONYMS)[number]>;

const SYNONYMS = ['$limit', '$atOnce'] as const satisfies readonly Keyword[];

/** The parameters of the protocol (§4). */
const PARAMETERS: Readonly<Record<DescribedKeyword, DescribedParameter>> = {
  $filter: {
    description:
      'Which entities: attribute comparator value, such as name begin A, joined by AND, OR and EXCEPT, with parentheses and NOT.',
    schema: TEXT,
  },
  $orderby: {
    description: 'Attributes, with commas between them, each with ASC or DESC behind it.',
    schema: TEXT,
  },
  $attributes: {
    description:
      'The attributes to answer, with commas between them, also over relations: relation.attribute, relation.*.',
    schema: TEXT,
  },
  $expand: {
    description: 'Relations, with commas between them, whose entities come with all attributes.',
    schema: TEXT,
  },
  $params: {
    description:
      'A JSON array: the values of the placeholders :1, :2 … of the filter or, in a call by GET, the parameters of the function.',
    schema: TEXT,
    example: '["A",1]',
  },
  $top: {
    description: 'How many entities to answer; 100 where it is left out. $limit is the same.',
    schema: COUNT,
    example: 10,
  },
  $skip: { description: 'How many entities are passed over.', schema: COUNT, example: 0 },
  $count: {
    description: 'Whether the answer has the __COUNT of the collection; true where it is left out.',
    schema: FLAG,
  },
  $asArray: {
    description: 'Answers a bare array, without header and deferred relations.',
    schema: FLAG,
  },
  $format: {
    description:
      'The form of the answer; csv, spreadsheet (CSV with a byte order mark and without formulas) and ndjson export all entities.',
    schema: { enum: ['json', 'dashboard', 'csv', 'spreadsheet', 'ndjson'] },
  },
  $atomic: {
    description: 'Does all of the request in one transaction, or nothing. $atOnce is the same.',
    schema: FLAG,
  },
  $refresh: {
    description: 'A dry run: everything is checked and answered, and nothing is kept.',
    schema: FLAG,
  },
  $replace: {
    description:
      'Relations to many whose lists in the body are complete: what they do not name is deleted.',
    schema: TEXT,
  },
  $key: {
    description:
      'An attribute with a unique index, or all attributes of one, with commas between them: an entity without a key that gives their values is updated where it is there, and created otherwise.',
    schema: TEXT,
  },
  $timeout: {
    description:
      'How many seconds an entity set lives from one access to the next; 7200 where it is left out.',
    schema: { type: 'integer', minimum: 1 },
    example: 600,
  },
  $savedfilter: {
    description: 'The filter from which an entity set is made again that is gone.',
    schema: TEXT,
  },
  $savedorderby: { description: 'The order from which an entity set is made again.', schema: TEXT },
  $subOrderby: { description: 'The order of the entities that a relation leads to.', schema: TEXT },
  $clean: {
    description: 'Leaves out the entities of a set that are not there any more.',
    schema: FLAG,
  },
  $logicOperator: {
    description: 'Combines the entity set with $otherCollection; INTERSECT answers true or false.',
    schema: { enum: ['AND', 'OR', 'EXCEPT', 'INTERSECT'] },
  },
  $otherCollection: { description: 'The id of the other entity set.', schema: TEXT },
  $findKey: {
    description: 'A key: the answer is the position of its entity in the set.',
    schema: TEXT,
  },
  $removeFromSet: {
    description: 'Positions of the set, counted from 0, that a new set lacks.',
    schema: TEXT,
  },
  $removeRefOnly: {
    description: 'Goes with $removeFromSet: the entities themselves stay.',
    schema: FLAG,
  },
  $emMethod: {
    description: 'The function that is called on what a relation leads to.',
    schema: TEXT,
  },
  $lock: {
    description:
      'Locks the entity for the session (true), unlocks it (false), or answers whether it is locked (status).',
    schema: { enum: [true, false, 'status'] },
  },
  since: {
    description: 'The __TOKEN of an earlier answer; left out for all entities and the first token.',
    schema: TEXT,
  },
  dataclasses: {
    description: 'The names of dataclasses, with a comma between two.',
    schema: TEXT,
  },
  __STAMP: {
    description: 'With $lock: the stamp that the entity was read with.',
    schema: { type: 'integer' },
  },
  $binary: { description: 'The bytes as they are.', schema: { const: true } },
  $imageformat: {
    description: 'The format of the image: best, or one such as image/png.',
    schema: TEXT,
    example: 'best',
  },
  $version: {
    description: 'The stamp of the entity; the answer may be kept where it is the present one.',
    schema: { type: 'integer' },
  },
  $rawPict: {
    description: 'The type of the image in the body, such as image/png, or true.',
    schema: TEXT,
    example: 'image/png',
  },
  $groupby: {
    description:
      'What entities are grouped by, with commas between them: attributes, also over relations to one, dates by a part (orderDate:month; year, quarter, month, week, day, hour), numbers by steps (price:step(10)). Without it, $aggregate is of all entities. $orderby then names groups and aggregates, and $top and $skip page through the groups.',
    schema: TEXT,
  },
  $aggregate: {
    description:
      'What is computed of each group, with commas between them: count, count(attribute), distinct(attribute), sum(attribute), avg, min, max, also over one relation to many, each with a name behind as.',
    schema: TEXT,
    example: 'count',
  },
  $having: {
    description: 'Which groups: a filter of groups and aggregates, such as sum(total) > 1000.',
    schema: TEXT,
  },
  $compute: {
    description: 'Computes something of the values of one attribute.',
    schema: { enum: ['$all', ...COMPUTATIONS] },
  },
  $distinct: { description: 'Answers the distinct values of one attribute.', schema: FLAG },
  $queryplan: { description: 'Adds the plan of the query to the answer.', schema: FLAG },
  $querypath: { description: 'Adds how the query was run to the answer.', schema: FLAG },
};

/** The values of `$method` that some operations take. */
const METHODS: readonly (readonly string[])[] = [
  ['entityset'],
  ['entityset', 'subentityset'],
  ['entityset', 'subentityset', 'release'],
  ['subentityset'],
  ['update', 'insert', 'delete'],
  ['update', 'insert'],
  ['update', 'delete'],
  ['update'],
  ['delete'],
];

/** The parameters, by their names in the components. */
export function protocolParameters(): JsonObject {
  const described = Object.entries(PARAMETERS).map(([name, parameter]) => [
    plainName(name),
    queryParameter(name, parameter),
  ]);
  const methods = METHODS.map((values) => [
    methodName(values),
    queryParameter('$method', { description: 'What is done.', schema: { enum: values } }),
  ]);
  return {
    ...(Object.fromEntries([...described, ...methods]) as JsonObject),
    extendedAttributes: {
      ...queryParameter('$extendedAttributes', {
        description: 'Reads, with the attributes that the body names.',
        schema: { const: true },
      }),
      required: true,
    },
    path: pathParameter(
      'path',
      'Attributes with commas between them, or a path of relations with slashes between them, and attributes at its end.',
    ),
    id: pathParameter('id', 'The id of the entity set.'),
    keys: pathParameter('keys', 'Keys with commas between them.'),
  };
}

/** The parameters in the paths of a dataclass, by their names in the components. @param unique the attributes by which one entity is found */
export function dataclassParameters(
  { name, key }: Dataclass,
  unique: readonly { readonly name: string }[],
): JsonObject {
  const parts = key.map((part) => part.name).join(';');
  const values = unique.map(({ name: attribute }) => [
    componentName(name, `By-${componentName(attribute)}`),
    pathParameter('value', `The value of ${attribute}.`),
  ]);
  return {
    [componentName(name, 'Key')]: pathParameter('key', `The key: ${parts}.`),
    ...(Object.fromEntries(values) as JsonObject),
  };
}

function queryParameter(name: string, parameter: DescribedParameter): JsonObject {
  return { name, in: 'query', ...parameter };
}

function methodName(methods: readonly string[]): string {
  return ['method', ...methods].join('.');
}

function plainName(keyword: string): string {
  return keyword.replace(/^\$/, '');
}

const FORMS: readonly Keyword[] = ['$asArray', '$format', '$distinct'];

/** Parameters that give the answer another form. */
export const OF_FORM: ReadonlySet<Keyword> = new Set(FORMS);

/** Parameters that change nothing of the answer of one entity, or give it another form. */
export const OF_SEVERAL: ReadonlySet<Keyword> = new Set([
  ...(['$filter', '$params', '$orderby', '$top', '$skip', '$count'] as const),
  ...FORMS,
]);

/**
 * The parameters of an operation.
 * @param methods the values of `$method`; none where it takes no such parameter
 * @param except parameters that are left out
 */
export function operationParameters(
  uses: readonly KeywordUse[],
  methods: readonly string[] = [],
  except: ReadonlySet<Keyword> = new Set(),
): JsonObject[] {
  return keywordsFor(uses).flatMap((name): JsonObject[] => {
    if (except.has(name) || SYNONYMS.some((one) => one === name)) return [];
    if (name !== '$method') return [ref('parameters', plainName(name))];
    return methods.length === 0 ? [] : [ref('parameters', methodName(methods))];
  });
}

/** A parameter of the path. */
export function pathParameter(name: string, description: string): JsonObject {
  return { name, in: 'path', required: true, description, schema: TEXT };
}

/** The bodies of a dataclass's requests, by their names in the components: those of a save, and of a posted read. */
export function dataclassBodies(dataclass: Dataclass): JsonObject {
  const { name } = dataclass;
  const entity = dataclassRef(dataclass, 'Body');
  const collection = {
    type: 'object',
    properties: { __ENTITIES: arrayOf(entity) },
    required: ['__ENTITIES'],
  };
  return {
    [componentName(name, 'Save')]: {
      description: `Entities of ${name}: one, or several. Those with a __KEY are changed, others created.`,
      ...jsonContent(anyOf(entity, arrayOf(entity), collection)),
    },
    [componentName(name, 'Attributes')]: {
      description: `Attributes of ${name}, with true; of a relation, an object of attributes.`,
      ...jsonContent({ type: 'object' }),
    },
  };
}
