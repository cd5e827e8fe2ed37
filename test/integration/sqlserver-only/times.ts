import { expect, test } from 'vitest';
import { notCreated } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** Local times around the end of summer in Berlin, as the column holds them and as the gateway answers them. */
const rows: readonly (readonly [local: string, instant: string])[] = [
  ['2024-10-27T01:59:59', '2024-10-26T23:59:59.000Z'],
  ['2024-10-27T02:00:00', '2024-10-27T01:00:00.000Z'],
  ['2024-10-27T02:30:00', '2024-10-27T01:30:00.000Z'],
  ['2024-10-27T02:59:59', '2024-10-27T01:59:59.000Z'],
  ['2024-10-27T03:00:00', '2024-10-27T02:00:00.000Z'],
];

const values = rows.map(([local], index) => `(${index + 1}, '${local}', '${local}')`).join(', ');

onSqlServer(
  'the hour that clocks repeat in autumn',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.event (id int NOT NULL PRIMARY KEY, fine datetime2(7) NULL, coarse datetime NULL)',
      `INSERT INTO app.event VALUES ${values}`,
    ],
    mappings: { event: 'dataclass: Event\ntable: app.event\nstamp: hash\n' },
    settings: { timeZone: 'Europe/Berlin' },
  },
  (served) => {
    const all = rows.map(([, instant], index) => ({
      id: index + 1,
      fine: instant,
      coarse: instant,
    }));

    test('is read with the offset of winter, as PostgreSQL reads it', async () => {
      expect(await served.get('Event')).toMatchObject([200, { __ENTITIES: all }]);
    });

    test('is found by what is answered, in its order', async () => {
      for (const attribute of ['fine', 'coarse']) {
        for (const [index, [, instant]] of rows.entries()) {
          expect(await served.get(`Event?$filter="${attribute} = ${instant}"`)).toMatchObject([
            200,
            { __COUNT: 1, __ENTITIES: [all[index]] },
          ]);
          expect(await served.get(`Event?$filter="${attribute} < ${instant}"`)).toMatchObject([
            200,
            { __ENTITIES: all.slice(0, index) },
          ]);
        }
      }
    });

    test('is saved as it is answered, and what would come back as another hour is refused', async () => {
      const again = { fine: '2024-10-27T01:30:00.000Z', coarse: '2024-10-27T01:30:00.000Z' };
      expect(await served.post('Event', { id: 8, ...again })).toMatchObject([200, again]);
      expect(await served.get('Event(8)')).toMatchObject([200, again]);
      const twice = expect.stringContaining('clocks show this hour twice') as string;
      for (const attribute of ['fine', 'coarse']) {
        const first = { id: 9, [attribute]: '2024-10-27T00:30:00Z' };
        expect(await served.post('Event', first)).toEqual([400, notCreated('Event', 1508, twice)]);
      }
      expect(await served.get('Event(9)')).toMatchObject([404, {}]);
    });
  },
);
