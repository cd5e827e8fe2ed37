import { expect, test } from 'vitest';
import { BodyGate } from '../../src/server/body-gate.ts';

/** Work that goes on until it is told to end. */
function work(gate: BodyGate, name: string, bytes: number, log: string[]): () => Promise<void> {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    end = resolve;
  });
  const done = gate.through(bytes, async () => {
    log.push(`${name} begins`);
    await until;
    log.push(`${name} ends`);
  });
  return () => {
    end();
    return done;
  };
}

test('large bodies are worked on as far as there is room, in the order of arrival', async () => {
  const gate = new BodyGate(1_000_000);
  const log: string[] = [];
  const first = work(gate, 'first', 700_000, log);
  const second = work(gate, 'second', 700_000, log);
  const third = work(gate, 'third', 200_000, log);
  const small = work(gate, 'small', 1000, log);
  await small();
  expect(log).toEqual(['first begins', 'small begins', 'small ends']);
  await first();
  expect(log.slice(3)).toEqual(['first ends', 'second begins', 'third begins']);
  await Promise.all([second(), third()]);
  expect(log.slice(6)).toEqual(['second ends', 'third ends']);
});

test('a body that is larger than all room is let through alone', async () => {
  const gate = new BodyGate(100_000);
  const log: string[] = [];
  const first = work(gate, 'first', 200_000, log);
  const second = work(gate, 'second', 70_000, log);
  expect(log).toEqual(['first begins']);
  await first();
  await second();
  expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

test('work that fails gives its room back', async () => {
  const gate = new BodyGate(100_000);
  const failing = gate.through(100_000, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await gate.through(100_000, () => Promise.resolve('room'))).toBe('room');
});
