import { expect, test } from 'vitest';
import { memoryCounts, Throttle, TooManyAttempts } from '../../../src/access/auth/throttle.ts';
import { testClock, type TestClock } from './support.ts';

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
  clock.pass(100.5);
  expect(await waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
});

test('those that are refused make nobody wait longer', async () => {
  const { throttle, clock } = opened();
  await waits(throttle, 10, 'ada', HERE);
  clock.pass(299.2);
  expect(await waits(throttle, 50, 'ada', HERE)).toEqual(new Array(50).fill(1));
  clock.pass(1);
  expect(await waits(throttle, 1, 'ada', HERE)).toEqual([0]);
});

test('a hundred may fail from one address, whoever they are for', async () => {
  const { throttle } = opened();
  for (let index = 0; index < 100; index += 1) {
    expect(await waits(throttle, 1, `user ${index}`, '2001:db8::1')).toEqual([0]);
  }
  expect(await waits(throttle, 1, 'ada', '2001:db8::ffff')).toEqual([300]);
  expect(await waits(throttle, 1, 'ada', '2001:db8:0:1::1')).toEqual([0]);
});

test('a program with an old password is in nobody’s way but its own', async () => {
  const { throttle } = opened();
  await waits(throttle, 5000, 'job', HERE);
  expect(await waits(throttle, 1, 'ada', HERE)).toEqual([0]);
  expect(await waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
});

test('who is right begins anew, and does not hide what others tried from there', async () => {
  const { throttle } = opened();
  await waits(throttle, 9, 'ada', HERE);
  await (await throttle.begin('ada', HERE)).succeeded();
  expect(await waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
  for (let index = 0; index < 81; index += 1) {
    await (await throttle.begin('mallory', HERE)).succeeded();
    expect(await waits(throttle, 1, `user ${index}`, HERE)).toEqual([0]);
  }
  expect(await waits(throttle, 1, 'bob', HERE)).toEqual([300]);
});

test('an attempt that came to nothing does not count', async () => {
  const { throttle } = opened();
  for (let index = 0; index < 200; index += 1)
    await (await throttle.begin('ada', HERE)).withdrawn();
  expect(await waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
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
