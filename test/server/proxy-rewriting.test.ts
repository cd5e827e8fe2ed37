import { describe, expect, test } from 'vitest';
import { NOBODY } from '../../src/base/principal.ts';
import {
  clientCookie,
  clientRefresh,
  clientUrl,
  requestHeaders,
} from '../../src/server/proxy/headers.ts';
import { route } from './application.ts';
import { routeFinder, targetOf } from '../../src/server/proxy/routes.ts';

const to = 'http://erp.internal:8081/legacy';

test('roles of a token that hold a comma are sent so that they are told apart', () => {
  const principal = { ...NOBODY, name: 'ada', roles: ['reader', 'a,b'] };
  const asked = { headers: {}, id: 'r', addresses: ['10.0.0.1'], host: 'g', protocol: 'https' };
  const names = { cookie: 'SID', header: 'entitygate-session' };
  expect(requestHeaders({ ...asked, hop: 'me', principal }, route({ to }), names)).toMatchObject({
    'x-entitygate-roles': 'reader, a%2Cb',
  });
});

describe('what is forwarded', () => {
  const find = routeFinder(
    ['/', '/app', '/app/admin', '/restore'].map((prefix) => route({ prefix, to })),
  );

  test.each([
    ['/app', '/app'],
    ['/app?x', '/app'],
    ['/app/', '/app'],
    ['/app/admin/x', '/app/admin'],
    ['/app/administration', '/app'],
    ['/apple', '/'],
    ['/APP', '/'],
    ['/', '/'],
    ['/?/rest', '/'],
    ['/restore', '/restore'],
    ['/rest', null],
    ['/rest?x', null],
    ['/rest/app', null],
    ['/health/live', null],
    ['/health/ready?x', null],
    ['/health/other', '/'],
    ['*', null],
  ])('%s goes by the entry %s', (url, prefix) => {
    expect(find(url)?.prefix ?? null).toBe(prefix);
  });

  test.each([
    ['/app', to, '/app', '/legacy'],
    ['/app', `${to}/`, '/app/', '/legacy/'],
    ['/app', to, '/app?a=1', '/legacy?a=1'],
    ['/app', to, '/app/%C3%BC/%FC%2f?q=%zz&r="ü"', '/legacy/%C3%BC/%FC%2f?q=%zz&r="ü"'],
    ['/app', to, '/app//a/./b', '/legacy//a/./b'],
    ['/app', to, '/app/a..b/...?../..', '/legacy/a..b/...?../..'],
    ['/app', 'http://h', '/app', '/'],
    ['/app', 'http://h/', '/app/x', '/x'],
    ['/', 'http://h', '/app/x', '/app/x'],
    ['/', to, '/', '/legacy/'],
  ])('below %s, for %s, %s is asked as %s', (prefix, target, url, expected) => {
    expect(targetOf(url, route({ prefix, to: target }))).toBe(expected);
  });

  test.each([
    '/app/..',
    '/app/../x',
    '/app/%2e%2E/x',
    '/app/.%2e',
    '/app/a%2f..%2Fb',
    '/app/a\\..\\b',
    '/app/a%5C..',
    '/app/..;v=1/x',
    '/app/..%3bx/y',
  ])('%s is not', (url) => {
    expect(() => targetOf(url, route({ to }))).toThrow(
      expect.objectContaining({ errorName: 'badUrl' }),
    );
  });
});

describe('an address that the application writes', () => {
  const addresses = { route: route({ to }), clientHost: 'gateway.example:8443' };

  test.each([
    ['/legacy/next?x=1#top', '/app/next?x=1#top'],
    ['/legacy', '/app'],
    ['/legacy?x', '/app?x'],
    ['http://erp.internal:8081/legacy/next', '/app/next'],
    ['HTTP://ERP.internal:8081/legacy', '/app'],
    ['//erp.internal:8081/legacy/next', '/app/next'],
    ['next', 'next'],
    ['?page=2', '?page=2'],
    ['', ''],
    ['/other', '/other'],
    ['/legacyish', '/legacyish'],
    ['http://erp.internal:8081/other', 'http://erp.internal:8081/other'],
    ['http://erp.internal:8081', 'http://erp.internal:8081'],
    ['https://erp.internal:8081/legacy', 'https://erp.internal:8081/legacy'],
    ['http://erp.internal/legacy', 'http://erp.internal/legacy'],
    [
      'http://erp.internal:8081@evil.example/legacy',
      'http://erp.internal:8081@evil.example/legacy',
    ],
    ['https://login.example/legacy', 'https://login.example/legacy'],
    ['http://gateway.example:8443/legacy/x', 'http://gateway.example:8443/legacy/x'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['http://[', 'http://['],
  ])('%j is %j for clients', (url, expected) => {
    expect(clientUrl(url, addresses)).toBe(expected);
  });

  test('may hold the host that the client asked, where the application is told it', () => {
    const told = { ...addresses, route: route({ to, preserveHost: true }) };
    expect(clientUrl('http://gateway.example:8443/legacy/x', told)).toBe('/app/x');
  });

  test.each([
    ['/', 'http://h', '/x', '/x'],
    ['/', 'http://h', 'http://h', '/'],
    ['/', to, '/legacy', '/'],
    ['/', to, '/legacy?x', '/?x'],
    ['/app', 'http://h', '/', '/app/'],
    ['/app', 'http://h:80/', 'http://h/x', '/app/x'],
    ['/', to, '/legacy//evil.example', '/legacy//evil.example'],
    ['/', 'http://h', 'http://h//evil.example', 'http://h//evil.example'],
    ['/', 'http://h', 'http://h/\\evil.example', 'http://h/\\evil.example'],
  ])('at %s, for %s, %s is %s', (prefix, target, url, expected) => {
    expect(clientUrl(url, { ...addresses, route: route({ prefix, to: target }) })).toBe(expected);
  });

  test.each([
    ['5; url=/legacy/next', '5; url=/app/next'],
    ["0;URL='http://erp.internal:8081/legacy/'", "0;URL='/app/'"],
    ['30', '30'],
    ['5; url="/app/next', '5; url="/app/next'],
    ['5; url="', '5; url="'],
  ])('a Refresh of %j is %j', (value, expected) => {
    expect(clientRefresh(value, addresses)).toBe(expected);
  });

  test.each([
    ['a=1', 'a=1'],
    ['a=1; Path=/legacy; HttpOnly', 'a=1; Path=/app; HttpOnly'],
    ['a=1;path=/legacy/x;Secure', 'a=1; Path=/app/x;Secure'],
    ['a=1; Path=/', 'a=1; Path=/'],
    ['a=1; Domain=.ERP.internal; SameSite=Lax', 'a=1; SameSite=Lax'],
    ['a=1; Domain=internal', 'a=1; Domain=internal'],
  ])('the cookie %j is %j', (cookie, expected) => {
    expect(clientCookie(cookie, addresses)).toBe(expected);
  });

  test('a cookie for a whole application is for the whole prefix', () => {
    const root = { ...addresses, route: route({ to: 'http://h' }) };
    expect(clientCookie('a=1; Path=/', root)).toBe('a=1; Path=/app');
    expect(clientCookie('a=1; Path=/x/', root)).toBe('a=1; Path=/app/x/');
  });
});
