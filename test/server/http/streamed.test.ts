import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Text } from '../../../src/base/text.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { heldBy, streamed } from '../../../src/server/http/reply.ts';

test('a body holds the text of one slice, whose length it tells, and asks for the next one behind it', async () => {
  const asked: number[] = [];
  async function* texts(): AsyncGenerator<Text> {
    for (const [index, text] of ['a'.repeat(300_000), ['', 'bc', 'd'], 'e'].entries()) {
      await setImmediate();
      asked.push(index);
      yield text;
    }
  }
  let closed = 0;
  const body = streamed(texts(), () => (closed += 1), gatewayContext);
  const held = heldBy(body);
  const seen: [length: number, held: number, asked: number][] = [];
  for await (const piece of body) {
    seen.push([(piece as Buffer).length, held(), asked.length]);
    await setImmediate();
  }
  expect(seen.map(([length]) => length).reduce((all, length) => all + length)).toBe(300_004);
  expect(seen[0]).toEqual([262_144, 300_000, 1]);
  expect([held(), asked, closed > 0]).toEqual([0, [0, 1, 2], true]);
});

test('other bodies hold nothing', () => {
  expect([heldBy('text')(), heldBy(null)(), heldBy({})()]).toEqual([0, 0, 0]);
});
