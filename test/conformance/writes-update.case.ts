import { expect } from 'vitest';
import { keyOf, oneEntity, type Row, rowAt, rowsOf } from './oracle.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { changedRow, conflict, type Given, saved } from './write-oracle.ts';
import {
  category,
  country,
  day,
  document,
  employee,
  holiday,
  line,
  order,
  product,
  project,
  rate,
} from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';

/** Each way of the gateway to a stamp: a counter, a counter that a trigger counts as well, the engine's, a hash. */
export const stamped: readonly (readonly [
  how: string,
  make: (rest: WriteClient) => Promise<Made>,
  change: Given,
  again: Given,
])[] = [
  [
    'Employee',
    (rest) => rest.create('Employee', employee(rest)),
    { lastName: 'Lovelace' },
    { note: 'x' },
  ],
  ['Country', (rest) => rest.create('Country', country(rest)), { population: 5 }, { inEU: true }],
  [
    'Product',
    (rest) => rest.create('Product', product(rest)),
    { stock: 7, discontinued: false },
    { rating: 3 },
  ],
  [
    'ExchangeRate',
    (rest) => rest.create('ExchangeRate', rate(rest)),
    { rate: 1.5 },
    { spread: 0.001 },
  ],
  [
    'Holiday',
    (rest) => rest.create('Holiday', holiday(rest)),
    { halfDay: true, closingTime: '12:30:00' },
    { name: 'Another day' },
  ],
  [
    'Assignment',
    async (rest) => {
      const { row } = await rest.create('Project', project(rest));
      return rest.create('Assignment', {
        employee: 3,
        project: row['PRJ_ID'],
        role: 'Tester',
        fromDate: day(rest),
      });
    },
    { allocation: 12.5 },
    { billable: false, toDate: '2030-01-01' },
  ],
  [
    'Document',
    (rest) => rest.create('Document', document()),
    { hash: -1 },
    { mimeType: 'text/html' },
  ],
];

function update({ key, stamp, dataclass }: Made, given: Given): { url: string; body: object } {
  return { url: `${dataclass}?$method=update`, body: { __KEY: key, __STAMP: stamp, ...given } };
}

const updates: readonly WriteCase[] = [
  ...(
    [
      ['a counter', 'Category', category, 'position', [601, 602, 603, 604]],
      ['a row version, or xmin', 'Product', product, 'name', ['A', 'B', 'C', 'D']],
      ['a hash', 'ExchangeRate', rate, 'rate', [1.5, 1.75, 2, 2.25]],
      ['a hash, or xmin', 'Holiday', holiday, 'name', ['A', "B's", 'C', 'd']],
    ] as const
  ).flatMap(([stamp, dataclass, given, attribute, values]) => [
    writing(`§2.1 of four saves with one stamp one wins: ${stamp}`, async (rest) => {
      const one = await rest.create(dataclass, given(rest));
      const body = { __KEY: one.key, __STAMP: one.stamp };
      const answers = await Promise.all(
        values.map((value) => rest.send({ url: dataclass, body: { ...body, [attribute]: value } })),
      );
      const won = values.filter((_, index) => answers[index]?.status === 200);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      await rest.reads({
        ...one,
        row: changedRow(dataclass, one.row, { [attribute]: won[0] }),
      });
    }),
    writing(`§2.1 of four deletes with one stamp one wins: ${stamp}`, async (rest) => {
      const one = await rest.create(dataclass, given(rest));
      const body = { __KEY: one.key, __STAMP: one.stamp };
      const url = `${dataclass}?$method=delete`;
      const answers = await Promise.all(values.map(() => rest.send({ url, body })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
      await rest.gone(one);
    }),
  ]),
  ...stamped.map(([dataclass, make, change, again]) =>
    writing(`§4.6 update changes what is named, and the stamp: ${dataclass}`, async (rest) => {
      const made = await make(rest);
      const changed = await rest.update(made, change);
      await rest.reads(await rest.update(changed, again));
    }),
  ),
  ...stamped.map(([dataclass, make, change]) =>
    writing(`§4.6 update that changes nothing keeps the stamp: ${dataclass}`, async (rest) => {
      const made = await rest.update(await make(rest), change);
      const same = { ...saved(made.dataclass, made.row), __STAMP: made.stamp };
      await rest.answers(update(made, change), same);
      await rest.answers(update(made, {}), same);
      await rest.answers(
        { method: 'GET', url: addressOf(made.dataclass, made.row) },
        { ...oneEntity(made.dataclass, made.row), __STAMP: made.stamp },
      );
    }),
  ),
  ...stamped.map(([dataclass, make, change, again]) =>
    writing(
      `§7 update of what has changed is a conflict, and writes nothing: ${dataclass}`,
      async (rest) => {
        const made = await make(rest);
        const changed = await rest.update(made, change);
        await rest.answers(
          update(made, again),
          { ...conflict(made.dataclass, changed.row), __STAMP: changed.stamp },
          409,
        );
        await rest.reads(changed);
      },
    ),
  ),
  writing(
    '§2.3 __GlobalStamp goes on with each change, whatever dataclass is read',
    async (rest) => {
      const globalStamp = async (): Promise<number> => {
        const { body } = await rest.send({ method: 'GET', url: 'Holiday?$top=1' });
        return (body as { __GlobalStamp: number }).__GlobalStamp;
      };
      const before = await globalStamp();
      const made = await rest.create('Product', product(rest));
      const created = await globalStamp();
      expect(created).toBeGreaterThan(before);
      await rest.update(made, { stock: 7 });
      expect(await globalStamp()).toBeGreaterThan(created);
    },
  ),
  writing('§4.6 update of a sample row sets its timestamp', async (rest) => {
    const row = rowAt('Country', 'AQ') as Row;
    const before = { dataclass: 'Country', row, key: 'AQ', stamp: row['REC_VER'] } as const;
    await rest.reads(await rest.update(before, { population: 1000 }));
  }),
  writing('§4.6 update by key and stamp in quotes', async (rest) => {
    const { row } = await rest.create('Category', category(rest));
    const body = { __KEY: keyOf('Category', row), __STAMP: '1', position: 3 };
    const changed = changedRow('Category', row, { position: 3 });
    await rest.answers({ url: 'Category', body }, saved('Category', changed));
  }),
  writing('§4.6 update by a key that is a number', async (rest) => {
    const { row } = await rest.create('Employee', employee(rest));
    const body = { __KEY: row['EMP_NO'], __STAMP: 1, note: 'x' };
    await rest.answers(
      { url: 'Employee', body },
      saved('Employee', changedRow('Employee', row, { note: 'x' })),
    );
  }),
  ...[
    ['as text', (row: Row) => keyOf('ExchangeRate', row)],
    ['as an object', (row: Row) => ({ date: row['RATE_DT'], currency: row['CURR_CD'] })],
    ['as parts', (row: Row) => `${String(row['CURR_CD'])};${String(row['RATE_DT'])}`],
  ].map(([how, key]) =>
    writing(`§4.6 update by a key of two parts ${how as string}`, async (rest) => {
      const made = await rest.create('ExchangeRate', rate(rest));
      const body = {
        __KEY: (key as (row: Row) => unknown)(made.row),
        __STAMP: made.stamp,
        rate: 2,
      };
      const changed = changedRow('ExchangeRate', made.row, { rate: 2 });
      await rest.answers({ url: 'ExchangeRate', body }, saved('ExchangeRate', changed));
    }),
  ),
  ...(['POST', 'PUT', 'PATCH'] as const).map((method) =>
    writing(`§4.6 update: ${method} with the key in the URL`, async (rest) => {
      const { row } = await rest.create('Country', country(rest));
      const url = addressOf('Country', row);
      const changed = changedRow('Country', row, { name: 'Atlantis' });
      await rest.answers(
        { method, url, body: { __STAMP: 1, name: 'Atlantis' } },
        saved('Country', changed),
      );
      await rest.answers(
        { method, url: `${url}?$method=update`, body: { __KEY: row['CTRY_CD'], __STAMP: 2 } },
        saved('Country', changed),
      );
    }),
  ),
  writing('§4.6 update of the entity that a unique attribute in the URL names', async (rest) => {
    const { row } = await rest.create('Employee', employee(rest));
    await rest.answers(
      {
        url: `Employee:email(ada${rest.number}@case.example)`,
        body: { __STAMP: 1, grade: 3 },
      },
      saved('Employee', changedRow('Employee', row, { grade: 3 })),
    );
  }),
  writing(
    '§4.6 update of the entity that a unique attribute names in another case, as it is read',
    async (rest) => {
      const { row } = await rest.create('Employee', employee(rest));
      await rest.answers(
        {
          url: `Employee:email(ADA${rest.number}@Case.Example)`,
          body: { __STAMP: 1, grade: 3 },
        },
        saved('Employee', changedRow('Employee', row, { grade: 3 })),
      );
    },
  ),
  writing('§4.6 update: $attributes and $expand shape the answer', async (rest) => {
    const { row } = await rest.create('Employee', { ...employee(rest), employer: 1, manager: 2 });
    const attributes = 'lastName,employer.name,manager.employer.city';
    const first = changedRow('Employee', row, { grade: 1 });
    await rest.answers(
      {
        url: `Employee?$method=update&$attributes=${attributes}`,
        body: { __KEY: row['EMP_NO'], __STAMP: 1, grade: 1 },
      },
      saved('Employee', first, { attributes }),
    );
    const second = changedRow('Employee', first, { grade: 2, manager: 3 });
    await rest.answers(
      {
        url: 'Employee?$method=update&$expand=manager,employer',
        body: { __KEY: row['EMP_NO'], __STAMP: 2, grade: 2, manager: 3 },
      },
      saved('Employee', second, { expand: 'manager,employer' }),
    );
  }),
];

const unchanged: readonly WriteCase[] = [
  writing(
    '§4.6 update: the whole entity sent back as it was read changes nothing',
    async (rest) => {
      const made = await rest.create(
        'Employee',
        {
          ...employee(rest),
          employer: 1,
          department: 'IT',
          manager: 1,
          photo: 'iVBORw0KGgo=',
        },
        { PHOTO_IMG: Buffer.from('iVBORw0KGgo=', 'base64') },
      );
      const { body: read } = await rest.reads(made);
      await rest.answers(
        { url: 'Employee?$method=update', body: read },
        saved('Employee', made.row),
      );
      const { body: answered } = await rest.send({ url: 'Employee?$method=update', body: read });
      await rest.answers({ url: 'Employee', body: answered }, saved('Employee', made.row));
      await rest.reads(made);
    },
  ),
  ...(
    [
      ['Employee', 400],
      ['Company', 3],
      ['Product', 2],
      ['Order', 7],
      ['Document', 'c0ffee00-0000-4000-8000-000000000003'],
      ['Project', 3],
      ['Department', 'R&D'],
      ['User', 2],
    ] as const
  ).map(([dataclass, key]) =>
    writing(
      `§4.6 update: a sample row sent back as it was read changes nothing: ${dataclass}(${key})`,
      async (rest) => {
        const row = rowAt(dataclass, key) as Row;
        const { body } = await rest.send({ method: 'GET', url: addressOf(dataclass, row) });
        await rest.answers({ url: dataclass, body }, saved(dataclass, row));
      },
    ),
  ),
  writing(
    '§4.6 update: $asArray with an expanded collection sent back changes nothing',
    async (rest) => {
      const { body } = await rest.send({
        method: 'GET',
        url: 'Company?$filter=ID<4&$attributes=name,employees.lastName&$asArray=true',
      });
      const rows = [1, 2, 3].map((key) => rowAt('Company', key) as Row);
      // Those that other cases have made are left out.
      const read = (body as { employees: { __KEY: number }[] }[]).map((entity) => ({
        ...entity,
        employees: entity.employees.filter(({ __KEY }) => __KEY <= rowsOf('Employee').length),
      }));
      await rest.answers(
        { url: 'Company', body: read },
        {
          __ENTITIES: rows.map((row) => ({
            ...saved('Company', row),
            employees: {
              __ENTITIES: rowsOf('Employee')
                .filter(({ COMP_ID }) => COMP_ID === row['CMP_ID'])
                .map((one) => saved('Employee', one)),
            },
          })),
        },
      );
      const { body: none } = await rest.send({
        method: 'GET',
        url: 'Employee?$filter=ID=400&$attributes=directReports.lastName&$asArray=true',
      });
      await rest.answers(
        { url: 'Employee', body: none },
        {
          __ENTITIES: [
            { ...saved('Employee', rowAt('Employee', 400)), directReports: { __ENTITIES: [] } },
          ],
        },
      );
    },
  ),
  writing('§4.6 update: a collection sent back with one change saves that change', async (rest) => {
    const { row: head } = await rest.create('Order', order());
    const first = await rest.create('OrderLine', line(head['ORD_NO'], 1));
    const second = await rest.create('OrderLine', line(head['ORD_NO'], 2));
    const { body } = await rest.send({
      method: 'GET',
      url: `${addressOf('Order', head)}/lines`,
    });
    const read = body as { __ENTITIES: object[] };
    const [one, two] = read.__ENTITIES;
    await rest.answers(
      { url: 'OrderLine', body: { ...read, __ENTITIES: [one, { ...two, quantity: 9 }] } },
      {
        __ENTITIES: [
          saved('OrderLine', first.row),
          saved('OrderLine', changedRow('OrderLine', second.row, { quantity: 9 })),
        ],
      },
    );
  }),
];

export const writes: readonly WriteCase[] = [...updates, ...unchanged];
