import { expect, test } from 'vitest';
import { errors, saved } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** A member table of a partitioned view; the view is written to only where each has such a check, and the key holds its column. */
const member = (year: number): string =>
  `CREATE TABLE app.sale_${year} (year int NOT NULL CHECK (year = ${year}), no int NOT NULL, amount int NULL,
    changes int NOT NULL, PRIMARY KEY (year, no))`;

const sale = (year: number, no: number, amount: number, stamp: number): object => ({
  ...saved('Sale', `{"year":${year},"no":${no}}`, { year, no, amount }, stamp),
  uri: expect.any(String) as string,
});

onSqlServer(
  'a partitioned view, which takes no OUTPUT',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      member(2023),
      member(2024),
      'CREATE VIEW app.sale AS SELECT year, no, amount, changes FROM app.sale_2023 UNION ALL SELECT year, no, amount, changes FROM app.sale_2024',
      'INSERT INTO app.sale_2023 VALUES (2023, 1, 10, 1), (2023, 2, 20, 1)',
      'INSERT INTO app.sale_2024 VALUES (2024, 1, 30, 1)',
    ],
    mappings: {
      sale: `
dataclass: Sale
view: app.sale
key: [year, no]
stamp: { counter: changes }
attributes: { year: year, no: no, amount: amount }
`,
    },
  },
  (served) => {
    test('is updated, in several of its tables at once', async () => {
      const body = { __KEY: '{"year":2023,"no":1}', __STAMP: 1, amount: 11 };
      expect(await served.post('Sale', body)).toEqual([200, sale(2023, 1, 11, 2)]);
      const both = [
        { __KEY: '{"year":2023,"no":2}', __STAMP: 1, amount: 21 },
        { __KEY: '{"year":2024,"no":1}', __STAMP: 1, amount: 31 },
      ];
      expect(await served.post('Sale?$atomic=true', both)).toEqual([
        200,
        { __ENTITIES: [sale(2023, 2, 21, 2), sale(2024, 1, 31, 2)] },
      ]);
    });

    test('takes no update by a stamp of before', async () => {
      const body = { __KEY: '{"year":2023,"no":1}', __STAMP: 1, amount: 12 };
      expect(await served.post('Sale', body)).toMatchObject([
        409,
        {
          __STATUS: { status: 2, success: false },
          __STAMP: 2,
          amount: 11,
          __ERROR: [{ errCode: 1263 }, { errCode: 1517 }],
        },
      ]);
    });

    test('is added to and deleted from', async () => {
      const added = [
        { year: 2023, no: 7, amount: 70 },
        { year: 2024, no: 7, amount: 71 },
      ];
      expect(await served.post('Sale', added)).toEqual([
        200,
        { __ENTITIES: [sale(2023, 7, 70, 1), sale(2024, 7, 71, 1)] },
      ]);
      expect(await served.post('Sale', { year: 2024, no: 7, amount: 0 })).toMatchObject([
        409,
        errors(
          [1115, expect.any(String) as string],
          [1534, 'The new entity of Sale was not saved.'],
        ),
      ]);
      expect(await served.delete('Sale(2024;7)')).toEqual([200, { ok: true }]);
      expect(await served.post('Sale?$filter="no = 7"&$method=delete')).toEqual([
        200,
        { ok: true },
        1,
      ]);
      expect(await served.get('Sale?$attributes=amount')).toMatchObject([
        200,
        { __ENTITIES: [{ amount: 11 }, { amount: 21 }, { amount: 31 }] },
      ]);
    });
  },
);

onSqlServer(
  'a view that makes a column of the time',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.emp (id int NOT NULL PRIMARY KEY, name nvarchar(20) NOT NULL)',
      "INSERT INTO app.emp VALUES (1, N'Ada')",
      'CREATE VIEW app.aged AS SELECT id, name, SYSUTCDATETIME() AS seen FROM app.emp',
    ],
    mappings: {
      aged: 'dataclass: Aged\nview: app.aged\nkey: [id]\nattributes: { id: id, name: name, seen: seen }',
    },
  },
  (served) => {
    test('leaves it out of its hashes, and takes no value for it (learn: sys-dm-exec-describe-first-result-set-transact-sql)', async () => {
      const [, read] = await served.get('Aged(1)');
      const { __STAMP } = read as { __STAMP: number };
      const [status, after] = await served.post('Aged', { __KEY: 1, __STAMP, name: 'Grace' });
      expect([status, after]).toMatchObject([200, { name: 'Grace' }]);
      const { __STAMP: next } = after as { __STAMP: number };
      expect(await served.post('Aged', { __KEY: 1, __STAMP: next, seen: null })).toMatchObject([
        422,
        { __ERROR: [{ errCode: 1516 }, { errCode: 1517 }] },
      ]);
    });
  },
);
