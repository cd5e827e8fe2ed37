import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitTime } from '../../src/base/time.ts';

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
