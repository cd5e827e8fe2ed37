import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { saved } from '../shapes/engines.ts';
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
