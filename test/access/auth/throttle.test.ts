import { expect, test } from 'vitest';
import { Throttle, TooManyAttempts, type AttemptEvent } from '../../../src/access/auth/throttle.ts';
import { testClock, type TestClock } from './support.ts';

const HERE = '192.0.2.1';
const THERE = '192.0.2.2';

function opened(): { throttle: Throttle; clock: TestClock } {
  const clock = testClock();
  return { throttle: new Throttle(clock), clock };
}

/** The seconds that an attempt has to wait, or 0 where it may be made. */
function waitOf(attempt: () => unknown): number {
  try {
    attempt();
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
function waits(throttle: Throttle, number: number, user: string, address: string): number[] {
  return Array.from({ length: number }, () => waitOf(() => throttle.begin(user, address)));
}

const free = (number: number): number[] => new Array<number>(number).fill(0);

test('ten may fail in five minutes, of one user from one address', () => {
  const { throttle, clock } = opened();
  expect(waits(throttle, 9, 'ada', HERE)).toEqual(free(9));
  clock.pass(200);
  expect(waits(throttle, 3, 'ada', HERE)).toEqual([0, 100, 100]);
  expect(waits(throttle, 10, 'bob', HERE)).toEqual(free(10));
  expect(waits(throttle, 10, 'ada', THERE)).toEqual(free(10));
  clock.pass(100.5);
  expect(waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
});

test('those that are refused make nobody wait longer', () => {
  const { throttle, clock } = opened();
  waits(throttle, 10, 'ada', HERE);
  clock.pass(299.2);
  expect(waits(throttle, 50, 'ada', HERE)).toEqual(new Array(50).fill(1));
  clock.pass(1);
  expect(waits(throttle, 1, 'ada', HERE)).toEqual([0]);
});

test('a hundred may fail from one address, whoever they are for', () => {
  const { throttle } = opened();
  for (let index = 0; index < 100; index += 1) {
    expect(waits(throttle, 1, `user ${index}`, '2001:db8::1')).toEqual([0]);
  }
  expect(waits(throttle, 1, 'ada', '2001:db8::ffff')).toEqual([300]);
  expect(waits(throttle, 1, 'ada', '2001:db8:0:1::1')).toEqual([0]);
});

test('a program with an old password is in nobody’s way but its own', () => {
  const { throttle } = opened();
  waits(throttle, 5000, 'job', HERE);
  expect(waits(throttle, 1, 'ada', HERE)).toEqual([0]);
  expect(waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
});

test('who is right begins anew, and does not hide what others tried from there', () => {
  const { throttle } = opened();
  waits(throttle, 9, 'ada', HERE);
  throttle.begin('ada', HERE).succeeded();
  expect(waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
  for (let index = 0; index < 81; index += 1) {
    throttle.begin('mallory', HERE).succeeded();
    expect(waits(throttle, 1, `user ${index}`, HERE)).toEqual([0]);
  }
  expect(waits(throttle, 1, 'bob', HERE)).toEqual([300]);
});

test('an attempt that came to nothing does not count', () => {
  const { throttle } = opened();
  for (let index = 0; index < 200; index += 1) throttle.begin('ada', HERE).withdrawn();
  expect(waits(throttle, 11, 'ada', HERE)).toEqual([...free(10), 300]);
});

test('what is remembered counts until ten times as many have failed', () => {
  const { throttle, clock } = opened();
  waits(throttle, 99, 'ada', HERE);
  expect(waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
  waits(throttle, 1, 'ada', HERE);
  expect(waitOf(() => throttle.checkOpen('ada', HERE))).toBe(300);
  expect(waitOf(() => throttle.checkOpen('ada', THERE))).toBe(0);
  for (let index = 0; index < 1000; index += 1) waits(throttle, 1, `user ${index}`, THERE);
  expect(waitOf(() => throttle.checkOpen('ada', THERE))).toBe(300);
  clock.pass(301);
  expect(waitOf(() => throttle.checkOpen('ada', HERE))).toBe(0);
});

test('processes that serve together count alike', () => {
  const clock = testClock();
  const listeners: ((news: unknown) => void)[] = [];
  const join = (): Throttle => {
    let own: (news: unknown) => void = () => undefined;
    return new Throttle(clock, {
      tell: (event: AttemptEvent) => {
        for (const listener of listeners) if (listener !== own) listener(event);
      },
      hear: (listener) => listeners.push((own = listener)),
    });
  };
  const [one, other] = [join(), join()];
  expect([...waits(one, 5, 'ann', HERE), ...waits(other, 5, 'ann', HERE)]).toEqual(
    Array(10).fill(0),
  );
  expect([one, other].map((throttle) => waits(throttle, 1, 'ann', HERE))).toEqual([[300], [300]]);
  expect(waits(one, 1, 'bob', HERE)).toEqual([0]);
  const attempt = other.begin('eve', HERE);
  waits(one, 8, 'eve', HERE);
  attempt.succeeded();
  expect(waits(one, 10, 'eve', HERE)).toEqual(Array(10).fill(0));
});
