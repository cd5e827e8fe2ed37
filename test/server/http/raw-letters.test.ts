import { connect, type Socket } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { Handler } from '../../../src/server/rest.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import { askRaw, start } from '../serving.ts';

const CHUNK = 262_144;
/** More than the buffers between two ends of a connection hold. */
const CHUNKS = 200;
const REQUEST = Buffer.from('GET /rest/Müller HTTP/1.1\r\nHost: a\r\n\r\n');

/** A stream of so many chunks, each made as it is taken. */
interface Stream {
  readonly handle: Handler;
  /** How many chunks have been taken. */
  readonly taken: () => number;
  /** Resolves when nothing is made any more. */
  readonly ended: Promise<void>;
}

/** @param failsAt after how many chunks the stream fails, if it does */
function streaming(failsAt = Infinity): Stream {
  let taken = 0;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (; taken < CHUNKS; taken += 1) {
        if (taken === failsAt) throw new Error('the database has gone');
        yield await Promise.resolve(Buffer.alloc(CHUNK, 'x'));
      }
    } finally {
      end();
    }
  }
  const headers = { 'content-type': 'application/octet-stream' };
  const handle: Handler = () =>
    Promise.resolve({ status: 200, headers, body: Readable.from(chunks(), { objectMode: false }) });
  return { handle, taken: () => taken, ended };
}

/** Sends the request and waits for the first bytes of its answer, of which no more is taken. */
async function begin(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
  await once(socket, 'readable');
  return socket;
}

describe('the answer to a URL with raw letters', () => {
  test('is read as fast as the client takes it', async () => {
    const { handle, taken, ended } = streaming();
    const { port } = await start({ handle });
    const socket = await begin(port);
    expect(taken()).toBeLessThan(CHUNKS / 2);
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    await ended;
    await once(socket, 'close');
    const [head = '', body = ''] = Buffer.concat(received).toString('latin1').split('\r\n\r\n', 2);
    expect(head.toLowerCase()).toContain('\r\ntransfer-encoding: chunked');
    expect(body.match(/x+/g)?.join('').length).toBe(CHUNKS * CHUNK);
    expect(Buffer.concat(received.slice(-2)).toString('latin1')).toMatch(/\r\n0\r\n\r\n$/);
  });

  test('is read no more when the client has gone', async () => {
    const { handle, taken, ended } = streaming();
    const { port, log } = await start({ handle });
    const socket = await begin(port);
    socket.destroy();
    await ended;
    expect(taken()).toBeLessThan(CHUNKS / 2);
    await vi.waitFor(
      () => expect(log).toMatchObject([{ url: '/rest/M%C3%BCller', clientGone: true }]),
      { timeout: 20_000 },
    );
  });

  test('that fails midway is broken off', async () => {
    const { handle } = streaming(3);
    const { status, headers, rest } = await askRaw(await start({ handle }), REQUEST);
    expect([status, headers['connection']]).toEqual([200, 'close']);
    expect(rest).not.toMatch(/\r\n0\r\n\r\n$/);
    expect((rest.match(/x/g) ?? []).length).toBeLessThanOrEqual(3 * CHUNK);
  });

  test('is the last one on its connection: what comes behind the request is not read', async () => {
    const begun = new EventEmitter();
    const { port, server } = await start({
      handle: async ({ url }) => {
        begun.emit('begun');
        // Not before what came behind has been seen.
        await once(server.server, 'clientError');
        return jsonAnswer(JSON.stringify({ url }));
      },
    });
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    await once(begun, 'begun');
    socket.write('GET /rest/another HTTP/1.1\r\nHost: a\r\n\r\n');
    let text = '';
    socket.setEncoding('latin1').on('data', (more: string) => (text += more));
    await once(socket, 'close');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(text).toContain('{"url":"/rest/M%C3%BCller"}');
  });
});
