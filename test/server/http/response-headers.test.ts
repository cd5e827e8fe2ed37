import { describe, expect, test } from 'vitest';
import { type Answer, ask, askRaw, start } from '../serving.ts';

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

const cors = {
  ...{ origins: ['https://app.example.com'], credentials: true },
  ...{ maxAgeSeconds: 60, sessionHeader: 'Erp-Session' },
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
