import { expect, test } from 'vitest';
import { TimeSlice } from '../../src/base/time-slice.ts';

/** Works without a pause for some milliseconds. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('several pieces of work have a slice each in turns of the event loop of their own', async () => {
  let [turn, done] = [0, false];
  const count = (): void => {
    turn += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const resumed: number[] = [];
  const long = async (): Promise<void> => {
    const slice = new TimeSlice();
    for (let step = 1; step <= 3; step += 1) {
      work(6);
      await slice.pause();
      resumed.push(turn);
    }
  };
  await Promise.all([long(), long(), long()]);
  done = true;
  expect(resumed).toHaveLength(9);
  expect(new Set(resumed).size).toBe(9);
});

test('work that is short has no pause', async () => {
  const slice = new TimeSlice();
  let others = false;
  setImmediate(() => (others = true));
  for (let step = 0; step < 10; step += 1) await slice.pause();
  expect(others).toBe(false);
});

test('work whose signal is aborted ends at its next pause, and does not begin', async () => {
  const aborter = new AbortController();
  const slice = new TimeSlice(aborter.signal);
  const reason = new Error('The client has gone');
  setImmediate(() => aborter.abort(reason));
  work(6);
  await expect(slice.pause()).rejects.toBe(reason);
  expect(() => new TimeSlice(aborter.signal)).toThrow(reason);
});
