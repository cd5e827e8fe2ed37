import { afterEach, describe, expect, test } from 'vitest';
import {
  closeAll,
  failure,
  insert,
  insertInTransaction,
  open,
  refusal,
  stillWorks,
} from './scripted-sqlserver.ts';
import type { TdsAnswer } from './tds-endpoint.ts';

afterEach(closeAll);

describe('a change on SQL Server', () => {
  test('answers the rows of its last result', async () => {
    const { database } = await open([{ kind: 'rows', values: [4, 5] }]);
    expect(await insert(database)).toEqual([[4], [5]]);
    expect(await insert(database)).toEqual([]);
  });

  test.each<TdsAnswer>([{ kind: 'cut' }, { kind: 'gone' }])(
    'whose connection is lost on the way ($kind) has an unknown outcome',
    async (answer) => {
      const { database } = await open([answer]);
      const error = await failure(insert(database));
      expect([error.errorName, error.status]).toEqual(['outcomeUnknown', 503]);
      await stillWorks(database);
    },
  );

  test('whose session is killed has an unknown outcome', async () => {
    const { database } = await open([
      {
        kind: 'errors',
        errors: [{ number: 596, message: 'The session is in the kill state.', severity: 21 }],
        rolledBack: false,
      },
    ]);
    expect((await failure(insert(database))).errorName).toBe('outcomeUnknown');
  });

  test('that finds no connection is certain not to be made', async () => {
    const { database, endpoint } = await open([]);
    await endpoint.close();
    expect((await failure(insert(database))).errorName).toBe('databaseAway');
    expect((await failure(insertInTransaction(database))).errorName).toBe('databaseAway');
  });

  test('whose server does not hear of the end of it is given up with its connection', async () => {
    const { database, since } = await open([{ kind: 'deaf' }], { statementTimeoutSeconds: 0.2 });
    expect((await failure(insert(database))).errorName).toBe('outcomeUnknown');
    await stillWorks(database);
    expect(since().filter((step) => step === 'login')).toHaveLength(1);
  });

  test('that takes too long is cancelled', async () => {
    const { database, since } = await open([{ kind: 'silence' }], { statementTimeoutSeconds: 0.2 });
    expect((await failure(insert(database))).errorName).toBe('statementTimeout');
    expect(since()).toContain('attention');
    await stillWorks(database);
  });

  test('fails by an error that follows a result', async () => {
    const { database } = await open([
      { kind: 'errors', errors: [{ number: 334, message: 'Triggers.' }], rolledBack: false },
    ]);
    const error = await refusal(insert(database));
    expect(error.violation).toEqual({ rule: 'other', names: [] });
    expect(error.message).not.toContain('Triggers');
  });
});

describe('reads from a replica', () => {
  test('what writes takes connections of its own, from the first write on', async () => {
    const { database, endpoint, since } = await open([], { readOnlyIntent: true });
    await database.query('SELECT 1', []);
    expect(endpoint.seen).not.toContain('login');
    await database.primary.query('SELECT 1', []);
    await insertInTransaction(database);
    await insert(database);
    expect(since().filter((event) => event !== 'login to read')).toEqual([
      ...['request', 'login', 'login', 'request', 'begin', 'request', 'commit', 'request'],
    ]);
  });

  test('a primary that is away is tried again', async () => {
    const { database, endpoint } = await open([], { readOnlyIntent: true });
    await endpoint.close();
    expect((await failure(insert(database))).errorName).toBe('databaseAway');
    expect((await failure(database.primary.query('SELECT', []))).errorName).toBe('databaseAway');
  });

  test('is closed without ever having written', async () => {
    const { database } = await open([], { readOnlyIntent: true });
    await database.close();
    expect((await failure(insert(database))).errorName).toBe('databaseAway');
  });
});
