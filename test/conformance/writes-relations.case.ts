import type { Row } from './oracle.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { changedRow, failed, saved, type Given, type Refusals } from './write-oracle.ts';
import { day, department, employee, order, product, project } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

/** What leads an employee to company 2. */
const references: readonly (readonly [how: string, value: unknown])[] = [
  ['its key as text', '2'],
  ['its key as a number', 2],
  ['an object with __KEY', { __KEY: '2' }],
  ['an object with a number as __KEY', { __KEY: 2 }],
  ['the deferred object', { __deferred: { uri: '/rest/Company(2)', __KEY: '2' } }],
  ['an object with the key attribute', { ID: 2 }],
  [
    'the entity as it was expanded, whatever else it holds',
    { __KEY: '2', __STAMP: 1, name: 'Another name', country: { __KEY: 'FR' } },
  ],
];

function make(rest: WriteClient, more: Given = {}): Promise<Made> {
  return rest.create('Employee', { ...employee(rest), ...more });
}

/** Sends changes of an employee that are refused; `#` stands for its key. */
function refuses(title: string, given: Given, status: number, ...refusals: Refusals): WriteCase {
  return {
    title: `§4.6 relation: ${title}`,
    run: async (rest) => {
      const entity = await make(rest, { employer: 1, manager: 1 });
      const said = refusals.map(([code, text]) => [code, text.replace('#', entity.key)] as const);
      await rest.answers(
        { url: 'Employee', body: { __KEY: entity.key, __STAMP: 1, note: 'x', ...given } },
        failed(entity.key, ...said),
        status,
      );
      await rest.reads(entity);
    },
  };
}

const integer = 'a whole number from -2147483648 to 2147483647';

export const writes: readonly WriteCase[] = [
  ...references.map(([how, value]) => ({
    title: `§4.6 relation: set by ${how}`,
    run: async (rest: WriteClient) => {
      const entity = await make(rest, { employer: 1 });
      const row = changedRow('Employee', entity.row, { employer: 2 });
      const sent = { __KEY: entity.key, employer: value };
      await rest.answers(
        { url: 'Employee', body: { ...sent, __STAMP: 1 } },
        saved('Employee', row),
      );
      await rest.answers(
        { url: 'Employee', body: { ...sent, __STAMP: 2 } },
        saved('Employee', row),
      );
    },
  })),
  {
    title: '§4.6 relation: null leads nowhere',
    run: async (rest) => {
      const entity = await make(rest, { employer: 1, manager: 2, department: 'IT' });
      await rest.reads(await rest.update(entity, { employer: null, manager: null }));
    },
  },
  {
    title: '§4.6 relation: to a key padded by CHAR, to oneself, and to a text key with a slash',
    run: async (rest) => {
      const entity = await rest.create('Department', { ...department(rest), parent: 'R&D' });
      await rest.reads(await rest.update(entity, { parent: entity.key }));
      await rest.reads(await rest.create('Product', { ...product(rest), category: 'AC/DC' }));
    },
  },
  {
    title: '§4.6 relation: of two foreign keys to one dataclass each is its own',
    run: async (rest) => {
      const entity = await rest.create('Order', { ...order(), billTo: 2, shipTo: 3, salesRep: 4 });
      await rest.reads(await rest.update(entity, { shipTo: 1 }));
    },
  },
  {
    title: '§4.6 relation: one that leads nowhere already may be sent back, and left',
    run: async (rest) => {
      const row = { EMP_NO: 400 };
      const { body } = await rest.send({ method: 'GET', url: addressOf('Employee', row) });
      const read = body as { __KEY: string; __STAMP: number; manager: object };
      await rest.answers(
        { url: 'Employee', body: read },
        {
          ...read,
          __STATUS: { success: true },
          uri: '/rest/Employee(400)',
        },
      );
      await rest.answers(
        { url: 'Employee', body: { __KEY: '400', __STAMP: read.__STAMP, manager: 9998 } },
        failed(
          '400',
          [
            1120,
            'Employee.manager refers to an entity that does not exist: there is no Employee(9998).',
          ],
          [1517, 'Employee(400) was not saved.'],
        ),
        409,
      );
    },
  },
  refuses(
    'a missing entity, by a foreign key of the database',
    { employer: 99_999 },
    409,
    [1120, 'Employee.employer refers to an entity that does not exist.'],
    [1517, 'Employee(#) was not saved.'],
  ),
  refuses(
    'a missing entity, without a foreign key',
    { manager: 99_999 },
    409,
    [
      1120,
      'Employee.manager refers to an entity that does not exist: there is no Employee(99999).',
    ],
    [1517, 'Employee(#) was not saved.'],
  ),
  refuses('a key that is out of range', { employer: 99_999_999_999 }, 409, [
    1120,
    'Employee.employer refers to an entity that does not exist: there is no Company(99999999999).',
  ]),
  refuses('text that is not a key', { employer: 'Acme' }, 400, [
    1508,
    `Employee.employer is not a key of Company: "Acme" is not a value for Company.ID, expected ${integer}.`,
  ]),
  refuses('an object that says nothing', { employer: {} }, 400, [
    1541,
    'Employee.employer is not a key of Company: expected its ID.',
  ]),
  refuses('an array', { employer: [1] }, 400, [
    1541,
    'Employee.employer is not a key of Company: expected its ID.',
  ]),
  ...[
    ['an array of keys', ['1']],
    ['null', null],
  ].map(([how, value]) =>
    refuses(`to many, ${String(how)}`, { projects: value }, 422, [
      1516,
      'Employee.projects leads to many entities and cannot be written from here: set the relation in each of them.',
    ]),
  ),
  {
    title: '§4.6 relation: a new entity that refers to a missing one is not made',
    run: async (rest) => {
      const missing = 'Employee.manager refers to an entity that does not exist';
      await rest.answers(
        { url: 'Employee', body: { ...employee(rest), manager: 99_999 } },
        failed(
          null,
          [1120, `${missing}: there is no Employee(99999).`],
          [1534, 'The new entity of Employee was not saved.'],
        ),
        409,
      );
      await make(rest);
    },
  },
  {
    title: '§4.6 relation: a foreign key attribute and a relation that contradict each other',
    run: async (rest) => {
      const { row } = await rest.create('Project', project(rest));
      const given = { projectID: row['PRJ_ID'], role: 'T', fromDate: day(rest) };
      await rest.answers(
        { url: 'Assignment', body: { ...given, employeeID: 1, employee: 2 } },
        failed(null, [
          1541,
          'Assignment.employeeID and Assignment.employee say different things of the same value: send one of them.',
        ]),
        400,
      );
      const answer = await rest.send({
        url: 'Assignment',
        body: { ...given, employeeID: 2, employee: { __KEY: '2' } },
      });
      const expected: Row = {
        EMP_NO: 2,
        PRJ_ID: row['PRJ_ID'] ?? null,
        ROLE_NM: 'T',
        ALLOC_PCT: '100',
        FROM_DT: day(rest),
        TO_DT: null,
        BILL_FL: true,
      };
      await rest.reads(rest.made('Assignment', answer, expected));
    },
  },
];
