import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { batchingDatabase, CountBatcher } from '../../src/database/batching-database.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import type { Database, RunOptions } from '../../src/database/database.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { plainStatement, type Statement } from '../../src/sql/ir/statement.ts';

/** A count that has begun. */
interface Begun {
  readonly signal: AbortSignal;
  readonly end: (length: number) => void;
  readonly fail: (error: Error) => void;
}

let counts: CountBatcher;
let begun: Begun[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  counts = new CountBatcher();
  begun = [];
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two of the same, the second of which has waited for as long as the first one is waited for. */
function countTwice(): Promise<number>[] {
  const both = [count(), count()];
  vi.advanceTimersByTime(50);
  return both;
}

const forever = new AbortController().signal;

function count(key = 'a', signal = forever, asked = counts.epoch()): Promise<number> {
  return counts.count(
    key,
    asked,
    signal,
    (stopped) =>
      new Promise((resolve, reject) => {
        begun.push({ signal: stopped, end: resolve, fail: reject });
      }),
  );
}

/** Ends the count that has begun at some place, and lets what waits for it go on. */
async function end(at: number, length: number): Promise<void> {
  begun[at]?.end(length);
  await new Promise(setImmediate);
}

test('who comes while a short one runs shares the next, which begins behind it', async () => {
  const all = [count(), count(), count()];
  vi.advanceTimersByTime(49);
  expect(begun).toHaveLength(1);
  await end(0, 10);
  expect(begun).toHaveLength(2);
  all.push(count());
  // From when it came, and not from when the first one began.
  vi.advanceTimersByTime(49);
  expect(begun).toHaveLength(2);
  await end(1, 20);
  await end(2, 30);
  expect(await Promise.all(all)).toEqual([10, 20, 20, 30]);
  expect(begun).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('two of the same run at once where the first takes long, and who comes while they do shares the next', async () => {
  const all = countTwice();
  expect(begun).toHaveLength(2);
  all.push(count(), count());
  vi.advanceTimersByTime(1000);
  expect(begun).toHaveLength(2);
  await end(1, 20);
  expect(begun).toHaveLength(2);
  vi.advanceTimersByTime(50);
  expect(begun).toHaveLength(3);
  all.push(count());
  await end(0, 10);
  await end(2, 30);
  await end(3, 40);
  expect(await Promise.all(all)).toEqual([10, 20, 30, 30, 40]);
  expect(begun).toHaveLength(4);
  expect(vi.getTimerCount()).toBe(0);
});

test('a count that fails fails for those who shared it, and not for those behind it', async () => {
  const first = [count()];
  const second = [count(), count()];
  const third: Promise<number>[] = [];
  const settled = Promise.allSettled([...first, ...second]);
  begun[0]?.fail(new Error('away'));
  await new Promise(setImmediate);
  third.push(count());
  begun[1]?.fail(new Error('still away'));
  await new Promise(setImmediate);
  expect(await settled).toEqual([
    { status: 'rejected', reason: new Error('away') },
    { status: 'rejected', reason: new Error('still away') },
    { status: 'rejected', reason: new Error('still away') },
  ]);
  await end(2, 6);
  expect(await Promise.all(third)).toEqual([6]);
});

test('a count is stopped when nobody waits for it any more', async () => {
  const leaving = [new AbortController(), new AbortController(), new AbortController()];
  const running = countTwice();
  const shared = leaving.map(({ signal }) => count('a', signal));
  const left = Promise.allSettled(shared);
  leaving[0]?.abort();
  await end(0, 1);
  vi.advanceTimersByTime(50);
  expect(begun).toHaveLength(3);
  leaving[1]?.abort();
  expect(begun[2]?.signal.aborted).toBe(false);
  leaving[2]?.abort();
  expect(begun[2]?.signal.aborted).toBe(true);
  await end(1, 2);
  expect(await Promise.all(running)).toEqual([1, 2]);
  const gone = { status: 'rejected', reason: expect.any(ClientGone) as unknown };
  expect(await left).toEqual([gone, gone, gone]);
});

test('who comes when all who waited for the next one have left does not share what they gave up', async () => {
  const leaving = new AbortController();
  const running = count();
  const gone = count('a', leaving.signal);
  leaving.abort();
  await expect(gone).rejects.toThrow(ClientGone);
  const next = count();
  await end(0, 1);
  expect(begun[1]?.signal.aborted).toBe(false);
  await end(1, 2);
  expect(await Promise.all([running, next])).toEqual([1, 2]);
});

test('who asked before a count began is answered it while it runs and when it has ended, and who asked behind it is not', async () => {
  const before = counts.epoch();
  const first = count();
  const behind = counts.epoch();
  const running = count('a', forever, before);
  await end(0, 10);
  const ended = count('a', forever, before);
  expect(begun).toHaveLength(1);
  const next = count('a', forever, behind);
  expect(begun).toHaveLength(2);
  await end(1, 20);
  expect(await Promise.all([first, running, ended, next])).toEqual([10, 10, 10, 20]);
  expect(await count('a', forever, behind)).toBe(20);
  expect(begun).toHaveLength(2);
});

test('one that is being stopped is joined by nobody', async () => {
  const before = counts.epoch();
  const leaving = new AbortController();
  const left = count('a', leaving.signal);
  leaving.abort();
  await expect(left).rejects.toThrow(ClientGone);
  const other = count('a', forever, before);
  begun[0]?.fail(new Error('stopped'));
  await new Promise(setImmediate);
  expect(begun).toHaveLength(2);
  await end(1, 20);
  expect(await other).toBe(20);
});

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
