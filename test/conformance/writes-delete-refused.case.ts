import type { WriteClient } from './write-client.ts';
import { errors } from './write-oracle.ts';
import { category, project } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

/** Requests that delete nothing. */
const refused: readonly (readonly [
  method: 'POST' | 'DELETE',
  url: string,
  body: unknown,
  status: number,
  errCode: number,
  message: string,
])[] = [
  ['DELETE', 'Employee(99999)', undefined, 404, 1542, 'There is no entity Employee(99999).'],
  [
    'POST',
    'Employee(99999)?$method=delete',
    undefined,
    404,
    1542,
    'There is no entity Employee(99999).',
  ],
  [
    'POST',
    'Employee?$method=delete',
    { __KEY: '99999' },
    404,
    1542,
    'There is no entity Employee(99999).',
  ],
  [
    'DELETE',
    'Employee(1,99999999999)',
    undefined,
    404,
    1542,
    'There is no entity Employee(99999999999).',
  ],
  [
    'POST',
    'Employee?$method=delete',
    { __KEY: 99_999_999_999 },
    404,
    1542,
    'There is no entity Employee(99999999999).',
  ],
  ['DELETE', 'OrderLine(7;99)', undefined, 404, 1542, 'There is no entity OrderLine(7;99).'],
  [
    'DELETE',
    'Employee:email(nobody)',
    undefined,
    404,
    1542,
    'There is no entity Employee:email(nobody).',
  ],
  [
    'DELETE',
    'Employee',
    undefined,
    400,
    1813,
    'The request does not name the entities of Employee to delete: use keys, $filter or the body.',
  ],
  [
    'POST',
    'Employee?$method=delete',
    undefined,
    400,
    1813,
    'The request does not name the entities of Employee to delete: use keys, $filter or the body.',
  ],
  [
    'POST',
    'Employee?$method=delete',
    {},
    400,
    1813,
    'The request does not name the entities of Employee to delete: use keys, $filter or the body.',
  ],
  [
    'POST',
    'Employee(1)?$method=delete',
    { lastName: 'x' },
    400,
    1813,
    'Both the URL and the body name what to delete: send one of them, or the __STAMP of the one entity in the URL.',
  ],
  [
    'DELETE',
    'Employee(1)',
    { __KEY: '2', __STAMP: 4 },
    400,
    1541,
    'The URL names Employee(1), but the body’s __KEY is 2.',
  ],
  [
    'POST',
    'Employee?$method=delete&$filter="ID=1"',
    [{ __KEY: '1' }],
    400,
    1813,
    'Both the URL and the body name what to delete: send one of them.',
  ],
  [
    'DELETE',
    'Employee(1)?$filter="ID=1"',
    undefined,
    400,
    1813,
    'The URL names what to delete by key, and by $filter as well: give one of them.',
  ],
  [
    'DELETE',
    'Employee(x)',
    undefined,
    400,
    1508,
    '"x" is not a value for Employee.ID: expected a whole number from -2147483648 to 2147483647 (at position 11 of the path)',
  ],
  [
    'DELETE',
    'Employee?$filter="lastNam=1"',
    undefined,
    404,
    1500,
    'Dataclass Employee has no attribute lastNam. Did you mean lastName? (at position 1 of $filter)',
  ],
  [
    'DELETE',
    'LogEntry(1)',
    undefined,
    400,
    1813,
    'LogEntry has no key: its entities are read by $filter only.',
  ],
  [
    'DELETE',
    'Employee(1)?$method=update',
    undefined,
    405,
    9004,
    '$method=update is not allowed on DELETE: use POST. (at position 19 of the URL)',
  ],
  [
    'POST',
    'Employee?$method=delete&$attributes=ID',
    [],
    400,
    1813,
    '$attributes does not apply to $method=delete. (at position 31 of the URL)',
  ],
];

export const writes: readonly WriteCase[] = [
  ...refused.map(([method, url, body, status, errCode, message]) => ({
    title: `§7 ${errCode} ${method} ${url}${body === undefined ? '' : `, ${JSON.stringify(body)}`}`,
    run: (rest: WriteClient) =>
      rest.refuses(
        { method, url, ...(body === undefined ? {} : { body }) },
        status,
        errCode,
        message,
      ),
  })),
  {
    title: '§7 1120 delete of what is still referred to',
    run: async (rest) => {
      const made = await rest.create('Project', project(rest));
      const given = { employee: 5, project: made.row['PRJ_ID'], role: 'T', fromDate: '2024-01-01' };
      await rest.create('Assignment', given);
      const said = 'The entity of Project is still referred to by Assignment.project.';
      const refusal = (last: string): object =>
        errors([
          [1120, said],
          [1518, last],
        ]);
      await rest.answers(
        { method: 'DELETE', url: `Project(${made.key})` },
        refusal(`Project(${made.key}) was not deleted.`),
        409,
      );
      await rest.answers(
        { method: 'DELETE', url: `Project?$filter="ID=${made.key}"` },
        refusal('No entity of Project was deleted.'),
        409,
      );
      await rest.reads(made);
    },
  },
  {
    title: '§7 1263 delete of what has changed',
    run: async (rest) => {
      const made = await rest.update(await rest.create('Category', category(rest)), {
        position: 2,
      });
      const named = `Category(${made.key})`;
      const changed = errors([
        [1263, `${named} has changed since it was read.`],
        [1518, `${named} was not deleted.`],
      ]);
      await rest.answers(
        { url: 'Category?$method=delete', body: { __KEY: made.key, __STAMP: 1 } },
        changed,
        409,
      );
      await rest.answers(
        { method: 'DELETE', url: `Category("${made.key}")`, body: { __STAMP: 1 } },
        changed,
        409,
      );
      await rest.reads(made);
    },
  },
];
