import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import type { WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { BUCKETS } from '../../../src/server/telemetry/families.ts';
import { Metrics } from '../../../src/server/telemetry/metrics.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import { begun, ownFamilies, someSources } from './sources.ts';
import type { Principal } from '../../../src/base/principal.ts';
import { serveOnOwnPort } from '../../../src/server/telemetry/telemetry.ts';
import { application, mirror, route, startProxy } from '../application.ts';
import { anybody, ask, expectError, start } from '../serving.ts';

const ended = { status: 200, milliseconds: 4, end: 'sent' as const };

function named(observer: WholeRequestObserver, operation: string, dataclass: string | null): void {
  observer.requestNamed?.({ operation, dataclass });
}

/** The lines of a histogram's samples. @param below how many values each bucket holds from an index on @param all how many there are */
function histogram(
  name: string,
  label: string,
  sum: number,
  below: readonly [from: number, values: number][],
  all = below.at(-1)?.[1] ?? 0,
): string[] {
  const labels = (le: string): string => [label, le].filter((one) => one !== '').join(',');
  const braces = label === '' ? '' : `{${label}}`;
  return [
    ...BUCKETS.map((le, index) => {
      const values = below.findLast(([from]) => from <= index)?.[1] ?? 0;
      return `${name}_bucket{${labels(`le="${le}"`)}} ${values}`;
    }),
    `${name}_bucket{${labels('le="+Inf"')}} ${all}`,
    `${name}_sum${braces} ${sum}`,
    `${name}_count${braces} ${all}`,
  ];
}

const bucket = (seconds: number): number => BUCKETS.indexOf(seconds);

test('what is scraped after some requests', async () => {
  const metrics = new Metrics(someSources, (name) => name === 'Employee');
  const one = metrics.observe(begun());
  named(one, 'read', 'Employee');
  one.stageDone('admit', 0.1);
  one.stageDone('execute', 3);
  one.stageDone('execute', 60_000);
  one.poolWaited(0);
  one.statementRun({ name: 'n', text: 'SELECT 1', milliseconds: 2, rows: 1 });
  one.requestEnded(ended);
  const other = metrics.observe(begun());
  named(other, 'read', 'Employee');
  other.poolWaited(5);
  other.statementRun({
    ...{ name: 'n', text: 'SELECT 1', milliseconds: 2, rows: null },
    failure: 'clientGone',
  });
  other.requestEnded({ status: 499, milliseconds: 8, end: 'clientGone' });
  const third = metrics.observe(begun());
  third.errorMet(new ProtocolError('deadlock', 'It was one.'));
  third.errorMet(new Error('boom'));
  const text = await metrics.text();
  expect(ownFamilies(text).map((family) => family.split('\n').slice(1))).toEqual([
    [
      '# TYPE entitygate_requests_total counter',
      'entitygate_requests_total{dataclass="Employee",operation="read",status="200"} 1',
      'entitygate_requests_total{dataclass="Employee",operation="read",status="499"} 1',
    ],
    [
      '# TYPE entitygate_request_duration_seconds histogram',
      ...histogram('entitygate_request_duration_seconds', 'operation="(unknown)"', 0, []),
      ...histogram('entitygate_request_duration_seconds', 'operation="read"', 0.012, [
        [bucket(0.005), 1],
        [bucket(0.01), 2],
      ]),
    ],
    [
      '# TYPE entitygate_stage_duration_seconds histogram',
      ...histogram('entitygate_stage_duration_seconds', 'stage="admit"', 0.0001, [[0, 1]]),
      ...histogram(
        'entitygate_stage_duration_seconds',
        'stage="execute"',
        60.003,
        [[bucket(0.005), 1]],
        2,
      ),
    ],
    [
      '# TYPE entitygate_statement_duration_seconds histogram',
      ...histogram('entitygate_statement_duration_seconds', 'outcome="ok"', 0.002, [
        [bucket(0.0025), 1],
      ]),
      ...histogram('entitygate_statement_duration_seconds', 'outcome="client_gone"', 0.002, [
        [bucket(0.0025), 1],
      ]),
    ],
    [
      '# TYPE entitygate_pool_wait_duration_seconds histogram',
      ...histogram('entitygate_pool_wait_duration_seconds', '', 0.005, [
        [0, 1],
        [bucket(0.005), 2],
      ]),
    ],
    [
      '# TYPE entitygate_errors_total counter',
      'entitygate_errors_total{error="deadlock"} 1',
      'entitygate_errors_total{error="internal"} 1',
    ],
    ['# TYPE entitygate_requests_in_flight gauge', 'entitygate_requests_in_flight 1'],
    ...[
      ['plan_cache_entries', 'gauge', 4],
      ['plan_cache_bytes', 'gauge', 5000],
      ['entity_sets', 'gauge', 9],
      ['entity_sets_bytes', 'gauge', 1200],
      ['sessions', 'gauge', 13],
      ['locks', 'gauge', 14],
      ['uploads', 'gauge', 16],
      ['uploads_bytes', 'gauge', 1700],
      ['plan_cache_hits_total', 'counter', 60],
      ['plan_cache_misses_total', 'counter', 7],
      ['plan_cache_evictions_total', 'counter', 1],
      ['entity_sets_evicted_total', 'counter', 10],
      ['entity_sets_expired_total', 'counter', 11],
      ['locks_refused_total', 'counter', 15],
      ['log_lines_lost_total', 'counter', 18],
    ].map(([name, type, value]) => [
      `# TYPE entitygate_${name} ${type}`,
      `entitygate_${name} ${value}`,
    ]),
    ...[
      ['pool_size', 8],
      ['pool_in_use', 3],
      ['pool_waiting', 2],
    ].map(([name, value]) => [
      `# TYPE entitygate_${name} gauge`,
      `entitygate_${name}{pool="all"} ${value}`,
    ]),
  ]);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).toMatch(/^process_cpu_seconds_total \d/m);
});

test('no text of a client becomes a label', async () => {
  const metrics = new Metrics(someSources, (name) => name === 'Employee');
  for (const dataclass of ['Employee', 'employee', 'x"y', '__proto__', null, 'Nix']) {
    const observer = metrics.observe(begun());
    named(observer, 'read', dataclass);
    observer.requestEnded(ended);
  }
  // It was refused before it was understood.
  metrics.observe(begun()).requestEnded({ ...ended, status: 401 });
  const [requests] = ownFamilies(await metrics.text());
  expect(requests?.split('\n').slice(2)).toEqual([
    'entitygate_requests_total{dataclass="Employee",operation="read",status="200"} 1',
    'entitygate_requests_total{dataclass="(unknown)",operation="read",status="200"} 4',
    'entitygate_requests_total{dataclass="",operation="read",status="200"} 1',
    'entitygate_requests_total{dataclass="",operation="(unknown)",status="401"} 1',
  ]);
});

test('health probes are not counted', async () => {
  const metrics = new Metrics(someSources, () => false);
  metrics.observe(begun({ url: '/health/live' })).requestEnded(ended);
  expect(await metrics.text()).not.toContain('entitygate_requests_total{');
});

test('connections for writes are told from those for reads where they differ', async () => {
  const writePool = (): { size: number; used: number; waiting: number } => ({
    ...{ size: 4, used: 1, waiting: 0 },
  });
  const text = await new Metrics({ ...someSources, writePool }, () => false).text();
  expect(text.split('\n').filter((line) => line.startsWith('entitygate_pool_size'))).toEqual([
    'entitygate_pool_size{pool="read"} 8',
    'entitygate_pool_size{pool="write"} 4',
  ]);
});

test('each worker answers for all, with the number of the worker at each sample', async () => {
  const listeners: ((message: ToWorker) => void)[][] = [[], []];
  const measured: unknown[] = [];
  const send = (message: FromWorker): void => {
    if (message.kind === 'collect') {
      measured.length = 0;
      for (const listener of listeners.flat()) listener({ kind: 'measure', round: message.id });
    } else if (message.kind === 'measured') {
      measured.push(message.metrics);
      if (measured.length < 2) return;
      const collected = { kind: 'collected', id: message.round, metrics: measured } as const;
      for (const listener of listeners.flat()) listener(collected);
    }
  };
  const workers = [0, 1].map(
    (id) =>
      new Metrics(someSources, (name) => name === 'Employee', {
        ...{ id, isFirst: id === 0 },
        channel: {
          send,
          onMessage: (listener) => listeners[id]?.push(listener),
        },
      }),
  );
  for (const [index, metrics] of workers.entries()) {
    for (let time = 0; time <= index; time += 1) {
      const observer = metrics.observe(begun());
      named(observer, 'read', 'Employee');
      observer.requestEnded(ended);
    }
  }
  const read = 'dataclass="Employee",operation="read",status="200"';
  const expected = [
    `entitygate_requests_total{${read},worker="1"} 1`,
    `entitygate_requests_total{${read},worker="2"} 2`,
  ];
  for (const metrics of workers) {
    const lines = (await metrics.text()).split('\n');
    expect(lines.filter((line) => line.startsWith('entitygate_requests_total{')).sort()).toEqual(
      expected,
    );
    expect(lines.filter((line) => line.startsWith('# TYPE entitygate_requests_total'))).toEqual([
      '# TYPE entitygate_requests_total counter',
    ]);
    expect(lines.filter((line) => line.startsWith('entitygate_pool_size{')).sort()).toEqual([
      'entitygate_pool_size{pool="all",worker="1"} 8',
      'entitygate_pool_size{pool="all",worker="2"} 8',
    ]);
    expect(
      lines
        .filter((line) =>
          line.startsWith('entitygate_request_duration_seconds_count{operation="read"'),
        )
        .sort(),
    ).toEqual([
      'entitygate_request_duration_seconds_count{operation="read",worker="1"} 1',
      'entitygate_request_duration_seconds_count{operation="read",worker="2"} 2',
    ]);
    expect(lines.filter((line) => line.startsWith('process_start_time_seconds{'))).toHaveLength(2);
  }
});

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
  expect((await ask(await start(), '/metrics')).status).toBe(404);
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
