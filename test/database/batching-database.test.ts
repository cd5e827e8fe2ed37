import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { ClientGone } from '../../src/base/time.ts';
import { type Batch, batchingDatabase, newBatch } from '../../src/database/batching-database.ts';
import type { Database, RunOptions } from '../../src/database/database.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { plainStatement, type Statement } from '../../src/sql/ir/statement.ts';

const filtered = [{ schema: 's', table: 't', column: 'c', isRelated: false }];

/** Runs a statement twice at once. @returns the texts that the database was given */
async function twice(
  more: Partial<Statement>,
  options: Partial<RunOptions>,
  isSelective = true,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const given: Partial<Database> = {
    dialect: { listText: (list) => list.join() } as Dialect,
    isSelective: () => isSelective,
    run: ({ statement: { text } }) => {
      texts.push(text);
      return Promise.resolve({ columns: [], rows: [] });
    },
  };
  const database = batchingDatabase(given as Database, () => '');
  const statement = { ...plainStatement('one'), together: () => plainStatement('both'), ...more };
  const run = (): Promise<unknown> =>
    database.run({ statement, values: ['1'] }, { ...gatewayContext, ...options });
  await Promise.all([run(), run()]);
  return texts;
}

test.each<[string, Partial<Statement>, Partial<RunOptions>, boolean]>([
  ['that does not ask for it', {}, {}, true],
  ['that has to see what was committed', {}, { batch: true, fresh: true }, true],
  ['whose filter finds many rows', { filtered }, { batch: true }, false],
])('a command runs by itself %s', async (_which, more, options, isSelective) => {
  expect(await twice(more, options, isSelective)).toEqual(['one', 'one']);
});

test.each<[string, Partial<Statement>]>([
  ['looks up one row', {}],
  ['has a filter that finds few rows', { filtered }],
  ['changes one row', { effect: 'write', commitsItself: 'statement' }],
])('a command joins others that %s', async (_which, more) => {
  expect(await twice(more, { batch: true })).toEqual(['both']);
});

test.each([
  ['read', 2],
  ['write', 1],
] as const)('a %s is tried %i times after a deadlock', async (effect, attempts) => {
  let tried = 0;
  const database = batchingDatabase(
    {
      run: () => {
        tried += 1;
        return tried === 1
          ? Promise.reject(new ProtocolError('deadlock', 'lost'))
          : Promise.resolve({ columns: [], rows: [] });
      },
    } as unknown as Database,
    () => '',
  );
  await database
    .run({ statement: plainStatement('x', effect), values: [] }, gatewayContext)
    .catch(() => undefined);
  expect(tried).toBe(attempts);
});

/** Work that ends when it is told to, with the signal that it was given. */
function held(): { work: Batch<string>; signal: () => AbortSignal; end: () => void } {
  let signal: AbortSignal | undefined;
  let end = (): void => undefined;
  const work = newBatch((given) => {
    signal = given;
    return new Promise<string>((resolve) => {
      end = () => resolve('done');
    });
  });
  work.begin();
  return {
    work,
    signal: () => {
      if (signal === undefined) throw new Error('the work has not begun');
      return signal;
    },
    end: () => end(),
  };
}

test('is stopped when all have left, and not before', async () => {
  const { work, signal } = held();
  const leaving = [new AbortController(), new AbortController()];
  const waiting = leaving.map((one) => work.join(one.signal));
  leaving[0]?.abort();
  expect(signal().aborted).toBe(false);
  leaving[1]?.abort();
  expect(signal().aborted).toBe(true);
  for (const one of waiting) await expect(one).rejects.toThrow(ClientGone);
});

test('who leaves work that has ended stops none that comes later', async () => {
  const first = held();
  const leaving = new AbortController();
  const waiting = first.work.join(leaving.signal);
  first.end();
  expect(await waiting).toBe('done');
  const second = held();
  const next = second.work.join(new AbortController().signal);
  leaving.abort();
  expect(second.signal().aborted).toBe(false);
  second.end();
  expect(await next).toBe('done');
});

test('what comes after work that was stopped is not stopped', async () => {
  const first = held();
  const leaving = new AbortController();
  const waiting = first.work.join(leaving.signal);
  leaving.abort();
  first.end();
  await expect(waiting).rejects.toThrow(ClientGone);
  const second = held();
  expect(second.signal().aborted).toBe(false);
  expect(second.signal()).not.toBe(first.signal());
});
