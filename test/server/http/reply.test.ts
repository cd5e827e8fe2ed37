import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type Answer as Answered,
  inPieces,
  JSON_TYPE,
  jsonAnswer,
} from '../../../src/answer/answer.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { heldBy, streamed } from '../../../src/server/http/reply.ts';
import { byteRange } from '../../../src/server/operations/content.ts';
import { answerTo, type WholeAnswer } from '../../fixtures/http.ts';
import { start, type StartOptions } from '../serving.ts';

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

const LONG = JSON.stringify(Array.from({ length: 2000 }, (_, index) => ({ ID: index, name: 'a' })));

/** Asks a server that answers so, and keeps the bytes as they came. */
async function bytesOf(
  answer: () => Answered,
  accept: string | null = 'gzip',
  { method = 'GET', ...options }: Partial<StartOptions> & { readonly method?: string } = {},
): Promise<WholeAnswer> {
  const { port } = await start({ handle: () => Promise.resolve(answer()), ...options });
  const headers = accept === null ? {} : { 'accept-encoding': accept };
  return answerTo(httpRequest({ port, path: '/rest/A', method, headers }));
}

const typed = (type: string, body: string | Buffer): Answered => ({
  ...{ status: 200, headers: { 'content-type': type }, body },
});

const tagged = (etag: string): Answered => {
  const { headers, ...rest } = jsonAnswer(LONG);
  return { ...rest, headers: { ...headers, etag, vary: 'Cookie' } };
};

describe('what is long is compressed', () => {
  test.each<[what: string, answer: () => Answered]>([
    ['text', () => jsonAnswer(LONG)],
    ['bytes in pieces', () => inPieces(jsonAnswer(''), [Buffer.from(LONG)])],
    [
      'a stream',
      () => ({
        ...jsonAnswer(''),
        body: Readable.from([LONG.slice(0, 9), LONG.slice(9)], { objectMode: false }),
      }),
    ],
    ['CSV', () => typed('text/csv; charset=utf-8; header=present', LONG)],
    ['NDJSON', () => typed('application/x-ndjson', LONG)],
  ])('%s', async (_what, answer) => {
    const { status, headers, bytes } = await bytesOf(answer);
    expect([status, headers['content-encoding'], headers.vary]).toEqual([
      ...[200, 'gzip', 'accept-encoding'],
    ]);
    expect(headers).not.toHaveProperty('content-length');
    expect(bytes.length).toBeLessThan(LONG.length / 4);
    expect(gunzipSync(bytes).toString()).toBe(LONG);
  });

  test('as the client likes it best', async () => {
    const { headers, bytes } = await bytesOf(() => jsonAnswer(LONG), 'gzip;q=0.5, br');
    expect(headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(bytes).toString()).toBe(LONG);
  });

  test('with a weak tag, and varying by the coding, too', async () => {
    const { headers } = await bytesOf(() => tagged('"digest"'));
    expect([headers.etag, headers.vary]).toEqual(['W/"digest"', 'Cookie, accept-encoding']);
  });
});

describe('is sent as it is', () => {
  test.each<[what: string, answer: () => Answered, accept?: string | null]>([
    ['what nobody asks to have compressed', () => jsonAnswer(LONG), null],
    ['what is asked for in no coding that is known', () => jsonAnswer(LONG), 'compress, identity'],
    ['what is asked for in none', () => jsonAnswer(LONG), 'gzip;q=0'],
    ['what is short', () => jsonAnswer(JSON.stringify('a'.repeat(9000)))],
    ['an entity whose tag names its stamp', () => tagged('"5.digest"')],
    ['an image', () => typed('image/svg+xml', Buffer.from(LONG))],
    ['a BLOB', () => typed('application/octet-stream', Buffer.from(LONG))],
  ])('%s', async (_what, answer, accept) => {
    const { headers, bytes } = await bytesOf(answer, accept);
    const { headers: own, body } = answer();
    const text = Buffer.from(body as string);
    expect([headers['content-encoding'], headers.etag, headers['content-length']]).toEqual([
      undefined,
      own['etag'],
      String(text.length),
    ]);
    expect(bytes.equals(text)).toBe(true);
  });

  test('what HEAD asks about, and everything where the configuration says so', async () => {
    const head = await bytesOf(() => jsonAnswer(LONG), 'gzip', { method: 'HEAD' });
    expect([head.headers['content-encoding'], head.bytes.length]).toEqual([undefined, 0]);
    expect(head.headers['content-type']).toBe(JSON_TYPE);
    const plain = await bytesOf(() => jsonAnswer(LONG), 'gzip', { compression: false });
    expect([plain.headers['content-encoding'], plain.bytes.toString()]).toEqual([undefined, LONG]);
  });
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
    const headers = { 'accept-encoding': 'gzip' };
    httpRequest({ port, path: '/rest/A', headers }, (response) => {
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
