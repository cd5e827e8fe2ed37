import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { type Answer, ask, askRaw, expectError, start } from '../serving.ts';

const names = [
  ...['cache-control', 'content-security-policy', 'cross-origin-opener-policy'],
  ...['cross-origin-resource-policy', 'origin-agent-cluster', 'referrer-policy', 'server'],
  ...['strict-transport-security', 'x-content-type-options', 'x-dns-prefetch-control'],
  ...['x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies', 'x-powered-by'],
  'x-xss-protection',
];

function securityOf({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

const expected = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

describe('the headers for browsers', () => {
  test.each<[what: string, status: number, path: string, method?: string]>([
    ['an answer', 200, '/rest/Employee'],
    ['an answer to HEAD', 200, '/rest/Employee', 'HEAD'],
    ['a probe', 200, '/health/live'],
    ['an error', 405, '/rest/Employee', 'PROPFIND'],
    ['a malformed URL', 400, '/%zz'],
  ])('go with %s', async (_what, status, path, method = 'GET') => {
    const answer = await ask(await start(), path, { method });
    expect([answer.status, securityOf(answer)]).toEqual([status, expected]);
  });

  test.each([
    ['what is not a request', 400, 'hello\r\n\r\n'],
    ['headers that are too long', 431, `GET /rest HTTP/1.1\r\nHost: ${'a'.repeat(9000)}\r\n\r\n`],
    ['a URL with raw letters', 200, 'GET /rest/\u00fc HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('go with the answer to %s', async (_what, status, text) => {
    const answer = await askRaw(await start(), text);
    expect([answer.status, securityOf(answer)]).toEqual([status, expected]);
  });

  test('let pages of other origins read what CORS lets them', async () => {
    const { port } = await start({ cors });
    const shared = { ...expected, 'cross-origin-resource-policy': 'cross-origin' };
    expect(securityOf(await ask(port, '/rest/Employee'))).toEqual(shared);
    expect(securityOf(await askRaw(port, 'hello\r\n\r\n'))).toEqual(shared);
  });
});

const cors = {
  origins: ['https://app.example.com', 'http://localhost:3000'],
  credentials: true,
  maxAgeSeconds: 60,
  sessionHeader: 'Erp-Session',
};
const origin = 'https://app.example.com';
const preflight = { origin, 'access-control-request-method': 'POST' };

function corsOf({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:access-control-|vary$)/.test(name)),
  );
}

const told = {
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, WWW-Authenticate, Allow, ETag, Accept-Ranges, Content-Range, Content-Disposition, Location, Entitygate-Deleted, Entitygate-Note, Erp-Session',
  vary: 'Origin',
};

describe('pages of other origins', () => {
  test('are told nothing where no origin is configured', async () => {
    const { port } = await start();
    const answer = await ask(port, '/rest/Employee', { headers: { origin } });
    expect([answer.status, corsOf(answer)]).toEqual([200, {}]);
    const asked = await ask(port, '/rest/Employee', { method: 'OPTIONS', headers: preflight });
    expect([asked.status, asked.text, corsOf(asked)]).toEqual([204, '', {}]);
    expect(asked.headers['allow']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  test.each(['/rest/Employee(1)?a=%22%zz', '/rest/%zz', '/rest/$directory/login'])(
    'ask before they call %s, and are told how they may',
    async (path) => {
      const { port } = await start({ cors });
      const answer = await ask(port, path, { method: 'OPTIONS', headers: preflight });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(corsOf(answer)).toEqual({
        ...told,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'Content-Type, Authorization, api-key, username-4D, password-4D, session-4D-length, X-Requested-With, X-Request-Id, If-Match, If-None-Match, Range, If-Range, Last-Event-ID, traceparent, tracestate, Mcp-Protocol-Version, Erp-Session',
        'access-control-max-age': '60',
      });
    },
  );

  test('may read answers, and errors as well', async () => {
    const { port } = await start({
      cors,
      maxUrlBytes: 300,
      handle: () => Promise.reject(new ProtocolError('noSuchDataclass', 'No.')),
    });
    const headers = { origin };
    for (const [status, path, method] of [
      [404, '/rest/Emp', 'GET'],
      [405, '/rest/Emp', 'PROPFIND'],
      [404, '/', 'GET'],
      [414, `/rest/${'a'.repeat(300)}`, 'GET'],
      [200, '/health/live', 'GET'],
    ] as const) {
      const answer = await ask(port, path, { method, headers });
      expect([answer.status, corsOf(answer)]).toEqual([status, told]);
    }
  });

  test('of an origin that is not named, and programs, are told of none', async () => {
    const { port } = await start({ cors: { ...cors, credentials: false } });
    expect(corsOf(await ask(port, '/rest/Employee'))).toEqual({ vary: 'Origin' });
    for (const other of ['https://evil.example.com', 'http://app.example.com', 'null']) {
      const { headers } = await ask(port, '/rest/Employee', { headers: { origin: other } });
      expect(headers).toMatchObject({ vary: 'Origin' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test('of all origins may call where they may', async () => {
    const { port } = await start({ cors: { ...cors, origins: ['*'], credentials: false } });
    const { headers } = await ask(port, '/rest/Employee', {
      headers: { origin: 'https://a.example' },
    });
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', vary: 'Origin' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test.each([
    ['no origin', { 'access-control-request-method': 'POST' }],
    ['no method', { origin }],
  ])('OPTIONS with %s is not a preflight', async (_what, headers) => {
    const { port } = await start({ cors });
    const answer = await ask(port, '/rest/Employee', { method: 'OPTIONS', headers });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers['allow']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    expectError(await ask(port, '/nowhere', { method: 'OPTIONS', headers }), 404, 9008);
  });
});
