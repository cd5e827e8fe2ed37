import { describe, expect, test } from 'vitest';
import { ask, askRaw, expectError, start, type Answer } from '../serving.ts';

describe('a URL over its limit', () => {
  test('is refused, and one of its length is not', async () => {
    const { port } = await start({ maxUrlBytes: 300 });
    expect((await ask(port, `/rest/${'a'.repeat(294)}`)).status).toBe(200);
    expectError(
      await ask(port, `/rest/${'a'.repeat(295)}`),
      414,
      9030,
      'The URL is longer than 300 bytes.',
    );
    expectError(await ask(port, `/${'a'.repeat(300)}`), 414, 9030);
  });

  test('with a small body leaves the connection to be used again', async () => {
    const { port } = await start({ maxUrlBytes: 300 });
    const length = (text: string): string => `Content-Length: ${text.length}\r\n\r\n${text}`;
    const answer = await askRaw(
      port,
      `GET /rest/${'a'.repeat(300)} HTTP/1.1\r\nHost: a\r\n\r\n` +
        `POST /rest/${'a'.repeat(300)} HTTP/1.1\r\nHost: a\r\n${length('{}')}` +
        `POST /rest/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${length('{}')}`,
    );
    expect(answer.status).toBe(414);
    expect(answer.rest.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 414', 'HTTP/1.1 200']);
  });
});

describe('a name that the gateway does not go by', () => {
  const hosts = ['erp.example.com', 'Gateway'];

  test.each([
    'evil.example.com',
    'evil.example.com:8080',
    'localhost.evil.com',
    '127.0.0.1.nip.io',
    '.',
    'a b',
  ])('%j is refused where nobody has to log in', async (host) => {
    const { port } = await start({ unauthenticatedHosts: hosts });
    const answer = await ask(port, '/rest/Employee', { headers: { host } });
    const name = host.replace(/:8080$/, '').replace(/\.$/, '');
    if (name === '') expect(answer.status).toBe(200);
    else {
      expectError(
        answer,
        421,
        9029,
        `The host "${name}" is not allowed: without authentication, the gateway accepts the names in server.hosts, localhost, and IP addresses.`,
      );
    }
  });

  test.each([
    'localhost',
    'LOCALHOST:8080',
    'erp.localhost',
    '127.0.0.1:8080',
    '10.1.2.3',
    '[::1]:8080',
    'erp.example.com',
    'ERP.example.com.:443',
    'gateway:80',
  ])('%s is answered', async (host) => {
    const { port } = await start({ unauthenticatedHosts: hosts });
    expect((await ask(port, '/rest/Employee', { headers: { host } })).status).toBe(200);
  });

  test('may stand in the target as well as in Host', async () => {
    const { port } = await start({ unauthenticatedHosts: hosts });
    const ask = (target: string): Promise<Answer> =>
      askRaw(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect((await ask('http://u:p@GATEWAY:80/rest/a')).text).toBe('{"url":"/rest/a"}');
    expectError(await ask('http://evil.example.com/rest/a'), 421, 9029);
    expectError(await ask('http://localhost@evil.example.com/rest/a'), 421, 9029);
  });

  test('is no matter where clients log in, nor for the probes', async () => {
    const open = await start();
    const headers = { host: 'other.example.com' };
    expect((await ask(open.port, '/rest/Employee', { headers })).status).toBe(200);
    await open.server.close();
    const { port } = await start({ unauthenticatedHosts: [] });
    expect((await ask(port, '/health/live', { headers })).status).toBe(200);
    expectError(await ask(port, '/health', { headers }), 421, 9029);
  });

  test('is what a proxy says that is trusted, and no other one', async () => {
    const headers = { host: 'erp.example.com', 'x-forwarded-host': 'evil.example.com' };
    const { port, server } = await start({ unauthenticatedHosts: hosts });
    expect((await ask(port, '/rest', { headers })).status).toBe(200);
    await server.close();
    const trusting = await start({
      unauthenticatedHosts: hosts,
      trustedProxies: ['127.0.0.1'],
    });
    expectError(await ask(trusting.port, '/rest', { headers }), 421, 9029);
  });

  test('of a client without Host is none', async () => {
    const { port } = await start({ unauthenticatedHosts: [] });
    expect((await askRaw(port, 'GET /rest HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('a request', () => {
  test.each(['Host: a\r\nHost: b', 'host: a\r\nHOST: a'])(
    'with two hosts is refused: %j',
    async (two) => {
      const { port } = await start();
      const answer = await askRaw(
        port,
        `GET /rest HTTP/1.1\r\n${two}\r\nConnection: close\r\n\r\n`,
      );
      expectError(answer, 400, 9010, 'There are two Host headers.');
      const raw = await askRaw(port, `GET /rest/\u00fc HTTP/1.1\r\n${two}\r\n\r\n`);
      expect(raw.status).toBe(400);
    },
  );

  test('that expects what is not done is told so', async () => {
    const { port } = await start();
    const expecting = (what: string, version = '1.1'): ReturnType<typeof askRaw> =>
      askRaw(
        port,
        `GET /rest HTTP/${version}\r\nHost: a\r\nExpect: ${what}\r\nConnection: close\r\n\r\n`,
      );
    const answer = await expecting('200-ok');
    expectError(answer, 417, 9039);
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    expect((await expecting('200-ok', '1.0')).status).toBe(200);
  });
});
