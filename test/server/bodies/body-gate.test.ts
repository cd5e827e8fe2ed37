import { expect, test } from 'vitest';
import { BodyGate, type BodyMemory } from '../../../src/server/bodies/receive-body.ts';

const staying = new AbortController().signal;

/** Asks for a place, and tells in the log when it is given. */
function enter(
  gate: BodyGate,
  name: string,
  bytes: number,
  log: string[],
  signal = staying,
): Promise<BodyMemory | null> {
  return gate.enter(bytes, signal).then(
    (place) => {
      log.push(`${name} has its place`);
      return place;
    },
    (error: unknown) => {
      log.push(`${name} has gone: ${String(error)}`);
      return null;
    },
  );
}

/** Until everything that can be done has been. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('large bodies get places as far as there is room, in the order of arrival; small ones pass', async () => {
  const gate = new BodyGate(1_000_000);
  const log: string[] = [];
  const first = await enter(gate, 'first', 700_000, log);
  const second = enter(gate, 'second', 700_000, log);
  const third = enter(gate, 'third', 200_000, log);
  await enter(gate, 'small', 65_536, log);
  expect(log.splice(0)).toEqual(['first has its place', 'small has its place']);
  first?.release();
  await Promise.all([second, third]);
  expect(log).toEqual(['second has its place', 'third has its place']);
});

test('a body that is larger than all room gets a place when no other has one', async () => {
  const gate = new BodyGate(100_000);
  const log: string[] = [];
  const first = await enter(gate, 'first', 200_000, log);
  const second = enter(gate, 'second', 70_000, log);
  await settled();
  expect(log).toEqual(['first has its place']);
  first?.release();
  (await second)?.release();
  expect(log).toEqual(['first has its place', 'second has its place']);
});

test('who leaves while it waits is waited for by nobody', async () => {
  const gate = new BodyGate(100_000);
  const log: string[] = [];
  const leaving = new AbortController();
  const first = await enter(gate, 'first', 70_000, log);
  const second = enter(gate, 'second', 100_000, log, leaving.signal);
  const third = enter(gate, 'third', 70_000, log);
  const fourth = enter(gate, 'fourth', 70_000, log);
  leaving.abort(new Error('hung up'));
  await second;
  expect(log.splice(0)).toEqual(['first has its place', 'second has gone: Error: hung up']);
  first?.release();
  (await third)?.release();
  await fourth;
  expect(log).toEqual(['third has its place', 'fourth has its place']);
});

test('the first of the row that leaves lets the next one in at once', async () => {
  const gate = new BodyGate(200_000);
  const log: string[] = [];
  const leaving = new AbortController();
  await enter(gate, 'first', 100_000, log);
  const second = enter(gate, 'second', 200_000, log, leaving.signal);
  const third = enter(gate, 'third', 100_000, log);
  await settled();
  expect(log.splice(0)).toEqual(['first has its place']);
  leaving.abort(new Error('hung up'));
  await Promise.all([second, third]);
  expect(log.toSorted()).toEqual(['second has gone: Error: hung up', 'third has its place']);
});

test('who has gone already gets no place', async () => {
  const gate = new BodyGate(100_000);
  const gone = AbortSignal.abort(new Error('hung up'));
  await expect(gate.enter(100_000, gone)).rejects.toThrow('hung up');
  await expect(gate.enter(10, gone)).rejects.toThrow('hung up');
});

test('what is not needed is given back, and nothing twice', async () => {
  const gate = new BodyGate(200_000);
  const log: string[] = [];
  const first = await enter(gate, 'first', 200_000, log);
  const second = enter(gate, 'second', 100_000, log);
  const third = enter(gate, 'third', 100_000, log);
  first?.shrink(100_000);
  await second;
  await settled();
  expect(log).toEqual(['first has its place', 'second has its place']);
  first?.release();
  first?.release();
  await third;
  const fourth = enter(gate, 'fourth', 100_000, log);
  await settled();
  expect(log).toEqual(['first has its place', 'second has its place', 'third has its place']);
  (await second)?.release();
  await fourth;
});
