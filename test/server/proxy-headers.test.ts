import { describe, expect, test } from 'vitest';
import { NOBODY } from '../../src/base/principal.ts';
import { answerHeaders, type Forwarded, requestHeaders } from '../../src/server/proxy/headers.ts';
import { route } from './application.ts';

const names = { cookie: 'SID', header: 'entitygate-session' };
const to = 'http://erp.internal:8081/legacy';
const plain: Forwarded = {
  headers: {},
  id: 'request-1',
  addresses: ['10.0.0.1', '192.0.2.7'],
  host: 'gateway.example',
  protocol: 'https',
  principal: null,
  hop: 'me',
};
const said = {
  host: 'erp.internal:8081',
  'x-forwarded-for': '192.0.2.7, 10.0.0.1',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'gateway.example',
  'x-real-ip': '192.0.2.7',
  'x-request-id': 'request-1',
  'x-entitygate-hop': 'me',
};

describe('the application is sent', () => {
  test('what the client sends, and how it came', () => {
    const headers = { accept: '*/*', range: 'bytes=0-1', te: 'trailers', expect: '100-continue' };
    expect(requestHeaders({ ...plain, headers }, route({ to }), names)).toEqual({
      accept: '*/*',
      range: 'bytes=0-1',
      ...said,
    });
  });

  test('nothing that only the gateway can know, by whatever spelling', () => {
    const headers = {
      'x-entitygate-user': 'root',
      x_entitygate_user: 'root',
      'x_entitygate-roles': 'admin',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-prefix': '/x',
      x_forwarded_proto: 'http',
      forwarded: 'for=127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
      'x-secret': 'guessed',
    };
    const secret = route({ to, headers: { 'X-Secret': 'given' } });
    expect(requestHeaders({ ...plain, headers }, secret, names)).toEqual({
      ...said,
      'x-secret': 'given',
    });
  });

  test('no header that the client says is about its connection, nor less of the gateway’s own', () => {
    const headers = { connection: 'close, X-Own, X-Real-Ip, X-Entitygate-User', 'x-own': '1' };
    const principal = { ...NOBODY, name: 'ada' };
    expect(requestHeaders({ ...plain, headers, principal }, route({ to }), names)).toEqual({
      ...said,
      'x-entitygate-user': 'ada',
      'x-entitygate-roles': '',
    });
  });

  test('who asks, in letters that a header can hold', () => {
    const principal = { ...NOBODY, name: 'Zoë, 100%', roles: ['reader', 'a,b'] };
    const renamed = route({ to, userHeader: 'Remote-User', rolesHeader: 'Remote-Groups' });
    expect(requestHeaders({ ...plain, principal }, renamed, names)).toEqual({
      ...said,
      'remote-user': 'Zo%C3%AB%2C%20100%25',
      'remote-groups': 'reader, a%2Cb',
    });
  });

  test('the host that the client asked, where that is wanted', () => {
    const sent = requestHeaders(plain, route({ to, preserveHost: true }), names);
    expect(sent).toEqual({ ...said, host: 'gateway.example' });
    const unnamed = requestHeaders(
      { ...plain, host: '' },
      route({ to, preserveHost: true }),
      names,
    );
    expect({ ...unnamed, 'x-forwarded-host': 'gateway.example' }).toEqual(said);
    expect(unnamed).not.toHaveProperty('x-forwarded-host');
  });

  test('the gateways before', () => {
    const headers = { 'x-entitygate-hop': 'another' };
    expect(requestHeaders({ ...plain, headers }, route({ to }), names)).toEqual({
      ...said,
      'x-entitygate-hop': 'another, me',
    });
  });

  const credentials = {
    cookie: 'a=1; SID=0123; b="x=y"',
    'entitygate-session': '0123',
    'api-key': 'something',
    authorization: 'Basic eDp5',
  };

  test.each<[string, Parameters<typeof route>[0], Record<string, string>]>([
    [
      'its own credentials, where the gateway asks for none',
      { to },
      { cookie: 'a=1; b="x=y"', 'api-key': 'something', authorization: 'Basic eDp5' },
    ],
    ['no credentials of the gateway’s', { to, authentication: true }, { cookie: 'a=1; b="x=y"' }],
    [
      'them all where that is asked for',
      { to, authentication: true, forwardCredentials: true },
      credentials,
    ],
  ])('%s', (_, given, expected) => {
    expect(requestHeaders({ ...plain, headers: credentials }, route(given), names)).toEqual({
      ...said,
      ...expected,
    });
  });

  test('no API key of the gateway’s, whether it asks for one or not', () => {
    for (const headers of [{ 'api-key': 'egk_x' }, { authorization: 'Bearer egk_x' }]) {
      expect(requestHeaders({ ...plain, headers }, route({ to }), names)).toEqual(said);
    }
    const headers = { cookie: 'SID=1', authorization: 'Bearer eyJ' };
    expect(requestHeaders({ ...plain, headers }, route({ to }), names)).toEqual({
      ...said,
      authorization: 'Bearer eyJ',
    });
  });
});

test('the client is answered in its own terms', () => {
  const addresses = { route: route({ to }), clientHost: 'gateway.example' };
  const headers = {
    'content-type': 'text/html; charset=iso-8859-1',
    etag: '"1"',
    connection: 'close, X-Hop',
    'x-hop': '1',
    'keep-alive': 'timeout=5',
    'transfer-encoding': 'chunked',
    trailer: 'X-Sum',
    location: '/legacy/next',
    'content-location': ['/legacy/a'],
    refresh: '1; url=/legacy/b',
    'set-cookie': ['a=1; Path=/legacy', 'SID=stolen; Path=/', 'b=2'],
    'entitygate-session': 'stolen',
    'x-request-id': 'another',
    'content-security-policy': "default-src 'self'",
  };
  expect(answerHeaders(headers, addresses, names)).toEqual({
    'content-type': 'text/html; charset=iso-8859-1',
    etag: '"1"',
    location: '/app/next',
    'content-location': ['/app/a'],
    refresh: '1; url=/app/b',
    'set-cookie': ['a=1; Path=/app', 'b=2'],
    'content-security-policy': "default-src 'self'",
  });
  expect(answerHeaders({ 'set-cookie': 'SID=1' }, addresses, names)).toEqual({});
});
