import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { heldBy, streamed } from '../../../src/server/http/reply.ts';
import { byteRange } from '../../../src/server/operations/content.ts';
import { ask, start } from '../serving.ts';

const GZIP = { 'accept-encoding': 'gzip' };

test.each([
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=2-5', 10, { start: 2, end: 6 }],
  ['bytes=2-', 10, { start: 2, end: 10 }],
  ['bytes=2-99', 10, { start: 2, end: 10 }],
  ['bytes=9-', 10, { start: 9, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-99', 10, { start: 0, end: 10 }],
  ['Bytes= 1-2 ', 10, { start: 1, end: 3 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  // What is not a range that is served is none.
  [undefined, 10, null],
  ['', 10, null],
  ['bytes=', 10, null],
  ['bytes=-', 10, null],
  ['bytes=5-2', 10, null],
  ['bytes=0-1,4-5', 10, null],
  ['pages=0-1', 10, null],
  ['bytes=a-b', 10, null],
  ['bytes=99999999999999999999-', 10, null],
] as const)('%s of %d bytes', (header, length, range) => {
  expect(byteRange(header, length)).toEqual(range);
});

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

test('an image or BLOB is sent as it is, also where it is text', async () => {
  const svg = Buffer.from(' '.repeat(20_000));
  for (const type of ['image/svg+xml', 'application/octet-stream']) {
    const answer = { status: 200, headers: { 'content-type': type }, body: svg };
    const server = await start({ handle: () => Promise.resolve(answer) });
    const { headers, text } = await ask(server, '/rest/A', { headers: GZIP });
    expect([headers['content-encoding'], text]).toEqual([undefined, svg.toString()]);
  }
});

test('a stream is read as fast as its client reads', async () => {
  let made = 0;
  const pieces = function* (): Generator<Buffer> {
    for (; made < 400; made += 1)
      yield Buffer.from(Array.from({ length: 65_536 }, () => Math.random() * 256));
  };
  const { port } = await start({
    handle: () =>
      Promise.resolve({ ...jsonAnswer(''), body: Readable.from(pieces(), { objectMode: false }) }),
  });
  await new Promise<void>((resolve, reject) => {
    httpRequest({ port, path: '/rest/A', headers: GZIP }, (response) => {
      response.once('readable', () => {
        setTimeout(() => {
          response.destroy();
          resolve();
        }, 500);
      });
    })
      .on('error', reject)
      .end();
  });
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(400);
});
