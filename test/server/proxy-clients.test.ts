import { describe, expect, test } from 'vitest';
import { noObserver } from '../../src/base/observe/observer.ts';
import type { Handler, Handling } from '../../src/server/rest.ts';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { ask, start, anybody, expectError } from './serving.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import { NOBODY } from '../../src/base/principal.ts';
import { rows } from '../rows.ts';
import { application, mirror, route, startProxy } from './application.ts';

const who: Handler = ({ address, host, isSecure }) =>
  Promise.resolve(jsonAnswer(JSON.stringify({ address, host, isSecure })));

const forwarded = {
  host: 'inside:8080',
  'x-forwarded-for': '198.51.100.1, 192.0.2.1',
  'x-forwarded-host': 'erp.example.com',
  'x-forwarded-proto': 'https',
};

describe('what a proxy says of the client', () => {
  const inside = { address: '127.0.0.1', host: 'inside:8080', isSecure: false };
  const outside = { host: 'erp.example.com', isSecure: true };

  test.each<[proxies: string[] | undefined, seen: object]>([
    [undefined, inside],
    [['10.0.0.0/8'], inside],
    [['10.0.0.1', '127.0.0.0/8'], { ...outside, address: '192.0.2.1' }],
    [['127.0.0.1', '192.0.2.0/24'], { ...outside, address: '198.51.100.1' }],
  ])('counts where it is trusted: %j', async (trustedProxies, expected) => {
    const { port } = await start({ handle: who, trustedProxies });
    const answer = await ask(port, '/rest', { headers: forwarded });
    expect(JSON.parse(answer.text)).toEqual(expected);
    const plain = { host: 'inside:8080', 'x-forwarded-proto': 'http' };
    expect(JSON.parse((await ask(port, '/rest', { headers: plain })).text)).toEqual(inside);
  });

  test.each(rows`
    3.3.4.3:4001                    | 3.3.4.3
    6.6.6.6, 3.3.4.3:4001           | 3.3.4.3
    [2001:db8::1]:4001              | 2001:db8::1
    [2001:db8::1]                   | 2001:db8::1
    2001:db8::1                     | 2001:db8::1
    3.3.4.3:4001, 192.0.2.1:443     | 3.3.4.3
    garbage                         | 127.0.0.1
    6.6.6.6, garbage                | 127.0.0.1
    garbage, 3.3.4.3                | 3.3.4.3
    6.6.6.6, garbage, 192.0.2.1     | 192.0.2.1
    evil"}, {"log":"audit"          | 127.0.0.1
    [3.3.4.3]:1                     | 127.0.0.1
    3.3.4.3:x                       | 127.0.0.1
    3.3.4.3,                        | 127.0.0.1
  `)('tells addresses alone: %j is of %s', async (told, address) => {
    const seen: string[] = [];
    const { port } = await start({
      ...{ handle: who, trustedProxies: ['127.0.0.1', '192.0.2.0/24'] },
      rateLimit: { perMinute: 1, store: null },
      observer: (request) => {
        seen.push(request.address);
        return noObserver;
      },
    });
    const headers = { host: 'a', 'x-forwarded-for': told };
    expect(JSON.parse((await ask(port, '/rest', { headers })).text)).toMatchObject({ address });
    expect(seen).toEqual([address]);
    // It is counted by its address as well.
    const again = { host: 'a', 'x-forwarded-for': address };
    expect((await ask(port, '/rest', { headers: again })).status).toBe(429);
  });
});

/** Knows Ada by her session, who is a clerk, and a boss by name; of others that they are nobody. */
const admit: Handling['admit'] = ({ headers }) => {
  if (headers['api-key'] === 'wrong') {
    return Promise.reject(new ProtocolError('notLoggedIn', 'The key is not known.'));
  }
  const isAda = headers.cookie?.includes('SID=ada') === true;
  const isBoss = headers.authorization === 'Basic boss';
  const principal = {
    ...NOBODY,
    name: isAda ? 'ada' : isBoss ? 'boss' : null,
    roles: isAda ? ['clerk'] : ['guest'],
  };
  const audience = { ...anybody.audience, isAdmin: isBoss };
  return Promise.resolve({ ...anybody, principal, audience });
};
const refusalHeaders: Handling['refusalHeaders'] = (error) =>
  error instanceof ProtocolError && error.errorName === 'notLoggedIn'
    ? { 'www-authenticate': 'Basic' }
    : {};
const ada = { cookie: 'a=1; SID=ada' };

/** A gateway in front of an application that counts what reaches it. */
async function closed(): Promise<{ port: number; times: () => number }> {
  let times = 0;
  const { host } = await application((request, response) => {
    times += 1;
    mirror(request, response);
  });
  const to = `http://${host}`;
  const { port } = await startProxy(
    [
      route({ to, authentication: true }),
      route({ prefix: '/clerks', to, authentication: ['clerk', 'boss'] }),
      route({ prefix: '/bosses', to, authentication: ['boss'] }),
      route({ prefix: '/open', to }),
    ],
    { admit, refusalHeaders },
    ['https://friend.example'],
  );
  return { port, times: () => times };
}

test('who is not known is told so, and nothing is forwarded', async () => {
  const { port, times } = await closed();
  for (const path of ['/app', '/clerks/x', '/bosses']) {
    const answer = await ask(port, path, { headers: { 'x-entitygate-user': 'ada' } });
    expectError(answer, 401, 1822, 'Authentication required: send credentials.');
    expect(answer.headers['www-authenticate']).toBe('Basic');
  }
  const wrong = { ...ada, 'api-key': 'wrong' };
  expectError(await ask(port, '/app', { headers: wrong }), 401, 1822, 'The key is not known.');
  expect(times()).toBe(0);
});

test('the application is told who asks, and is given nothing to ask in their name', async () => {
  const { port } = await closed();
  const headers = { ...ada, 'x-entitygate-user': 'boss', x_entitygate_roles: 'boss' };
  for (const path of ['/app', '/clerks']) {
    const { headers: sent } = JSON.parse((await ask(port, path, { headers })).text) as {
      headers: object;
    };
    expect(sent).toMatchObject({
      cookie: 'a=1',
      'x-entitygate-user': 'ada',
      'x-entitygate-roles': 'clerk',
    });
    expect(sent).not.toHaveProperty('x_entitygate_roles');
  }
  const open = (await ask(port, '/open', { headers })).text;
  expect(open).toContain('"cookie":"a=1"');
  expect(open).not.toContain('x-entitygate-user');
});

test('roles let in who has one of them, and administrators', async () => {
  const { port, times } = await closed();
  expectError(
    await ask(port, '/bosses', { headers: ada }),
    403,
    9063,
    'Your roles may not use this application.',
  );
  expect(times()).toBe(0);
  const boss = { authorization: 'Basic boss' };
  for (const path of ['/app', '/clerks', '/bosses']) {
    const answer = await ask(port, path, { headers: boss });
    expect(answer.text).toContain('"x-entitygate-user":"boss"');
    expect(answer.text).not.toContain('authorization');
  }
});

test('a page of another site has nothing done in a user’s name', async () => {
  const { port, times } = await closed();
  const evil = { ...ada, origin: 'https://evil.example' };
  for (const method of ['POST', 'PUT', 'DELETE', 'MKCOL']) {
    expectError(await ask(port, '/app', { method, headers: evil }), 403, 9040);
  }
  expect(times()).toBe(0);
  expect((await ask(port, '/app', { headers: evil })).status).toBe(200);
  const friend = { ...ada, origin: 'https://friend.example' };
  expect((await ask(port, '/app', { method: 'POST', headers: friend })).status).toBe(200);
  const own = { ...ada, origin: `http://127.0.0.1:${port}` };
  expect((await ask(port, '/app', { method: 'POST', headers: own })).status).toBe(200);
  expect((await ask(port, '/open', { method: 'POST', headers: evil })).status).toBe(200);
});

test('a page of a named site may ask before it sends credentials, and reads why it is refused', async () => {
  const cors = {
    origins: ['https://friend.example'],
    credentials: true,
    maxAgeSeconds: 600,
    sessionHeader: 'Entitygate-Session',
  };
  const { host } = await application((request, response) => {
    response.setHeader('access-control-allow-origin', 'https://of.the.application');
    mirror(request, response);
  });
  const { port } = await startProxy(
    [route({ to: `http://${host}`, authentication: true })],
    { admit, refusalHeaders, cors },
    cors.origins,
  );
  const asking = (origin: string): Record<string, string> => ({
    origin,
    'access-control-request-method': 'PUT',
  });
  const options = { method: 'OPTIONS', headers: asking('https://friend.example') };
  const answered = await ask(port, '/app/x', options);
  expect([answered.status, answered.headers['access-control-allow-origin']]).toEqual([
    200,
    'https://of.the.application',
  ]);
  expect(answered.headers).not.toHaveProperty('access-control-allow-credentials');
  expect(answered.headers).not.toHaveProperty('vary');
  const stranger = { method: 'OPTIONS', headers: asking('https://other.example') };
  expectError(await ask(port, '/app/x', stranger), 401, 1822);
  const plain = { origin: 'https://friend.example' };
  expectError(await ask(port, '/app/x', { ...options, headers: plain }), 401, 1822);
  const refused = await ask(port, '/app/x', { headers: plain });
  expectError(refused, 401, 1822);
  expect(refused.headers).toMatchObject({
    'access-control-allow-origin': 'https://friend.example',
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  });
});
