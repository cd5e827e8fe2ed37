import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { mapped, errors, saved } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** A login of the server's, of this run alone. */
const LOGIN = `entitygate_test_${randomBytes(6).toString('hex')}`;

/** What the catalog lists of a dataclass. */
interface Listed {
  readonly dataClasses: readonly { readonly attributes: readonly { readonly name: string }[] }[];
}

onSqlServer(
  'columns that a login may not see as they are',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.denied (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, pay int NULL)',
      "INSERT INTO app.denied VALUES (1, N'Ada', 5000)",
      // Whose owner is the table's: the right to it is enough.
      'CREATE VIEW app.payroll AS SELECT id, pay FROM app.denied',
      `CREATE TABLE app.masked (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL,
        email nvarchar(40) MASKED WITH (FUNCTION = 'default()') NULL, changes int NOT NULL)`,
      "INSERT INTO app.masked VALUES (1, N'Ada', N'ada@example.com', 1)",
      `CREATE COLUMN MASTER KEY elsewhere WITH (KEY_STORE_PROVIDER_NAME = N'MSSQL_CERTIFICATE_STORE',
        KEY_PATH = N'CurrentUser/My/0000000000000000000000000000000000000000')`,
      `CREATE COLUMN ENCRYPTION KEY made_up WITH VALUES (COLUMN_MASTER_KEY = elsewhere, ALGORITHM = 'RSA_OAEP',
        ENCRYPTED_VALUE = 0x${'01'.repeat(256)})`,
      `CREATE TABLE app.encrypted (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL,
        ssn nvarchar(11) COLLATE Latin1_General_BIN2 ENCRYPTED WITH (COLUMN_ENCRYPTION_KEY = made_up, ENCRYPTION_TYPE = DETERMINISTIC,
        ALGORITHM = 'AEAD_AES_256_CBC_HMAC_SHA_256') NULL)`,
      "INSERT INTO app.encrypted (id, name) VALUES (1, N'Ada')",
      `CREATE LOGIN ${LOGIN} WITH PASSWORD = 'Secret-1A'`,
      `CREATE USER ${LOGIN} FOR LOGIN ${LOGIN}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON SCHEMA::app TO ${LOGIN}`,
      `DENY SELECT ON app.denied (pay) TO ${LOGIN}`,
    ],
    mappings: {
      denied: 'dataclass: Denied\ntable: app.denied\nstamp: hash\n',
      payroll:
        'dataclass: Payroll\nview: app.payroll\nkey: [id]\nstamp: { counter: pay }\nreadOnly: true\n',
      masked:
        'dataclass: Masked\ntable: app.masked\nstamp: { counter: changes }\nattributes: { id: id, name: name, email: email }\n',
      encrypted: 'dataclass: Encrypted\ntable: app.encrypted\nstamp: hash\n',
    },
    login: { user: LOGIN, password: 'Secret-1A' },
  },
  (served) => {
    const attributesOf = async (dataclass: string): Promise<readonly string[]> => {
      const [, body] = await served.get(`$catalog/${dataclass}`);
      return (body as Listed).dataClasses.flatMap(({ attributes }) =>
        attributes.map(({ name }) => name),
      );
    };

    const stampOf = async (path: string): Promise<number> => {
      const [, body] = await served.get(path);
      return (body as { readonly __STAMP: number }).__STAMP;
    };

    test.each(['Denied', 'Encrypted'])('%s: the column is left out', async (dataclass) => {
      expect(await attributesOf(dataclass)).toEqual(['id', 'name']);
      expect(await served.get(`${dataclass}(1)`)).toEqual([
        200,
        {
          __entityModel: dataclass,
          __DATACLASS: dataclass,
          __KEY: '1',
          __STAMP: expect.any(Number) as number,
          id: 1,
          name: 'Ada',
        },
      ]);
      expect(await served.get(`${dataclass}?$filter="name = Ada"&$orderby=name`)).toMatchObject([
        200,
        { __COUNT: 1, __ENTITIES: [{ id: 1, name: 'Ada' }] },
      ]);
      expect(await served.get(`${dataclass}?$top=0`)).toMatchObject([200, { __COUNT: 1 }]);
    });

    test.each(['Denied', 'Encrypted'])('%s: what is left is written', async (dataclass) => {
      const __STAMP = await stampOf(`${dataclass}(1)`);
      expect(await served.post(dataclass, { __KEY: 1, __STAMP, name: 'Eve' })).toEqual([
        200,
        saved(dataclass, '1', { id: 1, name: 'Eve' }),
      ]);
      expect(await served.post(dataclass, { id: 2, name: 'Bob' })).toEqual([
        200,
        saved(dataclass, '2', { id: 2, name: 'Bob' }),
      ]);
      expect(await served.delete(`${dataclass}(2)`)).toEqual([200, { ok: true }]);
      expect(await served.get(`${dataclass}?$attributes=name`)).toMatchObject([
        200,
        { __COUNT: 1, __ENTITIES: [{ name: 'Eve' }] },
      ]);
    });

    test('what the login may not read is as it was', async () => {
      expect(await served.get('Payroll(1)')).toMatchObject([200, { id: 1, pay: 5000 }]);
    });

    test('a mask is answered, and sent back does not become the value', async () => {
      const masked = { id: 1, email: 'xxxx' };
      expect(await served.get('Masked(1)')).toMatchObject([
        200,
        { ...masked, name: 'Ada', __STAMP: 1 },
      ]);
      expect(await served.post('Masked', { __KEY: 1, __STAMP: 1, ...masked, name: 'Eve' })).toEqual(
        [200, saved('Masked', '1', { ...masked, name: 'Eve' }, 2)],
      );
      // A mask hides what is answered: https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking
      expect(await served.get('Masked?$filter="email = \'ada@example.com\'"')).toMatchObject([
        200,
        { __COUNT: 1, __ENTITIES: [{ ...masked, name: 'Eve' }] },
      ]);
    });
  },
);

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
    mappings: mapped(`
sale: {dataclass: Sale, view: app.sale, key: [year, no], stamp: {counter: changes}, attributes: {year: year, no: no, amount: amount}}
`),
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
