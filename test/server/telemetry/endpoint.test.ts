import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { StartupError } from '../../../src/base/errors.ts';
import type { Principal } from '../../../src/base/principal.ts';
import { serveOnOwnPort } from '../../../src/server/telemetry/telemetry.ts';
import { application, mirror, route, startProxy } from '../application.ts';
import { anybody, ask, expectError, start } from '../serving.ts';

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const text = (): Promise<string> => Promise.resolve('up 1\n');

/** A user with roles, who may be nameless. */
function caller(name: string | null, roles: readonly string[], isAdmin = false): typeof anybody {
  const principal: Principal = { ...anybody.principal, name, roles };
  return { ...anybody, principal, audience: { ...anybody.audience, isAdmin } };
}

/** Serves metrics to a role, and admits a user. */
const startFor = (user: typeof anybody): ReturnType<typeof start> =>
  start({ metrics: { role: 'ops', text }, admit: () => Promise.resolve(user) });

test.each([
  ['with the role', caller('ann', ['clerk', 'ops'])],
  ['an administrator', caller('root', ['admin'], true)],
  ['everyone, where that role is everyone’s', caller(null, ['ops'])],
])('the gateway’s port serves them to a user: %s', async (_who, user) => {
  const { port } = await startFor(user);
  const answer = await ask(port, '/metrics');
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    200,
    TYPE,
    'up 1\n',
  ]);
  expect((await ask(port, '/metrics', { method: 'HEAD' })).status).toBe(200);
  const options = await ask(port, '/metrics', { method: 'OPTIONS' });
  expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

test('others are refused, or asked to log in', async () => {
  const denied = await startFor(caller('ann', ['clerk']));
  const message = 'Your roles may not read the metrics.';
  expectError(await ask(denied.port, '/metrics'), 403, 9063, message);
  const nameless = await start({
    metrics: { role: 'ops', text },
    admit: () => Promise.resolve(caller(null, ['clerk'])),
    refusalHeaders: () => ({ 'www-authenticate': 'Basic' }),
  });
  const answer = await ask(nameless.port, '/metrics');
  expectError(answer, 401, 1822);
  expect(answer.headers['www-authenticate']).toBe('Basic');
});

test('without metrics there is nothing', async () => {
  const { port } = await start();
  expect((await ask(port, '/metrics')).status).toBe(404);
});

test('an application at / does not hide them', async () => {
  const { host } = await application(mirror);
  const { port } = await startProxy([route({ prefix: '/', to: `http://${host}` })], {
    metrics: { role: 'ops', text },
    admit: () => Promise.resolve(caller('ann', ['ops'])),
  });
  expect((await ask(port, '/metrics')).text).toBe('up 1\n');
  expect((await ask(port, '/metrics?a=b')).text).toBe('up 1\n');
  expect((await ask(port, '/metrics/x')).text).toContain('"url":"/metrics/x"');
});

test('a port of their own serves them and nothing else, while the gateway serves', async () => {
  let url = (): string => '';
  const { server } = await start({}, (instance, _options, done) => {
    const own = { host: '127.0.0.1', port: 0, locate: (setting: string) => setting };
    url = serveOnOwnPort(instance, own, text);
    done();
  });
  const port = Number(new URL(url()).port);
  expect(url()).toBe(`http://127.0.0.1:${port}/metrics`);
  const answer = await ask(port, '/metrics?x');
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    200,
    TYPE,
    'up 1\n',
  ]);
  const head = await ask(port, '/metrics', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await ask(port, '/rest/Employee')).status).toBe(404);
  const posted = await ask(port, '/metrics', { method: 'POST' });
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  await server.close();
  await expect(ask(port, '/metrics')).rejects.toThrow();
});

test('metrics that cannot be read are status 500, and logged', async () => {
  let url = (): string => '';
  const { log } = await start({}, (instance, _options, done) => {
    const own = { host: '127.0.0.1', port: 0, locate: (setting: string) => setting };
    url = serveOnOwnPort(instance, own, () => Promise.reject(new Error('boom')));
    done();
  });
  expect((await ask(Number(new URL(url()).port), '/metrics')).status).toBe(500);
  expect(log.map(({ msg }) => msg)).toEqual(['collecting the metrics failed']);
});

test('a port that is taken, and an address that is not the machine’s, keep the gateway from listening', async () => {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const startOn = (host: string, own: number): Promise<unknown> =>
    start({}, (instance, _options, done) => {
      const locate = (setting: string): string => `config.yaml: ${setting}`;
      serveOnOwnPort(instance, { host, port: own, locate }, text);
      done();
    });
  const taken = `port ${port} on 127.0.0.1 is in use by another program; name another one`;
  await expect(startOn('127.0.0.1', port)).rejects.toEqual(
    StartupError.at('config.yaml: metrics.port', taken),
  );
  await expect(startOn('192.0.2.1', 0)).rejects.toEqual(
    StartupError.at(
      'config.yaml: metrics.host',
      '192.0.2.1 is not an address of this machine; name another one',
    ),
  );
});
