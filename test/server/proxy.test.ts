import { EventEmitter, once } from 'node:events';
import { Agent, request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { NOBODY } from '../../src/base/principal.ts';
import { serveMcp } from '../../src/server/mcp/plugin.ts';
import { application, bodyOf, mirror, route, startBoth, startProxy } from './application.ts';
import type { Caller } from '../../src/server/pipeline/caller.ts';
import { anybody, ask, expectError, gate } from './serving.ts';

/** What a mirror says of a request. */
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function seen({ text }: { readonly text: string }): Seen {
  return JSON.parse(text) as Seen;
}

/** Begins a request, whose body is yet to be written. */
function begin(port: number, path: string, method = 'GET'): ClientRequest {
  const agent = new Agent({ keepAlive: false });
  const sent = send({ host: '127.0.0.1', port, path, method, agent });
  sent.on('error', () => undefined);
  return sent;
}

async function answered(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

const busy = 'The application behind the gateway cannot be reached, or sent no answer.';
const late = 'The application behind the gateway did not answer in time.';

test('at / everything is the application’s that is not the gateway’s', async () => {
  const metrics = { role: 'ops', text: () => Promise.resolve('up 1\n') };
  const admit = (): Promise<Caller> =>
    Promise.resolve({ ...anybody, principal: { ...NOBODY, roles: ['ops'] } });
  const { port } = await startBoth(mirror, { prefix: '/' }, { mcp: serveMcp, metrics, admit });
  for (const url of ['/', '//a/b?c', '/restore', '/metrics/x'])
    expect(seen(await ask(port, url))).toMatchObject({ url });
  expect(JSON.parse((await ask(port, '/rest/Employee')).text)).toEqual({ url: '/rest/Employee' });
  expect(JSON.parse((await ask(port, '/health/live')).text)).toEqual({ status: 'live' });
  expect((await ask(port, '/metrics?a=b')).text).toBe('up 1\n');
  expectError(await ask(port, '/mcp'), 405, 9004);
  expectError(await ask(port, '/rest', { method: 'PROPFIND' }), 405, 9004);
});

describe('an answer', () => {
  test('begins when the application’s does, and goes on as it does', async () => {
    const steps = new EventEmitter();
    const { port } = await startBoth((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      steps.once('one', () => response.write('data: 1\n\n'));
      steps.once('two', () => response.end('data: 2\n\n'));
    });
    const sent = begin(port, '/app');
    sent.end();
    const answer = await answered(sent);
    steps.emit('one');
    const [first] = (await once(answer, 'data')) as [Buffer];
    steps.emit('two');
    expect([first.toString(), await bodyOf(answer)]).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });
});

describe('a body', () => {
  test('reaches the application while it is sent, however long it is', async () => {
    const begun = gate();
    const { port } = await startBoth(
      (request, response) => {
        request.once('data', begun.pass);
        void bodyOf(request).then((body) => response.end(String(body.length)));
      },
      {},
      { maxBodyBytes: 1024 },
    );
    const sent = begin(port, '/app', 'POST');
    sent.write('a');
    await begun.passed;
    sent.end(Buffer.alloc(1_000_000));
    expect(await bodyOf(await answered(sent))).toBe('1000001');
  });
});

describe('an application', () => {
  test('that is not there is told of, and the log says why', async () => {
    const { host, server } = await application(mirror);
    const { port, log } = await startProxy([route({ to: `http://${host}` })]);
    // Closed any sooner, its port might be the gateway's.
    server.close();
    const answer = await ask(port, '/app');
    expectError(answer, 502, 9060, busy);
    expect(answer.headers).toMatchObject({ 'x-frame-options': 'DENY' });
    expect(log).toMatchObject([
      { level: 50, err: { message: expect.stringContaining('ECONNREFUSED') } },
      { msg: 'request', statusCode: 502 },
    ]);
    expect(log).toHaveLength(2);
  });

  test('that hangs up, or does not answer in time, is told of', async () => {
    const gone = await startBoth(({ socket }) => socket.destroy());
    expectError(await ask(gone.port, '/app', { method: 'POST', body: 'a' }), 502, 9060, busy);
    const silent = await startBoth(() => undefined, { timeoutSeconds: 0.05 });
    expectError(await ask(silent.port, '/app'), 504, 9061, late);
  });

  test('that breaks off breaks the answer off', async () => {
    const { port, log } = await startBoth((request, response) => {
      response.write('half');
      setImmediate(() => request.socket.destroySoon());
    });
    const sent = begin(port, '/app');
    sent.end();
    const answer = await answered(sent);
    await expect(bodyOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(log[0]).toMatchObject({ level: 50, msg: 'the application did not complete its answer' });
  });

  test('hears when its client has gone', async () => {
    const [asked, gone] = [gate(), gate()];
    const { port, log } = await startBoth((_request, response) => {
      response.once('close', gone.pass);
      asked.pass();
    });
    const sent = begin(port, '/app');
    sent.end();
    await asked.passed;
    sent.destroy();
    await gone.passed;
    expect(log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });

  test('to which its own answer leads back is not asked for ever', async () => {
    let gateway = 0;
    const { port } = await startBoth((request, response) => {
      const { url = '/', headers } = request;
      send({ host: '127.0.0.1', port: gateway, path: `/app${url}`, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      }).end();
    });
    gateway = port;
    const answer = await ask(port, '/app/x');
    expect([answer.status, answer.text]).toEqual([508, expect.stringContaining('"errCode":9062')]);
  });

  test('is spoken to by TLS where somebody vouches for it', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'erp' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const { host } = await application(mirror, { cert, key });
    const to = `https://${host}`;
    const { port } = await startProxy([
      route({ to }),
      route({ prefix: '/known', to, ca: cert, preserveHost: true }),
      route({ prefix: '/any', to, verifyCertificate: false }),
    ]);
    expectError(await ask(port, '/app'), 502, 9060, busy);
    const headers = { host: 'gateway.example' };
    expect(seen(await ask(port, '/known/x', { headers }))).toMatchObject({ url: '/x', headers });
    expect(seen(await ask(port, '/any/x'))).toMatchObject({ url: '/x', headers: { host } });
  });
});

test('limits and the check of Host are for what is forwarded as well', async () => {
  const rateLimit = { perMinute: 1, store: null };
  const { port } = await startBoth(mirror, {}, { rateLimit, unauthenticatedHosts: [] });
  expectError(await ask(port, '/app', { headers: { host: 'evil.example' } }), 421, 9029);
  expect((await ask(port, '/app')).status).toBe(200);
  expectError(await ask(port, '/app'), 429, 9028);
});

test('a client that breaks off its body is not the fault of the application’s', async () => {
  const [begun, broken] = [gate(), gate()];
  const { port, log } = await startBoth((request) => {
    request.once('data', begun.pass);
    request.once('close', broken.pass);
  });
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'),
  );
  await begun.passed;
  socket.destroy();
  await broken.passed;
  expect(log.filter(({ level }) => Number(level) > 30)).toEqual([]);
});
