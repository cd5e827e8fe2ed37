import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientGone, limitTime, onAbort, TimeSlice } from '../../src/base/time.ts';

describe('a slice of time', () => {
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
});

test('all who listen are told once, and those who do not any more, or whom one ends, are not', () => {
  const leaving = new AbortController();
  const told: string[] = [];
  const listen = (name: string): (() => void) => onAbort(leaving.signal, () => told.push(name));
  const ends = ['a', 'b', 'c', 'd'].map(listen);
  ends[1]?.();
  ends[1]?.();
  ends[3]?.();
  onAbort(leaving.signal, () => {
    told.push('ends f');
    for (const end of [...ends, last]) end();
  });
  const last = listen('f');
  leaving.abort();
  leaving.abort();
  expect(told.sort()).toEqual(['a', 'c', 'ends f']);
});

describe('a limit of time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  /** Begins what has a limit, and keeps when each is told that it takes too long. */
  function limiting(): {
    told: [string, number][];
    begin: (name: string, limit: number) => () => void;
  } {
    const told: [string, number][] = [];
    const start = performance.now();
    return {
      told,
      begin: (name, limit) =>
        limitTime(limit, () => told.push([name, Math.round(performance.now() - start)])),
    };
  }

  test('each is told at its time, whatever order they began in', () => {
    const { told, begin } = limiting();
    begin('long', 500);
    begin('short', 20);
    begin('same', 500);
    vi.advanceTimersByTime(100);
    begin('later', 30);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual([
      ['short', 20],
      ['later', 130],
      ['long', 500],
      ['same', 500],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what is over in time is told of nothing, and neither is what has been told', () => {
    const { told, begin } = limiting();
    const ends = Array.from({ length: 9 }, (_, index) => begin(String(index), 50 + index));
    for (const index of [0, 8, 3, 3]) ends[index]?.();
    vi.advanceTimersByTime(55);
    ends[1]?.();
    ends[7]?.();
    vi.advanceTimersByTime(100);
    expect(told.map(([name]) => name).sort()).toEqual(['1', '2', '4', '5', '6']);
  });

  test('one that is told may end and begin others', () => {
    const { told, begin } = limiting();
    const ends: (() => void)[] = [];
    limitTime(10, () => {
      for (const end of ends) end();
      begin('next', 10);
    });
    ends.push(begin('ended', 10), begin('ended, too', 15));
    vi.advanceTimersByTime(100);
    expect(told).toEqual([['next', 20]]);
  });

  test('what may take as long as it takes is told of nothing', () => {
    const { told, begin } = limiting();
    const end = begin('endless', Infinity);
    vi.advanceTimersByTime(1_000_000);
    begin('short', 5);
    vi.advanceTimersByTime(10);
    expect(told).toEqual([['short', 1_000_005]]);
    expect(vi.getTimerCount()).toBe(0);
    end();
  });
});
