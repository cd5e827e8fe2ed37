import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { describeWith } from '../targets/missing.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

let folder: TestFolder;
let gateway: GatewayProcess;

beforeEach(async () => {
  folder = await testFolder();
});
afterEach(async () => {
  await gateway.end('SIGKILL');
  await folder.remove();
});

/** Whether a process catches SIGHUP, by the mask of its signals (proc_pid_status(5)). */
function hearsHangUps(pid: number | undefined): boolean {
  const [, caught = '0'] =
    /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

/** @returns asks for a dataclass, for its status */
async function serve(config: string): Promise<(dataclass: string) => Promise<number>> {
  gateway = runGateway(['serve', '--config', await folder.write('config.yaml', config)]);
  // Before it serves, the signal must not end it, from the moment on when the command line is read.
  const poll = { timeout: 30_000, interval: 10 };
  await expect.poll(() => hearsHangUps(gateway.child.pid), poll).toBe(true);
  gateway.child.kill('SIGHUP');
  const address = await gateway.serving;
  return async (dataclass) => {
    const headers = { connection: 'close' };
    const answer = await fetch(`${address}/rest/${dataclass}`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
}

/** Sends the signal, and waits for what is said then. */
async function refuses(problem: RegExp): Promise<void> {
  gateway.child.kill('SIGHUP');
  await expect.poll(() => gateway.said.stdout).toMatch(problem);
}

test('SIGHUP has one process read its files again', { timeout: 60_000 }, async () => {
  await folder.write(
    'seed.sql',
    'create table a (id int primary key); create table b (id int primary key);',
  );
  await folder.write('mappings/A.yaml', 'dataclass: A\ntable: public.a\n');
  const status = await serve(
    "server: { port: 0 }\ndatabase: { engine: pglite, directory: 'memory:', seed: seed.sql }\n",
  );
  await folder.write('mappings/B.yaml', 'dataclass: B\ntable: public.b\n');
  gateway.child.kill('SIGHUP');
  await expect.poll(() => status('B')).toBe(200);
  await folder.write('mappings/B.yaml', 'dataclass: B\ntable: public.nowhere\n');
  await refuses(/B\.yaml:2:8: the database has no table public\.nowhere/);
  expect(await status('B')).toBe(200);
});

describeWith(await postgresTarget.unavailable(), 'workers', () => {
  test('all of them change, or none', { timeout: 60_000 }, async () => {
    const opened = await postgresTarget.open();
    onTestFinished(opened.close);
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    await folder.write('mappings/Staff.yaml', 'dataclass: Staff\ntable: HR.TBL_EMP\n');
    const status = await serve(
      `server: { port: 0, workers: 2 }\ndatabase: { engine: postgres, url: '${opened.database.url}', poolSize: 2 }\nstate: { url: 'valkey://127.0.0.1:1' }\nstampSecret: the secret of all workers\nauthentication: { anonymous: [admin] }\n`,
    );
    const expectServed = async (dataclass: string): Promise<void> => {
      for (let time = 0; time < 4; time += 1) expect(await status(dataclass)).toBe(200);
    };
    await expectServed('Staff');
    await folder.write('mappings/Staff.yaml', 'dataclass: Crew\ntable: HR.TBL_EMP\n');
    const address = await gateway.serving;
    const done = await fetch(`${address}/rest/$info/reload`, { method: 'POST' });
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { dataclasses: { added: ['Crew'], removed: ['Staff'], changed: [] } },
    ]);
    await expectServed('Crew');
    await folder.write('mappings/Staff.yaml', 'dataclass: Crew\n');
    await refuses(/Staff\.yaml:1:1: /);
    expect(gateway.said.stdout.match(/the reload failed/g)).toHaveLength(1);
    await expectServed('Crew');
  });
});
