import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from './compare.ts';
import { openClient, runRound } from './load.ts';

const open: Server[] = [];

async function listening(server: Server): Promise<number> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  return listening(createServer(handler));
}

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const TEXT = `${'ä'.repeat(100_000)}0\n`;

describe('the client of the load', () => {
  it('reads a body of a length, and one in chunks', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/length') response.end(TEXT);
      else {
        for (const half of [TEXT.slice(0, 10), TEXT.slice(10)]) response.write(half);
        response.end();
      }
    });
    for (const path of ['/length', '/chunks']) {
      const { status, body } = await ask(port, { path });
      expect([status, body === TEXT]).toEqual([200, true]);
    }
  });

  it('reads an answer that comes byte for byte', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
    const port = await listening(
      createSocketServer((socket) => {
        socket.setNoDelay(true);
        socket.once('data', () => {
          let at = 0;
          const send = (): void => {
            if (at < answer.length) socket.write(answer[at++] ?? '', () => setImmediate(send));
          };
          send();
        });
      }),
    );
    expect((await ask(port, { path: '/' })).body).toBe('abc');
  });

  it('sends methods, headers and bodies, one request after the other on a connection', async () => {
    const seen: string[] = [];
    const port = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push(`${request.method ?? ''} ${request.headers['api-key'] as string} ${body}`);
        response.end('{}');
      });
    });
    let sent = 0;
    const client = openClient(port, () => undefined);
    await runRound([client], 0.05, () => ({
      ...{ method: 'POST', path: '/' },
      ...{ headers: { 'api-key': 'k' }, body: String(sent++) },
    }));
    client.close();
    expect(sent).toBeGreaterThan(1);
    expect(seen).toEqual(Array.from({ length: sent }, (_, index) => `POST k ${index}`));
  });

  it('tells of other answers than 200, and of connections that break', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/broken') request.socket.destroy();
      else response.writeHead(409).end('{"why":1}');
    });
    await expect(ask(port, { path: '/x' })).rejects.toThrow('status 409 to /x: {"why":1}');
    await expect(ask(port, { path: '/broken' })).rejects.toThrow('was closed');
    const client = openClient(port, () => undefined);
    await expect(runRound([client], 1, () => ({ path: '/x' }))).rejects.toThrow('status 409 to /x');
    client.close();
  });
});
