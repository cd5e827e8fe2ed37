import { expect, test } from 'vitest';
import type { RequestAst } from '../../src/request/ast.ts';
import { parseRequest } from '../../src/request/parse.ts';
import type { Verb } from '../../src/request/verb.ts';
import { changesSomething, refuseCrossSite } from '../../src/server/cross-site.ts';

const HOST = 'gateway.example:8443';

function isRefused(headers: Record<string, string>, origins: readonly string[] = []): boolean {
  try {
    refuseCrossSite({ headers, host: HOST }, new Set(origins));
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

test('a site that CORS names may', () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' };
  expect(isRefused(headers, ['https://app.example'])).toBe(false);
  expect(isRefused(headers, ['https://other.example'])).toBe(true);
  expect(isRefused(headers, ['*'])).toBe(false);
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
