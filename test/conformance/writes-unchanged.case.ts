import { rowAt, rowsOf, type Row } from './oracle.ts';
import { addressOf, type WriteClient } from './write-client.ts';
import { changedRow, saved } from './write-oracle.ts';
import { employee, line, order } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

export const writes: readonly WriteCase[] = [
  {
    title: '§4.6 update: the whole entity sent back as it was read changes nothing',
    run: async (rest) => {
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
  },
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
  ).map(([dataclass, key]) => ({
    title: `§4.6 update: a sample row sent back as it was read changes nothing: ${dataclass}(${key})`,
    run: async (rest: WriteClient) => {
      const row = rowAt(dataclass, key) as Row;
      const { body } = await rest.send({ method: 'GET', url: addressOf(dataclass, row) });
      await rest.answers({ url: dataclass, body }, saved(dataclass, row));
    },
  })),
  {
    title: '§4.6 update: $asArray with an expanded collection sent back changes nothing',
    run: async (rest) => {
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
  },
  {
    title: '§4.6 update: a collection sent back with one change saves that change',
    run: async (rest) => {
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
    },
  },
];
