import { expect, test } from 'vitest';
import { PasswordChecks, type Claimant } from '../../../src/access/auth/password-checks.ts';
import { COST, decoyHash, type PasswordHash } from '../../../src/access/auth/password-hash.ts';
import { refusal, testClock, type TestClock } from './support.ts';

const stored = decoyHash(COST);
const ada: Claimant = { user: 'ada', password: 'right', stored, address: '192.0.2.1' };
const wrong = { ...ada, password: 'wrong' };

/** What is worked on, in order, and the ends of it. */
interface Work {
  readonly password: string;
  readonly end: (isRight: boolean) => void;
  readonly fail: (error: Error) => void;
}

/** Checks whose work a test ends when it wants to. */
function byHand(): { checks: PasswordChecks; works: Work[]; clock: TestClock } {
  const clock = testClock();
  const works: Work[] = [];
  const checks = new PasswordChecks(
    clock,
    (password) =>
      new Promise((end, fail) => {
        works.push({ password, end, fail });
      }),
  );
  return { checks, works, clock };
}

/** Checks by which "right" is everybody's password; how often one was worked out. */
function quick(): { checks: PasswordChecks; worked: () => number; clock: TestClock } {
  const clock = testClock();
  let number = 0;
  const checks = new PasswordChecks(clock, (password) => {
    number += 1;
    return Promise.resolve(password === 'right');
  });
  return { checks, worked: () => number, clock };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what was right is remembered for five minutes, by everything that made it right', async () => {
  const { checks, worked, clock } = quick();
  const numbers: number[] = [];
  const ask = async (claimant: Claimant): Promise<void> => {
    expect(await checks.check(claimant)).toBe(true);
    numbers.push(worked());
  };
  await ask(ada);
  clock.pass(299);
  await ask(ada);
  await ask({ ...ada, address: '192.0.2.2' });
  await ask({ ...ada, user: 'bob' });
  const changed: PasswordHash = decoyHash(COST);
  await ask({ ...ada, stored: changed });
  clock.pass(2);
  await ask(ada);
  expect(numbers).toEqual([1, 1, 2, 3, 4, 5]);
});

test('what was wrong is worked out anew each time', async () => {
  const { checks, worked } = quick();
  for (let index = 1; index <= 3; index += 1) {
    expect(await checks.check(wrong)).toBe(false);
    expect(worked()).toBe(index);
  }
});

test('the same question asked at once is answered once, and counts once', async () => {
  const { checks, works } = byHand();
  const asked = Array.from({ length: 50 }, () => checks.check(wrong));
  await settled();
  expect(works.map(({ password }) => password)).toEqual(['wrong']);
  works[0]?.end(false);
  expect(await Promise.all(asked)).toEqual(new Array(50).fill(false));
  void checks.check(wrong);
  await settled();
  expect(works).toHaveLength(2);
});

test('two are worked on at once, thirty-two wait in turn, and more are told to come back', async () => {
  const { checks, works } = byHand();
  const asked = Array.from({ length: 34 }, (_, index) =>
    checks.check({ ...ada, user: `user ${index}`, password: String(index) }),
  );
  await settled();
  expect(works.map(({ password }) => password)).toEqual(['0', '1']);
  expect(await refusal(() => checks.check(ada))).toEqual([
    'authenticationBusy',
    'Too many passwords are being checked at the moment. Try again later.',
  ]);
  works[1]?.end(true);
  await settled();
  expect(works.map(({ password }) => password)).toEqual(['0', '1', '2']);
  const late = checks.check(ada);
  for (let index = 0; index < 35; index += 1) {
    works[index]?.end(true);
    await settled();
  }
  expect(await Promise.all([...asked, late])).toEqual(new Array(35).fill(true));
  expect(works.at(-1)?.password).toBe('right');
});

test('ten wrong ones in a row shut the door, but not to who is remembered', async () => {
  const { checks, worked, clock } = quick();
  const bob = { ...ada, user: 'bob' };
  await checks.check(bob);
  for (let index = 0; index < 10; index += 1) {
    expect(await checks.check({ ...bob, password: `wrong ${index}` })).toBe(false);
  }
  const tooMany = [
    'tooManyAttempts',
    'Too many attempts to log in have failed. Try again in 300 seconds.',
  ];
  expect(worked()).toBe(11);
  expect(await refusal(() => checks.check({ ...bob, password: 'wrong' }))).toEqual(tooMany);
  expect(await checks.check(bob)).toBe(true);
  expect(await checks.check({ ...bob, address: '192.0.2.9' })).toBe(true);
  for (let index = 0; index < 89; index += 1) {
    expect(await refusal(() => checks.check({ ...bob, password: `x${index}` }))).toEqual(tooMany);
  }
  // From here on trying passwords against the memory would be free.
  expect(await refusal(() => checks.check(bob))).toEqual(tooMany);
  expect(worked()).toBe(12);
  clock.pass(301);
  expect(await checks.check(bob)).toBe(true);
  expect(worked()).toBe(13);
});

test('many wrong ones at once do not all pass before the first has failed', async () => {
  const { checks, works } = byHand();
  const asked = Array.from({ length: 12 }, (_, index) =>
    refusal(() => checks.check({ ...ada, password: `wrong ${index}` })),
  );
  for (let index = 0; index < 10; index += 1) {
    await settled();
    works[index]?.end(false);
  }
  const answers = await Promise.all(asked);
  expect(answers.filter((answer) => answer === false)).toHaveLength(10);
  expect(works).toHaveLength(10);
});

test('what fails through nobody’s fault does not count, and is not remembered', async () => {
  const { checks, works } = byHand();
  for (let index = 0; index < 12; index += 1) {
    const asked = checks.check(ada);
    await settled();
    works[index]?.fail(new Error('out of memory'));
    await expect(asked).rejects.toThrow('out of memory');
  }
  const asked = checks.check(ada);
  await settled();
  works[12]?.end(true);
  expect(await asked).toBe(true);
});
