import { expect, test } from 'vitest';
import { oneRunAtATime } from '../../../src/server/reload/reloads.ts';

test('calls during a run share the run after it, which begins after them', async () => {
  const begun: (() => void)[] = [];
  const run = oneRunAtATime(
    () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length))),
  );
  const turn = (): Promise<void> => new Promise((next) => setImmediate(next));
  const first = run();
  await turn();
  const [second, third] = [run(), run()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await turn();
  expect([await first, begun.length]).toEqual([1, 2]);
  begun[1]?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test('a run that fails leaves the next one alone', async () => {
  let count = 0;
  const run = oneRunAtATime(() => {
    count += 1;
    return count === 1 ? Promise.reject(new Error('first')) : Promise.resolve(count);
  });
  await expect(run()).rejects.toThrow('first');
  expect(await run()).toBe(2);
});
