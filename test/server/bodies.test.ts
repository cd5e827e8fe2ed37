import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonAnswer } from '../../src/answer/answer.ts';
import type { Handler } from '../../src/server/rest.ts';
import { ask, start } from './serving.ts';

const MAX = 1_048_576;

/** Sends the beginning of a request, and keeps the connection. */
async function begin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`POST /rest/A HTTP/1.1\r\nHost: a\r\nContent-Length: ${MAX}\r\n\r\na`);
  return socket;
}

const sized: Handler = ({ body }) => Promise.resolve(jsonAnswer(String(body?.length)));

test('senders that stop hold one place between them, and small bodies pass', async () => {
  const { port } = await start({ handle: sized });
  const stalled = await Promise.all(Array.from({ length: 80 }, () => begin(port)));
  const small = await ask(port, '/rest/A', { method: 'POST', body: Buffer.alloc(65_536) });
  expect(small.text).toBe('65536');
  const large = ask(port, '/rest/A', { method: 'POST', body: Buffer.alloc(MAX) });
  expect(await Promise.race([large, sleep(100, 'waiting')])).toBe('waiting');
  for (const socket of stalled) socket.destroy();
  expect((await large).text).toBe(String(MAX));
});
