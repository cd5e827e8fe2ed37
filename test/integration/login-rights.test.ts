import { describe, expect, test } from 'vitest';
import { errors, notCreated, notUpdated, onEngines } from './shapes/engines.ts';
import { PARTLY, shape } from './shapes/login-rights.ts';

const UNNUMBERED = 'Babelfish gives missing rights no number of SQL Server';

onEngines('rights of the gateway’s login', shape, (served) => {
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
});
