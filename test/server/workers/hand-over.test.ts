import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ToWorker } from '../../../src/server/workers/messages.ts';
import { handingOver, handOverConnection } from '../../../src/server/workers/hand-over.ts';
import { Peers } from '../../../src/server/workers/peers.ts';

/** A worker of a test: what it serves, and how it is reached. */
interface Worker {
  readonly peers: Peers;
  readonly port: number;
  readonly close: () => Promise<void>;
}

let folder: string;
const open: Worker[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entitygate-peers-'));
});
afterEach(async () => {
  for (const worker of open.splice(0)) await worker.close();
  await rm(folder, { recursive: true });
});

/** Starts one of two, which hands over what names the other one: `/0…` and `/1…`. */
async function start(
  number: number,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Worker> {
  const listeners: ((message: ToWorker) => void)[] = [];
  const place = { worker: number, count: 2, folder, secret: 'known', uniqueId: '', isFirst: true };
  const peers = new Peers(place, {
    tell: () => {
      for (const listener of listeners) listener({ kind: 'end' });
    },
    hear: (listener) => listeners.push(listener),
  });
  const find = ({ url }: IncomingMessage): number | null => {
    const named = Number(url?.[1]);
    return named === number ? null : named;
  };
  const server = createServer(handingOver(peers, find, handle, 10));
  server.on('checkContinue', (asked: IncomingMessage, response: ServerResponse) =>
    server.emit('request', asked, response),
  );
  server.on('upgrade', (asked: IncomingMessage, socket, head) => {
    const here = (): void => {
      socket.end(
        `HTTP/1.1 101 Yes\r\nserved-by: ${number}\r\nfrom: ${asked.socket.remoteAddress ?? ''}\r\n\r\n`,
      );
    };
    const named = find(asked);
    if (named === null) here();
    else handOverConnection(peers, named, { request: asked, socket, head }, here);
  });
  await peers.serve(handle, (asked, socket, head) => server.emit('upgrade', asked, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await peers.leave();
  };
  const worker = { peers, port: (server.address() as AddressInfo).port, close };
  open.push(worker);
  return worker;
}

/** Answers what came, as the handler saw it. */
async function mirror(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  if (asked.headers.expect !== undefined) response.writeContinue();
  const body = await buffer(asked);
  const { method, url, rawHeaders, httpVersion, socket } = asked;
  const { remoteAddress } = socket;
  const isSecure = (socket as { encrypted?: boolean }).encrypted === true;
  response.setHeader('set-cookie', ['a=1', 'b=2']);
  response.end(
    JSON.stringify({
      method,
      url,
      rawHeaders,
      httpVersion,
      remoteAddress,
      isSecure,
      body: body.length,
    }),
  );
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

async function ask(
  { port }: Worker,
  { path = '/1', body, ...sent }: Sent,
): Promise<IncomingMessage> {
  const asked = request({ port, host: '127.0.0.1', agent: false, path, ...sent });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

test('a request is answered by whom it is for, as if it had come there', async () => {
  const front = await start(0, () => {
    throw new Error('not for this one');
  });
  await start(1, (asked, response) => void mirror(asked, response));
  const body = Buffer.alloc(3_000_000, 'x');
  const answer = await ask(front, {
    method: 'POST',
    path: "/1?$filter='%20'",
    headers: {
      host: 'example.com',
      'X-Given': 'once',
      'x-entitygate-client': 'made up',
      'x-entitygate-worker': 'made up',
    },
    body,
  });
  expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  const seen = JSON.parse(await text(answer)) as { rawHeaders: string[] };
  expect(seen).toMatchObject({
    method: 'POST',
    url: "/1?$filter='%20'",
    httpVersion: '1.1',
    remoteAddress: '127.0.0.1',
    isSecure: false,
    body: body.length,
  });
  const lines = seen.rawHeaders.map((line) => line.toLowerCase());
  expect(seen.rawHeaders).toEqual(expect.arrayContaining(['X-Given', 'once', 'example.com']));
  expect(lines.filter((line) => line === 'host')).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('x-entitygate'))).toEqual([]);
});

test.each<[string, Sent]>([
  ['GET', {}],
  ['HEAD', { method: 'HEAD' }],
  ['POST without a body', { method: 'POST' }],
  ['POST with a small body', { method: 'POST', body: Buffer.from('abc') }],
  ['POST with a large body', { method: 'POST', body: Buffer.from('more than ten') }],
  [
    'PUT in chunks',
    { method: 'PUT', headers: { 'transfer-encoding': 'chunked' }, body: Buffer.from('abc') },
  ],
  [
    'POST that asks first',
    {
      method: 'POST',
      headers: { expect: '100-continue', 'content-length': '3' },
      body: Buffer.from('abc'),
    },
  ],
])('%s is answered alike by both', async (_name, sent) => {
  const front = await start(0, (asked, response) => void mirror(asked, response));
  await start(1, (asked, response) => void mirror(asked, response));
  const told = async (path: string): Promise<unknown> => {
    const answer = await ask(front, { ...sent, path });
    const body = await text(answer);
    const { method, body: length } = (body === '' ? {} : JSON.parse(body)) as Record<
      string,
      unknown
    >;
    return [answer.statusCode, answer.headers['set-cookie'], method, length];
  };
  expect(await told('/1')).toEqual(await told('/0'));
});

test('a body that is refused is not sent', async () => {
  const front = await start(0, () => undefined);
  await start(1, (_asked, response) => {
    response.writeHead(413, { connection: 'close' }).end('too large');
  });
  const asked = request({
    port: front.port,
    host: '127.0.0.1',
    path: '/1',
    method: 'POST',
    agent: false,
  });
  asked.on('error', () => undefined);
  asked.write(Buffer.alloc(100_000));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.statusCode, answer.headers.connection, await text(answer)]).toEqual([
    413,
    'close',
    'too large',
  ]);
  asked.destroy();
});

test('a small body that is refused leaves the connection open', async () => {
  const front = await start(0, () => undefined);
  await start(1, (_asked, response) => {
    response.writeHead(401).end('no');
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports: unknown[] = [];
  for (let time = 0; time < 2; time += 1) {
    const asked = request({ port: front.port, path: '/1', method: 'POST', agent });
    asked.end('abc');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    ports.push(answer.socket.localPort, answer.headers.connection, await text(answer));
  }
  agent.destroy();
  expect(ports.slice(0, 3)).toEqual(ports.slice(3));
  expect(ports.slice(1, 3)).toEqual(['keep-alive', 'no']);
});

test('who has gone is gone for whoever works on the request', async () => {
  const front = await start(0, () => undefined);
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await start(1, (_asked, response) => {
    response.once('close', leave);
    arrive();
  });
  const asked = request({ port: front.port, host: '127.0.0.1', path: '/1', agent: false });
  asked.on('error', () => undefined);
  asked.end();
  await arrived;
  asked.destroy();
  await left;
});

test('what is for one that has ended is handled where it came', async () => {
  const front = await start(0, (asked, response) => void mirror(asked, response));
  const answer = await ask(front, { method: 'POST', body: Buffer.from('abc') });
  expect(JSON.parse(await text(answer))).toMatchObject({ url: '/1', body: 3 });
});

test('where one ends while it works on a request, nobody is told an answer', async () => {
  const front = await start(0, () => undefined);
  await start(1, ({ socket }) => socket.destroy());
  await expect(ask(front, {})).rejects.toThrow('socket hang up');
});

test('a connection for another protocol is handed over for good', async () => {
  const front = await start(0, () => undefined);
  await start(1, () => undefined);
  const socket = connect(front.port, '127.0.0.1');
  socket.write('GET /1 HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  expect(await text(socket)).toBe('HTTP/1.1 101 Yes\r\nserved-by: 1\r\nfrom: 127.0.0.1\r\n\r\n');
});

test('who does not know the secret is not a worker', async () => {
  const { peers } = await start(1, (asked, response) => void mirror(asked, response));
  const asked = request({
    socketPath: peers.connectionTo(1).socketPath,
    headers: { 'x-entitygate-worker': 'guess' },
  });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(403);
  answer.resume();
});

test('a question is answered by whoever made the id', async () => {
  const one = await start(0, () => undefined);
  const other = await start(1, () => undefined);
  other.peers.answer('thing', ({ id, more }) =>
    Promise.resolve(
      more === 'é' ? { head: { id }, body: [Buffer.from('by'), Buffer.from('tes')] } : null,
    ),
  );
  const read = async (head: unknown, body: Parameters<typeof text>[0]): Promise<unknown> => [
    head,
    await text(body),
  ];
  const id = other.peers.newId();
  expect(await one.peers.ask('thing', id, { more: 'é' }, read)).toEqual([{ id }, 'bytes']);
  expect(await one.peers.ask('thing', id, { more: '' }, read)).toBeNull();
  expect(await one.peers.ask('thing', one.peers.newId(), { more: 'é' }, read)).toBeNull();
  await other.close();
  open.splice(open.indexOf(other), 1);
  expect(await one.peers.ask('thing', id, { more: 'é' }, read)).toBeNull();
});
