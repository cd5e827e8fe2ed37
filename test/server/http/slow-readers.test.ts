import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { READ_TIMEOUT, SlowReaders } from '../../../src/server/http/connections.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An answer of which so much waits to be taken. */
class Sending extends EventEmitter {
  readonly timeouts: number[] = [];
  writableLength: number;
  isDestroyed = false;

  constructor(waiting: number) {
    super();
    this.writableLength = waiting;
  }

  destroy(): this {
    this.isDestroyed = true;
    this.emit('close');
    return this;
  }

  setTimeout(milliseconds: number, stalled?: () => void): this {
    this.timeouts.push(milliseconds);
    if (stalled !== undefined) this.on('timeout', stalled);
    return this;
  }
}

test('an answer of which nothing is taken for a while is broken off, and one of which something is, is not', () => {
  const readers = new SlowReaders(1000);
  const [stalled, slow, unmade] = [new Sending(10), new Sending(10), new Sending(0)];
  for (const sending of [stalled, slow, unmade]) readers.watch(sending);
  vi.advanceTimersByTime(1000);
  slow.writableLength = 0;
  for (const sending of [stalled, slow, unmade]) sending.emit('timeout');
  expect([stalled.isDestroyed, stalled.timeouts]).toEqual([true, [READ_TIMEOUT]]);
  expect([slow.isDestroyed, slow.timeouts]).toEqual([false, [READ_TIMEOUT, READ_TIMEOUT]]);
  expect([unmade.isDestroyed, unmade.timeouts]).toEqual([false, []]);
});

test('where more waits than may, the oldest answers are broken off that wait at all', () => {
  const readers = new SlowReaders(1000);
  const sent = [0, 400, 400, 400].map((waiting) => new Sending(waiting));
  for (const sending of sent.slice(0, 3)) readers.watch(sending);
  vi.advanceTimersByTime(2000);
  expect(sent.map(({ isDestroyed }) => isDestroyed)).toEqual([false, false, false, false]);
  for (const sending of sent.slice(3)) readers.watch(sending);
  vi.advanceTimersByTime(1000);
  expect(sent.map(({ isDestroyed }) => isDestroyed)).toEqual([false, true, false, false]);
});

test('the oldest ones are known whatever has ended meanwhile, and what has ended counts no more', () => {
  const readers = new SlowReaders(1000);
  const [first, ...others] = [400, 400, 400, 400, 400].map((waiting) => new Sending(waiting));
  if (first !== undefined) readers.watch(first);
  for (const sending of others) readers.watch(sending);
  // The last one takes the place of the first.
  first?.emit('close');
  vi.advanceTimersByTime(500);
  expect(others.map(({ isDestroyed }) => isDestroyed)).toEqual([true, true, false, false]);
  for (const sending of others.slice(2)) sending.emit('close');
  const [last, ...more] = [600, 500].map((waiting) => new Sending(waiting));
  if (last !== undefined) readers.watch(last);
  vi.advanceTimersByTime(500);
  expect(last?.isDestroyed).toBe(false);
  for (const sending of more) readers.watch(sending);
  vi.advanceTimersByTime(500);
  expect([last?.isDestroyed, ...more.map(({ isDestroyed }) => isDestroyed)]).toEqual([true, false]);
});

test('an answer whose length is known counts as long as any of it waits', () => {
  const readers = new SlowReaders(1000);
  const [taken, waiting] = [new Sending(0), new Sending(10)];
  readers.watch(taken, 5000);
  readers.watch(waiting, 5000);
  vi.advanceTimersByTime(1000);
  expect([taken.isDestroyed, waiting.isDestroyed]).toEqual([false, true]);
});

test('what is made of an answer and not sent yet counts, where any of it waits', () => {
  const readers = new SlowReaders(1000);
  const [taken, waiting, more] = [new Sending(0), new Sending(10), new Sending(500)];
  readers.watch(taken, 0, () => 5000);
  readers.watch(waiting, 0, () => 500);
  vi.advanceTimersByTime(1000);
  expect(waiting.isDestroyed).toBe(false);
  readers.watch(more);
  vi.advanceTimersByTime(1000);
  expect([taken, waiting, more].map(({ isDestroyed }) => isDestroyed)).toEqual([
    false,
    true,
    false,
  ]);
});

test('nothing is looked at where nothing is sent', () => {
  const readers = new SlowReaders(1000);
  const sending = new Sending(10);
  readers.watch(sending);
  expect(vi.getTimerCount()).toBe(1);
  sending.emit('close');
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
