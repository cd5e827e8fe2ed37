import { expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import type { WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { BUCKETS } from '../../../src/server/telemetry/families.ts';
import { Metrics } from '../../../src/server/telemetry/metrics.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import { begun, ownFamilies, someSources } from './sources.ts';
import { serveOnOwnPort } from '../../../src/server/telemetry/telemetry.ts';
import { anybody, ask, start, type Started } from '../serving.ts';

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

test('no text of a client becomes a label, and no probe is counted', async () => {
  const metrics = new Metrics(someSources, (name) => name === 'Employee');
  for (const dataclass of ['Employee', 'employee', 'x"y', '__proto__', null, 'Nix']) {
    const observer = metrics.observe(begun());
    named(observer, 'read', dataclass);
    observer.requestEnded(ended);
  }
  metrics.observe(begun({ url: '/health/live' })).requestEnded(ended);
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

test('the gateway’s port serves them to everyone, where their role is everyone’s', async () => {
  const principal = { ...anybody.principal, roles: ['ops'] };
  const admit = (): Promise<typeof anybody> => Promise.resolve({ ...anybody, principal });
  const { port } = await start({ metrics: { role: 'ops', text }, admit });
  const answer = await ask(port, '/metrics');
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    ...[200, TYPE, 'up 1\n'],
  ]);
  expect((await ask(port, '/metrics', { method: 'HEAD' })).status).toBe(200);
  const options = await ask(port, '/metrics', { method: 'OPTIONS' });
  expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS']);
});

/** Serves metrics on a port of their own. */
async function startOn(
  own: { readonly host: string; readonly port: number },
  metrics: typeof text,
): Promise<Started & { readonly own: number }> {
  let url = (): string => '';
  const started = await start({}, (instance, _options, done) => {
    const locate = (setting: string): string => `config.yaml: ${setting}`;
    url = serveOnOwnPort(instance, { ...own, locate }, metrics);
    done();
  });
  expect(url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  return { ...started, own: Number(new URL(url()).port) };
}

const local = { host: '127.0.0.1', port: 0 };

test('a port of their own serves them and nothing else, while the gateway serves', async () => {
  const { server, own } = await startOn(local, text);
  const answer = await ask(own, '/metrics?x');
  expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
    ...[200, TYPE, 'up 1\n'],
  ]);
  const head = await ask(own, '/metrics', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await ask(own, '/rest/Employee')).status).toBe(404);
  const posted = await ask(own, '/metrics', { method: 'POST' });
  expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
  await server.close();
  await expect(ask(own, '/metrics')).rejects.toThrow();
});

test('metrics that cannot be read are status 500, and logged', async () => {
  const { own, log } = await startOn(local, () => Promise.reject(new Error('boom')));
  expect((await ask(own, '/metrics')).status).toBe(500);
  expect(log.map(({ msg }) => msg)).toEqual(['collecting the metrics failed']);
});

test('an address that is not the machine’s keeps the gateway from listening', async () => {
  await expect(startOn({ host: '192.0.2.1', port: 0 }, text)).rejects.toEqual(
    StartupError.at(
      'config.yaml: metrics.host',
      '192.0.2.1 is not an address of this machine; name another one',
    ),
  );
});
