import { afterEach, describe, expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import type { Database } from '../../../src/database/database.ts';
import { openSqlServer } from '../../../src/database/sqlserver/open.ts';
import { startTdsEndpoint, type TdsAnswer, type TdsEndpoint } from './tds-endpoint.ts';
import { query } from '../../targets/sql.ts';

/** The edge of the driver: what an engine does only when something breaks. */
describe('a SQL Server that breaks', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function open(
    answers: readonly TdsAnswer[],
    statementTimeoutSeconds = 5,
  ): Promise<{ database: Database; endpoint: TdsEndpoint }> {
    const rest = [...answers];
    const endpoint = await startTdsEndpoint(() => rest.shift() ?? { kind: 'rows', values: [] });
    closers.push(() => endpoint.close());
    const database = await openSqlServer(settings(endpoint.port, statementTimeoutSeconds), {
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    });
    closers.push(() => database.close());
    return { database, endpoint };
  }

  function settings(
    port: number,
    statementTimeoutSeconds: number,
  ): Parameters<typeof openSqlServer>[0] {
    return {
      engine: 'sqlserver',
      url: `mssql://sa:secret@127.0.0.1:${port}/legacy?encrypt=false`,
      poolSize: 1,
      statementTimeoutSeconds,
      lockTimeoutSeconds: 10,
      connectTimeoutSeconds: 1,
      startupWaitSeconds: 0,
      schemaTimeoutSeconds: 60,
    };
  }

  async function failure(work: Promise<unknown>): Promise<ProtocolError> {
    try {
      await work;
    } catch (error) {
      if (error instanceof ProtocolError) return error;
      throw error;
    }
    throw new Error('it did not fail');
  }

  test('rows come as arrays', async () => {
    const { database } = await open([{ kind: 'rows', values: [1, 2, 3] }]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[1], [2], [3]]);
  });

  test('a connection cut in the middle of a result is the database being away, and heals', async () => {
    const { database, endpoint } = await open([{ kind: 'cut' }, { kind: 'rows', values: [7] }]);
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect([error.errorName, error.status]).toEqual(['databaseUnavailable', 503]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[7]]);
    expect(endpoint.seen.filter((event) => event === 'login').length).toBeGreaterThan(1);
  });

  test('a statement that takes too long is cancelled on the server, and the connection lives on', async () => {
    const { database, endpoint } = await open(
      [{ kind: 'silence' }, { kind: 'rows', values: [7] }],
      0.2,
    );
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect([error.errorName, error.status]).toEqual(['statementTimeout', 504]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[7]]);
    expect(endpoint.seen).toContain('attention');
  });

  test.each([
    [1205, 'Transaction was deadlocked and has been chosen as the deadlock victim.', 'deadlock'],
    [334, 'The target table cannot have any enabled triggers.', 'refusedByDatabase'],
    [208, "Invalid object name 'HR.SECRET'.", 'schemaChanged'],
  ])('error %i is answered without the engine’s words', async (number, message, name) => {
    const { database } = await open([{ kind: 'error', number, message }]);
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect(error.errorName).toBe(name);
    expect(error.message).not.toContain(message);
    expect((error.cause as Error).message).toBe(message);
  });

  test('requests that find no free connection in time are told so', async () => {
    const { database } = await open([{ kind: 'silence' }, { kind: 'silence' }], 3);
    const first = failure(query(database, 'SELECT n FROM t'));
    const second = await failure(query(database, 'SELECT n FROM t'));
    expect([second.errorName, second.status]).toEqual(['connectionsBusy', 503]);
    expect((await first).errorName).toBe('statementTimeout');
  });

  test('a refused login is one readable sentence without the password', async () => {
    const endpoint = await startTdsEndpoint(
      () => ({ kind: 'silence' }),
      () => [{ number: 18456, message: "Login failed for user 'sa'." }],
    );
    closers.push(() => endpoint.close());
    const opening = openSqlServer(settings(endpoint.port, 5), {
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    });
    await expect(opening).rejects.toThrow(StartupError);
    await expect(opening).rejects.toMatchObject({
      message:
        `database: SQL Server at 127.0.0.1:${endpoint.port}/legacy cannot be used: Login failed for user 'sa'. ` +
        'Check user and password, and whether the server lets this user in from here.',
    });
  });
});
