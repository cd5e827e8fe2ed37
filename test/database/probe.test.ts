import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import type { KeptConnection } from '../../src/database/driver.ts';
import { Probe } from '../../src/database/probe.ts';
import { fakeDatabase } from './fake-driver.ts';

const { signal } = new AbortController();

/** A probe whose connections answer one after the other as the test says, and what it did. */
function probeOf(answers: readonly (() => Promise<void>)[], refusals: readonly Error[] = []) {
  const rest = [...answers];
  const refused = [...refusals];
  const happened: string[] = [];
  const lose: ((cause: Error) => void)[] = [];
  const open = (onLost: (cause: Error) => void): Promise<KeptConnection> => {
    happened.push('open');
    const refusal = refused.shift();
    if (refusal !== undefined) return Promise.reject(refusal);
    lose.push(onLost);
    const { connection } = fakeDatabase({
      run: () => {
        happened.push('ask');
        return rest.shift()?.() ?? Promise.resolve();
      },
    });
    const close = (): Promise<void> => {
      happened.push('close');
      return Promise.resolve();
    };
    return Promise.resolve({ connection, close });
  };
  return { probe: new Probe(open), happened, lose };
}

const breaking = (): Promise<never> => Promise.reject(new Error('ECONNRESET'));
const silence = (): Promise<never> => new Promise(() => undefined);

test('the connection of a probe is kept, until it is lost or closed', async () => {
  const { probe, happened, lose } = probeOf([]);
  await probe.ask(signal);
  await probe.ask(signal);
  lose[0]?.(new Error('gone'));
  await expect.poll(() => happened.at(-1)).toBe('close');
  await probe.ask(signal);
  await probe.close();
  expect(happened).toEqual(['open', 'ask', 'ask', 'close', 'open', 'ask', 'close']);
  await expect(probe.ask(signal)).rejects.toMatchObject({ errorName: 'databaseUnavailable' });
});

test('those who ask at the same time ask once', async () => {
  const { probe, happened } = probeOf([]);
  await Promise.all([1, 2, 3].map(() => probe.ask(signal)));
  expect(happened).toEqual(['open', 'ask']);
});

test.each([
  ['has broken unnoticed', breaking],
  ['says nothing any more', silence],
])('a connection that %s is given up for another one', async (_how, second) => {
  const { probe, happened } = probeOf([() => Promise.resolve(), second]);
  await probe.ask(signal);
  await probe.ask(signal);
  expect(happened).toEqual(['open', 'ask', 'ask', 'close', 'open', 'ask']);
});

test('a database that does not answer a new connection is away, and asked anew', async () => {
  const { probe, happened } = probeOf([breaking, silence]);
  for (let time = 0; time < 2; time += 1) {
    await expect(probe.ask(signal)).rejects.toMatchObject({ errorName: 'databaseUnavailable' });
  }
  await probe.ask(signal);
  expect(happened).toEqual(['open', 'ask', 'close', 'open', 'ask', 'close', 'open', 'ask']);
});

test('why it cannot be reached is told', async () => {
  const refusal = new ProtocolError('databaseUnable', 'It refuses the login.');
  const { probe } = probeOf([], [refusal]);
  await expect(probe.ask(signal)).rejects.toBe(refusal);
  await probe.ask(signal);
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
  expect(happened).toEqual(['open', 'ask']);
  await expect(probe.ask(leaving.signal)).rejects.toThrow('two seconds');
});
