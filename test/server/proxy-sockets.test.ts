import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { NOBODY } from '../../src/base/principal.ts';
import { Tunnels } from '../../src/server/proxy/upgrades.ts';
import { application, mirror, route, startProxy, type Application } from './application.ts';
import { anybody, askRaw, expectError, gate } from './serving.ts';

/** An application that agrees to speak, says hello at once, and then repeats what it hears. */
async function echo(onSocket: (socket: Socket) => void = () => undefined): Promise<Application> {
  const started = await application(mirror);
  started.server.on('upgrade', (request, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    const fields = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Accept: ${request.headers['sec-websocket-key'] ?? ''}`,
      'Set-Cookie: a=1; Path=/legacy',
      `X-Seen: ${JSON.stringify({ url: request.url, headers: request.headers })}`,
    ];
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('\r\n')}\r\n\r\nhello,`);
    socket.write(head);
    socket.pipe(socket);
    onSocket(socket);
  });
  return started;
}

function handshake(path: string, headers: readonly string[] = []): string {
  const fields = [
    'Host: gateway.example',
    'Connection: keep-alive, Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Key: key',
    'Sec-WebSocket-Version: 13',
    ...headers,
  ];
  return `GET ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}

/** Sends bytes, and gives the connection and what has come by the time that it ends with a text. */
async function say(port: number, text: string, until: string): Promise<[Socket, string]> {
  const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
  return [socket, await heard(socket, until)];
}

async function heard(socket: Socket, until: string): Promise<string> {
  let all = '';
  while (!all.endsWith(until)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    all += chunk.toString('latin1');
  }
  return all;
}

/** Whoever has the session is known. */
const known = {
  admit: ({ headers }: { headers: { cookie?: string | undefined } }) =>
    headers.cookie === 'SID=ada'
      ? Promise.resolve({ ...anybody, principal: { ...NOBODY, name: 'ada' } })
      : Promise.reject(new ProtocolError('notLoggedIn', 'Who are you?')),
};

test('a web socket is let through, both ways', async () => {
  const { host } = await echo();
  const { port, log } = await startProxy([route({ to: `http://${host}/legacy` })]);
  const [socket, text] = await say(port, `${handshake('/app/live?x=%FC')}early`, 'early');
  const [head = '', said] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  expect([line, said]).toEqual(['HTTP/1.1 101 Switching Protocols', 'hello,early']);
  const fields = lines.map((field) => {
    const [, name = '', value = ''] = /^([^:]*): (.*)$/.exec(field) ?? [];
    return [name.toLowerCase(), value] as const;
  });
  const { 'x-seen': seen = '', ...told } = Object.fromEntries(fields);
  expect(told).toEqual({
    ...{ date: expect.any(String), connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-accept': 'key', 'set-cookie': 'a=1; Path=/app' },
  });
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  expect(JSON.parse(seen)).toMatchObject({
    url: '/legacy/live?x=%FC',
    headers: { ...upgrade, host, 'x-forwarded-host': 'gateway.example' },
  });
  socket.write('more');
  expect(await heard(socket, 'more')).toBe('more');
  socket.end();
  await once(socket, 'close');
  await expect.poll(() => log).toMatchObject([{ url: '/app/live?x=%FC', statusCode: 101 }]);
});

test('what one end does not take the other one keeps', async () => {
  const chunk = Buffer.alloc(16_384);
  let asked = 0;
  const client = new Duplex({
    read() {
      asked += 1;
      this.push(asked > 1000 ? null : chunk);
    },
    write: (_chunk, _encoding, done) => done(),
  });
  let taken = 0;
  const go = gate();
  const application = new Duplex({
    read: () => undefined,
    write: (written: Buffer, _encoding, done) => {
      void go.passed.then(() => {
        taken += written.length;
        done();
      });
    },
  });
  const nothing = Buffer.alloc(0);
  new Tunnels().join({ socket: client, head: nothing }, { socket: application, head: nothing });
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  expect(asked).toBeLessThan(20);
  go.pass();
  await once(client, 'end');
  expect(taken).toBeGreaterThan(900 * chunk.length);
});

test('an end of the application’s is the client’s, and the gateway’s end that of both', async () => {
  const [ending, open] = [await echo((socket) => socket.end('bye')), await echo()];
  const { port, server } = await startProxy([
    route({ to: `http://${ending.host}` }),
    route({ prefix: '/open', to: `http://${open.host}` }),
  ]);
  const [ended] = await say(port, handshake('/app'), 'bye');
  await once(ended, 'close');
  const [socket] = await say(port, handshake('/open'), 'hello,');
  await Promise.all([server.close(), once(socket, 'close')]);
});

test('an application that is not there, or says nothing, is told of', async () => {
  const away = await application(mirror);
  const silent = await application(mirror);
  silent.server.on('upgrade', (_request, socket: Socket) => socket.on('error', () => undefined));
  const { port } = await startProxy([
    route({ to: `http://${away.host}` }),
    route({ prefix: '/silent', to: `http://${silent.host}`, timeoutSeconds: 0.05 }),
  ]);
  // Closed any sooner, its port might be the gateway's.
  away.server.close();
  expectError(await askRaw(port, handshake('/app')), 502, 9060);
  expectError(await askRaw(port, handshake('/silent')), 504, 9061);
});

test('who is not known, and a page of another site, open none', async () => {
  let opened = 0;
  const { host } = await echo(() => (opened += 1));
  const { port } = await startProxy([route({ to: `http://${host}`, authentication: true })], known);
  expectError(await askRaw(port, handshake('/app')), 401, 1822);
  const cookie = 'Cookie: SID=ada';
  const evil = handshake('/app', [cookie, 'Origin: https://evil.example']);
  expectError(await askRaw(port, evil), 403, 9040);
  expect(opened).toBe(0);
  const own = handshake('/app', [cookie, 'Origin: http://gateway.example']);
  const [socket, text] = await say(port, own, 'hello,');
  expect(text).toContain('"x-entitygate-user":"ada"');
  socket.destroy();
});
