import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { LockHolder, Standing } from '../../../src/state/lock/entity-locks.ts';
import { type LockKeeper, lockName } from '../../../src/state/lock/keeper.ts';
import { MemoryLocks } from '../../../src/state/lock/memory-locks.ts';

function holder(session: string): LockHolder {
  return { session, host: 'gateway', address: '10.0.0.1', userAgent: session };
}

const [ada, bob] = [holder('ada'), holder('bob')];

/** Locks whose keeper answers when it is told to, and notes what it is asked for. */
function slow(): {
  locks: MemoryLocks;
  asked: string[];
  answer: (taken: boolean | Error) => Promise<void>;
  /** Answers that somebody else has it, whenever it is asked for the first one that is waited for. */
  refuse: () => Promise<void>;
  lose: () => void;
} {
  const asked: string[] = [];
  const waiting: { resolve: (taken: boolean) => void; reject: (error: Error) => void }[] = [];
  let lose = (): void => undefined;
  const ask = (sign: string) => (name: string) => {
    asked.push(`${sign}${name}`);
    return new Promise<boolean>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const keeper: LockKeeper = {
    acquire: ask('+'),
    isHeld: ask('?'),
    release: (name) => {
      asked.push(`-${name}`);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const locks = new MemoryLocks((onLost) => {
    lose = onLost;
    return keeper;
  });
  const answer = async (taken: boolean | Error): Promise<void> => {
    const next = waiting.shift();
    if (taken instanceof Error) next?.reject(taken);
    else next?.resolve(taken);
    await new Promise(setImmediate);
  };
  const refuse = async (): Promise<void> => {
    const before = asked.length;
    while (asked.length < before + 3) {
      if (waiting.length > 0) await answer(false);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await answer(false);
  };
  return { locks, asked, answer, refuse, lose: () => lose() };
}

test('a lock that is being taken is nobody else’s, and free again where it was not had', async () => {
  const { locks, asked, answer, refuse } = slow();
  const first = locks.lock('a', ada);
  expect(await locks.lock('a', bob)).toEqual(ada);
  await refuse();
  expect([await first, locks.standings(['a'], 'bob')[0]]).toEqual(['elsewhere', 'free']);
  expect(asked).toEqual(['+a', '+a', '+a', '+a']);
  const second = locks.lock('a', bob);
  const failed = expect(second).rejects.toThrow('away');
  await answer(new Error('away'));
  await failed;
  expect(locks.standings(['a'], 'ada')[0]).toBe('free');
});

test('a session that is closed gives up what it holds, and what it is about to hold', async () => {
  const { locks, asked, answer } = slow();
  const first = locks.lock('a', ada);
  await answer(true);
  const second = locks.lock('b', ada);
  const closed = locks.release('ada');
  expect(locks.standings(['a', 'b'], 'bob')).toEqual(['free', 'free']);
  await answer(true);
  await closed;
  expect([await first, await second]).toEqual(['locked', 'elsewhere']);
  expect(asked).toEqual(['+a', '+b', '-a', '-b']);
});

test('a lock that a save shares for a moment is had behind it', async () => {
  const { locks, asked, answer } = slow();
  const taken = locks.lock('a', ada);
  await answer(false);
  await vi.waitUntil(() => asked.length === 2);
  await answer(true);
  expect([await taken, locks.standings(['a'], 'ada')[0]]).toEqual(['locked', 'own']);
});

test('the state of a lock is told without taking it', async () => {
  const { locks, asked, answer, refuse, lose } = slow();
  const free = locks.state('a', 'ada');
  await answer(false);
  expect(await free).toBe('free');
  const elsewhere = locks.state('a', 'ada');
  await answer(true);
  expect([await elsewhere, asked.splice(0)]).toEqual(['elsewhere', ['?a', '?a']]);
  const taken = locks.lock('a', ada);
  const own = locks.state('a', 'ada');
  expect(await locks.state('a', 'bob')).toEqual(ada);
  await answer(true);
  expect([await taken, await own]).toEqual(['locked', 'own']);
  lose();
  const lost = locks.state('a', 'ada');
  await answer(false);
  expect([await lost, locks.standings(['a'], 'ada')[0]]).toEqual(['lost', 'lost']);
  const refused = locks.lock('b', ada);
  const state = locks.state('b', 'ada');
  await refuse();
  expect([await refused, await state, asked]).toEqual([
    'elsewhere',
    'elsewhere',
    ['+a', '?a', '+b', '+b', '+b', '+b'],
  ]);
});

test('a lock that nobody wants any more is not asked for again', async () => {
  const { locks, asked, answer } = slow();
  const taken = locks.lock('a', ada);
  await answer(false);
  await locks.release('ada');
  expect([await taken, asked]).toEqual(['elsewhere', ['+a']]);
});

test('a lock that was lost is told of until it is taken again or given up', async () => {
  const { locks, answer, lose } = slow();
  for (const name of ['a', 'b']) {
    const taken = locks.lock(name, ada);
    await answer(true);
    await taken;
  }
  lose();
  const standings = (): readonly Standing[] => locks.standings(['a', 'b'], 'ada');
  expect([standings(), locks.standings(['a'], 'bob')[0]]).toEqual([['lost', 'lost'], 'free']);
  expect(standings()).toEqual(['lost', 'lost']);
  const again = locks.lock('a', ada);
  await answer(true);
  expect([await again, await locks.unlock('b', 'ada')]).toEqual(['locked', 'lost']);
  expect([standings(), await locks.unlock('b', 'ada')]).toEqual([['own', 'free'], 'free']);
});

const table = { schema: 'HR', name: 'TBL_EMP' };

test.each([
  [['126'], 'entitygate:HR.TBL_EMP:126'],
  [['DE  '], 'entitygate:HR.TBL_EMP:DE'],
  [['A;B%'], 'entitygate:HR.TBL_EMP:A;B%'],
  [['7', '2'], 'entitygate:HR.TBL_EMP:7;2'],
  [['a;b', '100%'], 'entitygate:HR.TBL_EMP:a%3Bb;100%25'],
])('the lock of the row %j is called %s', (key, name) => {
  expect(lockName(table, key)).toBe(name);
});

test('a name that sp_getapplock would cut is known by its hash', () => {
  const longest = 'é'.repeat(255 - 'entitygate:HR.TBL_EMP:'.length);
  expect(lockName(table, [longest])).toBe(`entitygate:HR.TBL_EMP:${longest}`);
  const hash = createHash('sha256').update(`entitygate:HR.TBL_EMP:${longest}!`).digest('hex');
  expect(lockName(table, [`${longest}!`])).toBe(`entitygate:#${hash}`);
});

test.each([
  [true, 'locked', 'own'],
  [false, 'elsewhere', 'elsewhere'],
])('a session that asks twice is told how the first attempt ends: %s', async (isTaken, ...ends) => {
  const { locks, answer, refuse } = slow();
  const asking = [locks.lock('a', ada), locks.lock('a', ada)];
  await (isTaken ? answer(true) : refuse());
  expect(await Promise.all(asking)).toEqual(ends);
});
