import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Verb } from '../../../src/protocol/rest-request.ts';
import { refuseCrossSite } from '../../../src/server/http/admission.ts';
import { ask, askRaw, expectError, start } from '../serving.ts';
import { parsed, rows } from '../../rows.ts';

test('a name is no matter where clients log in', async () => {
  const headers = { host: 'other.example.com' };
  expect((await ask(await start(), '/rest/Employee', { headers })).status).toBe(200);
});

test('a name that a trusted proxy says is the one that is looked at', async () => {
  const headers = { host: 'erp.example.com', 'x-forwarded-host': 'evil.example.com' };
  const trusting = { unauthenticatedHosts: ['erp.example.com'], trustedProxies: ['127.0.0.1'] };
  expectError(await ask(await start(trusting), '/rest', { headers }), 421, 9029);
});

const HOST = 'gateway.example:8443';

function isRefused(
  headers: Record<string, string>,
  origins: readonly string[] = [],
  {
    verb = 'POST',
    host = HOST,
    isSecure = false,
    credentials = true,
  }: { verb?: Verb; host?: string; isSecure?: boolean; credentials?: boolean } = {},
): boolean {
  try {
    refuseCrossSite(
      { verb, headers, host, isSecure },
      { origins, credentials },
      'entitygate-session',
    );
    return false;
  } catch (error) {
    expect(error).toMatchObject({ errorName: 'crossSite', status: 403 });
    return true;
  }
}

test.each(rows`
  no browser | {} | false
  a page of its own | {sec-fetch-site: same-origin, origin: 'https://${HOST}'} | false
  a user who typed the address | {sec-fetch-site: none} | false
  another site | {sec-fetch-site: cross-site, origin: https://evil.example} | true
  another site, which hides its origin | {sec-fetch-site: cross-site, origin: 'null'} | true
  a neighbour | {sec-fetch-site: same-site, origin: https://other.example:8443} | true
  an older browser on a page of its own | {origin: 'https://${HOST}'} | false
  an older browser on another site | {origin: https://evil.example} | true
  an older browser that hides the origin | {origin: 'null'} | true
  a header that another site cannot send unasked | {origin: https://a.example, x-requested-with: x} | false
  a key | {origin: https://a.example, api-key: x} | false
  a token | {origin: https://a.example, authorization: Bearer x} | false
  a password, which browsers send by themselves | {origin: https://a.example, authorization: Basic x} | true
`)('%s', (_, headers, refused) => {
  expect(isRefused(parsed(headers))).toBe(refused === 'true');
});

test('a site that CORS names may, where its pages may send credentials', () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' };
  expect(isRefused(headers, ['https://app.example'])).toBe(false);
});

test.each(rows<[what: string, verb: Verb, more: string, refused: string]>`
  a form                           | POST   | {content-type: text/plain} | true
  a form without a type            | POST   | {} | true
  a link                           | GET    | {} | true
  JSON                             | POST   | {content-type: application/json; charset=utf-8} | false
  no form’s verb                   | DELETE | {} | false
  an update by PATCH               | PATCH  | {} | false
  an update by PATCH with a cookie | PATCH  | {cookie: a=b} | true
  JSON with a cookie               | POST   | {content-type: application/json, cookie: a=b} | true
  JSON with a password             | PUT    | {content-type: application/json, authorization: Basic x} | true
  a session’s header               | POST   | {entitygate-session: x, cookie: a=b} | false
  a login by headers               | POST   | {username-4d: x, password-4d: y} | false
`)(
  'a site that CORS names, whose pages may not send credentials, sends %s',
  (_, verb, more, refused) => {
    const headers = {
      'sec-fetch-site': 'same-site',
      origin: 'https://app.example',
      ...parsed(more),
    };
    for (const origin of ['https://app.example', '*']) {
      expect(isRefused(headers, [origin], { verb, credentials: false })).toBe(refused === 'true');
    }
    const isOwnHeader = 'entitygate-session' in headers || 'username-4d' in headers;
    expect(isRefused(headers, ['https://other.example'], { verb, credentials: false })).toBe(
      !isOwnHeader,
    );
  },
);

test.each([
  ['https://a', 'a:443', false],
  ['https://a:443', 'a', false],
  ['http://a', 'A:80', false],
  ['http://a', 'a:443', true],
  ['https://a', 'a:80', true],
  ['https://a:8443', 'a', true],
  ['https://a', '', true],
  ['data:x', '', true],
])(
  'an older browser on a page of %s that asks %s is of another site: %s',
  (origin, host, other) => {
    expect(isRefused({ origin }, [], { host })).toBe(other);
  },
);

test('a page that came without TLS is none of a gateway with it', () => {
  expect(isRefused({ origin: 'http://a' }, [], { host: 'a', isSecure: true })).toBe(true);
  expect(isRefused({ origin: 'https://a' }, [], { host: 'a', isSecure: true })).toBe(false);
});

describe('rate limit', () => {
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

    test('is told apart by its address, which a trusted proxy says, and no other one', async () => {
      const rateLimit = { perMinute: 1, store: null };
      const { port } = await start({ rateLimit, trustedProxies: ['127.0.0.1'] });
      const direct = await start({ rateLimit });
      const from = async (address: string, at = port): Promise<number> =>
        (await ask(at, '/rest', { headers: { 'x-forwarded-for': address } })).status;
      expect(await from('192.0.2.1')).toBe(200);
      expect(await from('192.0.2.2:4001')).toBe(200);
      expect(await from('192.0.2.1')).toBe(429);
      // What stands before the address that the proxy saw is the client's own word.
      expect(await from('198.51.100.9, 192.0.2.2')).toBe(429);
      // One client has a whole network of IPv6.
      expect(await from('2001:db8:1:2::1')).toBe(200);
      expect(await from('2001:db8:1:2:ffff::9')).toBe(429);
      expect(await from('2001:db8:1:3::1')).toBe(200);
      expect(await from('192.0.2.1', direct.port)).toBe(200);
      expect(await from('192.0.2.2', direct.port)).toBe(429);
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
});
