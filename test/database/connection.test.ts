import { describe, expect, test } from 'vitest';
import type { StopReason } from '../../src/database/driver.ts';
import { StatementStopped, supervised, type Supervision } from '../../src/database/connection.ts';

/** A connection whose work ends as the test says, and what was asked of it. */
function connection(cancel: () => Promise<void> = () => Promise.resolve()): {
  asked: string[];
  work: () => Promise<string>;
  end: (result: string | Error) => void;
  cancel: (reason: StopReason) => Promise<void>;
  destroy: (cause: Error) => void;
} {
  const asked: string[] = [];
  let end: (result: string | Error) => void = () => undefined;
  const ending = new Promise<string>((resolve, reject) => {
    end = (result) => {
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
  });
  return {
    asked,
    work: () => {
      asked.push('work');
      return ending;
    },
    end,
    cancel: (reason) => {
      asked.push(`cancel: ${reason}`);
      return cancel();
    },
    destroy: (cause) => {
      asked.push('destroy');
      end(cause);
    },
  };
}

const patient: Supervision = { signal: null, limit: 60_000, grace: 60_000 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function stopped(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatementStopped)) throw error;
  return [error.reason, error.isAcknowledged];
}

describe('what runs on a connection', () => {
  test('is not begun when nobody waits for it any more', async () => {
    const on = connection();
    const work = supervised(on, on.work, { ...patient, signal: AbortSignal.abort() });
    expect(await stopped(work)).toEqual(['signal', true]);
    expect(on.asked).toEqual([]);
  });

  test('keeps its connection until the request to cancel cannot meet what runs next', async () => {
    let arrive: () => void = () => undefined;
    const on = connection(() => new Promise((resolve) => (arrive = resolve)));
    const leaving = new AbortController();
    let isOver = false;
    const work = supervised(on, on.work, { ...patient, signal: leaving.signal }).finally(() => {
      isOver = true;
    });
    leaving.abort();
    on.end('rows');
    await pause(20);
    expect(isOver).toBe(false);
    arrive();
    expect(await work).toBe('rows');
    expect(on.asked).toEqual(['work', 'cancel: signal']);
  });

  test('is done, though the request to cancel got lost with the connection', async () => {
    const on = connection(() => new Promise(() => undefined));
    const leaving = new AbortController();
    const work = supervised(on, on.work, { ...patient, signal: leaving.signal, grace: 20 });
    leaving.abort();
    on.end('rows');
    expect(await work).toBe('rows');
    expect(on.asked).toEqual(['work', 'cancel: signal', 'destroy']);
  });
});
