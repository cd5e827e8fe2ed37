import { beforeEach, expect, test } from 'vitest';
import { ClientGone } from '../../src/base/client-gone.ts';
import { SharedCounts } from '../../src/execute/shared-counts.ts';

/** A count that has begun. */
interface Begun {
  readonly signal: AbortSignal;
  readonly end: (length: number) => void;
  readonly fail: (error: Error) => void;
}

let counts: SharedCounts;
let begun: Begun[];
beforeEach(() => {
  counts = new SharedCounts();
  begun = [];
});

const forever = new AbortController().signal;

function count(key = 'a', signal = forever): Promise<number> {
  return counts.count(
    key,
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

test('two of the same run at once, and who comes while they do shares the next', async () => {
  const all = [count(), count(), count(), count(), count()];
  expect(begun).toHaveLength(2);
  await end(1, 20);
  expect(begun).toHaveLength(3);
  all.push(count());
  await end(0, 10);
  expect(begun).toHaveLength(4);
  await end(2, 30);
  await end(3, 40);
  expect(await Promise.all(all)).toEqual([10, 20, 30, 30, 30, 40]);
  expect(begun).toHaveLength(4);
});

test('others are counted beside them', async () => {
  const all = ['a', 'b', 'c', 'd'].map((key) => count(key));
  expect(begun).toHaveLength(4);
  for (const [at] of begun.entries()) await end(at, at);
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test('a count that fails fails for those who shared it, and not for those behind it', async () => {
  const first = [count(), count()];
  const second = [count(), count()];
  const settled = Promise.allSettled(first);
  begun[0]?.fail(new Error('away'));
  await end(1, 5);
  expect(await settled).toEqual([
    { status: 'rejected', reason: new Error('away') },
    { status: 'fulfilled', value: 5 },
  ]);
  await end(2, 6);
  expect(await Promise.all(second)).toEqual([6, 6]);
});

test('a count is stopped when nobody waits for it any more', async () => {
  const leaving = [new AbortController(), new AbortController(), new AbortController()];
  const running = [count(), count()];
  const shared = leaving.map(({ signal }) => count('a', signal));
  const left = Promise.allSettled(shared);
  leaving[0]?.abort();
  await end(0, 1);
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

test('one that all have left before it began is not run', async () => {
  const leaving = new AbortController();
  const running = [count(), count()];
  const gone = count('a', leaving.signal);
  leaving.abort();
  await expect(gone).rejects.toThrow(ClientGone);
  await end(0, 1);
  await end(1, 2);
  expect(begun).toHaveLength(2);
  expect(await Promise.all(running)).toEqual([1, 2]);
  await expect(count('a', leaving.signal)).rejects.toThrow(ClientGone);
  expect(begun).toHaveLength(2);
});

test('what was counted last is known', async () => {
  expect(counts.lastLength('a')).toBeNull();
  const counted = count();
  await end(0, 7);
  await counted;
  expect([counts.lastLength('a'), counts.lastLength('b')]).toEqual([7, null]);
});
