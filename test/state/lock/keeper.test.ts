import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { DedicatedConnection } from '../../../src/database/database.ts';
import { DatabaseKeeper } from '../../../src/state/lock/keeper.ts';
import { postgresLocks } from '../../../src/sql/postgres/locks.ts';

/** A database whose connections answer as they are told to, and note what becomes of them. */
function database(answers: (name: string) => number | Error): {
  keeper: DatabaseKeeper;
  happened: string[];
  breakOff: () => void;
} {
  const happened: string[] = [];
  let breakOff = (): void => undefined;
  const unused = (): never => {
    throw new Error('not used');
  };
  const keeper = new DatabaseKeeper(
    (onLost) => {
      happened.push('open');
      breakOff = () => onLost(new Error('broken'));
      const connection: DedicatedConnection = {
        run: ({ statement, values: [name] }) => {
          const { acquire, release, held } = postgresLocks;
          const kind = statement === acquire ? '+' : statement === held ? '?' : '-';
          const what = [acquire, release, held].includes(statement) ? String(name) : 'there?';
          happened.push(what === 'there?' ? what : `${kind}${what}`);
          const answer = answers(what);
          return answer instanceof Error
            ? Promise.reject(answer)
            : Promise.resolve({ columns: [], rows: [[answer]] });
        },
        call: unused,
        close: () => {
          happened.push('close');
          return Promise.resolve();
        },
      };
      return Promise.resolve(connection);
    },
    postgresLocks,
    () => happened.push('lost'),
  );
  return { keeper, happened, breakOff: () => breakOff() };
}

test('ten thousand locks are kept on one connection', async () => {
  const { keeper, happened } = database(() => 1);
  const names = Array.from({ length: 10_000 }, (_, index) => String(index));
  const taken = await Promise.all(names.map((name) => keeper.acquire(name)));
  expect(taken.every(Boolean)).toBe(true);
  await keeper.release('7');
  await keeper.close();
  expect(happened.filter((what) => !what.startsWith('+'))).toEqual(['open', '-7', 'close']);
});

test('a connection that broke is lost with all its locks, and the next lock opens another one', async () => {
  const { keeper, happened, breakOff } = database(() => 1);
  await keeper.acquire('a');
  breakOff();
  breakOff();
  await new Promise(setImmediate);
  await keeper.release('a');
  await keeper.acquire('b');
  expect(happened).toEqual(['open', '+a', 'lost', 'close', 'open', '+b']);
});

test('a statement that failed leaves nobody sure of the connection: it is given up', async () => {
  const away = ProtocolError.of('statementTimeout');
  const { keeper, happened } = database((name) => (name === 'b' ? away : 1));
  await keeper.acquire('a');
  await expect(keeper.acquire('b')).rejects.toBe(away);
  expect(happened).toEqual(['open', '+a', '+b', 'lost', 'close']);
  await keeper.close();
});

describe('a connection that nobody tells of', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is asked whether it is there still, and its locks are lost where it is not', async () => {
    let isThere = true;
    const { keeper, happened } = database((name) =>
      name === 'there?' && !isThere ? new Error('silence') : 1,
    );
    expect(await keeper.acquire('a')).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(happened.splice(0)).toEqual(['open', '+a', 'there?', 'there?']);
    isThere = false;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(happened.splice(0)).toEqual(['there?', 'lost', 'close']);
    expect(await keeper.acquire('b')).toBe(true);
    isThere = true;
    await vi.advanceTimersByTimeAsync(5000);
    await keeper.close();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(happened).toEqual(['open', '+b', 'there?', 'close']);
  });
});
