import { expect, test } from 'vitest';
import {
  COST,
  decoyHash,
  hashPassword,
  isPassword,
  newPasswordProblem,
  type PasswordHash,
  passwordHashText,
  preparedPassword,
  readPasswordHash,
} from '../../../src/access/auth/password-hash.ts';
import { PasswordChecks, type Claimant } from '../../../src/access/auth/password-checks.ts';
import { refusal, testClock, type TestClock } from './support.ts';
import { rows } from '../../rows.ts';
import { memoryCounts, Throttle, TooManyAttempts } from '../../../src/access/auth/throttle.ts';

function read(text: string): PasswordHash {
  const found = readPasswordHash(text);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

const SALT = 'A'.repeat(22);
const HASH = 'A'.repeat(43);
const withCost = (cost: string): string => `$scrypt$${cost}$${SALT}$${HASH}`;

test('a password has its hash, and no other one', async () => {
  const hash = await hashPassword('correct horse');
  const text = passwordHashText(hash);
  expect(text).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/);
  expect(await isPassword('correct horse', read(text))).toBe(true);
  expect(await isPassword('Correct horse', read(text))).toBe(false);
  expect(passwordHashText(await hashPassword('correct horse'))).not.toBe(text);
});

test('hashes of other programs are read, and their parameters are minded', async () => {
  // scrypt('geheimwort', sixteen bytes of 0x61, N=2^16, r=8, p=1), by Python’s hashlib.
  const text =
    '$scrypt$ln=16,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$XVc80fxmCbjW1lY3AYp7yIaFYUTJIcEFyZeaP6A9PQc';
  expect(await isPassword('geheimwort', read(text))).toBe(true);
});

test.each(rows`
  ln=17,r=8,p=1 | null
  ln=16,r=8,p=1 | null
  ln=16,r=8,p=2 | null
  ln=15,r=8,p=3 | null
  ln=14,r=8,p=5 | null
  ln=13,r=8,p=10 | null
  ln=18,r=8,p=1 | null
  ln=17,r=8,p=4 | null
  ln=15,r=8,p=1 | is a hash that is guessed too quickly: expected ln=17,r=8,p=1, or as much work
  ln=0,r=0,p=0 | is a hash that is guessed too quickly: expected ln=17,r=8,p=1, or as much work
  ln=19,r=8,p=1 | is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1
  ln=17,r=8,p=5 | is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1
  ln=99,r=999,p=999 | is a hash that takes more than 256 MB, or more than four times as long as ln=17,r=8,p=1
  ln=16,r=1,p=16 | is a hash by numbers that scrypt does not take
  ln=17,r=8 | is not a hash by scrypt that can be read: make the entry with entitygate user
`)('a hash with %s is taken, or not and why', (cost, problem) => {
  const text = withCost(cost);
  const found = readPasswordHash(text);
  expect('problem' in found ? found.problem : null).toBe(problem === 'null' ? null : problem);
  if (!('problem' in found)) expect(passwordHashText(found)).toBe(text);
});

const none = 'is not a hash of a password: make the entry with entitygate user';
const foreign =
  'is a hash of another kind, and only those by scrypt are taken: make the entry with entitygate user';

test.each(rows`
  $scrypt$ln=17,r=8,p=1$${'A'.repeat(20)}$${HASH} | has a salt of 15 bytes: expected 16 to 64
  $scrypt$ln=17,r=8,p=1$${SALT}$${'A'.repeat(42)} | has a hash of 31 bytes: expected 32 to 64
  $scrypt$ln=17,r=8,p=1$${SALT}$${'A'.repeat(100)} | has a hash of 75 bytes: expected 32 to 64
  ${''} | ${none}
  geheimwort | ${none}
  $ecret | ${none}
  $2y$10$abcdefghijklmnopqrstuuJ4lF | ${foreign}
  $argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA | ${foreign}
  $6$rounds=5000$salt$hash | ${foreign}
  $apr1$salt$hash | ${foreign}
`)('%s is refused', (text, problem) => {
  expect(readPasswordHash(text)).toEqual({ problem });
});

test.each([
  ['as it is', 'correct horse battery staple', 'correct horse battery staple'],
  ['case is kept', 'Correct Horse', 'Correct Horse'],
  ['blanks of all scripts are one (RFC 8265 §4.3, 3)', 'foo\u1680bar\u00a0', 'foo bar '],
  ['an accent is a part of its letter', 'cafe\u0301', 'caf\u00e9'],
  ['wide letters stay wide: NFC, not NFKC', '\uff21', '\uff21'],
  ['others than Latin', 'πßå', 'πßå'],
  ['any length up to 1024', '🔒'.repeat(1024), '🔒'.repeat(1024)],
])('%s', (_, text, prepared) => {
  expect(preparedPassword(text)).toBe(prepared);
});

test.each([
  ['nothing', ''],
  ['a control character (RFC 8265 §4.3, 5)', 'my cat is a \u0009by'],
  ['half a surrogate pair', 'abc\ud800defgh'],
  ['more than 1024 characters', 'a'.repeat(1025)],
])('%s is nobody’s password', (_, text) => {
  expect(preparedPassword(text)).toBeNull();
});

test.each([
  ['', 'the password is empty'],
  ['seven77', 'the password has fewer than 8 characters'],
  ['e\u0301'.repeat(7), 'the password has fewer than 8 characters'],
  ['🔒'.repeat(7), 'the password has fewer than 8 characters'],
  ['tab\tulator', 'the password holds control characters, or is longer than 1024 characters'],
  ['a'.repeat(1025), 'the password holds control characters, or is longer than 1024 characters'],
  ['eight888', null],
  ['        ', null],
  ['🔒'.repeat(8), null],
])('of %j as a new password: %s', (text, problem) => {
  expect(newPasswordProblem(text)).toBe(problem);
});

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

const HERE = '192.0.2.1';
const THERE = '192.0.2.2';

function opened(): { throttle: Throttle; clock: TestClock } {
  const clock = testClock();
  return { throttle: new Throttle(memoryCounts(clock)), clock };
}

/** The seconds that an attempt has to wait, or 0 where it may be made. */
async function waitOf(attempt: () => Promise<unknown>): Promise<number> {
  try {
    await attempt();
    return 0;
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    expect(error.message).toBe(
      `Too many attempts to log in have failed. Try again in ${error.retryAfterSeconds} seconds.`,
    );
    expect([error.errorName, error.status]).toEqual(['tooManyAttempts', 429]);
    return error.retryAfterSeconds;
  }
}

/** So many attempts, one after the other: how long each has to wait. */
async function waits(
  throttle: Throttle,
  number: number,
  user: string,
  address: string,
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < number; index += 1) {
    found.push(await waitOf(() => throttle.begin(user, address)));
  }
  return found;
}

const free = (number: number): number[] => new Array<number>(number).fill(0);

test('ten may fail in five minutes, of one user from one address', async () => {
  const { throttle, clock } = opened();
  expect(await waits(throttle, 9, 'ada', HERE)).toEqual(free(9));
  clock.pass(200);
  expect(await waits(throttle, 3, 'ada', HERE)).toEqual([0, 100, 100]);
  expect(await waits(throttle, 10, 'bob', HERE)).toEqual(free(10));
  expect(await waits(throttle, 10, 'ada', THERE)).toEqual(free(10));
  // Those that are refused make nobody wait longer.
  clock.pass(99.2);
  expect(await waits(throttle, 50, 'ada', HERE)).toEqual(new Array(50).fill(1));
  clock.pass(1.3);
  expect(await waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
});

test('a hundred may fail from one address, whoever they are for', async () => {
  const { throttle } = opened();
  for (let index = 0; index < 100; index += 1) {
    expect(await waits(throttle, 1, `user ${index}`, '2001:db8::1')).toEqual([0]);
  }
  expect(await waits(throttle, 1, 'ada', '2001:db8::ffff')).toEqual([300]);
  expect(await waits(throttle, 1, 'ada', '2001:db8:0:1::1')).toEqual([0]);
  // A program with an old password is in nobody's way but its own.
  await waits(throttle, 5000, 'job', HERE);
  expect(await waits(throttle, 1, 'ada', HERE)).toEqual([0]);
  expect(await waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
});

test('who is right begins anew, an attempt that came to nothing does not count, and neither hides what others tried from there', async () => {
  const { throttle } = opened();
  for (let index = 0; index < 200; index += 1) {
    await (await throttle.begin('ada', HERE)).withdrawn();
  }
  await waits(throttle, 9, 'ada', HERE);
  await (await throttle.begin('ada', HERE)).succeeded();
  expect(await waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
  for (let index = 0; index < 81; index += 1) {
    await (await throttle.begin('mallory', HERE)).succeeded();
    expect(await waits(throttle, 1, `user ${index}`, HERE)).toEqual([0]);
  }
  expect(await waits(throttle, 1, 'bob', HERE)).toEqual([300]);
});

test('what is remembered counts until ten times as many have failed', async () => {
  const { throttle, clock } = opened();
  await waits(throttle, 99, 'ada', HERE);
  expect(await waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
  await waits(throttle, 1, 'ada', HERE);
  expect(await waitOf(() => throttle.checkOpen('ada', HERE))).toBe(300);
  expect(await waitOf(() => throttle.checkOpen('ada', THERE))).toBe(0);
  for (let index = 0; index < 1000; index += 1) await waits(throttle, 1, `user ${index}`, THERE);
  expect(await waitOf(() => throttle.checkOpen('ada', THERE))).toBe(300);
  clock.pass(301);
  expect(await waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
});
