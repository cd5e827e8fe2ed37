import { afterEach, describe, expect, test } from 'vitest';
import { ClientGone } from '../../../src/base/time.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { change, command, query, transaction } from '../../targets/sql.ts';
import { closeAll, failure, insertInTransaction, open, refusal, stillWorks } from './scripted.ts';
import type { TdsAnswer, TdsTransactionStep } from './tds-endpoint.ts';

afterEach(closeAll);

const slow = { statementTimeoutSeconds: 1 };

/** What came in besides logins. */
const besidesLogins = (seen: readonly string[]): string[] =>
  seen.filter((event) => event !== 'login');

/** Answers the first time that the driver takes a step of a transaction. */
function first(step: TdsTransactionStep, answer: TdsAnswer) {
  let times = 0;
  return { ...slow, manage: (asked: string) => (asked === step && times++ === 0 ? answer : null) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a statement on SQL Server is given up', () => {
  test('when its client goes', async () => {
    const { database, since } = await open([{ kind: 'silence' }]);
    const leaving = new AbortController();
    const work = query(database, 'SELECT', { signal: leaving.signal });
    await expect.poll(since).toContain('request');
    leaving.abort();
    await expect(work).rejects.toThrow(ClientGone);
    expect(besidesLogins(since())).toEqual(['request', 'attention']);
    await stillWorks(database);
  });

  test('with its transaction', async () => {
    const { database, since } = await open([{ kind: 'silence' }]);
    const leaving = new AbortController();
    const { signal } = leaving;
    const work = database.transaction((on) => change(on, 'INSERT', { signal }), {
      ...gatewayContext,
      signal,
    });
    await expect.poll(since).toContain('request');
    leaving.abort();
    await expect(work).rejects.toThrow(ClientGone);
    expect(besidesLogins(since())).toEqual(['begin', 'request', 'attention', 'rollback']);
    await stillWorks(database);
  });

  test('when it takes too long after the first rows (tedious, issue 1485)', async () => {
    const { database, since } = await open([{ kind: 'begun', values: [1, 2] }], slow);
    expect((await failure(query(database, 'SELECT'))).errorName).toBe('statementTimeout');
    expect(since()).toContain('attention');
    await stillWorks(database);
  });

  test('with its connection, when the server does not say that it has given it up', async () => {
    const { database, since } = await open([{ kind: 'noObserver' }], slow);
    expect((await failure(query(database, 'SELECT'))).errorName).toBe('statementTimeout');
    await stillWorks(database);
    expect(since().filter((event) => event === 'login')).toHaveLength(1);
  });

  const many = Array.from({ length: 600 }, (_, index) => index);

  test.each<[string, TdsAnswer]>([
    ['from its beginning', { kind: 'garbage' }],
    ['behind a row', { kind: 'garbage', values: [1] }],
    ['behind many rows', { kind: 'garbage', values: many }],
    ['where it is the answer to something else', { kind: 'astray', values: [1] }],
  ])('with its connection, when the answer cannot be read %s', async (_, answer) => {
    const { database } = await open([answer, answer, answer]);
    expect((await failure(query(database, 'SELECT'))).errorName).toBe('databaseUnavailable');
    expect((await failure(change(database, 'INSERT'))).errorName).toBe('databaseUnavailable');
    const reading = (async () => {
      for await (const rows of database.stream(command('SELECT'), gatewayContext)) {
        expect(rows.length).toBeGreaterThan(0);
        await pause(20);
      }
    })();
    expect((await failure(reading)).errorName).toBe('databaseUnavailable');
    await stillWorks(database);
  });
});

describe('a stream of rows from SQL Server', () => {
  test('fetches no more than is taken, and ends with its reader', async () => {
    const { database, endpoint, since } = await open([{ kind: 'endless' }]);
    const taken: unknown[] = [];
    for await (const rows of database.stream(command('SELECT'), gatewayContext)) {
      taken.push(...rows.map(([value]) => value));
      await pause(30);
      if (taken.length >= 1000) break;
    }
    expect(taken.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(since().at(-1)).toBe('attention');
    const sent = endpoint.rowsSent();
    // What the buffers of both ends hold; without back-pressure it would be tens of times as many.
    expect(sent).toBeLessThan(2_000_000);
    await pause(50);
    expect(endpoint.rowsSent()).toBe(sent);
    await stillWorks(database);
  });

  test('fails where the statement does', async () => {
    const { database } = await open([{ kind: 'cut' }]);
    const reading = (async () => {
      for await (const rows of database.stream(command('SELECT'), gatewayContext))
        expect(rows).toBe(1);
    })();
    expect((await failure(reading)).errorName).toBe('databaseUnavailable');
    await stillWorks(database);
  });
});

test('the commands of a transaction wait for each other', async () => {
  const { database, since } = await open([{ kind: 'rows', values: [1, 2] }]);
  await transaction(database, async (on) => {
    const order: string[] = [];
    const reading = on.run(command('SELECT'), gatewayContext).then(({ rows }) => {
      order.push(`${rows.length} rows`);
    });
    await Promise.all([reading, change(on, 'UPDATE').then(() => order.push('update'))]);
    expect(order).toEqual(['2 rows', 'update']);
  });
  expect(besidesLogins(since())).toEqual([...['begin', 'request', 'request', 'commit']]);
});

test('a call answers all result sets, with the types of their columns', async () => {
  const { database } = await open([
    { kind: 'procedure', results: [[1, 2], [3]], total: 6, returns: -4 },
  ]);
  const types = [{ kind: 'integer', bits: 32, signed: true, native: 'int' }];
  expect(await database.call(command('EXEC p', 'write'), gatewayContext)).toEqual([
    { columns: ['n'], types, rows: [[1], [2]] },
    { columns: ['n'], types, rows: [[3]] },
  ]);
});

test('an owner keeps a connection, and is told of its loss', async () => {
  const { database, endpoint } = await open([{ kind: 'rows', values: [7] }]);
  const lost: string[] = [];
  const kept = await database.dedicated(({ message }) => lost.push(message));
  expect(await query(kept, 'SELECT')).toEqual([[7]]);
  const other = await database.dedicated(() => lost.push('closed by its owner'));
  await other.close();
  await endpoint.close();
  await expect.poll(() => lost).toEqual(['The connection ended.']);
  expect((await failure(query(kept, 'SELECT'))).errorName).toBe('databaseUnavailable');
});

describe('a transaction on SQL Server', () => {
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

  const gone: TdsAnswer = { kind: 'gone' };
  const silence: TdsAnswer = { kind: 'silence' };
  const refused = { kind: 'error', number: 3988, message: 'Not allowed.' } as const;

  test.each<[string, string, ReturnType<typeof first>]>([
    ['loses its connection while committing', 'outcomeUnknown', first('commit', gone)],
    ['is not heard of in time while committing', 'outcomeUnknown', first('commit', silence)],
    ['loses its connection at its begin', 'databaseUnavailable', first('begin', gone)],
    ['is refused its begin', 'databaseUnavailable', first('begin', refused)],
    ['is not heard of in time at its begin', 'databaseUnavailable', first('begin', silence)],
  ])('that %s is %s', async (_, errorName, settings) => {
    const { database } = await open([], settings);
    expect((await failure(insertInTransaction(database))).errorName).toBe(errorName);
    await stillWorks(database);
  });

  test('that falls victim to a deadlock is over, and the pool lives on', async () => {
    const errors = [{ number: 1205, message: 'Deadlocked.', severity: 13 }];
    const { database, since } = await open([{ kind: 'errors', errors, rolledBack: true }]);
    const error = await failure(
      transaction(database, async (on) => {
        await change(on, 'UPDATE a').catch(() => undefined);
        await change(on, 'UPDATE b').catch(() => undefined);
      }),
    );
    expect([error.errorName, error.status]).toEqual(['deadlock', 503]);
    expect(besidesLogins(since())).toEqual(['begin', 'request']);
    await stillWorks(database);
  });

  test('that a trigger ends fails by what the trigger raised', async () => {
    const text = 'The month is closed.';
    const errors = [
      { number: 50000, message: text, severity: 16 },
      { number: 3609, message: 'The transaction ended in the trigger.', severity: 16 },
    ];
    const { database } = await open([{ kind: 'errors', errors, rolledBack: true }]);
    const { violation } = await refusal(insertInTransaction(database));
    expect(violation).toEqual({ rule: 'raised', names: [], text });
    await stillWorks(database);
  });

  test('that the server rolled back without an error fails all the same', async () => {
    const { database, since } = await open([{ kind: 'rolledBack' }]);
    expect((await refusal(insertInTransaction(database))).violation.rule).toBe('raised');
    expect(since()).not.toContain('commit');
    await stillWorks(database);
  });

  test('that cannot be rolled back leaves its connection to nobody', async () => {
    const message = 'conflicted with the constraint "FK"';
    const answer = { kind: 'error', number: 547, message } as const;
    const { database, since } = await open([answer], first('rollback', silence));
    const { violation } = await refusal(insertInTransaction(database));
    expect(violation).toEqual({ rule: 'constraint', names: ['FK'] });
    const logins = since().filter((event) => event === 'login').length;
    await stillWorks(database);
    expect(since().filter((event) => event === 'login').length).toBe(logins + 1);
  });
});
