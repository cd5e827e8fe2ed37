import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { streamed } from '../../src/server/http/reply.ts';
import { start } from './serving.ts';

test('a request whose client goes is told so, is not an error, and is logged as such', async () => {
  const signals: AbortSignal[] = [];
  const { port, log } = await start({
    handle: async ({ signal }) => {
      signals.push(signal);
      await once(signal, 'abort');
      throw new TypeError('the rest of the work failed');
    },
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /rest/A HTTP/1.1\r\nHost: a\r\nX-Request-Id: left\r\n\r\n');
  while (signals.length === 0) await sleep(5);
  socket.destroy();
  while (log.length === 0) await sleep(5);
  await sleep(20);
  expect(signals[0]?.reason).toMatchObject({ name: 'AbortError' });
  const any = { time: expect.any(String), pid: expect.any(Number), hostname: expect.any(String) };
  const asked = { reqId: 'left', method: 'GET', url: '/rest/A' };
  const end = { statusCode: 499, clientGone: true, ms: expect.any(Number), stages: {} };
  expect(log).toEqual([{ ...any, ...asked, ...end, level: 30, msg: 'request' }]);
});

test('an answer that comes too late is nobody’s', async () => {
  const late = new Readable({ read: () => undefined });
  const bodies = ['late', late];
  const signals: AbortSignal[] = [];
  const { port, log } = await start({
    handle: async ({ signal }) => {
      signals.push(signal);
      await once(signal, 'abort');
      return { status: 200, headers: {}, body: bodies.shift() ?? '' };
    },
  });
  for (const count of [1, 2]) {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /rest/A HTTP/1.1\r\nHost: a\r\n\r\n');
    while (signals.length < count) await sleep(5);
    socket.destroy();
    while (log.length < count) await sleep(5);
  }
  await sleep(50);
  expect(late.destroyed).toBe(true);
  expect(log).toMatchObject([
    { level: 30, statusCode: 499 },
    { level: 30, statusCode: 499 },
  ]);
  expect(log).toHaveLength(2);
});

test.each([
  [ProtocolError.of('statementTimeout'), 504],
  [new TypeError('a mistake'), 500],
])('an answer that %s breaks off is logged with the status of the error', async (error, status) => {
  async function* parts(): AsyncGenerator<readonly (string | Buffer)[]> {
    yield ['begun '];
    await sleep(20);
    throw error;
  }
  const { port, log } = await start({
    handle: (_request, _caller, observer) =>
      Promise.resolve({
        status: 200,
        headers: {},
        body: streamed(parts(), () => undefined, { ...gatewayContext, observer }),
      }),
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /rest/A HTTP/1.1\r\nHost: a\r\n\r\n');
  const received: unknown[] = [];
  for await (const bytes of socket) received.push(String(bytes));
  expect(received.join('')).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*begun \r\n$/);
  while (log.length < 2) await sleep(5);
  const ended = log.find(({ msg }) => msg === 'request');
  expect(ended).toMatchObject({ level: 30, statusCode: status, brokenOff: true });
  expect(ended).not.toHaveProperty('clientGone');
});
