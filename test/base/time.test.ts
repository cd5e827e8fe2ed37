import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClientGone, onAbort, TimeSlice } from '../../src/base/time.ts';

let clock = 0;
beforeEach(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  await new Promise(setImmediate);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Works without a pause for some milliseconds. */
function work(milliseconds: number): void {
  clock += milliseconds;
}

test('several pieces of work have a slice each in turns of the event loop of their own', async () => {
  let [turn, done] = [0, false];
  const count = (): void => {
    turn += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const worked: number[] = [];
  const long = async (): Promise<void> => {
    const slice = new TimeSlice();
    for (let step = 1; step <= 3; step += 1) {
      if (step > 1) worked.push(turn);
      work(6);
      await slice.pause();
    }
  };
  await Promise.all([long(), long(), long()]);
  done = true;
  expect(worked).toHaveLength(6);
  expect(new Set(worked).size).toBe(6);
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
  const gone = new ClientGone(reason);
  await expect(slice.pause()).rejects.toThrow(gone);
  expect(() => new TimeSlice(aborter.signal)).toThrow(gone);
});

test('what was waited for is not work', async () => {
  const slice = new TimeSlice();
  work(6);
  expect(slice.isOver()).toBe(true);
  // A timer may come in the same turn.
  await new Promise((resolve) => setTimeout(() => setImmediate(resolve), 1));
  expect(slice.isOver()).toBe(false);
});

test('all long work of one turn shares a slice, and short work goes on', () => {
  const [one, other] = [new TimeSlice(), new TimeSlice()];
  work(6);
  const third = new TimeSlice();
  expect([one.isOver(), other.isOver(), third.isOver()]).toEqual([true, true, false]);
  work(1.5);
  expect(third.isOver()).toBe(true);
});

test('those who wait for a short slice have it together, in their order', async () => {
  const slice = new TimeSlice();
  work(6);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    setImmediate(count).unref();
  };
  const ends: string[] = [];
  const short = async (name: number): Promise<void> => {
    await slice.pause();
    ends.push(`${name} in turn ${turns}`);
  };
  const all = Array.from({ length: 20 }, (_, name) => short(name));
  setImmediate(count);
  await Promise.all(all);
  expect(ends).toEqual(Array.from({ length: 20 }, (_, name) => `${name} in turn 0`));
});

test('all who listen are told once, and those who do not any more are not', () => {
  const leaving = new AbortController();
  const told: string[] = [];
  const listen = (name: string): (() => void) => onAbort(leaving.signal, () => told.push(name));
  const ends = ['a', 'b', 'c', 'd', 'e'].map(listen);
  ends[1]?.();
  ends[1]?.();
  ends[4]?.();
  listen('f');
  leaving.abort();
  leaving.abort();
  for (const end of ends) end();
  expect(told.sort()).toEqual(['a', 'c', 'd', 'f']);
});

test('one who is told may have others told no more', () => {
  const leaving = new AbortController();
  const told: string[] = [];
  const ends: (() => void)[] = [];
  onAbort(leaving.signal, () => {
    told.push('first');
    for (const end of ends) end();
  });
  ends.push(
    onAbort(leaving.signal, () => told.push('second')),
    onAbort(leaving.signal, () => told.push('third')),
  );
  leaving.abort();
  expect(told).toEqual(['first']);
});
