import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { idleConnections } from '../../../src/server/http/connections.ts';

/** A server that ends by `end`, and a connection to it that the server has accepted. */
async function serve(listener: RequestListener): Promise<{
  readonly server: Server;
  readonly socket: Socket;
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
  await once(server, 'connection');
  const end = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    closeIdle();
    await closed;
  };
  return { server, socket, end };
}

/** All that a connection receives until its end. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}

test('a connection on which nothing was asked does not keep a server from its end', async () => {
  const { socket, end } = await serve(() => undefined);
  await Promise.all([end(), once(socket, 'close')]);
});

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
  const { socket, end } = await serve((_request, response) => response.end('answered'));
  const all = received(socket);
  socket.write('GET / HTTP/1.1\r\n');
  await sleep(50);
  const ended = end();
  await sleep(250);
  socket.write('Host: a\r\n\r\n');
  await ended;
  expect((await all).endsWith('\r\n\r\nanswered')).toBe(true);
});
