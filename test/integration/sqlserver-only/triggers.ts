import { expect, test } from 'vitest';
import { change, query, transaction } from '../../targets/sql.ts';
import { errors, notCreated, notUpdated, type Served } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** The triggers of `cases/written-triggers` refuse by an error or a rollback of their own. Here an error dooms the transaction, whoever catches it: XACT_ABORT is on in triggers. */
onSqlServer(
  'a trigger that catches what has doomed its transaction',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.single (id int NOT NULL PRIMARY KEY)',
      'INSERT INTO app.single VALUES (1)',
      'CREATE TABLE app.swallowing (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL)',
      "INSERT INTO app.swallowing VALUES (1, N'kept'), (2, N'free')",
      `CREATE TRIGGER app.swallow ON app.swallowing AFTER INSERT, UPDATE, DELETE AS BEGIN SET NOCOUNT ON;
      IF NOT EXISTS (SELECT 1 FROM inserted WHERE name = N'bad') AND NOT EXISTS (SELECT 1 FROM deleted WHERE name = N'kept') RETURN;
      DECLARE @number int; BEGIN TRY INSERT INTO app.single VALUES (1); END TRY BEGIN CATCH SET @number = ERROR_NUMBER(); END CATCH END`,
    ],
    mappings: {
      swallowing:
        'dataclass: Swallowing\ntable: app.swallowing\nstamp: hash\nrequireStamp: false\n',
    },
  },
  (served) => {
    const told = 'A rule of the database’s own programs refused the change of Swallowing.';
    const good = { id: 4, name: 'good' };
    const bad = { id: 5, name: 'bad' };

    test('refuses the change, and those beside it are saved', async () => {
      expect(await served.post('Swallowing', { __KEY: 1, name: 'bad' })).toEqual([
        422,
        notUpdated('Swallowing', '1', 9017, told),
      ]);
      expect(await served.post('Swallowing?$atomic=true', [good, bad])).toEqual([
        422,
        errors(
          [9017, `Element 1 of the body, a new Swallowing: ${told}`],
          [1534, 'The new entity of Swallowing was not saved.'],
          [1046, 'Nothing of the request was saved.'],
        ),
      ]);
      for (const path of [
        'Swallowing(1)?$method=delete',
        'Swallowing?$filter="id > 0"&$method=delete',
      ]) {
        expect(await served.post(path)).toMatchObject([422, { __ERROR: [{ errCode: 9017 }, {}] }]);
      }
      expect(await served.post('Swallowing', [good, bad, { id: 6, name: 'fine' }])).toMatchObject([
        200,
        {
          __ENTITIES: [
            { __STATUS: { success: true }, name: 'good' },
            notCreated('Swallowing', 9017, told),
            { __STATUS: { success: true }, name: 'fine' },
          ],
        },
      ]);
      expect(await served.get('Swallowing?$attributes=id,name')).toMatchObject([
        200,
        { __ENTITIES: ['kept', 'free', 'good', 'fine'].map((name) => ({ name })) },
      ]);
    });
  },
);

/** In seconds. */
const LIMIT = 5;

/** Rows of which one fills a page of the server's, so that the first ones are sent long before the last ones are read. */
const ROWS = 300;

onSqlServer(
  'a lock that is met in the middle of a page',
  {
    sqlserver: [
      // The default of the box, not of Azure: readers wait for writers.
      'ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT OFF',
      'CREATE SCHEMA app',
      'CREATE TABLE app.line (id int NOT NULL PRIMARY KEY, text nvarchar(4000) NOT NULL)',
      `WITH d AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) v(n))
        INSERT INTO app.line SELECT TOP (${ROWS}) n, REPLICATE(N'x', 3900) FROM
          (SELECT a.n + 10 * b.n + 100 * c.n + 1 AS n FROM d a, d b, d c) numbered ORDER BY n`,
    ],
    mappings: { line: 'dataclass: Line\ntable: app.line\nstamp: hash\n' },
    statementTimeoutSeconds: LIMIT,
  },
  (served) => {
    test('ends the page in time, and the connections serve on', async () => {
      const { database } = served.gateway;
      await transaction(database, async (other) => {
        await change(other, `UPDATE app.line SET text = N'' WHERE id = ${ROWS - 50}`);
        const begun = performance.now();
        expect(await served.get(`Line?$top=${ROWS}`)).toEqual([
          504,
          errors([9003, expect.any(String) as string]),
        ]);
        const seconds = (performance.now() - begun) / 1000;
        expect(seconds).toBeGreaterThanOrEqual(LIMIT);
        expect(seconds).toBeLessThan(LIMIT + 3);
      });
      const again = await Promise.all(
        Array.from({ length: 8 }, () => served.get(`Line?$top=${ROWS}&$attributes=id`)),
      );
      for (const answer of again) expect(answer).toMatchObject([200, { __SENT: ROWS }]);
      expect(await served.get(`Line(${ROWS - 50})`)).toMatchObject([200, { text: '' }]);
    });
  },
);

/** Waits until a statement in the database waits for a lock. */
async function untilOneWaits({ gateway }: Served): Promise<void> {
  const waiting =
    'SELECT COUNT(*) FROM sys.dm_exec_requests WHERE database_id = DB_ID() AND blocking_session_id <> 0';
  await expect
    .poll(async () => (await query(gateway.database, waiting)).flat(), { timeout: 10_000 })
    .toEqual([1]);
}

onSqlServer(
  'a system-versioned table',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      `CREATE TABLE app.version (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL, changes int NOT NULL,
        valid_from datetime2 GENERATED ALWAYS AS ROW START NOT NULL, valid_to datetime2 GENERATED ALWAYS AS ROW END NOT NULL,
        PERIOD FOR SYSTEM_TIME (valid_from, valid_to)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = app.version_history))`,
      "INSERT INTO app.version (id, name, changes) VALUES (1, N'one', 1), (2, N'two', 1)",
    ],
    mappings: {
      version:
        'dataclass: Version\ntable: app.version\nstamp: { counter: changes }\nattributes: { id: id, name: name }\n',
    },
  },
  (served) => {
    // https://learn.microsoft.com/sql/relational-databases/tables/temporal-tables: times are those of the transactions' beginnings.
    test('a row that another program changed since the save began (13535) is saved by a second try', async () => {
      const { database } = served.gateway;
      let saving: Promise<unknown> = Promise.resolve();
      await transaction(database, async (other) => {
        await change(other, "UPDATE app.version SET name = N'held' WHERE id = 1");
        saving = served.post('Version?$atomic=true', [
          { __KEY: 1, name: 'uno' },
          { __KEY: 2, name: 'due' },
        ]);
        await untilOneWaits(served);
        await change(database, "UPDATE app.version SET name = N'between' WHERE id = 2");
      });
      expect(await saving).toMatchObject([200, { __ENTITIES: [{ name: 'uno' }, { name: 'due' }] }]);
      expect(await served.get('Version?$attributes=name')).toMatchObject([
        200,
        { __ENTITIES: [{ name: 'uno' }, { name: 'due' }] },
      ]);
      const history = 'SELECT name FROM app.version_history ORDER BY id, valid_from';
      expect(await query(database, history)).toEqual([['one'], ['held'], ['two'], ['between']]);
    });
  },
);
