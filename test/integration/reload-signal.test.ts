import { readFileSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { postgresTarget } from '../targets/postgres.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

const missing = await postgresTarget.unavailable();

let folder: string;
let gateway: GatewayProcess | null;

beforeEach(async () => {
  gateway = null;
  folder = await mkdtemp(join(tmpdir(), 'entitygate-signal-'));
  await mkdir(join(folder, 'mappings'));
  await map('Thing', 'Employee');
});
afterEach(async () => {
  gateway?.child.kill('SIGKILL');
  await gateway?.ended;
  await rm(folder, { recursive: true, force: true });
});

function map(name: string, table: string): Promise<void> {
  const text = `dataclass: ${name}\ntable: ${table}\n`;
  return writeFile(join(folder, 'mappings', `${name}.yaml`), text);
}

/** Whether a process catches SIGHUP, by the mask of its signals (proc_pid_status(5)). */
function hearsHangUps(pid: number | undefined): boolean {
  const [, caught = '0'] =
    /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

async function serve(config: string): Promise<{ address: string; said: () => string }> {
  await writeFile(join(folder, 'config.yaml'), config);
  gateway = runGateway(['serve', '--config', join(folder, 'config.yaml')]);
  let said = '';
  gateway.child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  // Before it serves, the signal must not end it, from the moment on when the command line is read.
  await vi.waitFor(() => expect(hearsHangUps(gateway?.child.pid)).toBe(true), {
    timeout: 30_000,
    interval: 10,
  });
  gateway.child.kill('SIGHUP');
  return { address: await gateway.serving, said: () => said };
}

const status = async (url: string): Promise<number> => {
  const answer = await fetch(url, { headers: { connection: 'close' } });
  await answer.arrayBuffer();
  return answer.status;
};

test('SIGHUP has one process read its files again', { timeout: 60_000 }, async () => {
  await writeFile(
    join(folder, 'seed.sql'),
    'create table a (id int primary key); create table b (id int primary key);',
  );
  await rm(join(folder, 'mappings/Thing.yaml'));
  await map('A', 'public.a');
  const { address, said } = await serve(
    "server: { port: 0 }\ndatabase: { engine: pglite, directory: 'memory:', seed: seed.sql }\n",
  );
  await map('B', 'public.b');
  gateway?.child.kill('SIGHUP');
  await vi.waitFor(async () => expect(await status(`${address}/rest/B`)).toBe(200), {
    timeout: 10_000,
  });
  await writeFile(join(folder, 'mappings/B.yaml'), 'dataclass: B\ntable: public.nowhere\n');
  gateway?.child.kill('SIGHUP');
  await vi.waitFor(
    () => expect(said()).toMatch(/B\.yaml:2:8: the database has no table public\.nowhere/),
    { timeout: 10_000 },
  );
  expect(await status(`${address}/rest/B`)).toBe(200);
});

describe.skipIf(missing !== null)(`workers${missing === null ? '' : ` (${missing})`}`, () => {
  test('all of them change, or none', { timeout: 60_000 }, async () => {
    const opened = await postgresTarget.open();
    try {
      if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
      await rm(join(folder, 'mappings/Thing.yaml'));
      await writeFile(join(folder, 'mappings/Staff.yaml'), 'dataclass: Staff\ntable: HR.TBL_EMP\n');
      const { address, said } = await serve(
        `server: { port: 0, workers: 2 }\ndatabase: { engine: postgres, url: '${opened.database.url}', poolSize: 2 }\nstate: { url: 'valkey://127.0.0.1:1' }\nstampSecret: the secret of all workers\nauthentication: { anonymous: [admin] }\n`,
      );
      const statuses = async (path: string): Promise<number[]> => [
        await status(`${address}/rest/${path}`),
        await status(`${address}/rest/${path}`),
        await status(`${address}/rest/${path}`),
        await status(`${address}/rest/${path}`),
      ];
      expect(await statuses('Staff')).toEqual([200, 200, 200, 200]);
      const text = 'dataclass: Crew\ntable: HR.TBL_EMP\n';
      await writeFile(join(folder, 'mappings/Staff.yaml'), text);
      const done = await fetch(`${address}/rest/$info/reload`, { method: 'POST' });
      expect([done.status, await done.json()]).toMatchObject([
        200,
        { dataclasses: { added: ['Crew'], removed: ['Staff'], changed: [] } },
      ]);
      expect(await statuses('Crew')).toEqual([200, 200, 200, 200]);
      await writeFile(join(folder, 'mappings/Staff.yaml'), 'dataclass: Crew\n');
      gateway?.child.kill('SIGHUP');
      await vi.waitFor(() => expect(said()).toMatch(/Staff\.yaml:1:1: /), { timeout: 10_000 });
      expect(said().match(/the reload failed/g)).toHaveLength(1);
      expect(await statuses('Crew')).toEqual([200, 200, 200, 200]);
    } finally {
      gateway?.child.kill('SIGTERM');
      await gateway?.ended;
      await opened.close();
    }
  });
});
