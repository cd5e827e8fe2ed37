import { once } from 'node:events';
import { Agent, request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { application, bodyOf, mirror, route, startProxy } from './application.ts';
import { ask, askRaw, expectError } from './serving.ts';

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

describe('a request below a prefix', () => {
  test('is the application’s as it came', async () => {
    const { host } = await application(mirror);
    const { port, log } = await startProxy([route({ to: `http://${host}/legacy` })]);
    const answer = await ask(port, '/app/%FC/a%2Fb?x=%zz&x', {
      method: 'POST',
      headers: { 'content-type': 'no type;;', cookie: 'a=1; SID=0123', 'x-request-id': 'mine' },
      body: '{"broken',
    });
    expect([answer.status, seen(answer)]).toEqual([
      200,
      {
        method: 'POST',
        url: '/legacy/%FC/a%2Fb?x=%zz&x',
        headers: {
          host,
          connection: 'keep-alive',
          'content-type': 'no type;;',
          'content-length': '8',
          cookie: 'a=1',
          'x-forwarded-for': '127.0.0.1',
          'x-forwarded-host': `127.0.0.1:${port}`,
          'x-forwarded-proto': 'http',
          'x-real-ip': '127.0.0.1',
          'x-request-id': 'mine',
          'x-entitygate-hop': expect.any(String),
        },
        body: '{"broken',
      },
    ]);
    expect(log).toMatchObject([
      { msg: 'request', method: 'POST', url: '/app/%FC/a%2Fb?x=%zz&x', statusCode: 200 },
    ]);
    expect(log).toHaveLength(1);
  });

  test.each(['GET', 'DELETE', 'PATCH', 'PUT', 'OPTIONS', 'PROPFIND'])(
    'may be %s, with a body or without',
    async (method) => {
      const { host } = await application(mirror);
      const { port } = await startProxy([route({ to: `http://${host}` })]);
      for (const body of ['', 'some']) {
        expect(seen(await ask(port, '/app/x', { method, body }))).toMatchObject({
          method,
          url: '/x',
          body,
        });
      }
    },
  );

  test('cannot be TRACE, which would show the headers that the gateway adds', async () => {
    const { host } = await application(mirror);
    const { port } = await startProxy([route({ to: `http://${host}` })]);
    const answer = await ask(port, '/app/x', { method: 'TRACE' });
    expectError(answer, 405, 9004, 'TRACE does not apply to /app/x.');
    expect(answer.headers['allow']).toMatch(/\bGET, .*\bPATCH\b/);
  });

  test('may not lead out of what is forwarded', async () => {
    const { host } = await application(mirror);
    const { port } = await startProxy([route({ to: `http://${host}/legacy` })]);
    expectError(await ask(port, '/app/%2e%2e/secret'), 400, 1806);
  });

  test('says of a raw letter how it is written', async () => {
    const { host } = await application(mirror);
    const { port } = await startProxy([route({ to: `http://${host}` })]);
    const answer = await askRaw(port, 'GET /app/ü HTTP/1.1\r\nHost: a\r\n\r\n');
    expectError(answer, 400, 1806);
  });

  test('takes what trusted proxies say of the client', async () => {
    const { host } = await application(mirror);
    const trustedProxies = ['127.0.0.1', '10.0.0.0/8'];
    const { port } = await startProxy([route({ to: `http://${host}` })], { trustedProxies });
    const headers = {
      'x-forwarded-for': '1.1.1.1, 192.0.2.7, 10.0.0.1',
      'x-forwarded-host': 'erp.example.com',
      'x-forwarded-proto': 'https',
    };
    expect(seen(await ask(port, '/app', { headers })).headers).toMatchObject({
      'x-forwarded-for': '192.0.2.7, 10.0.0.1, 127.0.0.1',
      'x-forwarded-host': 'erp.example.com',
      'x-forwarded-proto': 'https',
      'x-real-ip': '192.0.2.7',
    });
  });
});

test('at / everything is the application’s that is not the gateway’s', async () => {
  const { host } = await application(mirror);
  const { port } = await startProxy([route({ prefix: '/', to: `http://${host}` })]);
  expect(seen(await ask(port, '/'))).toMatchObject({ url: '/' });
  expect(seen(await ask(port, '//a/b?c'))).toMatchObject({
    url: '//a/b?c',
  });
  expect(seen(await ask(port, '/restore'))).toMatchObject({ url: '/restore' });
  expect(JSON.parse((await ask(port, '/rest/Employee')).text)).toEqual({ url: '/rest/Employee' });
  expect(JSON.parse((await ask(port, '/health/live')).text)).toEqual({ status: 'live' });
  expectError(await ask(port, '/rest', { method: 'PROPFIND' }), 405, 9004);
});

describe('an answer', () => {
  test('is the application’s, without the gateway’s headers for browsers', async () => {
    const { host } = await application((_request, response) => {
      response.writeHead(404, 'Gone fishing', {
        'content-type': 'text/html; charset=iso-8859-1',
        'set-cookie': ['a=1; Path=/legacy', 'b=2'],
        'content-encoding': 'gzip',
        'x-frame-options': 'SAMEORIGIN',
        date: 'Thu, 01 Jan 1970 00:00:00 GMT',
      });
      response.end('as it is');
    });
    const cors = {
      origins: ['https://app.example'],
      credentials: false,
      maxAgeSeconds: 1,
      sessionHeader: 'S',
    };
    const { port } = await startProxy([route({ to: `http://${host}/legacy` })], { cors });
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' };
    for (const method of ['GET', 'OPTIONS']) {
      expect(await ask(port, '/app', { method, headers })).toEqual({
        status: 404,
        headers: {
          'content-type': 'text/html; charset=iso-8859-1',
          'set-cookie': ['a=1; Path=/app', 'b=2'],
          'content-encoding': 'gzip',
          'x-frame-options': 'SAMEORIGIN',
          date: 'Thu, 01 Jan 1970 00:00:00 GMT',
          'x-request-id': expect.any(String),
          connection: 'keep-alive',
          'keep-alive': expect.any(String),
          'transfer-encoding': 'chunked',
        },
        text: 'as it is',
      });
    }
  });

  test.each<[what: string, method: string, status: number, headers: Record<string, string>]>([
    ['to HEAD', 'HEAD', 200, { 'content-length': '12', 'cache-control': 'max-age=60' }],
    ['without change', 'GET', 304, { etag: '"1"' }],
    ['without content', 'DELETE', 204, { 'x-own': '1' }],
    ['of a part', 'GET', 206, { 'content-range': 'bytes 0-0/12', 'content-length': '1' }],
    ['that leads on', 'GET', 302, { location: '/app/next', 'content-length': '0' }],
    ['that is for later', 'GET', 503, { 'retry-after': '1', 'content-length': '0' }],
  ])('%s is passed on, and asked for once', async (_, method, status, expected) => {
    let times = 0;
    const { host } = await application((_request, response) => {
      times += 1;
      response.writeHead(status, { ...expected, location: '/legacy/next' });
      response.end(status === 206 && method === 'GET' ? 'x' : undefined);
    });
    const { port } = await startProxy([route({ to: `http://${host}/legacy` })]);
    const answer = await ask(port, '/app', { method });
    expect(answer).toMatchObject({ status, headers: expected, text: status === 206 ? 'x' : '' });
    expect(times).toBe(1);
  });

  test('begins when the application’s does, and goes on as it does', async () => {
    const steps: (() => void)[] = [];
    const { host } = await application((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      steps.push(
        () => response.write('data: 1\n\n'),
        () => response.end('data: 2\n\n'),
      );
    });
    const { port } = await startProxy([route({ to: `http://${host}` })]);
    const sent = begin(port, '/app');
    sent.end();
    const answer = await answered(sent);
    steps[0]?.();
    const [first] = (await once(answer, 'data')) as [Buffer];
    steps[1]?.();
    expect([first.toString(), await bodyOf(answer)]).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });
});

describe('a body', () => {
  test('reaches the application while it is sent, however long it is', async () => {
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const { host } = await application((request, response) => {
      request.once('data', () => begun());
      void bodyOf(request).then((body) => response.end(String(body.length)));
    });
    const { port } = await startProxy([route({ to: `http://${host}` })], { maxBodyBytes: 1024 });
    const sent = begin(port, '/app', 'POST');
    sent.write('a');
    await hasBegun;
    sent.end(Buffer.alloc(1_000_000));
    expect(await bodyOf(await answered(sent))).toBe('1000001');
  });

  test('is asked for when it may be forwarded, and not before', async () => {
    const { host } = await application(mirror);
    const refused = new ProtocolError('notLoggedIn', 'Who are you?');
    const { port } = await startProxy(
      [
        route({ to: `http://${host}` }),
        route({ prefix: '/closed', to: `http://${host}`, authentication: true }),
      ],
      { admit: () => Promise.reject(refused) },
    );
    const head =
      'Host: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n';
    const open = await askRaw(port, `POST /app HTTP/1.1\r\n${head}ab`);
    expect([open.status, open.rest]).toEqual([100, expect.stringContaining('"body":"ab"')]);
    const closed = await askRaw(port, `POST /closed HTTP/1.1\r\n${head}`);
    expectError(closed, 401, 1822, 'Who are you?');
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

  test('that hangs up is told of', async () => {
    const { host } = await application((request) => request.socket.destroy());
    const { port } = await startProxy([route({ to: `http://${host}` })]);
    expectError(await ask(port, '/app', { method: 'POST', body: 'a' }), 502, 9060, busy);
  });

  test('that answers in time or not at all', async () => {
    const { host } = await application(() => undefined);
    const { port } = await startProxy([route({ to: `http://${host}`, timeoutSeconds: 0.05 })]);
    expectError(await ask(port, '/app'), 504, 9061, late);
  });

  test('that breaks off breaks the answer off', async () => {
    const { host } = await application((request, response) => {
      response.write('half');
      setImmediate(() => request.socket.destroySoon());
    });
    const { port, log } = await startProxy([route({ to: `http://${host}` })]);
    const sent = begin(port, '/app');
    sent.end();
    const answer = await answered(sent);
    await expect(bodyOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(log[0]).toMatchObject({ level: 50, msg: 'the application did not complete its answer' });
  });

  test('hears when its client has gone', async () => {
    let gone = (): void => undefined;
    const hasGone = new Promise<void>((resolve) => (gone = resolve));
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const { host } = await application((_request, response) => {
      response.once('close', gone);
      asked();
    });
    const { port, log } = await startProxy([route({ to: `http://${host}` })]);
    const sent = begin(port, '/app');
    sent.end();
    await isAsked;
    sent.destroy();
    await hasGone;
    expect(log.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });

  test('to which its own answer leads back is not asked for ever', async () => {
    let gateway = 0;
    const { host } = await application((request, response) => {
      const { url = '/', headers } = request;
      send({ host: '127.0.0.1', port: gateway, path: `/app${url}`, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      }).end();
    });
    const { port } = await startProxy([route({ to: `http://${host}` })]);
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
  const { host } = await application(mirror);
  const { port } = await startProxy([route({ to: `http://${host}` })], {
    rateLimit: { perMinute: 1, store: null },
    unauthenticatedHosts: [],
  });
  expectError(await ask(port, '/app', { headers: { host: 'evil.example' } }), 421, 9029);
  expect((await ask(port, '/app')).status).toBe(200);
  expectError(await ask(port, '/app'), 429, 9028);
});

test('a client that breaks off its body is not the fault of the application’s', async () => {
  let broken = (): void => undefined;
  const isBroken = new Promise<void>((resolve) => (broken = resolve));
  let gone = (): void => undefined;
  const { host } = await application((request) => {
    request.once('data', () => gone());
    request.once('close', broken);
  });
  const { port, log } = await startProxy([route({ to: `http://${host}` })]);
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('POST /app HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'),
  );
  gone = () => socket.destroy();
  await isBroken;
  expect(log.filter(({ level }) => Number(level) > 30)).toEqual([]);
});
