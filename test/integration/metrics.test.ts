import { once } from 'node:events';
import { createServer, request, type ClientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { change, query, transaction } from '../targets/sql.ts';
import { onEngines, serving, type Served } from './shapes/engines.ts';
import { sample, settingsIn, withKeys } from './shapes/sample.ts';
import { things } from './things.ts';

const OWN_PORT = settingsIn({ metrics: { port: 0 } });

/** The samples of a gateway, by their names and labels as they are written. */
async function scrape(gateway: Gateway): Promise<Map<string, number>> {
  const answer = await fetch(gateway.metricsUrl ?? '');
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** What differs between two scrapes. */
async function changed(gateway: Gateway, work: () => Promise<unknown>): Promise<object> {
  const before = await scrape(gateway);
  await work();
  const after = await scrape(gateway);
  const grown = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([name, more]) => more !== 0 && COUNTED.test(name)));
}

/** The samples that depend on neither time nor the engine. */
const COUNTED =
  /^entitygate_(?:requests_total|errors_total|statement_duration_seconds_count|locks|sessions|uploads(?:_bytes)?|entity_sets|plan_cache_(?:hits|misses)_total)/;

const requests = (operation: string, status: number, dataclass = 'Thing'): string =>
  `entitygate_requests_total{dataclass="${dataclass}",operation="${operation}",status="${status}"}`;

const statements = (outcome: string): string =>
  `entitygate_statement_duration_seconds_count{outcome="${outcome}"}`;

onEngines('metrics', { ...things, settings: OWN_PORT }, (served) => {
  test('count requests, their plans and their statements', async () => {
    const { gateway } = served;
    const read = async (): Promise<void> => {
      for (const id of [1, 2, 9]) await served.get(`Thing(${id})`);
    };
    await read();
    expect(await changed(gateway, read)).toEqual({
      [requests('read', 200)]: 2,
      [requests('read', 404)]: 1,
      entitygate_plan_cache_hits_total: 3,
      [statements('ok')]: 3,
    });
    expect(
      await changed(gateway, async () => {
        await served.get('Nothing');
        await served.get('Nothing2?$filter="secret=1"');
        await served.get('Thing?$filter="');
        await served.get('$catalog');
        await fetch(`http://127.0.0.1:${gateway.port}/elsewhere`);
      }),
    ).toEqual({
      [requests('read', 404, '(unknown)')]: 2,
      [requests('(unknown)', 400, '')]: 1,
      [requests('(unknown)', 404, '')]: 1,
      [requests('catalog', 200, '')]: 1,
      entitygate_plan_cache_misses_total: 2,
    });
  });

  test('tell how many sets, sessions, locks and uploads there are', async () => {
    const { gateway } = served;
    const headers = { 'x-requested-with': 'test' };
    expect(
      await changed(gateway, async () => {
        await gateway.get('/rest/Thing?$orderby=id&$method=entityset');
        await gateway.get('/rest/Thing(1)?$lock=true');
        await gateway.get('/rest/Thing(1)?$lock=true');
        await gateway.get('/rest/$upload?$rawPict=true', { method: 'POST', headers, body: 'abc' });
      }),
    ).toMatchObject({
      // Babelfish makes none without @@DBTS.
      ...(served.isBabelfish ? {} : { entitygate_entity_sets: 1 }),
      entitygate_sessions: 1,
      entitygate_locks: 1,
      entitygate_locks_refused_total: 1,
      entitygate_uploads: 1,
      entitygate_uploads_bytes: 1027,
      [requests('lock', 200)]: 2,
    });
  });

  test('tell how long things took, and what the process needs', async () => {
    await served.get('Thing(1)');
    await served.post('Thing', { __KEY: '9', __STAMP: 1 });
    const samples = await scrape(served.gateway);
    const stages = ['admit', 'request', 'body', 'plan', 'sql', 'values', 'execute', 'respond'];
    for (const name of [
      ...stages.map((stage) => `entitygate_stage_duration_seconds_sum{stage="${stage}"}`),
      'entitygate_request_duration_seconds_sum{operation="read"}',
      'entitygate_pool_wait_duration_seconds_count',
      'entitygate_plan_cache_bytes',
      'entitygate_pool_size{pool="all"}',
      'nodejs_eventloop_lag_seconds',
      'process_resident_memory_bytes',
    ]) {
      expect(samples.get(name), name).toBeGreaterThan(0);
    }
  });
});

/** Begins a save in a transaction, whose client can leave. */
function begin({ port }: Gateway, id: number): ClientRequest {
  const path = '/rest/Thing?$method=update&$atomic=true';
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST' });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify([{ __KEY: String(id), __STAMP: 1, n: 5 }]));
  return sent;
}

const WAITING =
  "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Waits until a statement waits for a lock; on SQL Server, until it was sent. */
async function untilOneWaits({ gateway, isSqlServer }: Served): Promise<void> {
  if (isSqlServer) await expect.poll(() => gateway.takeStatements()).not.toEqual([]);
  else await expect.poll(() => query(gateway.database, WAITING)).toEqual([['1']]);
}

onEngines(
  'metrics of statements that are stopped',
  { ...things, settings: OWN_PORT, statementTimeoutSeconds: 10, lockTimeoutSeconds: 30 },
  (served) => {
    test('tell why', async () => {
      const { gateway } = served;
      const { database } = gateway;
      const whileLocked = async (): Promise<void> => {
        const until = (name: string, value: number): Promise<void> =>
          expect.poll(async () => (await scrape(gateway)).get(name)).toBe(value);
        await transaction(database, async (on) => {
          await change(on, 'UPDATE app.thing SET n = 7 WHERE id = 1');
          gateway.takeStatements();
          const leaving = begin(gateway, 1);
          await untilOneWaits(served);
          leaving.destroy();
          await until(statements('client_gone'), 1);
          begin(gateway, 1);
          await until(statements('timeout'), 1);
        });
        await until('entitygate_requests_in_flight', 0);
      };
      // What T-SQL saves in one batch may be done though it was cancelled.
      const [status, error] = served.isSqlServer
        ? [503, 'outcomeUnknown']
        : [504, 'statementTimeout'];
      expect(await changed(gateway, whileLocked)).toMatchObject({
        [requests('save', 499)]: 1,
        [requests('save', status)]: 1,
        [statements('client_gone')]: 1,
        [statements('timeout')]: 1,
        [`entitygate_errors_total{error="${error}"}`]: 1,
      });
    });
  },
  ['pglite'],
);

describe('where the metrics are', () => {
  const served = serving('pglite', sample);

  test('a port that is taken keeps the gateway from starting, in words', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const locate = (setting: string): string => `config.yaml: ${setting}`;
    await expect(served.start({ metrics: { port }, locate })).rejects.toEqual(
      StartupError.at(
        'config.yaml: metrics.port',
        `port ${port} on 127.0.0.1 is in use by another program; name another one`,
      ),
    );
  });

  test('at the gateway’s own port for a role, and for nobody else', async () => {
    const { apiKeys, users } = withKeys({
      ...{
        prometheus: { roles: ['ops'] },
        clerk: { roles: ['clerk'] },
        root: { roles: ['admin'] },
      },
    });
    const none = { dataclasses: {} };
    const settings = { authentication: { apiKeys }, roles: { ops: none, clerk: none } };
    const gateway = await served.start(settingsIn({ metrics: { role: 'ops' }, ...settings }));
    const ask = (headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      gateway.get('/metrics', { headers });
    const bearer = { authorization: `Bearer ${users['prometheus']?.['api-key'] ?? ''}` };
    const wrong = { 'api-key': 'egk_unknown' };
    const answers = await Promise.all(
      [bearer, users['root'], users['clerk'], wrong, undefined].map(ask),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401, 401]);
    const { text } = await ask(users['root']);
    expect(text).toContain(`${requests('metrics', 403, '')} 1\n`);
    expect(gateway.metricsUrl).toBeNull();
  });

  test('nowhere, where they are not configured', async () => {
    const { status } = await served.gateway.get('/metrics');
    expect([status, served.gateway.metricsUrl]).toEqual([404, null]);
  });
});
