import { expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import type { WholeRequestObserver } from '../../../src/base/observe/observer.ts';
import { Metrics } from '../../../src/server/telemetry/metrics.ts';
import type { FromWorker, ToWorker } from '../../../src/server/workers/messages.ts';
import { begun, ownFamilies, someSources } from './sources.ts';
import { serveOnOwnPort } from '../../../src/server/telemetry/telemetry.ts';
import { ask, start, type Started } from '../serving.ts';

const ended = { status: 200, milliseconds: 4, end: 'sent' as const };

function named(observer: WholeRequestObserver, operation: string, dataclass: string | null): void {
  observer.requestNamed?.({ operation, dataclass });
}

/** A family as it is scraped, in a line that begins with how many it has; of the buckets of a histogram, those with more than the one before. */
function shown(family: string): string {
  const [, head = '', ...samples] = family.split('\n');
  const [, name = '', type = ''] = /^# TYPE entitygate_(\S+) (\S+)$/.exec(head) ?? [];
  let before = '0';
  const told = samples.flatMap((line) => {
    const [, le, value = ''] = /_bucket\{.*le="([^"]+)".* (\d+)$/.exec(line) ?? [];
    const isMore = value !== before;
    before = le === undefined ? '0' : value;
    if (le === undefined) return [line.replace(`entitygate_${name}`, '')];
    return isMore ? [`≤${le}: ${value}`] : [];
  });
  return `${samples.length} ${type} ${name} ${told.join(', ').trim()}`;
}

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
  expect(`\n${ownFamilies(text).map(shown).join('\n')}\n`).toBe(`
2 counter requests_total {dataclass="Employee",operation="read",status="200"} 1, {dataclass="Employee",operation="read",status="499"} 1
40 histogram request_duration_seconds _sum{operation="(unknown)"} 0, _count{operation="(unknown)"} 0, ≤0.005: 1, ≤0.01: 2, _sum{operation="read"} 0.012, _count{operation="read"} 2
40 histogram stage_duration_seconds ≤0.0001: 1, _sum{stage="admit"} 0.0001, _count{stage="admit"} 1, ≤0.005: 1, ≤+Inf: 2, _sum{stage="execute"} 60.003, _count{stage="execute"} 2
40 histogram statement_duration_seconds ≤0.0025: 1, _sum{outcome="ok"} 0.002, _count{outcome="ok"} 1, ≤0.0025: 1, _sum{outcome="client_gone"} 0.002, _count{outcome="client_gone"} 1
20 histogram pool_wait_duration_seconds ≤0.0001: 1, ≤0.005: 2, _sum 0.005, _count 2
2 counter errors_total {error="deadlock"} 1, {error="internal"} 1
1 gauge requests_in_flight 1
1 gauge plan_cache_entries 4
1 gauge plan_cache_bytes 5000
1 gauge entity_sets 9
1 gauge entity_sets_bytes 1200
1 gauge sessions 13
1 gauge locks 14
1 gauge uploads 16
1 gauge uploads_bytes 1700
1 counter plan_cache_hits_total 60
1 counter plan_cache_misses_total 7
1 counter plan_cache_evictions_total 1
1 counter entity_sets_evicted_total 10
1 counter entity_sets_expired_total 11
1 counter locks_refused_total 15
1 counter log_lines_lost_total 18
1 gauge pool_size {pool="all"} 8
1 gauge pool_in_use {pool="all"} 3
1 gauge pool_waiting {pool="all"} 2
`);
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
  const writePool = () => ({ size: 4, used: 1, waiting: 0 });
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
  for (const metrics of workers) {
    const lines = (await metrics.text()).split('\n');
    const of = (begin: string): string[] => lines.filter((line) => line.startsWith(begin)).sort();
    const read = 'dataclass="Employee",operation="read",status="200"';
    const count = 'entitygate_request_duration_seconds_count{operation="read"';
    expect([
      ...of('entitygate_requests_total{'),
      ...of('# TYPE entitygate_requests_total'),
      ...of('entitygate_pool_size{'),
      ...of(count),
    ]).toEqual([
      ...[1, 2].map((worker) => `entitygate_requests_total{${read},worker="${worker}"} ${worker}`),
      '# TYPE entitygate_requests_total counter',
      ...[1, 2].map((worker) => `entitygate_pool_size{pool="all",worker="${worker}"} 8`),
      ...[1, 2].map((worker) => `${count},worker="${worker}"} ${worker}`),
    ]);
    expect(of('process_start_time_seconds{')).toHaveLength(2);
  }
});

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const text = (): Promise<string> => Promise.resolve('up 1\n');

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
