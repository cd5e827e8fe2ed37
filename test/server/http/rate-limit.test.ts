import { describe, expect, test, vi, afterEach } from 'vitest';
import { ask, askRaw, expectError, start } from '../serving.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a client that sends more than its share', () => {
  test('is told when to come again, on every path but the probes', async () => {
    const { port } = await start({ rateLimit: { perMinute: 3, store: null } });
    for (const path of ['/rest/Employee', '/rest/Company', '/nowhere']) {
      expect((await ask(port, path)).status).not.toBe(429);
    }
    const refused = await ask(port, '/rest/Employee');
    const after = Number(refused.headers['retry-after']);
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(60);
    expectError(
      refused,
      429,
      9028,
      `A client may send 3 requests a minute. Try again in ${after} ${after === 1 ? 'second' : 'seconds'}.`,
    );
    expectError(await ask(port, '/nowhere'), 429, 9028);
    expectError(await ask(port, '/rest/Employee', { method: 'PATCH' }), 429, 9028);
    expect((await ask(port, '/health/live')).status).toBe(200);
    expect((await ask(port, '/health/ready')).status).toBe(200);
  });

  test('is let in again when the minute is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { port } = await start({ rateLimit: { perMinute: 1, store: null } });
    expect((await ask(port, '/rest')).status).toBe(200);
    expect((await ask(port, '/rest')).status).toBe(429);
    vi.setSystemTime(Date.now() + 60_001);
    expect((await ask(port, '/rest')).status).toBe(200);
  });

  test('is refused before its body is read, and the connection goes on where it has arrived', async () => {
    let handled = 0;
    const { port } = await start({
      rateLimit: { perMinute: 1, store: null },
      handle: () => {
        handled += 1;
        return Promise.resolve({ status: 200, headers: {}, body: 'done' });
      },
    });
    const post = (length: number, body: string, close = ''): string =>
      `POST /rest/Employee HTTP/1.1\r\nHost: a\r\n${close}Content-Length: ${length}\r\n\r\n${body}`;
    const answer = await askRaw(
      port,
      post(2, '{}') + post(2, '{}') + post(2, '{}', 'Connection: close\r\n'),
    );
    expect(answer.status).toBe(200);
    expect(answer.rest.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 429', 'HTTP/1.1 429']);
    const unread = await askRaw(port, post(100_000, '{'));
    expectError(unread, 429, 9028);
    expect(unread.headers['connection']).toBe('close');
    const asking = await askRaw(port, post(5, '', 'Expect: 100-continue\r\n'));
    expectError(asking, 429, 9028);
    expect(asking.headers['connection']).toBe('close');
    expect(handled).toBe(1);
  });

  test('is told apart by its address, which a trusted proxy says', async () => {
    const { port } = await start({
      rateLimit: { perMinute: 1, store: null },
      trustedProxies: ['127.0.0.1'],
    });
    const from = async (address: string): Promise<number> =>
      (await ask(port, '/rest', { headers: { 'x-forwarded-for': address } })).status;
    expect(await from('192.0.2.1')).toBe(200);
    expect(await from('192.0.2.2')).toBe(200);
    expect(await from('192.0.2.1')).toBe(429);
    // What stands before the address that the proxy saw is the client's own word.
    expect(await from('198.51.100.9, 192.0.2.2')).toBe(429);
    // One client has a whole network of IPv6.
    expect(await from('2001:db8:1:2::1')).toBe(200);
    expect(await from('2001:db8:1:2:ffff::9')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(200);
  });

  test('is not told apart by a header that anybody can send', async () => {
    const { port } = await start({ rateLimit: { perMinute: 1, store: null } });
    const headers = (address: string): { headers: Record<string, string> } => ({
      headers: { 'x-forwarded-for': address },
    });
    expect((await ask(port, '/rest', headers('192.0.2.1'))).status).toBe(200);
    expect((await ask(port, '/rest', headers('192.0.2.2'))).status).toBe(429);
  });

  test('may ask by a preflight as often as it likes', async () => {
    const { port } = await start({
      rateLimit: { perMinute: 1, store: null },
      cors: { origins: ['*'], credentials: false, maxAgeSeconds: 0, sessionHeader: 'S' },
    });
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    for (let times = 0; times < 3; times += 1) {
      expect((await ask(port, '/rest', { method: 'OPTIONS', headers })).status).toBe(204);
    }
    const { origin } = headers;
    expect((await ask(port, '/rest', { headers: { origin } })).status).toBe(200);
    const refused = await ask(port, '/rest', { headers: { origin } });
    expectError(refused, 429, 9028);
    expect(refused.headers['access-control-allow-origin']).toBe('*');
  });
});
