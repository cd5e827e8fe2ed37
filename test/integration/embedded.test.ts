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

const seed = `
  create table thing (id int primary key, name text);
  create function work() returns bigint language sql volatile as
    'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b';
  create view endless as select 1 as id, work() as n;
  create function toil() returns trigger language plpgsql as $$ begin
    if NEW.name = 'endless' then perform work(); end if;
    return NEW; end $$;
  create trigger toil before insert on thing for each row execute function toil();`;

/** A database whose statements hold up nobody but those who need it; each test goes on where the last one ended. */
describe('the thread of the embedded database', () => {
  let folder: TestFolder;
  let gateway: Gateway;

  beforeAll(async () => {
    folder = await testFolder();
    await folder.write('mappings/thing.yaml', 'dataclass: Thing\ntable: public.thing');
    await folder.write(
      'mappings/endless.yaml',
      'dataclass: Endless\nview: public.endless\nkey: [id]\nattributes: { id: id, n: n }',
    );
    await folder.write('seed.sql', seed);
    const data = { directory: `${folder.path}/data`, seed: `${folder.path}/seed.sql` };
    gateway = await startGateway(
      { engine: 'pglite', statementTimeoutSeconds: 3, ...data },
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
  /** Resolves when the statement of the view is on its way. */
  const begun = (): Promise<void> =>
    vi.waitFor(() => expect(gateway.takeStatements().join()).toContain('endless'), 20_000);
  const expectTooLong = ({ status, body }: Answer): void =>
    expect([status, body]).toMatchObject([504, { __ERROR: [{ errCode: 9003 }] }]);

  test('leaves the gateway to others while it works, and takes no longer than the limit', async () => {
    gateway.takeStatements();
    expect((await save('one')).status).toBe(200);
    const over: string[] = [];
    const slow = gateway.get('/rest/Endless').finally(() => over.push('slow'));
    await begun();
    const waiting = names();
    expect((await gateway.get('/health/live')).body).toEqual({ status: 'live' });
    expect((await gateway.get('/health/ready')).body).toEqual({ status: 'ready' });
    expect(over).toEqual([]);
    expectTooLong(await slow);
    expect(await waiting).toEqual(['one']);
  });

  test('is ended when the client of an endless statement has gone, and goes on for the others', async () => {
    gateway.takeStatements();
    const left = request({ port: gateway.port, path: '/rest/Endless' });
    left.on('error', () => undefined);
    left.end();
    await begun();
    left.destroy();
    expect(await names()).toEqual(['one']);
  });

  test('keeps nothing of a write that takes too long', async () => {
    expectTooLong(await save('two', 'endless'));
    expect(await names()).toEqual(['one']);
  });

  test('that does not start again is told of, and tried again', async () => {
    const control = `${folder.path}/data/global/pg_control`;
    gateway.takeStatements();
    const slow = gateway.get('/rest/Endless');
    await begun();
    await rename(control, `${control}.aside`);
    expect((await slow).status).toBe(504);
    const { status, body } = await gateway.get('/rest/Thing');
    const message =
      'The embedded database has ended and does not start again. The gateway’s log says why.';
    expect([status, body]).toMatchObject([503, { __ERROR: [{ errCode: 9002, message }] }]);
    await rename(`${control}.aside`, control);
    expect(await names()).toEqual(['one']);
  });

  test('does not keep the process from ending', async () => {
    await gateway.close();
    const config = await folder.write(
      'config.yaml',
      'server: { port: 0, shutdownSeconds: 1 }\ndatabase: { engine: pglite, directory: data }\nlog: { level: debug }\n',
    );
    const running = runGateway(['serve', '--config', config]);
    const base = await running.serving;
    const slow = fetch(`${base}/rest/Endless`).catch(() => 'broken off');
    await fetch(`${base}/health/live`);
    running.child.kill('SIGTERM');
    expect(await slow).toBe('broken off');
    expect((await running.ended).code).toBe(1);
  });
});

/** The embedded database's folder over several lives of the gateway; each test goes on where the last one ended. */
describe('the folder of the embedded database', () => {
  let folder: TestFolder;
  let config: string;
  const started: GatewayProcess[] = [];

  beforeAll(async () => {
    folder = await testFolder();
    await folder.write('mappings/t.yaml', 'dataclass: Thing\ntable: public.t');
    await folder.write(
      'seed.sql',
      "create table t (id int primary key, name text); insert into t select n, 'thing ' || n from generate_series(1, 500) n;",
    );
    await folder.write(
      'data.new-999999999/entitygate.lock',
      JSON.stringify({ pid: 999_999_999, host: hostname() }),
    );
    await folder.write('data.new-888/half', 'made');
    config = await folder.write(
      'config.yaml',
      'server: { port: 0, shutdownSeconds: 5 }\ndatabase: { engine: pglite, directory: data, seed: seed.sql }\n',
    );
  });
  afterAll(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await folder.remove();
  });

  function start(file = config): GatewayProcess {
    const gateway = runGateway(['serve', '--config', file]);
    started.push(gateway);
    return gateway;
  }

  async function count(base: string): Promise<unknown> {
    const answer = await fetch(`${base}/rest/Thing?$top=0`);
    return ((await answer.json()) as { __COUNT?: unknown }).__COUNT;
  }

  test('is made and filled, and what broken starts left is cleared away', async () => {
    const gateway = start();
    const base = await gateway.serving;
    expect(await count(base)).toBe(500);
    const names = (await readdir(folder.path)).sort();
    expect(names).toEqual(['config.yaml', 'data', 'mappings', 'seed.sql']);
    const lock = JSON.parse(await readFile(`${folder.path}/data/entitygate.lock`, 'utf8')) as {
      pid: number;
    };
    expect(lock.pid).toBe(gateway.child.pid);
  });

  test('is refused to a second process', async () => {
    const { code, stderr } = await start().ended;
    expect({ code, stderr: stderr.replaceAll(`${folder.path}/`, '') }).toEqual({
      code: 1,
      stderr:
        'entitygate cannot start:\n  config.yaml:2:40: the embedded database in data is in use. ' +
        `Process ${started[0]?.child.pid ?? 0} works on it: stop that one first.\n`,
    });
  });

  test('is taken over from a process that was killed, without being filled again', async () => {
    started[0]?.child.kill('SIGKILL');
    await started[0]?.ended;
    expect(existsSync(`${folder.path}/data/entitygate.lock`)).toBe(true);
    await folder.write('seed.sql', 'this is not SQL');
    expect(await count(await start().serving)).toBe(500);
  });

  test('is free again after SIGTERM, which finishes what is in flight', async () => {
    const gateway = started.at(-1);
    const base = (await gateway?.serving) ?? '';
    const inFlight = Array.from({ length: 20 }, async (_, index) => {
      const answer = await fetch(`${base}/rest/Thing?$skip=${index}&$top=300`);
      return [answer.status, ((await answer.json()) as { __SENT?: unknown }).__SENT];
    });
    const first = await inFlight[0];
    gateway?.child.kill('SIGTERM');
    // Some connections may not have been taken yet: those are refused, but none is answered in part.
    const answers = await Promise.allSettled(inFlight);
    for (const answer of [{ status: 'fulfilled', value: first } as const, ...answers]) {
      if (answer.status === 'fulfilled') expect(answer.value).toEqual([200, 300]);
    }
    const ended = await gateway?.ended;
    expect(ended?.code).toBe(0);
    expect(ended?.stdout).toContain('"msg":"stopped"');
    expect(existsSync(`${folder.path}/data/entitygate.lock`)).toBe(false);
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

  test.each([
    ['a time-out', 5, true],
    ['a second signal, which does not wait', 600, false],
  ])('is free again after %s', async (_, shutdownSeconds, isOver) => {
    const file = await folder.write(
      'again.yaml',
      `server: { port: 0, shutdownSeconds: ${shutdownSeconds} }\ndatabase: { engine: pglite, directory: data }\n`,
    );
    const gateway = start(file);
    await hang(await gateway.serving);
    gateway.child.kill('SIGTERM');
    // Two signals at once would be taken for one.
    const again = setInterval(() => isOver || gateway.child.kill('SIGTERM'), 500);
    const { code, stdout } = await gateway.ended;
    clearInterval(again);
    const said = stdout.includes('requests in flight took too long');
    expect([code, said]).toEqual([1, isOver]);
    expect(existsSync(`${folder.path}/data/entitygate.lock`)).toBe(false);
  });

  test('two first starts at once: one makes it, the other is refused', async () => {
    await folder.write('seed.sql', 'create table t (id int primary key, name text);');
    config = await folder.write(
      'config2.yaml',
      'server: { port: 0 }\ndatabase: { engine: pglite, directory: both, seed: seed.sql }\n',
    );
    const both = [start(), start()];
    const outcomes = await Promise.allSettled(both.map(({ serving }) => serving));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(String(refused?.reason)).toContain('the embedded database in ');
    expect((await readdir(folder.path)).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  // The processes of a process are read from Linux.
  test.runIf(process.platform === 'linux')(
    'is filled anew after a start that was killed, whose own process ends, too',
    async () => {
      await folder.write('seed.sql', 'select count(*) from generate_series(1, 1e12::bigint);');
      config = await folder.write(
        'config3.yaml',
        'server: { port: 0 }\ndatabase: { engine: pglite, directory: killed, seed: seed.sql }\n',
      );
      const gateway = start();
      const { pid = 0 } = gateway.child;
      const children = await vi.waitFor(async () => {
        const names = await readdir(`${folder.path}/killed.new-${pid}`);
        expect(names).toContain('PG_VERSION');
        return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
      }, 60_000);
      gateway.child.kill('SIGKILL');
      await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), 60_000);
      expect(children).toHaveLength(1);

      await folder.write('seed.sql', 'create table t (id int primary key, name text);');
      expect(await count(await start().serving)).toBe(0);
      expect((await readdir(folder.path)).filter((name) => name.startsWith('killed.'))).toEqual([]);
    },
  );
});

/** Whether a process has not ended; one that nobody waits for stays as a zombie. */
function isRunning(pid: string): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
