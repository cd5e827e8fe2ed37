import { expect, test } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { type Batch, newBatch } from '../../src/database/batching-database.ts';

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
