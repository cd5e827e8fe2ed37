import { readdir, readFile, rename } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { testFolder, type TestFolder } from '../config/files.ts';
import { type Answer, type Gateway, startGateway } from '../targets/gateway.ts';
import { type GatewayProcess, runGateway } from './gateway-process.ts';

/** Two tables, of which one calls a function without end where it is written, and a view that always does. */
const SEED = `
  create table thing (id int primary key, name text);
  create table t as select n as id, 'thing ' || n as name from generate_series(1, 500) n;
  alter table t add primary key (id);
  create function work() returns bigint language sql volatile as
    'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b';
  create view endless as select 1 as id, work() as n;
  create function toil() returns trigger language plpgsql as $$ begin
    if NEW.name = 'endless' then perform work(); end if;
    return NEW; end $$;
  create trigger toil before insert on thing for each row execute function toil();`;

const MAPPINGS = {
  thing: 'dataclass: Thing\ntable: public.thing',
  many: 'dataclass: Many\ntable: public.t',
  endless: 'dataclass: Endless\nview: public.endless\nkey: [id]\nattributes: { id: id, n: n }',
};

/** Makes a folder with mapping files, and the script of the database. */
async function madeFolder(): Promise<TestFolder> {
  const folder = await testFolder();
  for (const [name, text] of Object.entries(MAPPINGS)) {
    await folder.write(`mappings/${name}.yaml`, text);
  }
  await folder.write('seed.sql', SEED);
  return folder;
}

/** A database whose statements hold up nobody but those who need it; each test goes on where the last one ended. */
describe('the thread of the embedded database', () => {
  let folder: TestFolder;
  let gateway: Gateway;

  beforeAll(async () => {
    folder = await madeFolder();
    const data = { directory: `${folder.path}/data`, seed: `${folder.path}/seed.sql` };
    gateway = await startGateway(
      { engine: 'pglite', statementTimeoutSeconds: 5, ...data },
      { mappings: `${folder.path}/mappings` },
    );
  });
  afterAll(async () => {
    await gateway.close();
    await folder.remove();
  });

  let lastId = 0;
  const save = (...names: string[]): Promise<Answer> =>
    gateway.get('/rest/Thing?$method=update&$atOnce=true', {
      method: 'POST',
      body: JSON.stringify(names.map((name) => ({ id: (lastId += 1), name }))),
    });
  const names = async (): Promise<unknown> => {
    const { status, body } = await gateway.get('/rest/Thing?$attributes=name&$orderby=id');
    const { __ENTITIES: entities } = body as { __ENTITIES?: { name: string }[] };
    return entities?.map(({ name }) => name) ?? status;
  };

  test('leaves the gateway to others while it works, and keeps nothing of a write that takes longer than the limit', async () => {
    expect((await save('one')).status).toBe(200);
    gateway.takeStatements();
    const over: string[] = [];
    const slow = save('two', 'endless').finally(() => over.push('slow'));
    await vi.waitFor(() => expect(gateway.takeStatements()).not.toEqual([]), 20_000);
    const waiting = names();
    expect((await gateway.get('/health/live')).body).toEqual({ status: 'live' });
    expect((await gateway.get('/health/ready')).body).toEqual({ status: 'ready' });
    expect(over).toEqual([]);
    const { status, body } = await slow;
    expect([status, body]).toMatchObject([504, { __ERROR: [{ errCode: 9003 }] }]);
    expect(await waiting).toEqual(['one']);
  });

  test('is ended when the client of an endless statement has gone; that it does not start again is told of, and tried again', async () => {
    const control = `${folder.path}/data/global/pg_control`;
    gateway.takeStatements();
    const left = request({ port: gateway.port, path: '/rest/Endless' });
    left.on('error', () => undefined);
    left.end();
    await vi.waitFor(() => expect(gateway.takeStatements().join()).toContain('endless'), 20_000);
    await rename(control, `${control}.aside`);
    left.destroy();
    const { status, body } = await gateway.get('/rest/Thing');
    const message =
      'The embedded database has ended and does not start again. The gateway’s log says why.';
    expect([status, body]).toMatchObject([503, { __ERROR: [{ errCode: 9002, message }] }]);
    await rename(`${control}.aside`, control);
    expect(await names()).toEqual(['one']);
  });
});

/** The embedded database's folder over several lives of the gateway; each test goes on where the last one ended. */
describe('the folder of the embedded database', () => {
  let folder: TestFolder;
  const started: GatewayProcess[] = [];
  /** The process that works on it. */
  let serving: GatewayProcess | undefined;

  beforeAll(async () => {
    folder = await madeFolder();
    await folder.write(
      'data.new-999999999/entitygate.lock',
      JSON.stringify({ pid: 999_999_999, host: hostname() }),
    );
    await folder.write('data.new-888/half', 'made');
    await configure(60);
  });
  afterAll(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await folder.remove();
  });

  const configure = (shutdownSeconds: number): Promise<string> =>
    folder.write(
      'config.yaml',
      `server: { port: 0, shutdownSeconds: ${shutdownSeconds} }\ndatabase: { engine: pglite, directory: data, seed: seed.sql }\n`,
    );

  function start(): GatewayProcess {
    const gateway = runGateway(['serve', '--config', `${folder.path}/config.yaml`]);
    started.push(gateway);
    return gateway;
  }

  async function count(base: string): Promise<unknown> {
    const answer = await fetch(`${base}/rest/Many?$top=0`);
    return ((await answer.json()) as { __COUNT?: unknown }).__COUNT;
  }

  const isLocked = (): boolean => existsSync(`${folder.path}/data/entitygate.lock`);

  // The processes of a process are read from Linux.
  test.runIf(process.platform === 'linux')(
    'is not there after a start that was killed, whose own process ends, too',
    async () => {
      await folder.write('seed.sql', 'select count(*) from generate_series(1, 1e12::bigint);');
      const gateway = start();
      const { pid = 0 } = gateway.child;
      const children = await vi.waitFor(async () => {
        const names = await readdir(`${folder.path}/data.new-${pid}`);
        expect(names).toContain('PG_VERSION');
        return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
      }, 60_000);
      gateway.child.kill('SIGKILL');
      await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), 60_000);
      expect(children).toHaveLength(1);
      expect(existsSync(`${folder.path}/data`)).toBe(false);
      await folder.write('seed.sql', SEED);
    },
  );

  test('is made and filled by one of two first starts at once, and what broken ones left is cleared away', async () => {
    const both = [start(), start()];
    const outcomes = await Promise.allSettled(both.map(({ serving }) => serving));
    const at = outcomes.findIndex(({ status }) => status === 'fulfilled');
    serving = both[at];
    const refused = outcomes[1 - at];
    expect(refused).toMatchObject({ status: 'rejected' });
    expect(String((refused as PromiseRejectedResult).reason)).toContain(
      'the embedded database in ',
    );
    expect(await count((await serving?.serving) ?? '')).toBe(500);
    const names = (await readdir(folder.path)).sort();
    expect(names).toEqual(['config.yaml', 'data', 'mappings', 'seed.sql']);
    const lock = await readFile(`${folder.path}/data/entitygate.lock`, 'utf8');
    expect((JSON.parse(lock) as { pid: number }).pid).toBe(serving?.child.pid);
  });

  test('is refused to another process', async () => {
    const { code, stderr } = await start().ended;
    expect({ code, stderr: stderr.replaceAll(`${folder.path}/`, '') }).toEqual({
      code: 1,
      stderr:
        'entitygate cannot start:\n  config.yaml:2:40: the embedded database in data is in use. ' +
        `Process ${serving?.child.pid ?? 0} works on it: stop that one first.\n`,
    });
  });

  test('is taken over from a process that was killed, without being filled again', async () => {
    serving?.child.kill('SIGKILL');
    const log = (await serving?.ended)?.stdout.trimEnd().split('\n') ?? [];
    expect(isLocked()).toBe(true);
    // It has told of what it filled, by a JSON object a line.
    const told = log.map((line) => JSON.parse(line) as { time: string; msg: string });
    expect(told.map(({ msg }) => msg)).toEqual([
      expect.stringContaining('Filling the new database with '),
      expect.stringContaining('The database is filled, after '),
      ...told.slice(2).map(({ msg }) => msg),
    ]);
    for (const { time } of told) expect(new Date(time).toISOString()).toBe(time);
    await folder.write('seed.sql', 'this is not SQL');
    serving = start();
    expect(await count(await serving.serving)).toBe(500);
  });

  test('is free again after SIGTERM, which finishes what is in flight', async () => {
    const base = (await serving?.serving) ?? '';
    const inFlight = Array.from({ length: 20 }, async (_, index) => {
      const answer = await fetch(`${base}/rest/Many?$skip=${index}&$top=300`);
      return [answer.status, ((await answer.json()) as { __SENT?: unknown }).__SENT];
    });
    const first = await inFlight[0];
    serving?.child.kill('SIGTERM');
    // Some connections may not have been taken yet: those are refused, but none is answered in part.
    const answers = await Promise.allSettled(inFlight);
    for (const answer of [{ status: 'fulfilled', value: first } as const, ...answers]) {
      if (answer.status === 'fulfilled') expect(answer.value).toEqual([200, 300]);
    }
    const ended = await serving?.ended;
    expect(ended?.code).toBe(0);
    expect(ended?.stdout).toContain('"msg":"stopped"');
    expect(isLocked()).toBe(false);
  });

  test('is free again after a time-out, though a statement goes on', async () => {
    await configure(1);
    const gateway = start();
    const base = await gateway.serving;
    const slow = fetch(`${base}/rest/Endless`).catch(() => 'broken off');
    await fetch(`${base}/health/live`);
    gateway.child.kill('SIGTERM');
    expect(await slow).toBe('broken off');
    const { code, stdout } = await gateway.ended;
    expect([code, stdout.includes('requests in flight took too long')]).toEqual([1, true]);
    expect(isLocked()).toBe(false);
  });

  test('is free again after a second signal, which does not wait', async () => {
    await configure(600);
    const gateway = start();
    await hang(await gateway.serving);
    const { code, stdout } = await gateway.force();
    expect([code, stdout.includes('requests in flight took too long')]).toEqual([1, false]);
    expect(isLocked()).toBe(false);
  });
});

/** Begins a request that will not end by itself, since its body never comes; resolves when the gateway waits for that. */
async function hang(base: string): Promise<void> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    'POST /rest/Thing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
  );
  const [told] = (await once(socket, 'data')) as [Buffer];
  expect(told.toString('latin1')).toMatch(/^HTTP\/1\.1 100 /);
}

/** Whether a process has not ended; one that nobody waits for stays as a zombie. */
function isRunning(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
