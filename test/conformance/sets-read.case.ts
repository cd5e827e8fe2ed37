import type { Client } from './client.ts';
import { EntitySet } from './entity-set.ts';
import { document } from './entities.case.ts';
import { encoded, sortedBy } from './finders.ts';
import { bareArray, rowsOf, type Page } from './oracle.ts';
import { type SequenceCase, sequence } from './suite.ts';

const employees = rowsOf('Employee').toReversed();
const categories = rowsOf('Category');

/** All employees, the last of them first. */
const wholeSet = (rest: Client): Promise<EntitySet> =>
  EntitySet.make(
    rest,
    'Employee?$orderby="ID desc"&$method=entityset&$top=0',
    'Employee',
    employees,
    { top: 0 },
  );

/** What stands behind the id, and the page that it asks for. */
const reads: readonly (readonly [query: string, page?: Page])[] = [
  [''],
  ['/?$attributes=ID', { attributes: 'ID' }],
  ['?$top=3', { top: 3 }],
  ['?$limit=3', { top: 3 }],
  ['/?$top=3', { top: 3 }],
  ["?$top='80'&$attributes=ID", { top: 80, attributes: 'ID' }],
  ['?%24top=3', { top: 3 }],
  ['?$top=0', { top: 0 }],
  ['?$top=10000&$attributes=ID', { top: 10_000, attributes: 'ID' }],
  ['?$skip=7&$attributes=ID', { skip: 7, attributes: 'ID' }],
  ['?$skip=390&$top=10', { skip: 390, top: 10 }],
  ['?$skip=395&$top=10', { skip: 395, top: 10 }],
  ['?$skip=400', { skip: 400 }],
  ['?$skip=123456789&$top=5', { skip: 123_456_789, top: 5 }],
  ['?$attributes=lastName,employer.name', { attributes: 'lastName,employer.name' }],
  ['?$attributes=*,manager.lastName&$top=9', { attributes: '*,manager.lastName', top: 9 }],
  ['?$attributes=projects.code&$skip=390', { attributes: 'projects.code', skip: 390 }],
  ['/lastName', { attributes: 'lastName' }],
  ['/firstName,employer.name?$top=4', { attributes: 'firstName,employer.name', top: 4 }],
  ['?$expand=employer&$skip=380', { expand: 'employer', skip: 380 }],
  ['?$expand=employer,employer.country&$top=5', { expand: 'employer,employer.country', top: 5 }],
  ['?$expand=projects&$skip=380', { expand: 'projects', skip: 380 }],
  [
    '?$attributes=lastName&$expand=projects&$top=5',
    { attributes: 'lastName', expand: 'projects', top: 5 },
  ],
  ['?$format=json&$top=2', { top: 2 }],
  ['?$asArray=false&$top=2', { top: 2 }],
  ['?$top=2&$metadata=true&_=1700000000000', { top: 2 }],
];

const arrays: readonly (readonly [query: string, page?: Page])[] = [
  ['?$asArray=true&$skip=350', { skip: 350 }],
  ['?$asArray=true&$skip=396', { skip: 396 }],
  ['?$asArray=true&$skip=400', { skip: 400 }],
  [
    '?$asArray=true&$attributes=lastName,employer.name,projects.name&$skip=395',
    { attributes: 'lastName,employer.name,projects.name', skip: 395 },
  ],
];

/** Keys as they stand in URLs, and the index that each has. */
const finds: readonly (readonly [dataclass: string, query: string, key: string, index: number])[] =
  [
    ['Employee', '?$orderby="ID desc"', '400', 0],
    ['Employee', '?$orderby="ID desc"', '1', 399],
    ['Employee', '?$orderby="ID desc"', '"397"', 3],
    ['Employee', '?$filter="ID<10"', '10', -1],
    ['Employee', '', '99999999999', -1],
    ['Category', '?$orderby=position', '"AC/DC"', indexOfCategory('AC/DC')],
    ['Category', '?$orderby=position', 'Nuts%3B bolts (M8)', indexOfCategory('Nuts; bolts (M8)')],
    ['Category', '?$orderby=position', 'Nothing', -1],
    [
      'Country',
      '?$orderby=isoNumber',
      'FR',
      sortedBy(rowsOf('Country'), 'ISO_NUM', 'asc').findIndex(({ CTRY_CD }) => CTRY_CD === 'FR'),
    ],
    ['Document', '?$orderby=createdAt', document, 0],
    ['Document', '?$orderby=createdAt', document.toUpperCase(), 0],
    [
      'Holiday',
      '',
      '2024-07-14',
      rowsOf('Holiday').findIndex(({ HOL_DT }) => HOL_DT === '2024-07-14'),
    ],
    ['OrderLine', '?$filter="orderNo=7"&$orderby="line desc"', '7;2', 0],
    ['OrderLine', '?$filter="orderNo=7"', encoded('{"line":2,"orderNo":7}'), 1],
    ['OrderLine', '?$filter="orderNo=7"', '1;1', -1],
    ['OrderLine', '?$filter="orderNo=7"', `'{"orderNo":7,"line":2}'`, 1],
    ['OrderLine', '?$filter="orderNo=7"', '"7;2"', 1],
    ['OrderLine', '?$filter="orderNo=7"', '7; "2"', 1],
    ['OrderLine', '?$filter="orderNo=7"', '99999999999;2', -1],
    ['Employee', '?$orderby="ID desc"', encoded('{"ID":397}'), 3],
    ['Employee', '?$orderby="ID desc"', `'{"ID":"397"}'`, 3],
    ['Employee', '?$orderby="ID desc"', `'"397"'`, 3],
    ['Employee', '', encoded('{"ID":99999999999}'), -1],
    ['Document', '?$orderby=createdAt', encoded(`{"ID":"${document}"}`), 0],
    ['Holiday', '?$filter="date=2024-07-14"', '{"date":"14!7!2024"}', 0],
    ['Category', '?$orderby=position', encoded('{"code":"AC/DC"}'), -1],
  ];

function indexOfCategory(code: string): number {
  return categories.findIndex(({ CAT_CD }) => CAT_CD === code);
}

export const sequences: readonly SequenceCase[] = [
  ...reads.map(([query, page]) =>
    sequence(`§4.2 reading a set: ID${query}`, async (rest) => {
      await (await wholeSet(rest)).reads(query, page);
    }),
  ),
  ...arrays.map(([query, page]) =>
    sequence(`§4.2 rule 4 reading a set: ID${query}`, async (rest) => {
      await (await wholeSet(rest)).answers(query, bareArray('Employee', employees, page));
    }),
  ),
  sequence('§4.2 reading an empty set', async (rest) => {
    const set = await EntitySet.make(
      rest,
      'Employee?$filter="ID<0"&$method=entityset',
      'Employee',
      [],
    );
    await set.reads();
    await set.reads('?$skip=5&$top=5', { skip: 5, top: 5 });
    await set.reads('?$filter="ID>0"&$orderby=ID');
    await set.answers('?$asArray=true', []);
  }),
  ...finds.map(([dataclass, query, key, index]) =>
    sequence(`§4.7 $findKey: ${key} in ${dataclass}${query}`, async (rest) => {
      const url = `${dataclass}${query}${query === '' ? '?' : '&'}$method=entityset`;
      const { body } = await rest.send({ method: 'GET', url });
      const { __ENTITYSET: uri } = body as { readonly __ENTITYSET: string };
      await rest.answers(
        { method: 'GET', url: `${uri.replace('/rest/', '')}?$findKey=${key}` },
        { result: index },
      );
    }),
  ),
];
