import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, failure, insertInTransaction, open, refusal, stillWorks } from './scripted.ts';
import type { TdsAnswer } from './tds-endpoint.ts';
import { change, query, transaction } from '../../targets/sql.ts';

afterEach(closeAll);

describe('a transaction on SQL Server', () => {
  test('begins, and is committed', async () => {
    const { database, since } = await open([{ kind: 'rows', values: [] }]);
    expect(await transaction(database, () => Promise.resolve('done'))).toBe('done');
    await insertInTransaction(database);
    expect(since().filter((event) => event !== 'login')).toEqual([
      ...['begin', 'commit', 'begin', 'request', 'commit'],
    ]);
  });

  test('is rolled back when the work throws', async () => {
    const { database, since } = await open([]);
    const work = transaction(database, async (on) => {
      await change(on, 'INSERT');
      throw new RangeError('changed my mind');
    });
    await expect(work).rejects.toThrow(RangeError);
    expect(since().at(-1)).toBe('rollback');
    await stillWorks(database);
  });

  test('that loses its connection before the commit was not made', async () => {
    const { database } = await open([{ kind: 'rows', values: [1] }, { kind: 'gone' }]);
    const error = await failure(
      transaction(database, async (on) => {
        await change(on, 'INSERT');
        await query(on, 'SELECT');
      }),
    );
    expect(error.errorName).toBe('databaseUnavailable');
    await stillWorks(database);
  });

  test('that loses its connection between two statements was not made', async () => {
    const { database, endpoint } = await open([]);
    const error = await failure(
      transaction(database, async (on) => {
        await change(on, 'INSERT');
        await endpoint.close();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }),
    );
    expect(error.errorName).toBe('databaseUnavailable');
  });

  test('that loses its connection while committing has an unknown outcome', async () => {
    let commits = 0;
    const { database } = await open([], {
      manage: (step) => (step === 'commit' && commits++ === 0 ? { kind: 'gone' } : null),
    });
    expect((await failure(insertInTransaction(database))).errorName).toBe('outcomeUnknown');
    await stillWorks(database);
  });

  test('that is not heard of in time while committing has an unknown outcome', async () => {
    let commits = 0;
    const { database } = await open([], {
      manage: (step) => (step === 'commit' && commits++ === 0 ? { kind: 'silence' } : null),
      statementTimeoutSeconds: 0.2,
    });
    expect((await failure(insertInTransaction(database))).errorName).toBe('outcomeUnknown');
    await stillWorks(database);
  });

  test.each<[string, TdsAnswer]>([
    ['gone', { kind: 'gone' }],
    ['refused', { kind: 'error', number: 3988, message: 'New transaction is not allowed.' }],
    ['silent', { kind: 'silence' }],
  ])('that cannot begin (%s) was not made', async (_, answer) => {
    let begins = 0;
    const { database } = await open([], {
      manage: (step) => (step === 'begin' && begins++ === 0 ? answer : null),
      statementTimeoutSeconds: 0.2,
    });
    expect((await failure(insertInTransaction(database))).errorName).toBe('databaseUnavailable');
    await stillWorks(database);
  });

  test('that falls victim to a deadlock is over, and the pool lives on', async () => {
    const { database, since } = await open([
      {
        kind: 'errors',
        errors: [{ number: 1205, message: 'Deadlocked.', severity: 13 }],
        rolledBack: true,
      },
    ]);
    const error = await failure(
      transaction(database, async (on) => {
        await change(on, 'UPDATE a').catch(() => undefined);
        await change(on, 'UPDATE b').catch(() => undefined);
      }),
    );
    expect([error.errorName, error.status]).toEqual(['deadlock', 503]);
    expect(since().filter((event) => event !== 'login')).toEqual(['begin', 'request']);
    await stillWorks(database);
  });

  test('that a trigger ends fails by what the trigger raised', async () => {
    const { database } = await open([
      {
        kind: 'errors',
        errors: [
          { number: 50000, message: 'The month is closed.', severity: 16 },
          { number: 3609, message: 'The transaction ended in the trigger.', severity: 16 },
        ],
        rolledBack: true,
      },
    ]);
    const { violation } = await refusal(insertInTransaction(database));
    expect(violation).toEqual({
      rule: 'raised',
      names: [],
      text: 'The month is closed.',
    });
    await stillWorks(database);
  });

  test('that the server rolled back without an error fails all the same', async () => {
    const { database, since } = await open([{ kind: 'rolledBack' }]);
    expect((await refusal(insertInTransaction(database))).violation.rule).toBe('raised');
    expect(since()).not.toContain('commit');
    await stillWorks(database);
  });

  test('whose statement takes too long is rolled back', async () => {
    const { database, since } = await open([{ kind: 'silence' }], { statementTimeoutSeconds: 0.2 });
    expect((await failure(insertInTransaction(database))).errorName).toBe('statementTimeout');
    expect(since().filter((event) => event !== 'login')).toEqual([
      ...['begin', 'request', 'attention', 'rollback'],
    ]);
    await stillWorks(database);
  });

  test('that cannot be rolled back leaves its connection to nobody', async () => {
    let rollbacks = 0;
    const { database, since } = await open(
      [{ kind: 'error', number: 547, message: 'conflicted with the constraint "FK"' }],
      {
        manage: (step) => (step === 'rollback' && rollbacks++ === 0 ? { kind: 'silence' } : null),
        statementTimeoutSeconds: 0.2,
      },
    );
    const { violation } = await refusal(insertInTransaction(database));
    expect(violation).toEqual({ rule: 'constraint', names: ['FK'] });
    const logins = since().filter((event) => event === 'login').length;
    await stillWorks(database);
    expect(since().filter((event) => event === 'login').length).toBe(logins + 1);
  });
});
