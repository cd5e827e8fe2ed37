import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { KeptConnection } from '../../src/database/driver.ts';
import { Pool } from '../../src/database/pool.ts';
import { Probe } from '../../src/database/probe.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { fakeDatabase } from './fake-driver.ts';

const { signal } = new AbortController();

type Answer = () => Promise<void>;

/** A probe of a pool with one connection, whose connections answer one after the other as the test says, and what happened. */
function probeOf(
  answers: readonly Answer[],
  { pooled, beside }: { readonly pooled?: Error; readonly beside?: Error } = {},
) {
  const rest = [...answers];
  const happened: string[] = [];
  const answer = async (): Promise<void> => {
    happened.push('ask');
    await rest.shift()?.();
  };
  const { connection, driver } = fakeDatabase({ run: answer }, null);
  const release = (isClean: boolean): void => {
    happened.push(isClean ? 'give back' : 'give up');
  };
  const acquire = (): Promise<typeof connection> => {
    happened.push('acquire');
    return pooled === undefined
      ? Promise.resolve({ ...connection, release })
      : Promise.reject(pooled);
  };
  const pool = new Pool({ ...driver.reading, connected: () => 0, acquire }, driver);
  const open = (): Promise<KeptConnection> => {
    happened.push('open');
    if (beside !== undefined) return Promise.reject(beside);
    const close = (): Promise<void> => {
      happened.push('close');
      return Promise.resolve();
    };
    return Promise.resolve({ connection, close });
  };
  return { probe: new Probe(pool, open), pool, happened };
}

const breaking = (): Promise<never> => Promise.reject(new Error('ECONNRESET'));
const silence = (): Promise<never> => new Promise(() => undefined);
const AWAY = { errorName: 'databaseUnavailable' };
const REFUSAL = new ProtocolError('databaseUnable', 'It takes no more connections.');

test('a free connection of the pool is asked, once by all who ask at the same time', async () => {
  const { probe, happened } = probeOf([]);
  await Promise.all([1, 2, 3].map(() => probe.ask(signal)));
  expect(happened).toEqual(['acquire', 'ask', 'give back']);
});

test.each([
  ['has broken unnoticed', breaking],
  ['says nothing any more', silence],
])('a connection that %s is given up, and another one asked', async (_how, first) => {
  const { probe, happened } = probeOf([first]);
  await probe.ask(signal);
  expect(happened).toEqual(['acquire', 'ask', 'give up', 'open', 'ask', 'close']);
});

test('a database that does not answer a new connection either is away, and asked anew', async () => {
  const { probe, happened } = probeOf([breaking, breaking, breaking, silence]);
  const asked = ['acquire', 'ask', 'give up', 'open', 'ask', 'close'];
  for (let time = 0; time < 2; time += 1)
    await expect(probe.ask(signal)).rejects.toMatchObject(AWAY);
  await probe.ask(signal);
  expect(happened).toEqual([...asked, ...asked, 'acquire', 'ask', 'give back']);
});

test('what keeps the pool from connecting is told, although a connection beside it could be had', async () => {
  const { probe, happened } = probeOf([], { pooled: REFUSAL });
  await expect(probe.ask(signal)).rejects.toBe(REFUSAL);
  expect(happened).toEqual(['acquire']);
});

test.each<[string, Error | undefined, object | null]>([
  ['answers', undefined, null],
  ['refuses a further connection', REFUSAL, null],
  ['is away', new Error('ECONNREFUSED'), AWAY],
])('while all connections are in use, a database that %s', async (_what, beside, expected) => {
  const { probe, pool, happened } = probeOf([], beside && { beside });
  await pool.acquire(gatewayContext, 'read');
  const asked = probe.ask(signal);
  if (expected === null) await asked;
  else await expect(asked).rejects.toMatchObject(expected);
  expect(happened).toEqual(['acquire', 'open', ...(beside ? [] : ['ask', 'close'])]);
});

test('a broken connection, and no further one, is not an answer', async () => {
  await expect(probeOf([breaking], { beside: REFUSAL }).probe.ask(signal)).rejects.toBe(REFUSAL);
});

test('who has waited long enough leaves the others waiting', async () => {
  let answer: () => void = () => undefined;
  const { probe, happened } = probeOf([() => new Promise((resolve) => (answer = resolve))]);
  const leaving = new AbortController();
  const left = probe.ask(leaving.signal);
  const patient = probe.ask(signal);
  leaving.abort(new Error('two seconds'));
  await expect(left).rejects.toThrow('two seconds');
  answer();
  await patient;
  expect(happened).toEqual(['acquire', 'ask', 'give back']);
  await expect(probe.ask(leaving.signal)).rejects.toThrow('two seconds');
});
