import { expect, test } from 'vitest';
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
