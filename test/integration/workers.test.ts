import { request } from 'node:http';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { answerTo } from '../fixtures/http.ts';
import { describeWith } from '../targets/missing.ts';
import { postgresTarget } from '../targets/postgres.ts';
import type { OpenTarget } from '../targets/target.ts';
import { noStateStore, openStateStore, type StateStoreTarget } from '../targets/state-store.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

const missing = (await postgresTarget.unavailable()) ?? noStateStore;

const COUNT = 2;

interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly body: unknown;
}

interface Sent {
  readonly method?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

describeWith(missing, 'several processes that serve one port', () => {
  let opened: OpenTarget;
  let store: StateStoreTarget;
  let folder: TestFolder;
  let gateway: GatewayProcess;
  let address: string;

  beforeAll(async () => {
    opened = await postgresTarget.open();
    store = await openStateStore();
    folder = await testFolder();
    gateway = runGateway(['serve', '--config', await configure(COUNT, resolve('mappings'))]);
    address = await gateway.serving;
  });
  afterAll(async () => {
    await gateway.end('SIGKILL');
    await opened.close();
    await store.close();
    await folder.remove();
  });

  async function configure(workers: number, mappings: string): Promise<string> {
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    return folder.write(
      'config.yaml',
      `server: { port: 0, workers: ${workers} }
database: { engine: postgres, url: '${opened.database.url}', poolSize: 4 }
state: { url: '${store.settings.url}' }
stampSecret: the secret of all workers
metrics: { port: 0 }
mappings: ${mappings}
`,
    );
  }

  /** Sends a request on a connection of its own: they go to the workers in turn. */
  const ask = async (path: string, sent: Sent = {}): Promise<Answer> => {
    const { method = 'GET', session, headers = {}, body } = sent;
    const cookie = session === undefined ? {} : { cookie: `ENTITYGATE_SID=${session}` };
    const options = { method, agent: false, headers: { ...cookie, ...headers } };
    const answer = await answerTo(request(`${address}/rest/${path}`, options), body);
    const [set = ''] = answer.headers['set-cookie'] ?? [];
    return {
      status: answer.status,
      session: /^ENTITYGATE_SID=([^;]+)/.exec(set)?.[1],
      body: JSON.parse(answer.bytes.toString('utf8')) as unknown,
    };
  };

  async function times<Result>(count: number, work: () => Promise<Result>): Promise<Result[]> {
    const results: Result[] = [];
    for (let time = 0; time < count; time += 1) results.push(await work());
    return results;
  }

  const idOf = ({ body }: Answer): string =>
    /\/([0-9A-F]{46})$/.exec((body as { __ENTITYSET: string }).__ENTITYSET)?.[1] ?? '';

  /** As many sets as there are connections in a turn. */
  async function sets(filter = 'ID<=3'): Promise<string[]> {
    const made = await times(COUNT, () =>
      ask(`Employee?$filter="${filter}"&$orderby=ID&$method=entityset`),
    );
    return made.map(idOf);
  }

  /** Changes the first entity of a dataclass, as it is by now. */
  async function changeFirst(dataclass: string, values: object, more: Sent = {}): Promise<Answer> {
    const { body } = await ask(`${dataclass}?$orderby=ID&$top=1`);
    const [entity] = (body as { __ENTITIES: object[] }).__ENTITIES;
    const { __KEY, __STAMP } = entity as Record<string, unknown>;
    return ask(`${dataclass}?$method=update`, {
      method: 'POST',
      body: JSON.stringify({ __KEY, __STAMP, ...values }),
      ...more,
    });
  }

  const idsOf = ({ body }: Answer): unknown =>
    (body as { __ENTITIES?: { ID: number }[] }).__ENTITIES?.map(({ ID }) => ID);

  /** The processes of the workers that have answered, by number. */
  function workerPids(): Map<number, number> {
    const lines = gateway.said.stdout.split('\n').filter((line) => line.endsWith('}'));
    const told = lines.map((line) => JSON.parse(line) as { worker?: number; pid: number });
    return new Map(told.flatMap(({ worker, pid }) => (worker ? [[worker, pid] as const] : [])));
  }

  test('each scrape has the metrics of all', async () => {
    const url = /^The metrics are at (\S+)$/m.exec(gateway.said.stderr)?.[1] ?? '';
    await times(2 * COUNT, () => ask('Employee(1)'));
    for (let time = 0; time < 2 * COUNT; time += 1) {
      const text = await (await fetch(url, { headers: { connection: 'close' } })).text();
      const read = /^entitygate_requests_total\{.*operation="read".*worker="(\d)"\} [1-9]\d*$/gm;
      const workers = Array.from(text.matchAll(read), ([, worker = '']) => worker);
      expect(workers.sort()).toEqual(['1', '2']);
    }
  });

  test('what one was sent, a save at another one refers to', async () => {
    const ids = await times(COUNT, () =>
      ask('$upload?$binary=true', { method: 'POST', body: Buffer.from('from afar') }),
    );
    const statuses: number[] = [];
    for (const { body } of [...ids, ...ids.reverse()]) {
      statuses.push((await changeFirst('Document', { content: body })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test('one that is killed is replaced, and what its clients had is there', async () => {
    const { session = '' } = await ask('Employee(2)?$lock=true');
    const ids = await sets();
    await expect.poll(() => workerPids().size).toBe(COUNT);
    const pid = workerPids().get(2) ?? 0;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => gateway.said.stdout).toContain('starting another one');
    const read = await Promise.all(
      ids.map((id) => ask(`Employee/$entityset/${id}?$attributes=ID`)),
    );
    expect(read.map(idsOf)).toEqual(ids.map(() => [1, 2, 3]));
    expect((await ask('$info', { session })).session).toBeUndefined();
    const second = async (): Promise<unknown> => {
      await times(COUNT, () => ask('Employee(1)'));
      return workerPids().get(2);
    };
    await expect.poll(second).not.toBe(pid);
  });

  test('a signal ends all of them', async () => {
    const pids = [...workerPids().values()];
    const { code } = await gateway.end('SIGTERM');
    expect(code).toBe(0);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  test('what stands against the start is told once, as by one process', async () => {
    const run = async (workers: number): Promise<unknown> => {
      return runGateway(['serve', '--config', await configure(workers, 'nowhere')]).ended;
    };
    const [alone, together] = [await run(1), await run(COUNT)];
    expect(together).toEqual(alone);
    expect(together).toMatchObject({ code: 1 });
  });
});

test('the embedded database has one process', async () => {
  const folder = await testFolder();
  const text = 'server:\n  workers: 2\ndatabase: { engine: pglite }\n';
  const path = await folder.write('config.yaml', text);
  const { code, stderr } = await runGateway(['serve', '--config', path]).ended;
  await folder.remove();
  expect([code, stderr]).toEqual([
    1,
    `entitygate cannot start:\n  ${path}:2:12: "server.workers": the embedded database cannot be shared by 2 processes: remove server.workers, or use PostgreSQL or SQL Server\n`,
  ]);
});
