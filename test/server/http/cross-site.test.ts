import { expect, test } from 'vitest';
import type { RequestAst } from '../../../src/protocol/ast.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { Verb } from '../../../src/protocol/rest-request.ts';
import { refuseCrossSite } from '../../../src/server/http/admission.ts';
import { changesSomething } from '../../../src/server/operations/operations.ts';

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

test.each([
  ['no browser', {}, false],
  ['a page of its own', { 'sec-fetch-site': 'same-origin', origin: `https://${HOST}` }, false],
  ['a user who typed the address', { 'sec-fetch-site': 'none' }, false],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, true],
  [
    'another site, which hides its origin',
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    true,
  ],
  ['a neighbour', { 'sec-fetch-site': 'same-site', origin: 'https://other.example:8443' }, true],
  ['an older browser on a page of its own', { origin: `https://${HOST}` }, false],
  ['an older browser on another site', { origin: 'https://evil.example' }, true],
  ['an older browser that hides the origin', { origin: 'null' }, true],
  [
    'a header that another site cannot send unasked',
    { origin: 'https://a.example', 'x-requested-with': 'x' },
    false,
  ],
  ['a key', { origin: 'https://a.example', 'api-key': 'x' }, false],
  ['a token', { origin: 'https://a.example', authorization: 'Bearer x' }, false],
  [
    'a password, which browsers send by themselves',
    { origin: 'https://a.example', authorization: 'Basic x' },
    true,
  ],
])('%s', (_, headers, refused) => {
  expect(isRefused(headers as Record<string, string>)).toBe(refused);
});

test('a site that CORS names may, where its pages may send credentials', () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' };
  expect(isRefused(headers, ['https://app.example'])).toBe(false);
  expect(isRefused(headers, ['https://other.example'])).toBe(true);
});

test.each<[what: string, verb: Verb, headers: Record<string, string>, refused: boolean]>([
  ['a form', 'POST', { 'content-type': 'text/plain' }, true],
  ['a form without a type', 'POST', {}, true],
  ['a link', 'GET', {}, true],
  ['JSON', 'POST', { 'content-type': 'application/json; charset=utf-8' }, false],
  ['no form’s verb', 'DELETE', {}, false],
  ['an update by PATCH', 'PATCH', {}, false],
  ['an update by PATCH with a cookie', 'PATCH', { cookie: 'a=b' }, true],
  ['JSON with a cookie', 'POST', { 'content-type': 'application/json', cookie: 'a=b' }, true],
  [
    'JSON with a password',
    'PUT',
    { 'content-type': 'application/json', authorization: 'Basic x' },
    true,
  ],
  ['a session’s header', 'POST', { 'entitygate-session': 'x', cookie: 'a=b' }, false],
  ['a login by headers', 'POST', { 'username-4d': 'x', 'password-4d': 'y' }, false],
])(
  'a site that CORS names, whose pages may not send credentials, sends %s',
  (_, verb, more, refused) => {
    const headers = { 'sec-fetch-site': 'same-site', origin: 'https://app.example', ...more };
    for (const origin of ['https://app.example', '*']) {
      expect(isRefused(headers, [origin], { verb, credentials: false })).toBe(refused);
    }
    const isOwnHeader = 'entitygate-session' in more || 'username-4d' in more;
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

test.each([
  ['GET', 'Employee', false],
  ['GET', 'Employee?$method=entityset', false],
  ['GET', '$catalog', false],
  ['GET', '$info', false],
  ['GET', 'Employee(1)?$lock=true', true],
  ['GET', 'Employee/$entityset/0A?$method=release', true],
  ['GET', '$directory/logout', true],
  ['POST', '$directory/login', true],
  ['POST', 'Employee', true],
  ['POST', '$upload?$binary=true', true],
  ['DELETE', 'Employee(1)', true],
])('%s %s changes something: %s', (verb, path, changes) => {
  const { ast }: { ast: RequestAst } = parseRequest(`/rest/${path}`, verb as Verb);
  expect(changesSomething(ast)).toBe(changes);
});
