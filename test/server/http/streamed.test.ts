import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { heldBy, streamed } from '../../../src/server/http/reply.ts';

test('a body holds one part, whose length it tells, and asks for the next one behind it', async () => {
  const asked: number[] = [];
  async function* parts(): AsyncGenerator<readonly (string | Buffer)[]> {
    const all = [['a'.repeat(300_000)], ['', 'bc', 'd'], [Buffer.alloc(300_000), 'e']];
    for (const [index, part] of all.entries()) {
      await setImmediate();
      asked.push(index);
      yield part;
    }
  }
  let closed = 0;
  const body = streamed(parts(), () => (closed += 1), gatewayContext);
  const held = heldBy(body);
  const seen: [length: number, held: number, asked: number][] = [];
  for await (const piece of body) {
    seen.push([(piece as Buffer).length, held(), asked.length]);
    await setImmediate();
  }
  expect(seen.map(([length]) => length).reduce((all, length) => all + length)).toBe(600_004);
  expect(seen[0]).toEqual([262_144, 300_000, 1]);
  expect(Math.max(...seen.map(([length]) => length))).toBe(262_144);
  expect([held(), asked, closed > 0]).toEqual([0, [0, 1, 2], true]);
});

test('other bodies hold nothing', () => {
  expect([heldBy('text')(), heldBy(null)(), heldBy({})()]).toEqual([0, 0, 0]);
});
