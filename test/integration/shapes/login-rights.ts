import { describe, expect, test } from 'vitest';
import { randomBytes } from 'node:crypto';
import { errors, notCreated, notUpdated, type Served, type Shape } from './engines.ts';

/** A login of the server's, of this run alone. */
const LOGIN = `entitygate_test_${randomBytes(6).toString('hex')}`;

/** The keys of what a login may change in part. */
export const PARTLY = Array.from({ length: 40 }, (_, index) => index + 1);

const tables = [
  'CREATE TABLE app.readable (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.readable VALUES (1, 'a')",
  'CREATE TABLE app.partly (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, pay int NULL)',
  `INSERT INTO app.partly VALUES ${PARTLY.map((id) => `(${id}, 'a', 5)`).join(', ')}`,
  'CREATE TABLE app.deletable (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  "INSERT INTO app.deletable VALUES (1, 'a')",
];

const grants = [
  `GRANT SELECT ON app.readable TO ${LOGIN}`,
  `GRANT SELECT ON app.partly TO ${LOGIN}`,
  `GRANT SELECT, DELETE ON app.deletable TO ${LOGIN}`,
  `GRANT UPDATE (name) ON app.partly TO ${LOGIN}`,
];

/** Tables that the gateway's login may not write, or only in part. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join(';\n')};
CREATE ROLE ${LOGIN} LOGIN PASSWORD 'secret-1A';
GRANT USAGE ON SCHEMA app TO ${LOGIN}; ${grants.join(';\n')};
CREATE FUNCTION app.hide_deletable() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'REVOKE SELECT ON app.deletable FROM ${LOGIN}';`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...tables,
    `CREATE LOGIN ${LOGIN} WITH PASSWORD = 'secret-1A'`,
    `CREATE USER ${LOGIN} FOR LOGIN ${LOGIN}`,
    ...grants,
  ],
  mappings: {
    readable: 'dataclass: Readable\ntable: app.readable\nstamp: hash\n',
    deletable: 'dataclass: Deletable\ntable: app.deletable\nstamp: hash\n',
    partly: 'dataclass: Partly\ntable: app.partly\nstamp: hash\n',
  },
  login: { user: LOGIN, password: 'secret-1A' },
};

const UNNUMBERED = 'Babelfish gives missing rights no number of SQL Server';

/** How many statements it takes to refuse many entities. */
export function refusedTogether(served: Served): void {
  const mayNot = (change: string, name: string): string =>
    `The database does not let entities of ${name} be ${change}d in this way: a right is lacking there, or a policy stands against it.`;

  describe('of many entities those that may not be written are not tried one by one', () => {
    /** New entities, changes that may be made, and changes that may not, in turns. */
    const elements = async (name: string): Promise<object[]> => {
      const [, page] = await served.get('Partly');
      return (page as { __ENTITIES: { __KEY: string; __STAMP: number }[] }).__ENTITIES.flatMap(
        ({ __KEY, __STAMP }) => [
          { __KEY, __STAMP, ...(Number(__KEY) % 2 === 0 ? { name } : { pay: 7 }) },
          { id: 1000 + Number(__KEY) },
        ],
      );
    };
    const ended = PARTLY.flatMap((id): unknown[] => [
      id % 2 === 0
        ? expect.objectContaining({ __KEY: `${id}`, __STATUS: { success: true } })
        : notUpdated('Partly', `${id}`, 1558, mayNot('update', 'Partly')),
      notCreated('Partly', 1559, mayNot('create', 'Partly')),
    ]);

    test.for(['', '?$method=update&$refresh=true'])('Partly%s', async (parameters, { skip }) => {
      skip(served.isBabelfish, UNNUMBERED);
      const body = await elements(`c${parameters.length}`);
      served.gateway.takeStatements();
      const [status, answer] = await served.post(`Partly${parameters}`, body);
      expect(served.gateway.takeStatements().length).toBeLessThanOrEqual(10);
      expect([status, answer]).toEqual([200, { __ENTITIES: ended }]);
    });

    test('and of all or none the first is named', async ({ skip }) => {
      skip(served.isBabelfish, UNNUMBERED);
      const body = await elements('d');
      served.gateway.takeStatements();
      expect(await served.post('Partly?$atomic=true', body)).toEqual([
        403,
        errors(
          [1559, `Element 1 of the body, a new Partly: ${mayNot('create', 'Partly')}`],
          [1534, 'The new entity of Partly was not saved.'],
          [1046, 'Nothing of the request was saved.'],
        ),
      ]);
      expect(served.gateway.takeStatements().length).toBeLessThanOrEqual(3);
    });

    test('nor where they may not even be read any more', async ({ skip }) => {
      skip(served.isSqlServer, 'the shape lets only PostgreSQL’s login take a right from itself');
      const keys = PARTLY.map((id) => ({ __KEY: `${id}`, __STAMP: 1 }));
      await served.run('SELECT app.hide_deletable()');
      served.gateway.takeStatements();
      expect(await served.post('Deletable?$method=delete', keys)).toEqual([
        200,
        {
          ok: false,
          __ENTITIES: PARTLY.map((id) => ({
            __STATUS: { success: false },
            __KEY: `${id}`,
            ...errors(
              [1560, mayNot('delete', 'Deletable')],
              [1518, `Deletable(${id}) was not deleted.`],
            ),
          })),
        },
      ]);
      expect(served.gateway.takeStatements().length).toBeLessThanOrEqual(2);
    });
  });
}
