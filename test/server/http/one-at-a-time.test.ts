import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { oneAtATime } from '../../../src/server/http/connections.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server whose requests are answered by the test, and a connection to it. */
async function served(): Promise<{
  readonly begun: { readonly url: string; readonly response: ServerResponse }[];
  readonly socket: Socket;
  readonly next: () => Promise<void>;
}> {
  const begun: { url: string; response: ServerResponse }[] = [];
  const server = createServer(
    oneAtATime((request, response) => {
      begun.push({ url: request.url ?? '', response });
      server.emit('begun');
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.setEncoding('utf8');
  ends.push(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  return {
    begun,
    socket,
    next: async () => {
      await once(server, 'begun');
    },
  };
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
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun.map(({ url }) => url)).toEqual(['/1']);
});
