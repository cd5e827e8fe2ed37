import { arrayOf, type JsonObject as Schema, TEXT } from '../../../contract/json-schema.ts';
import { findDataclass } from '../../../model/lookup.ts';
import type { Model } from '../../../model/types.ts';
import { COMPUTATIONS } from '../../../protocol/ast.ts';
import type { JsonValue } from '../../../protocol/body/json.ts';
import { jsonText } from '../../../protocol/body/json-writer.ts';
import type { Window } from '../cut.ts';
import {
  dataclassPath,
  entityPath,
  type RestCall,
  restUrl,
  type UrlParameters,
} from '../rest-call.ts';
import {
  ANY_VALUE,
  type Arguments,
  keySchema,
  MOST_ITEMS,
  namesSchema,
  READS,
  type Tool,
} from './tool.ts';

/** How many dataclasses a schema lists by their names. */
const MOST_LISTED = 200;

/** How many items a page has where the call does not say, and at most. */
export const PAGE = { usual: 20, most: 200 } as const;

/** The schema of the name of a dataclass that the caller sees. */
export function dataclassSchema({ dataclasses }: Model): Schema {
  const description = 'The name of a dataclass, as describe_model lists it.';
  const names = [...dataclasses.keys()];
  const isListed = names.length > 0 && names.length <= MOST_LISTED;
  return { ...TEXT, ...(isListed ? { enum: names } : {}), description };
}

/** The schemas of what a page of entities is asked for by. */
export const pageSchemas = {
  attributes: {
    ...namesSchema,
    description:
      'The attributes to answer, also over relations, such as owner.name; all of the dataclass where it is left out.',
  },
  expand: {
    ...namesSchema,
    description:
      'The relations whose entities are answered as well; of a relation to many, the first 100.',
  },
  top: {
    type: 'integer',
    minimum: 0,
    maximum: PAGE.most,
    description: `How many to answer; ${PAGE.usual} where it is left out, 0 only counts.`,
  },
  skip: { type: 'integer', minimum: 0, maximum: 1e9, description: 'How many to pass over.' },
} as const satisfies Record<string, Schema>;

const filterSchemas: Readonly<Record<string, Schema>> = {
  filter: {
    ...TEXT,
    description:
      'A condition: name === :1 and (owner.name begin Ac or level > 3), in the names of attributes and relations. Comparators: === !== = != < <= > >=, begin, % (contains), IN [1, 2], IS null. ' +
      'For = and !=, @ in a value stands for any text: compare with === what is to be equal, such as an e-mail address. ' +
      'Joined by AND, OR and NOT(…), read from left to right. A path over a relation to many asks for at least one such entity.',
  },
  parameters: {
    ...arrayOf(ANY_VALUE),
    maxItems: MOST_ITEMS,
    description:
      'The values of the placeholders :1, :2 … of the filter. Give values from elsewhere here.',
  },
};

const orderSchema: Schema = {
  ...TEXT,
  description: 'What to sort by: name, owner.name desc.',
};

/** The tools that read entities and their values. */
export function readingTools(model: Model): Tool[] {
  const dataclass = dataclassSchema(model);
  const attribute: Schema = {
    ...TEXT,
    description: 'An attribute, also over relations, such as owner.name.',
  };
  const { top, skip, attributes, expand } = pageSchemas;
  const found = (given: Arguments): string =>
    dataclassPath(findDataclass(model, textOf(given['dataclass'])));
  return [
    {
      name: 'query',
      title: 'Find entities',
      description:
        'Answers a page of the entities of a dataclass that a filter finds, and how many there are (__COUNT). Name the attributes that you need.',
      parameters: {
        dataclass,
        ...filterSchemas,
        attributes,
        expand,
        order: orderSchema,
        top,
        skip,
      },
      required: ['dataclass'],
      annotations: READS,
      call: (given) => page(found(given), { ...filterOf(given), ...listsOf(given) }, given),
    },
    {
      name: 'read',
      title: 'Read an entity',
      description: 'Answers one entity by its key, with the __STAMP that a save of it needs.',
      parameters: { dataclass, key: keySchema, attributes, expand },
      required: ['dataclass', 'key'],
      annotations: READS,
      call: (given) => {
        const { key = null } = given;
        const path = entityPath(findDataclass(model, textOf(given['dataclass'])), key);
        return { url: restUrl(path, listsOf(given)) };
      },
    },
    {
      name: 'aggregate',
      title: 'Group and aggregate',
      description:
        'Answers counts, sums, averages and the like of all entities that a filter finds: of each group, or of all where there are no groups. ' +
        'The best customers of 2024, for example: dataclass Order, filter date >= 2024-01-01 and date < 2025-01-01, groups ["customer.name", "date:quarter"], ' +
        'aggregates ["sum(total) as turnover", "count", "avg(lines.quantity)"], having turnover > 1000, order turnover desc, top 10.',
      parameters: {
        dataclass,
        groups: {
          ...namesSchema,
          description:
            'What to group by: attributes, also over relations to one, such as owner.name; dates by year, quarter, month, week, day or hour: date:month; numbers by steps: price:step(100).',
        },
        aggregates: {
          ...namesSchema,
          description:
            'What to compute of each group: count, of an attribute count, distinct (how many different values), sum, avg, min and max, each with a name behind as. ' +
            'Also over relations, one of them to many: sum(lines.quantity), count(lines). Where it is left out, count, the number of entities.',
        },
        ...filterSchemas,
        having: {
          ...TEXT,
          description:
            'Which groups to answer: a condition as in filter, in the names of groups and aggregates.',
        },
        order: {
          ...TEXT,
          description: 'What to sort by, in the names of groups and aggregates: turnover desc.',
        },
        top,
        skip,
      },
      required: ['dataclass'],
      annotations: READS,
      call: (given) => {
        const { $orderby } = listsOf(given);
        const asked = {
          $groupby: joined(given['groups']),
          // Without groups, it says that this is no read of entities.
          $aggregate: joined(given['aggregates']) ?? 'count',
          ...filterOf(given),
          $having: given['having'] === undefined ? undefined : textOf(given['having']),
          $orderby,
        };
        return page(found(given), asked, given);
      },
    },
    {
      name: 'compute',
      title: 'Compute',
      description:
        'Computes count, sum, average, minimum and maximum of one attribute, which may be a property of an object, of all entities that a filter finds. For several attributes, or by groups, call aggregate.',
      parameters: {
        dataclass,
        attribute,
        function: {
          ...TEXT,
          enum: ['all', ...COMPUTATIONS],
          description: 'What to compute; all of it where it is left out.',
        },
        ...filterSchemas,
      },
      required: ['dataclass', 'attribute'],
      annotations: READS,
      call: (given) => {
        const keyword = textOf(given['function'] ?? 'all');
        const $compute = keyword === 'all' ? '$all' : keyword;
        const asked = { $attributes: textOf(given['attribute']), ...filterOf(given), $compute };
        return { url: restUrl(found(given), asked) };
      },
    },
    {
      name: 'distinct',
      title: 'List values',
      description:
        'Answers the distinct values of an attribute, of all entities that a filter finds, in order.',
      parameters: { dataclass, attribute, ...filterSchemas, top, skip },
      required: ['dataclass', 'attribute'],
      annotations: READS,
      call: (given) => {
        const asked = { $attributes: textOf(given['attribute']), ...filterOf(given) };
        return page(found(given), { ...asked, $distinct: 'true' }, given);
      },
    },
  ];
}

/** A text among the arguments, which are checked by then. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A request for a page of a list. */
function page(path: string, parameters: UrlParameters, given: Arguments): RestCall {
  const window = windowOf(given);
  return { url: restUrl(path, { ...parameters, $top: window.top, $skip: window.skip }), window };
}

/** The part of a list that a call asks for. */
export function windowOf({ top, skip }: Arguments): Window {
  return { top: Number(top ?? PAGE.usual), skip: Number(skip ?? 0) };
}

function filterOf({ filter, parameters }: Arguments): UrlParameters {
  return {
    $filter: filter === undefined ? undefined : textOf(filter),
    $params: parameters === undefined ? undefined : jsonText(parameters),
  };
}

/** What of the entities a call asks for, and in which order. */
export function listsOf({ attributes, expand, order }: Arguments): UrlParameters {
  return {
    $attributes: joined(attributes),
    $expand: joined(expand),
    $orderby: order === undefined ? undefined : textOf(order),
  };
}

/** The names of a list, as a parameter has them; undefined for none. */
function joined(list: JsonValue | undefined): string | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(String).join(',') : undefined;
}
