import { afterEach, describe, expect, test } from 'vitest';
import { DatabaseRefusal } from '../../../src/database/errors.ts';
import { change, query, transaction } from '../../targets/sql.ts';
import { closeAll, failure, insert, insertInTransaction, open, stillWorks } from './scripted.ts';
import type { TdsError } from './tds-endpoint.ts';

afterEach(closeAll);

/** What a change, or a read, comes to that the server answers with errors. */
async function said(
  errors: readonly TdsError[],
  rolledBack: boolean,
  work: typeof insert = insertInTransaction,
): Promise<readonly [name: string, status: number, message: string, isRefusal: boolean]> {
  const { database } = await open([{ kind: 'errors', errors, rolledBack }]);
  const error = await failure(work(database));
  await stillWorks(database);
  return [error.errorName, error.status, error.message, error instanceof DatabaseRefusal];
}

const CONFLICT = [
  'deadlock',
  503,
  'The database ended this request in favour of another one (deadlock). Try again.',
];
const READ_ONLY = ['databaseUnable', 503, 'The database can only be read at the moment.'];
const MOVING = [
  'databaseUnable',
  503,
  'The database is being started or moved to another server. Try again later.',
];
const CLOSED = [
  'databaseUnable',
  503,
  'The database is closed at the moment: it is being restored, is offline, or is in single-user mode. Try again later.',
];
const BUSY = ['databaseUnable', 503, 'The database is overloaded. Try again later.'];
const NO_MEMORY = ['databaseUnable', 503, 'The database is out of memory. Try again later.'];
const NO_SPACE = ['databaseUnable', 503, 'The database has no space left to write to.'];
const LOCKED = [
  'rowLockTimeout',
  409,
  'Another request or program holds a lock on a row that this request needs, for longer than the gateway waits. Try again later.',
];

describe('what passes by itself on SQL Server is not a refusal of a row', () => {
  // learn: troubleshoot-transient-connection-errors and mssqlserver-…-database-engine-error
  test.each<readonly [number, number, readonly unknown[]]>([
    [1205, 13, CONFLICT],
    [3960, 16, CONFLICT],
    [13535, 16, CONFLICT],
    // learn: transactions-with-memory-optimized-tables, "Conflict detection and retry logic"
    [41301, 16, CONFLICT],
    [41302, 16, CONFLICT],
    [41305, 16, CONFLICT],
    [41325, 16, CONFLICT],
    [3906, 16, READ_ONLY],
    [978, 14, READ_ONLY],
    [976, 14, MOVING],
    [983, 14, MOVING],
    [40197, 17, MOVING],
    [40613, 17, MOVING],
    [40501, 17, BUSY],
    [10928, 16, BUSY],
    [10929, 16, BUSY],
    [49918, 16, BUSY],
    [49919, 16, BUSY],
    [49920, 16, BUSY],
    [701, 17, NO_MEMORY],
    [802, 17, NO_MEMORY],
    [8645, 17, NO_MEMORY],
    [8651, 17, NO_MEMORY],
    [921, 14, MOVING],
    [922, 14, MOVING],
    [952, 16, MOVING],
    [979, 14, MOVING],
    [924, 14, CLOSED],
    [926, 14, CLOSED],
    [927, 14, CLOSED],
    [942, 14, CLOSED],
    [945, 14, CLOSED],
    [1101, 17, NO_SPACE],
    [1105, 17, NO_SPACE],
    [9002, 17, NO_SPACE],
    [1222, 16, LOCKED],
  ])('%i', async (number, severity, expected) => {
    const message = `Message ${number} of the server’s.`;
    expect(await said([{ number, message, severity }], true)).toEqual([...expected, false]);
    expect(await said([{ number, message, severity }], false, insert)).toEqual([
      ...expected,
      false,
    ]);
    const read: typeof insert = (database) => query(database, 'SELECT');
    expect(await said([{ number, message, severity }], false, read)).toEqual([...expected, false]);
  });

  test('whatever else is of severity 17 and above (learn: database-engine-error-severities)', async () => {
    for (const severity of [17, 18, 19]) {
      expect(await said([{ number: 8630, message: 'Internal.', severity }], false)).toEqual([
        'databaseUnable',
        503,
        'The database failed. Its log says why.',
        false,
      ]);
    }
  });

  test('below that, a number that is not known may speak of the row', async () => {
    expect(
      await said([{ number: 8134, message: 'Division by zero.', severity: 16 }], false),
    ).toEqual(['refusedByDatabase', 500, 'The database refused the statement.', true]);
  });

  test('what the application raises is a refusal, whatever its severity', async () => {
    const raised = { number: 50_000, message: 'The month is closed.', severity: 18 };
    const full = { number: 9002, message: 'The log is full.', severity: 17 };
    for (const errors of [[raised], [full, raised]]) {
      expect(await said(errors, true)).toEqual([
        'refusedByDatabase',
        500,
        'The database refused the statement.',
        true,
      ]);
    }
  });
});

describe('a connection that SQL Server refuses says why', () => {
  const AWAY = 'The database cannot be reached at the moment. Try again later.';
  const LOGIN =
    'The database refuses the gateway’s login: its password or its right to connect has changed. Tell the gateway’s operator.';
  const MISSING =
    'The gateway’s database no longer exists, or its login may not open it. Tell the gateway’s operator.';

  // learn: mssqlserver-18456-database-engine-error, mssqlserver-4060-…, mssqlserver-17809-… and database-engine-events-and-errors
  test.each<readonly [readonly number[] | null, readonly unknown[]]>([
    [[18456], ['databaseUnable', 503, LOGIN]],
    [[18486], ['databaseUnable', 503, LOGIN]],
    [[18488], ['databaseUnable', 503, LOGIN]],
    [[916], ['databaseUnable', 503, LOGIN]],
    [[40615], ['databaseUnable', 503, LOGIN]],
    [
      [4060, 18456],
      ['databaseUnable', 503, MISSING],
    ],
    [[911], ['databaseUnable', 503, MISSING]],
    [
      [17809],
      [
        'databaseUnable',
        503,
        'The database accepts no more connections at the moment. Try again later.',
      ],
    ],
    [[927, 18456], CLOSED],
    [[942, 18456], CLOSED],
    [[924, 18456], CLOSED],
    [[983, 18456], MOVING],
    [[18401], MOVING],
    [[10928], BUSY],
    [[978], READ_ONLY],
    [[12345], ['databaseUnavailable', 503, AWAY]],
    // With all user connections in use, it writes 17809 to its log alone.
    [
      null,
      [
        'databaseUnable',
        503,
        'The database closes new connections at the moment. Try again later.',
      ],
    ],
  ])('%j', async (numbers, expected) => {
    let errors: readonly TdsError[] | null = [];
    const { database } = await open([{ kind: 'cut' }], {
      login: () => errors,
      // The driver tries some of them three times again, half a second apart.
      connectTimeoutSeconds: 10,
    });
    expect((await failure(query(database, 'SELECT'))).errorName).toBe('databaseUnavailable');
    errors = numbers?.map((number) => ({ number, message: `Message ${number}.` })) ?? null;
    const works = [
      () => query(database, 'SELECT'),
      () => insert(database),
      () => database.dedicated(() => undefined),
    ];
    for (const work of works) {
      const { errorName, status, message } = await failure(work());
      expect([errorName, status, message]).toEqual(expected);
    }
    errors = [];
    await stillWorks(database);
  });
});

test.each([[null], [[{ number: 17809, message: 'Too many.' }]]])(
  'while SQL Server refuses further logins with %j, requests wait for a connection that there is',
  async (refusal) => {
    let errors: readonly TdsError[] | null = [];
    const { database } = await open([], {
      login: () => errors,
      poolSize: 3,
      connectTimeoutSeconds: 10,
    });
    errors = refusal;
    await Promise.all([1, 2, 3].map(() => transaction(database, (on) => change(on, 'UPDATE t'))));
    await database.ping(new AbortController().signal);
    expect(database.pool()).toEqual({ size: 1, used: 0, waiting: 0 });
  },
);

test('a session begins with the longest that it waits for locks', async () => {
  const { database, endpoint } = await open([], { lockTimeoutSeconds: 2.5 });
  await stillWorks(database);
  expect(endpoint.settings.at(-1)).toMatch(/\nset lock_timeout 2500$/);
});
