import { expect } from 'vitest';
import type { Request } from './client.ts';
import { oneEntity, rowAt, type Row } from './oracle.ts';
import { addressOf, type WriteClient } from './write-client.ts';
import { changedRow, conflict, failed, newRow, saved } from './write-oracle.ts';
import { employee } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

/** Requests that are refused as a whole. */
const requests: readonly (readonly [
  title: string,
  request: Request,
  status: number,
  errCode: number,
  message: string,
])[] = [
  [
    'several keys in the URL of an update',
    { url: 'Employee(1,2)', body: { __STAMP: 4 } },
    400,
    1813,
    'The URL names the entity to save: expected one key, and one object in the body.',
  ],
  [
    'an array for one entity',
    { url: 'Employee(1)', body: [{ __STAMP: 4 }] },
    400,
    1813,
    'The URL names the entity to save: expected one key, and one object in the body.',
  ],
  [
    '$method=insert of a key',
    { url: 'Employee(1)?$method=insert', body: {} },
    400,
    1813,
    'A new entity has no key yet: $method=insert is not allowed with a key.',
  ],
  [
    'an unknown dataclass',
    { url: 'Employe', body: {} },
    404,
    1800,
    'There is no dataclass Employe. Did you mean Employee?',
  ],
  [
    'what stands behind an entity',
    { url: 'Employee(1)/employer?$method=update', body: {} },
    400,
    1813,
    '$method=update applies to Employee and its entities, such as Employee(key), not to what stands behind them in the path. The bytes of an image or BLOB need $rawPict=image/png or $binary=true.',
  ],
  [
    'an unknown attribute in $attributes',
    { url: 'Employee?$attributes=nope', body: {} },
    404,
    1500,
    'Dataclass Employee has no attribute nope. Did you mean note? (at position 1 of $attributes)',
  ],
  [
    'an unknown attribute in $filter',
    { url: 'Employee?$atomic=true&$filter="lastNam=1"', body: [] },
    404,
    1500,
    'Dataclass Employee has no attribute lastNam. Did you mean lastName? (at position 1 of $filter)',
  ],
  [
    'a filter without $atomic',
    { method: 'PATCH', url: 'Employee?$filter="ID=1"', body: { lastName: 'x' } },
    400,
    1813,
    '$filter changes nothing: it chooses what a save with $atomic=true answers. To change what it finds, read that, and save it by __KEY. (at position 16 of the URL)',
  ],
];

export const writes: readonly WriteCase[] = [
  ...requests.map(([title, request, status, errCode, message]) => ({
    title: `§7 ${errCode} ${title}`,
    run: (rest: WriteClient) => rest.refuses(request, status, errCode, message),
  })),
  {
    title: '§4.6 an array: each element on its own, those that fail say why',
    run: async (rest) => {
      const old = await rest.create('Employee', employee(rest));
      const marie = rowAt('Employee', 1) as Row;
      const answer = await rest.send({
        url: 'Employee?$method=update',
        body: [
          { __KEY: old.key, __STAMP: 1, note: 'changed' },
          { __KEY: '99999', __STAMP: 1 },
          { __KEY: '1', __STAMP: 99, note: 'x' },
          { ...employee(rest, 'a'), hireDate: 'never' },
          { ...employee(rest, 'b'), lastName: 'Lovelace', ID: null },
          { __KEY: '2', note: 'x' },
          { ...employee(rest, 'c'), email: 'marie.dubois@acme.example' },
        ],
      });
      const { __ENTITIES: got } = answer.body as { __ENTITIES: { ID: number }[] };
      const changed = changedRow('Employee', old.row, { note: 'changed' });
      const given = { ...employee(rest, 'b'), lastName: 'Lovelace' };
      const made = newRow('Employee', given, { EMP_NO: got[4]?.ID ?? 0 });
      expect(answer.body).toEqual({
        __ENTITIES: [
          saved('Employee', changed),
          failed('99999', [1542, 'There is no entity Employee(99999).']),
          conflict('Employee', marie),
          failed(null, [
            1508,
            '"never" is not a value for Employee.hireDate: expected a date such as 2024-12-31.',
          ]),
          saved('Employee', made),
          failed('2', [
            1263,
            'Employee(2) cannot be updated without its __STAMP: send the __STAMP that it was read with.',
          ]),
          failed(
            null,
            [1115, 'Employee.email has to be unique, and another entity has this value already.'],
            [1534, 'The new entity of Employee was not saved.'],
          ),
        ],
      });
      for (const row of [changed, made]) {
        await rest.answers(
          { method: 'GET', url: addressOf('Employee', row) },
          oneEntity('Employee', row),
        );
      }
      await rest.answers({ method: 'GET', url: 'Employee(1)' }, oneEntity('Employee', marie));
    },
  },
];
