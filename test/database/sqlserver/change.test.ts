import { afterEach, describe, expect, test } from 'vitest';
import {
  closeAll,
  failure,
  insert,
  insertInTransaction,
  open,
  refusal,
  stillWorks,
} from './scripted.ts';
import type { TdsAnswer } from './tds-endpoint.ts';
import { query } from '../../targets/sql.ts';

afterEach(closeAll);

describe('a change on SQL Server', () => {
  test('answers the rows of its last result', async () => {
    const { database } = await open([{ kind: 'rows', values: [4, 5] }]);
    expect(await insert(database)).toEqual([[4], [5]]);
    expect(await insert(database)).toEqual([]);
  });

  test.each<TdsAnswer>([{ kind: 'cut' }, { kind: 'gone' }])(
    'whose connection is lost on the way ($kind) was not made: it is a transaction of its own',
    async (answer) => {
      const { database } = await open([answer]);
      const error = await failure(insert(database));
      expect([error.errorName, error.status]).toEqual(['databaseUnavailable', 503]);
      await stillWorks(database);
    },
  );

  test('whose session is killed was not made', async () => {
    const { database } = await open([
      {
        kind: 'errors',
        errors: [{ number: 596, message: 'The session is in the kill state.', severity: 21 }],
        rolledBack: false,
      },
    ]);
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
  });

  test('that finds no connection is certain not to be made', async () => {
    const { database, endpoint } = await open([]);
    await endpoint.close();
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
    expect((await failure(insertInTransaction(database))).errorName).toBe('databaseUnavailable');
  });

  test('whose server does not hear of the end of it has five seconds, and is given up with its connection', async () => {
    const { database, since } = await open([{ kind: 'noObserver' }], {
      statementTimeoutSeconds: 0.2,
    });
    const start = performance.now();
    // Given up before its commit, it is rolled back by the server: nothing is left in doubt.
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
    expect(performance.now() - start).toBeGreaterThan(5000);
    await stillWorks(database);
    expect(since().filter((step) => step === 'login')).toHaveLength(1);
  }, 15_000);

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
    await query(database, 'SELECT 1');
    expect(endpoint.seen).not.toContain('login');
    await query(database, 'SELECT 1', { fresh: true });
    await insertInTransaction(database);
    await insert(database);
    expect(since().filter((event) => event !== 'login to read')).toEqual([
      ...['request', 'login', 'login', 'request', 'begin', 'request', 'commit'],
      ...['begin', 'request', 'commit'],
    ]);
  });

  test('a primary that is away is tried again', async () => {
    const { database, endpoint } = await open([], { readOnlyIntent: true });
    await endpoint.close();
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
    expect((await failure(query(database, 'SELECT', { fresh: true }))).errorName).toBe(
      'databaseUnavailable',
    );
  });

  test('is closed without ever having written', async () => {
    const { database } = await open([], { readOnlyIntent: true });
    await database.close();
    expect((await failure(insert(database))).errorName).toBe('databaseUnavailable');
  });
});
