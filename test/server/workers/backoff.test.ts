import { expect, test } from 'vitest';
import { Backoff } from '../../../src/server/workers/primary.ts';

test('what ends again and again is waited for longer and longer, and not for ever', () => {
  const backoff = new Backoff();
  expect(Array.from({ length: 9 }, () => backoff.next(0))).toEqual([
    0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test('what has served for long is started again at once', () => {
  const backoff = new Backoff();
  backoff.next(0);
  backoff.next(0);
  expect([backoff.next(10_000), backoff.next(9_999)]).toEqual([0, 500]);
});
