import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonAnswer } from '../../src/answer/answer.ts';
import type { Handler } from '../../src/server/rest.ts';
import { ask, start } from './serving.ts';

const MAX = 1_048_576;

/** Sends the beginning of a request, and keeps the connection. */
async function begin(port: number, headers: string, body = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST /rest/A HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`);
  return socket;
}

/** What the server answers on a connection until it says this. */
async function until(socket: Socket, text: string): Promise<string> {
  let received = '';
  while (!received.includes(text)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    received += chunk.toString('latin1');
  }
  return received;
}

/** Answers with the sizes of bodies, when it is told to. */
function held(): { handle: Handler; begun: number[]; finish: () => void } {
  const begun: number[] = [];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return {
    begun,
    finish: () => finish(),
    handle: async ({ body }) => {
      begun.push(body?.length ?? 0);
      await finished;
      return jsonAnswer(String(body?.length));
    },
  };
}

const sized: Handler = ({ body }) => Promise.resolve(jsonAnswer(String(body?.length)));

test('senders that stop hold one place between them, and small bodies pass', async () => {
  const { port } = await start({ handle: sized });
  const stalled = await Promise.all(
    Array.from({ length: 80 }, () => begin(port, `Content-Length: ${MAX}`, 'a')),
  );
  const small = await ask(port, '/rest/A', { method: 'POST', body: Buffer.alloc(65_536) });
  expect(small.text).toBe('65536');
  const large = ask(port, '/rest/A', { method: 'POST', body: Buffer.alloc(MAX) });
  expect(await Promise.race([large, sleep(100, 'waiting')])).toBe('waiting');
  for (const socket of stalled) socket.destroy();
  expect((await large).text).toBe(String(MAX));
});

test('a body that is too large is refused before it is sent, or when it grows too large', async () => {
  const { port } = await start({ handle: sized });
  const socket = await begin(port, 'Transfer-Encoding: chunked');
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
  for (let sent = 0; sent < 17; sent += 1) socket.write(chunk);
  const answer = await until(socket, '"errCode":9005');
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  await once(socket, 'close');
  const told = await begin(port, `Content-Length: ${MAX + 1}\r\nExpect: 100-continue`);
  expect(await until(told, '"errCode":9005')).toMatch(/^HTTP\/1.1 413 /);
  await once(told, 'close');
});

test('who asks first is told to go on when there is room', async () => {
  const { handle, begun, finish } = held();
  const { port } = await start({ handle });
  const first = ask(port, '/rest/A', { method: 'POST', body: Buffer.alloc(MAX) });
  while (begun.length === 0) await sleep(5);
  const socket = await begin(port, 'Content-Length: 100000\r\nExpect: 100-continue');
  const told = until(socket, '\r\n\r\n');
  expect(await Promise.race([told, sleep(50, 'nothing')])).toBe('nothing');
  finish();
  await first;
  expect(await told).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(Buffer.alloc(100_000));
  const answer = await until(socket, '\r\n\r\n100000');
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  socket.destroy();
});
