import type { Row } from './oracle.ts';
import type { Made, WriteClient } from './write-client.ts';
import { changedRow, dryRun, newRow, saved, type Given } from './write-oracle.ts';
import { country, employee, line, order } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

/** An entity that was saved by a natural key. */
function ended(created: boolean, entity: object): object {
  return { ...entity, __STATUS: { success: true, created } };
}

/** Updates an entity by a natural key, which the body gives. */
async function upserted(rest: WriteClient, key: string, made: Made, given: Given): Promise<Row> {
  const { dataclass } = made;
  const row = changedRow(dataclass, made.row, given);
  const url = `${dataclass}?$method=update&$key=${key}`;
  rest.same(
    await rest.send({ url: `${url}&$refresh=true`, body: given }),
    ended(false, dryRun(dataclass, row, made.row)),
  );
  rest.same(await rest.send({ url, body: given }), ended(false, saved(dataclass, row)));
  rest.same(await rest.send({ url: `${url}&$atomic=true`, body: [given] }), {
    __ENTITIES: [ended(false, saved(dataclass, row))],
  });
  await rest.reads({ ...made, row });
  return row;
}

/** What `$key` does not go with. */
const refusals: readonly (readonly [url: string, status: number, code: number, message: string])[] =
  [
    [
      'Employee?$key=lastName',
      400,
      1813,
      'No unique index of Employee is made of lastName and nothing else, over all rows: it finds no single entity. Unique: ID; email.',
    ],
    [
      'Employee?$key=mail',
      404,
      1500,
      'Dataclass Employee has no attribute mail. Did you mean email? (at position 1 of $key)',
    ],
    [
      'Employee?$key=email,employer.name',
      400,
      1813,
      '$key names attributes of Employee that have a column of their own, and relations by the key of what they lead to: employer.name is neither (at position 7 of $key)',
    ],
    [
      'Employee(1)?$key=email',
      400,
      1813,
      '$key finds the entities of the body, but the URL names which to save: leave one of them out. (at position 19 of the URL)',
    ],
    [
      'Employee?$method=insert&$key=email',
      400,
      1813,
      '$key is allowed with $method=update only. (at position 31 of the URL)',
    ],
    [
      'Employee?$method=delete&$key=email',
      400,
      1813,
      '$key does not apply to $method=delete. (at position 31 of the URL)',
    ],
  ];

export const writes: readonly WriteCase[] = [
  {
    title: '§4.6 $key: the entity of a unique attribute is updated',
    run: async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      await upserted(rest, 'email', made, { ...employee(rest), grade: 3 });
    },
  },
  {
    title: '§4.6 $key: the key itself finds an entity, padded by CHAR',
    run: async (rest) => {
      const made = await rest.create('Country', country(rest));
      await upserted(rest, 'code', made, { ...country(rest), population: 7 });
    },
  },
  {
    title: '§4.6 $key: several attributes, or a relation in the place of one',
    run: async (rest) => {
      const { row } = await rest.create('Order', order());
      const given = line(row['ORD_NO']);
      const made = await rest.create('OrderLine', given);
      const before = await upserted(rest, 'line,orderNo', made, { ...given, quantity: 9 });
      const changed = { ...given, quantity: 10 };
      const other = { order: row['ORD_NO'], line: 1, quantity: 10 };
      const after = changedRow('OrderLine', before, changed);
      rest.same(
        await rest.send({ url: 'OrderLine?$key=order,line', body: other }),
        ended(false, saved('OrderLine', after)),
      );
    },
  },
  {
    title: '§4.6 $key: an entity whose values no other has is created',
    run: async (rest) => {
      const given = country(rest);
      const url = 'Country?$key=code';
      const row = newRow('Country', given);
      rest.same(await rest.send({ url, body: given }), ended(true, saved('Country', row)));
      const second = changedRow('Country', row, { population: 2 });
      const body = [
        { ...given, population: 2 },
        { ...country(rest, 'a'), population: 3 },
      ];
      const other = newRow('Country', { ...country(rest, 'a'), population: 3 });
      rest.same(await rest.send({ url, body }), {
        __ENTITIES: [ended(false, saved('Country', second)), ended(true, saved('Country', other))],
      });
    },
  },
  ...refusals.map(([url, status, code, message]) => ({
    title: `§4.6 $key is refused: ${url}`,
    run: async (rest: WriteClient) => {
      await rest.refuses({ url, body: {} }, status, code, message);
    },
  })),
];
