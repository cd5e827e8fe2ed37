import type { WriteClient } from './write-client.ts';
import { failed, type Refusals } from './write-oracle.ts';
import type { WriteCase } from './write-suite.ts';

/** New entities that break a rule of the database: the answer to each. */
const objects: readonly (readonly [
  title: string,
  dataclass: string,
  body: unknown,
  status: number,
  key: string | null,
  ...refusals: Refusals,
])[] = [
  [
    '1115 a key that is there',
    'Category',
    { code: 'Tools', position: 1 },
    409,
    null,
    [1115, 'There is an entity of Category with this key already.'],
    [1534, 'The new entity of Category was not saved.'],
  ],
  [
    '1115 a key of two parts that is there',
    'OrderLine',
    { order: 7, line: 1, product: 1, unitPrice: 1 },
    409,
    null,
    [1115, 'There is an entity of OrderLine with this key already.'],
    [1534, 'The new entity of OrderLine was not saved.'],
  ],
  [
    '1115 a GUID that is there',
    'Document',
    { ID: 'c0ffee00-0000-4000-8000-000000000003', title: 'x', mimeType: 'y' },
    409,
    null,
    [1115, 'There is an entity of Document with this key already.'],
    [1534, 'The new entity of Document was not saved.'],
  ],
  [
    '1115 a unique value that is there',
    'Employee',
    { firstName: 'a', lastName: 'b', email: 'marie.dubois@acme.example', hireDate: '2020-01-01' },
    409,
    null,
    [1115, 'Employee.email has to be unique, and another entity has this value already.'],
    [1534, 'The new entity of Employee was not saved.'],
  ],
  [
    '1120 a foreign key that leads nowhere',
    'Product',
    { sku: 'none', name: 'n', category: 'Nope', listPrice: 1, barcode: 7 },
    409,
    null,
    [1120, 'Product.category refers to an entity that does not exist.'],
    [1534, 'The new entity of Product was not saved.'],
  ],
  [
    '1116 nothing given',
    'Product',
    {},
    422,
    null,
    [1116, 'Product.sku is mandatory: it needs a value.'],
  ],
  [
    '1116 a relation left out',
    'Product',
    { sku: 'none', name: 'n', listPrice: 1, barcode: 7 },
    422,
    null,
    [1116, 'Product.category is mandatory: it needs a value.'],
  ],
  [
    '1116 a relation of null',
    'Product',
    { sku: 'none', name: 'n', listPrice: 1, barcode: 7, category: null },
    422,
    null,
    [1116, 'Product.category is mandatory: it needs a value.'],
  ],
  [
    '1116 a part of the key left out',
    'OrderLine',
    { order: 7, product: 1, unitPrice: 1 },
    422,
    null,
    [1116, 'OrderLine.line is mandatory: it needs a value.'],
  ],
  [
    '1116 a mandatory value that is not exposed',
    'User',
    { login: 'none', sortOrder: 1, group: 'y' },
    422,
    null,
    [
      1116,
      'User has a mandatory value that the API does not expose: its entities cannot be saved without it.',
    ],
    [1534, 'The new entity of User was not saved.'],
  ],
  [
    '1516 an identity given',
    'Employee',
    { ID: 77_777, firstName: 'a', lastName: 'b', email: 'none', hireDate: '2020-01-01' },
    422,
    null,
    [1516, 'Employee.ID is read-only: it is an identity column.'],
  ],
  [
    '1516 a computed attribute given',
    'Employee',
    { fullName: 'x', firstName: 'a', lastName: 'b', email: 'none', hireDate: '2020-01-01' },
    422,
    null,
    [1516, 'Employee.fullName is read-only: the database computes it.'],
  ],
  [
    '9015 a check that the mapping file has a message for',
    'OrderLine',
    { order: 7, line: 77, product: 1, unitPrice: 1, quantity: -1 },
    409,
    null,
    [9015, 'An order line has at least one piece.'],
    [1534, 'The new entity of OrderLine was not saved.'],
  ],
  [
    '1046 a view',
    'DirectoryEntry',
    { fullName: 'x' },
    422,
    null,
    [1046, 'DirectoryEntry stands on a view or table that cannot be changed in this way.'],
    [1534, 'The new entity of DirectoryEntry was not saved.'],
  ],
];

export const writes: readonly WriteCase[] = [
  ...objects.map(([title, url, body, status, key, ...refusals]) => ({
    title: `§7 ${title}`,
    run: async (rest: WriteClient) => {
      await rest.answers({ url, body }, failed(key, ...refusals), status);
    },
  })),
];
