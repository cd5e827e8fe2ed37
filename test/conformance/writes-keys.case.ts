import type { WriteClient } from './write-client.ts';
import { failed, type Refusals } from './write-oracle.ts';
import type { WriteCase } from './write-suite.ts';

/** Objects whose keys and stamps do not say which entity to save: the answer to each. */
const objects: readonly (readonly [
  title: string,
  dataclass: string,
  body: unknown,
  status: number,
  key: string | null,
  ...refusals: Refusals,
])[] = [
  [
    '1263 a key without a stamp',
    'Employee',
    { __KEY: '1', lastName: 'x' },
    400,
    '1',
    [
      1263,
      'Employee(1) cannot be updated without its __STAMP: send the __STAMP that it was read with.',
    ],
  ],
  [
    '1546 a stamp without a key',
    'Employee',
    { __STAMP: 4, lastName: 'x' },
    400,
    null,
    [
      1546,
      'There is a __STAMP without a __KEY: send both to update an entity of Employee, none to create one.',
    ],
  ],
  [
    '1542 an unknown key',
    'Employee',
    { __KEY: '99999', __STAMP: 1, lastName: 'x' },
    404,
    '99999',
    [1542, 'There is no entity Employee(99999).'],
  ],
  [
    '1542 a key that is out of range',
    'Employee',
    { __KEY: '99999999999', __STAMP: 1, lastName: 'x' },
    404,
    null,
    [1542, 'There is no entity Employee(99999999999).'],
  ],
  [
    '1542 an unknown key of two parts',
    'OrderLine',
    { __KEY: { orderNo: 7, line: 99 }, __STAMP: 1 },
    404,
    '{"orderNo":7,"line":99}',
    [1542, 'There is no entity OrderLine(7;99).'],
  ],
  [
    '1542 an unknown key in the URL',
    'Employee(99999)',
    { __STAMP: 1 },
    404,
    '99999',
    [1542, 'There is no entity Employee(99999).'],
  ],
  [
    '1542 an unknown unique attribute',
    'Employee:email(nobody@x.example)',
    { __STAMP: 1 },
    404,
    null,
    [1542, 'There is no entity Employee:email(nobody@x.example).'],
  ],
  [
    '1541 another key in the URL',
    'Employee(1)',
    { __KEY: '2', __STAMP: 4 },
    400,
    '2',
    [1541, 'The URL names Employee(1), but the body’s __KEY is 2.'],
  ],
  [
    '1541 another key than the unique attribute’s',
    'Employee:email(marie.dubois@acme.example)',
    { __KEY: '2', __STAMP: 4 },
    400,
    null,
    [1541, 'The URL names Employee:email(marie.dubois@acme.example), but the body’s __KEY is 2.'],
  ],
  [
    '1508 a key of the wrong type',
    'Employee',
    { __KEY: 'x', __STAMP: 4 },
    400,
    null,
    [
      1508,
      '__KEY is not a key of Employee: "x" is not a value for Employee.ID, expected a whole number from -2147483648 to 2147483647.',
    ],
  ],
  [
    '1541 an object that is not a key',
    'Employee',
    { __KEY: { id: 1 }, __STAMP: 4 },
    400,
    null,
    [1541, '__KEY is not a key of Employee: expected its ID.'],
  ],
  [
    '1541 half a key',
    'Assignment',
    { __KEY: '1', __STAMP: 4 },
    400,
    null,
    [
      1541,
      '__KEY is not a key of Assignment: expected {"employeeID":…,"projectID":…}, as an object or as text.',
    ],
  ],
  [
    '1508 a stamp that is text',
    'Employee',
    { __KEY: '1', __STAMP: 'x' },
    400,
    '1',
    [
      1508,
      'The __STAMP of Employee is not a stamp: expected the whole number that the entity was read with.',
    ],
  ],
  [
    '1263 a stamp below zero',
    'Employee',
    { __KEY: '1', __STAMP: -1 },
    400,
    '1',
    [
      1263,
      'The __STAMP of Employee is -1, which overwrites whatever is there: send the __STAMP that the entity was read with.',
    ],
  ],
  [
    '1813 $method=insert with a key',
    'Employee?$method=insert',
    { __KEY: '1' },
    400,
    '1',
    [
      1813,
      '$method=insert creates entities, which have no __KEY yet. Send their keys as attributes, or use $method=update to change this one.',
    ],
  ],
  [
    '1813 a dataclass without a key',
    'LogEntry',
    { __KEY: '1', __STAMP: 1 },
    400,
    null,
    [1813, 'LogEntry has no key: its entities cannot be addressed one by one.'],
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
