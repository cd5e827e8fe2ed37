import { expect, test } from 'vitest';
import { change, query, transaction } from '../../targets/sql.ts';
import { errors, notCreated, notUpdated, type Served } from '../shapes/engines.ts';
import { onSqlServer } from './product.ts';

/** A way in which triggers refuse a change: the statements that do it, and the text that reaches the client, if it says one. */
interface Refusal {
  readonly dataclass: string;
  readonly statements: string;
  readonly text: string | null;
}

/** https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors: 3609 and 3616 */
const refusals: readonly Refusal[] = [
  {
    dataclass: 'Raising',
    statements: "RAISERROR('Raised, and nothing else.', 16, 1);",
    text: 'Raised, and nothing else.',
  },
  { dataclass: 'Silent', statements: 'ROLLBACK TRANSACTION;', text: null },
  {
    dataclass: 'Throwing',
    statements: "ROLLBACK TRANSACTION; THROW 50001, 'Rolled back, and thrown.', 1;",
    text: 'Rolled back, and thrown.',
  },
  {
    // XACT_ABORT is on in triggers: the error has doomed the transaction, whoever catches it.
    dataclass: 'Swallowing',
    statements:
      'DECLARE @number int; BEGIN TRY INSERT INTO app.single VALUES (1); END TRY BEGIN CATCH SET @number = ERROR_NUMBER(); END CATCH',
    text: null,
  },
];

/** A table whose row `kept` is not to be changed nor deleted, and where no row may be called `bad`. */
function table({ dataclass, statements }: Refusal): string[] {
  return [
    `CREATE TABLE app.${dataclass} (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL)`,
    `INSERT INTO app.${dataclass} VALUES (1, N'kept'), (2, N'free')`,
    `CREATE TRIGGER app.${dataclass}_rule ON app.${dataclass} AFTER INSERT, UPDATE, DELETE AS BEGIN SET NOCOUNT ON;
      IF NOT EXISTS (SELECT 1 FROM inserted WHERE name = N'bad') AND NOT EXISTS (SELECT 1 FROM deleted WHERE name = N'kept') RETURN;
      INSERT INTO app.journal (what) VALUES (N'${dataclass}');
      ${statements} END`,
  ];
}

async function everything(served: Served, dataclass: string): Promise<unknown> {
  const [, rows] = await served.get(`${dataclass}?$attributes=id,name&$asArray=true`);
  const [, journal] = await served.get('Journal?$asArray=true');
  return { rows, journal };
}

onSqlServer(
  'triggers that refuse',
  {
    sqlserver: [
      'CREATE SCHEMA app',
      'CREATE TABLE app.journal (id int IDENTITY NOT NULL PRIMARY KEY, what nvarchar(20) NULL)',
      'CREATE TABLE app.single (id int NOT NULL PRIMARY KEY)',
      'INSERT INTO app.single VALUES (1)',
      ...refusals.flatMap(table),
    ],
    mappings: {
      journal: 'dataclass: Journal\ntable: app.journal\nstamp: hash\n',
      ...Object.fromEntries(
        refusals.map(({ dataclass }) => [
          dataclass,
          `dataclass: ${dataclass}\ntable: app.${dataclass}\nstamp: hash\nrequireStamp: false\n`,
        ]),
      ),
    },
  },
  (served) => {
    for (const { dataclass, text } of refusals) {
      const told =
        text ?? `A rule of the database’s own programs refused the change of ${dataclass}.`;

      /** Does what is to leave no trace. */
      const leavesNoTrace = async (work: () => Promise<void>): Promise<void> => {
        const before = await everything(served, dataclass);
        await work();
        expect(await everything(served, dataclass)).toEqual(before);
      };

      test(`${dataclass}: what is saved`, async () => {
        await leavesNoTrace(async () => {
          expect(await served.post(dataclass, { id: 3, name: 'bad' })).toEqual([
            422,
            notCreated(dataclass, 9017, told),
          ]);
          expect(await served.post(dataclass, { __KEY: 1, name: 'bad' })).toEqual([
            422,
            notUpdated(dataclass, '1', 9017, told),
          ]);
          const bodies = [
            { id: 4, name: 'good' },
            { id: 5, name: 'bad' },
          ];
          expect(await served.post(`${dataclass}?$atomic=true`, bodies)).toEqual([
            422,
            errors(
              [9017, `Element 1 of the body, a new ${dataclass}: ${told}`],
              [1534, `The new entity of ${dataclass} was not saved.`],
              [1046, 'Nothing of the request was saved.'],
            ),
          ]);
        });
      });

      test(`${dataclass}: what is deleted`, async () => {
        await leavesNoTrace(async () => {
          expect(await served.delete(`${dataclass}(1)`)).toEqual([
            422,
            errors([9017, told], [1518, `${dataclass}(1) was not deleted.`]),
          ]);
          expect(await served.post(`${dataclass}?$filter="id > 0"&$method=delete`)).toEqual([
            422,
            errors([9017, told], [1518, `No entity of ${dataclass} was deleted.`]),
          ]);
        });
      });

      test(`${dataclass}: what comes after it, and what stands beside it`, async () => {
        const bodies = [
          { id: 6, name: 'good' },
          { id: 7, name: 'bad' },
          { id: 8, name: 'fine' },
        ];
        expect(await served.post(dataclass, bodies)).toMatchObject([
          200,
          {
            __ENTITIES: [
              { __STATUS: { success: true }, name: 'good' },
              notCreated(dataclass, 9017, told),
              { __STATUS: { success: true }, name: 'fine' },
            ],
          },
        ]);
        expect(await served.delete(`${dataclass}(6)`)).toEqual([200, { ok: true }]);
        expect(await served.get(`${dataclass}?$attributes=id,name`)).toMatchObject([
          200,
          { __ENTITIES: [{ name: 'kept' }, { name: 'free' }, { name: 'fine' }] },
        ]);
      });
    }
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
