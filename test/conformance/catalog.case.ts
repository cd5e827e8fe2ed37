import { expect } from 'vitest';
import type { Column } from '../fixtures/legacy/data.ts';
import { dataclasses, facts } from './dataclasses.ts';
import { columnOf, relationTarget } from './oracle.ts';
import type { Case } from './suite.ts';

/** Attributes that an index begins with, besides the first of each key; `!` marks unique ones. */
const indexed: Readonly<Record<string, readonly string[]>> = {
  Assignment: ['projectID'],
  Company: ['name', 'registrationNo!'],
  Country: ['isoNumber!'],
  Employee: ['email!', 'lastName'],
  LogEntry: ['time'],
  Order: ['date'],
  Product: ['sku!', 'barcode!'],
  Project: ['code!'],
  User: ['login!'],
};

const views = ['CompanyTurnover', 'DirectoryEntry'];

/** What the mapping files of the sample say of dataclasses, attributes and relations. */
const descriptions: Readonly<Record<string, string>> = {
  Company: 'A customer, supplier or employer.',
  'Company.creditLimit': 'How much the company may owe.',
  'Company.billedOrders': 'Orders that the company pays for.',
  Employee: 'A person who works, or has worked, for a company.',
  'Employee.shiftStart': 'Time of day at which the shift begins.',
  'Employee.badgeNo': 'The number on the badge that opens the doors.',
  'Employee.manager': 'Leads the employee.',
  Order: 'What a company has ordered on one day, with its lines.',
  'Order.total': 'Sum of the lines in the currency of the order.',
};

/** The attributes that are never null and that the database fills in where a new entity leaves them out. */
const optional: ReadonlySet<string> = new Set([
  'Assignment.allocation',
  'Assignment.billable',
  'Company.isCustomer',
  'Country.inEU',
  'Document.ID',
  'Document.createdAt',
  'Employee.active',
  'Holiday.halfDay',
  'Order.paid',
  'Order.status',
  'Order.total',
  'OrderLine.discount',
  'OrderLine.quantity',
  'Product.stock',
  'Project.status',
]);

/** What the protocol leaves open: the description of an attribute or relation, and whether it is optional. */
function described(name: string): object {
  const description = descriptions[name];
  const extraProperties = {
    ...(description === undefined ? {} : { description }),
    ...(optional.has(name) ? { optional: true } : {}),
  };
  return Object.keys(extraProperties).length === 0 ? {} : { extraProperties };
}

const uuid: unknown = expect.stringMatching(/^[0-9A-F]{32}$/);

const names = Object.keys(dataclasses);

function answer(items: readonly object[]): object {
  return {
    __UNIQID: uuid,
    __BASEID: null,
    __NAME: 'Legacy ERP',
    properties: { supportJSONEntityKey: true },
    methods: [],
    dataClasses: items,
  };
}

function brief(name: string): object {
  return { name, uri: `/rest/$catalog/${name}`, dataURI: `/rest/${name}` };
}

function full(name: string): object {
  const { collection, key, attributes, relations } = facts(name);
  return {
    name,
    className: name,
    collectionName: collection,
    exposed: true,
    tableNumber: names.indexOf(name) + 1,
    scope: 'public',
    uuid,
    dataURI: `/rest/${name}`,
    extraProperties: {
      panelColor: expect.any(String),
      position: { x: expect.any(Number), y: expect.any(Number) },
      ...(name in descriptions ? { description: descriptions[name] } : {}),
      stamp: expect.any(String),
      changes: views.includes(name) ? expect.any(Array) : ['create', 'update', 'delete'],
      required: expect.any(Array),
      // Views have none, and on SQL Server only tables with a rowversion.
      tracking: expect.toBeOneOf([{ by: expect.any(String), deleted: false }, null]),
    },
    attributes: [
      ...Object.keys(attributes).map((attribute, index) => storage(name, attribute, index + 1)),
      ...Object.keys(relations).map((relation, index) => ({
        ...relationItem(name, relation),
        fieldPos: Object.keys(attributes).length + index + 1,
      })),
    ],
    key: key.map((part) => ({ name: part })),
  };
}

function storage(dataclass: string, name: string, fieldPos: number): object {
  const { key } = facts(dataclass);
  const column = columnOf(dataclass, name);
  const isView = views.includes(dataclass);
  const isDerived = isView || column.origin === 'computed';
  const identifying = key.includes(name);
  const marked = indexed[dataclass] ?? [];
  const isUnique = marked.includes(`${name}!`);
  return {
    name,
    kind: 'storage',
    fieldPos,
    scope: 'public',
    exposed: true,
    uuid,
    type: typeOf(column, name),
    indexed: isUnique || marked.includes(name) || (!isView && key[0] === name),
    unique: isUnique || (identifying && key.length === 1),
    // Engines differ in what they say of computed columns and of a view's.
    not_null: isDerived && !identifying ? expect.any(Boolean) : !column.nullable,
    autosequence: column.origin === 'identity',
    identifying,
    ...(isDerived ? { readOnly: true } : {}),
    ...(column.type.endsWith('char') ? { maxLength: column.size } : {}),
    ...described(`${dataclass}.${name}`),
  };
}

function typeOf({ type }: Column, name: string): unknown {
  switch (type) {
    case 'int':
      return 'long';
    case 'smallint':
      return 'word';
    case 'tinyint':
      // PostgreSQL has no integer of one byte.
      return expect.stringMatching(/^(?:byte|word)$/);
    case 'bigint':
      return 'long64';
    case 'money':
    case 'decimal':
    case 'real':
    case 'double':
      return 'number';
    case 'bool':
      return 'bool';
    case 'date':
    case 'datetime':
    case 'instant':
      return 'date';
    case 'time':
      return 'duration';
    case 'guid':
      return 'uuid';
    case 'json':
      return 'object';
    case 'binary':
      return name === 'content' ? 'blob' : 'image';
    case 'char':
    case 'nchar':
    case 'varchar':
    case 'nvarchar':
      return 'string';
  }
}

function relationItem(dataclass: string, name: string): object {
  const { attributes, relations } = facts(dataclass);
  const relation = relations[name];
  if (relation === undefined) throw new Error(`${dataclass} has no relation ${name}`);
  const target = relationTarget(dataclass, name);
  const common = {
    ...{ name, scope: 'public', exposed: true, uuid },
    ...described(`${dataclass}.${name}`),
  };
  if ('one' in relation) {
    const keys = Object.keys(attributes).filter((attribute) =>
      Object.keys(relation.on).includes(attributes[attribute] ?? ''),
    );
    return {
      ...common,
      kind: 'relatedEntity',
      type: target,
      path: target,
      ...(keys.length > 0 ? { foreignKey: keys.join(',') } : {}),
      ...(relation.back === undefined ? {} : { inverseName: relation.back }),
    };
  }
  const inverse = 'many' in relation ? relation.many.split('.')[1] : undefined;
  return {
    ...common,
    kind: 'relatedEntities',
    type: facts(target).collection,
    path: 'through' in relation ? relation.through.join('.') : inverse,
    reversePath: true,
    ...(inverse === undefined ? {} : { inverseName: inverse }),
  };
}

/** §4.1, §2.4: the catalog. Functions and singletons are none yet: `methods` is empty, `singletons` left out. */
export const reads: readonly Case[] = [
  {
    title: '§4.1 $catalog lists the exposed dataclasses, and nothing else',
    url: '/rest/$catalog',
    body: answer(names.map(brief)),
  },
  {
    title: '§2.4 fields of the catalog stand in the order of the specification',
    url: '/rest/$catalog/',
    body: answer(names.map(brief)),
    text: /^\{"__UNIQID":"[0-9A-F]+","__BASEID":null,"__NAME":"Legacy ERP","properties":\{"supportJSONEntityKey":true\},"methods":\[\],"dataClasses":\[\{"name":"Assignment","uri":"/,
  },
  {
    title: '§4.1 $catalog/$all lists all of them in full',
    url: '/rest/$catalog/$all',
    body: answer(names.map(full)),
  },
  ...names.map((name) => ({
    title: `§4.1 $catalog/${name} is that dataclass in full`,
    url: `/rest/$catalog/${name}`,
    body: answer([full(name)]),
  })),
  {
    title: '§4.1 $catalog/A,B lists those',
    url: '/rest/$catalog/Order,Employee',
    body: answer([full('Order'), full('Employee')]),
  },
  {
    title: '§2.3 $stamp answers the server-wide modification stamp alone',
    url: '/rest/$stamp',
    body: { __GlobalStamp: expect.any(Number) },
    text: /^\{"__GlobalStamp":\d+\}$/,
  },
  {
    title: '§4.1 $openapi describes what the catalog lists',
    url: '/rest/$openapi',
    body: {
      openapi: '3.1.0',
      info: { title: 'Legacy ERP', version: '1', description: expect.any(String) },
      servers: [{ url: '/' }],
      security: [],
      tags: [
        ...names.map((name) => ({
          name,
          description: descriptions[name] ?? `Entities of ${name}.`,
        })),
        { name: 'functions', description: expect.any(String) },
        { name: 'services', description: expect.any(String) },
      ],
      paths: expect.objectContaining(
        Object.fromEntries(names.map((name) => [`/rest/${name}`, expect.any(Object)])),
      ),
      components: {
        schemas: expect.any(Object),
        responses: expect.any(Object),
        parameters: expect.any(Object),
        requestBodies: expect.any(Object),
        headers: expect.any(Object),
        securitySchemes: {},
      },
    },
  },
];
