import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext, type WholeRequestObserver } from '../../src/base/observe/observer.ts';
import { streamed } from '../../src/server/http/reply.ts';
import { ask, start } from './serving.ts';

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
  expect(log).toEqual([
    {
      level: 30,
      time: expect.any(String),
      pid: expect.any(Number),
      hostname: expect.any(String),
      reqId: 'left',
      method: 'GET',
      url: '/rest/A',
      statusCode: 499,
      clientGone: true,
      ms: expect.any(Number),
      stages: {},
      msg: 'request',
    },
  ]);
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

test('a stream is sent as it comes, with its headers', async () => {
  const { port, log } = await start({
    handle: () =>
      Promise.resolve({
        status: 203,
        headers: { 'content-type': 'text/plain' },
        body: Readable.from(['one ', 'two']),
      }),
  });
  const answer = await ask(port, '/rest/A');
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
    203,
    'one two',
    'text/plain',
  ]);
  expect(log).toMatchObject([{ statusCode: 203 }]);
});

test('a stream is read no faster than the client takes it, and destroyed when that goes', async () => {
  let made = 0;
  const body = new Readable({
    read() {
      made += 1;
      this.push(Buffer.alloc(65_536));
    },
  });
  const { port, log } = await start({
    handle: () => Promise.resolve({ status: 200, headers: {}, body }),
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /rest/A HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'readable');
  await sleep(200);
  const before = made;
  await sleep(100);
  expect(made).toBe(before);
  expect(body.destroyed).toBe(false);
  socket.destroy();
  while (log.length === 0) await sleep(5);
  expect(body.destroyed).toBe(true);
  expect(log).toMatchObject([{ level: 30, statusCode: 499, clientGone: true }]);
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

test('bytes are an answer, too', async () => {
  const { port } = await start({
    handle: () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array([104, 105]) }),
  });
  expect((await ask(port, '/rest/A')).text).toBe('hi');
});

test('an observer hears of every request when it begins and when it has ended', async () => {
  const heard: unknown[] = [];
  const watch = (id: string): WholeRequestObserver => ({
    stageDone: (stage) => heard.push([id, stage]),
    statementRun: () => undefined,
    poolWaited: () => undefined,
    errorMet: ({ message }) => heard.push([id, message]),
    writes: null,
    requestEnded: (end) => heard.push([id, end]),
  });
  const { port } = await start({
    observer: (request) => {
      const { headers, ...others } = request;
      heard.push({ ...others, agent: headers['user-agent'] });
      return watch(request.id);
    },
    handle: ({ url }) =>
      url === '/rest/bad' ? Promise.reject(new Error('boom')) : Promise.reject(new Error('bang')),
    ping: () => Promise.reject(new Error('gone')),
  });
  const send = (path: string, method: string, id: string): Promise<unknown> =>
    ask(port, path, { method, headers: { 'x-request-id': id, 'user-agent': 'test' } });
  await send('/rest/bad', 'HEAD', 'a');
  await send('/rest/worse', 'POST', 'b');
  await send('/nowhere', 'GET', 'c');
  await send('/health/ready', 'GET', 'd');
  const ended = (status: number): unknown => ({
    status,
    milliseconds: expect.any(Number),
    end: 'sent',
  });
  expect(heard).toEqual([
    { id: 'a', verb: 'HEAD', url: '/rest/bad', address: '127.0.0.1', agent: 'test' },
    ['a', 'boom'],
    ['a', ended(500)],
    { id: 'b', verb: 'POST', url: '/rest/worse', address: '127.0.0.1', agent: 'test' },
    ['b', 'body'],
    ['b', 'bang'],
    ['b', ended(500)],
    { id: 'c', verb: 'GET', url: '/nowhere', address: '127.0.0.1', agent: 'test' },
    ['c', ended(404)],
    { id: 'd', verb: 'GET', url: '/health/ready', address: '127.0.0.1', agent: 'test' },
    ['d', 'The database does not answer.'],
    ['d', ended(503)],
  ]);
});
