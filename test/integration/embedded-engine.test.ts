import { rename } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { startGateway, type Answer, type Gateway } from '../targets/gateway.ts';
import { runGateway } from './gateway-process.ts';

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
  const tooLong = {
    __ERROR: [expect.objectContaining({ errCode: 9003 })],
  };

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
    const { status, body } = await slow;
    expect({ status, body }).toEqual({ status: 504, body: tooLong });
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
    const { status, body } = await save('two', 'endless');
    expect({ status, body }).toMatchObject({ status: 504, body: tooLong });
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
    expect({ status, body }).toMatchObject({
      status: 503,
      body: {
        __ERROR: [
          expect.objectContaining({
            errCode: 9002,
            message:
              'The embedded database has ended and does not start again. The gateway’s log says why.',
          }),
        ],
      },
    });
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
