import { EventEmitter, once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  idleConnections,
  oneAtATime,
  READ_TIMEOUT,
  SlowReaders,
} from '../../../src/server/http/connections.ts';

/** A server that ends by `end`, and a connection to it that the server has accepted. */
async function serve(listener: RequestListener): Promise<{
  readonly server: Server;
  readonly socket: Socket;
  /** The server's end of the connection. */
  readonly accepted: Socket;
  readonly end: () => Promise<void>;
}> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  const closeIdle = idleConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.setEncoding('utf8');
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
  });
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const end = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    closeIdle();
    await closed;
  };
  return { server, socket, accepted, end };
}

/** All that a connection receives until its end. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}

test('an answer under way ends completely, and its connection after it', async () => {
  const { server, socket, end } = await serve((_request, response) => {
    response.write('first');
    void once(server, 'finish').then(() => response.end(', last'));
  });
  const all = received(socket);
  const begun = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await begun;
  const ended = end();
  await sleep(50);
  server.emit('finish');
  await ended;
  expect((await all).split('\r\n\r\n', 2)[1]).toBe('5\r\nfirst\r\n6\r\n, last\r\n0');
});

test('a request of which a part has arrived is waited for', async () => {
  const { socket, accepted, end } = await serve((_request, response) => response.end('answered'));
  const all = received(socket);
  socket.write('GET / HTTP/1.1\r\n');
  await expect.poll(() => accepted.bytesRead).toBeGreaterThan(0);
  const ended = end();
  await sleep(250);
  socket.write('Host: a\r\n\r\n');
  await ended;
  expect((await all).endsWith('\r\n\r\nanswered')).toBe(true);
});

describe('one at a time', () => {
  /** A server whose requests are answered by the test, and a connection to it. */
  async function served(): Promise<{
    readonly begun: { readonly url: string; readonly response: ServerResponse }[];
    readonly socket: Socket;
    readonly next: () => Promise<unknown>;
  }> {
    const begun: { url: string; response: ServerResponse }[] = [];
    const steps = new EventEmitter();
    const { socket } = await serve(
      oneAtATime((request, response) => {
        begun.push({ url: request.url ?? '', response });
        steps.emit('begun');
      }),
    );
    return { begun, socket, next: () => once(steps, 'begun') };
  }

  const request = (path: string): string => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

  test('of requests that are sent at once each begins when the one before it is answered', async () => {
    const { begun, socket, next } = await served();
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    let answers = '';
    socket.on('data', (text: string) => (answers += text));
    socket.write(numbers.map((at) => request(String(at))).join(''));
    await next();
    for (const at of numbers) {
      expect(begun.map(({ url }) => url)).toEqual(numbers.slice(0, at + 1).map((one) => `/${one}`));
      const following = at < 29 ? next() : once(socket, 'data');
      begun[at]?.response.end(`answer ${at}.`);
      await following;
    }
    expect(answers.match(/answer \d+/g)).toEqual(numbers.map((at) => `answer ${at}`));
    const again = next();
    socket.write(request('again'));
    await again;
    expect(begun.at(-1)?.url).toBe('/again');
  });

  test('what waits when its client goes is never begun', async () => {
    const { begun, socket, next } = await served();
    socket.write(request('1') + request('2'));
    await next();
    const gone = once(begun[0]?.response ?? socket, 'close');
    socket.destroy();
    await gone;
    await new Promise(setImmediate);
    expect(begun.map(({ url }) => url)).toEqual(['/1']);
  });
});

describe('slow readers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** An answer of which so much waits to be taken. */
  class Sending extends EventEmitter {
    readonly timeouts: number[] = [];
    writableLength: number;
    isDestroyed = false;

    constructor(waiting: number) {
      super();
      this.writableLength = waiting;
    }

    destroy(): this {
      this.isDestroyed = true;
      this.emit('close');
      return this;
    }

    setTimeout(milliseconds: number, stalled?: () => void): this {
      this.timeouts.push(milliseconds);
      if (stalled !== undefined) this.on('timeout', stalled);
      return this;
    }
  }

  test('an answer of which nothing is taken for a while is broken off, and one of which something is, is not', () => {
    const readers = new SlowReaders(1000);
    const [stalled, slow, unmade] = [new Sending(10), new Sending(10), new Sending(0)];
    for (const sending of [stalled, slow, unmade]) readers.watch(sending);
    vi.advanceTimersByTime(1000);
    slow.writableLength = 0;
    for (const sending of [stalled, slow, unmade]) sending.emit('timeout');
    expect([stalled.isDestroyed, stalled.timeouts]).toEqual([true, [READ_TIMEOUT]]);
    expect([slow.isDestroyed, slow.timeouts]).toEqual([false, [READ_TIMEOUT, READ_TIMEOUT]]);
    expect([unmade.isDestroyed, unmade.timeouts]).toEqual([false, []]);
  });

  test('where more waits than may, the oldest answers are broken off that wait at all', () => {
    const readers = new SlowReaders(1000);
    const sent = [0, 400, 400, 400].map((waiting) => new Sending(waiting));
    const broken = (): boolean[] => sent.map(({ isDestroyed }) => isDestroyed);
    for (const sending of sent.slice(0, 3)) readers.watch(sending);
    vi.advanceTimersByTime(2000);
    expect(broken()).toEqual([false, false, false, false]);
    for (const sending of sent.slice(3)) readers.watch(sending);
    vi.advanceTimersByTime(1000);
    expect(broken()).toEqual([false, true, false, false]);
  });

  test('the oldest ones are known whatever has ended meanwhile, and what has ended counts no more', () => {
    const readers = new SlowReaders(1000);
    const [first, ...others] = [400, 400, 400, 400, 400].map((waiting) => new Sending(waiting));
    if (first !== undefined) readers.watch(first);
    for (const sending of others) readers.watch(sending);
    // The last one takes the place of the first.
    first?.emit('close');
    vi.advanceTimersByTime(500);
    expect(others.map(({ isDestroyed }) => isDestroyed)).toEqual([true, true, false, false]);
    for (const sending of others.slice(2)) sending.emit('close');
    const [last, ...more] = [600, 500].map((waiting) => new Sending(waiting));
    if (last !== undefined) readers.watch(last);
    vi.advanceTimersByTime(500);
    expect(last?.isDestroyed).toBe(false);
    for (const sending of more) readers.watch(sending);
    vi.advanceTimersByTime(500);
    expect([last?.isDestroyed, ...more.map(({ isDestroyed }) => isDestroyed)]).toEqual([
      true,
      false,
    ]);
  });

  test('what is known of an answer and not sent yet counts, where any of it waits', () => {
    const readers = new SlowReaders(1000);
    const [taken, waiting, more] = [new Sending(0), new Sending(10), new Sending(500)];
    readers.watch(taken, 0, () => 5000);
    readers.watch(waiting, 0, () => 500);
    vi.advanceTimersByTime(1000);
    expect(waiting.isDestroyed).toBe(false);
    readers.watch(more);
    vi.advanceTimersByTime(1000);
    expect([taken, waiting, more].map(({ isDestroyed }) => isDestroyed)).toEqual([
      ...[false, true, false],
    ]);
    const long = new Sending(10);
    readers.watch(long, 5000);
    vi.advanceTimersByTime(1000);
    expect(long.isDestroyed).toBe(true);
  });

  test('nothing is looked at where nothing is sent', () => {
    const readers = new SlowReaders(1000);
    const sending = new Sending(10);
    readers.watch(sending);
    expect(vi.getTimerCount()).toBe(1);
    sending.emit('close');
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
