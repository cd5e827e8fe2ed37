import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedFolder } from '../config/files.ts';
import { openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

const missing = await postgresTarget.unavailable();

/** How long the line is at least that each request leaves, in bytes: it asks for what is not there, by as long a name as is logged. */
const LINE = 2000;

/** More requests than pipes, and what reads them, hold lines of, in bytes. */
const FULL = Math.ceil(1_048_576 / LINE);

const folder = await sharedFolder();
let config: string;
beforeAll(async () => {
  await folder.write('mappings/t.yaml', 'table: public.t');
  await folder.write('seed.sql', 'create table t (id int primary key);');
  config = await folder.write(
    'config.yaml',
    'server: { port: 0 }\ndatabase: { engine: pglite, directory: "memory:", seed: seed.sql }\n',
  );
});

/** A pipe of which this process has the end that is read. */
interface Pipe {
  /** The end that is written, for the process that is started; to be closed when that has it. */
  readonly writeEnd: number;
  readonly closeReadEnd: () => void;
  /** Begins to read. @returns all that was read until now */
  readonly read: () => () => string;
  /** Resolves when all is read, and nobody has the end that is written any more. */
  readonly ended: () => Promise<unknown>;
}

/** Makes a pipe, and not a pair of sockets as Node does by itself. */
function openPipe(): Pipe {
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  rmSync(path);
  let isOpen = true;
  let reader: Socket | null = null;
  const closeReadEnd = (): void => {
    if (!isOpen) return;
    isOpen = false;
    if (reader === null) closeSync(readEnd);
    else reader.destroy();
  };
  onTestFinished(closeReadEnd);
  const read = (): (() => string) => {
    reader = new Socket({ fd: readEnd, readable: true, writable: false });
    const chunks: Buffer[] = [];
    reader.on('data', (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  };
  const ended = async (): Promise<unknown> =>
    reader === null || reader.closed || once(reader, 'close');
  return { writeEnd, closeReadEnd, read, ended };
}

/** Starts a gateway that writes its log to a descriptor, which is closed here. */
function serveTo(stdout: number, path = config): GatewayProcess {
  const gateway = runGateway(['serve', '--config', path], {}, undefined, stdout);
  closeSync(stdout);
  return endedAfterwards(gateway);
}

/** Starts a gateway that writes its log to a socket that nobody reads. */
function serveToSocket(path = config): GatewayProcess {
  const gateway = runGateway(['serve', '--config', path]);
  gateway.child.stdout?.removeAllListeners('data').pause();
  return endedAfterwards(gateway);
}

function serveToPipe(path = config): GatewayProcess {
  return serveTo(openPipe().writeEnd, path);
}

function endedAfterwards(gateway: GatewayProcess): GatewayProcess {
  onTestFinished(async () => {
    gateway.child.kill('SIGKILL');
    gateway.child.stdout?.destroy();
    await gateway.ended;
  });
  return gateway;
}

/** Asks for what is not there, so many times. */
async function ask(address: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const askOnce = (): Promise<void> =>
    new Promise((resolve, reject) => {
      request(`${address}/rest/N${'o'.repeat(LINE)}`, { agent }, (answer) => {
        answer.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  await Promise.all(Array.from({ length: times }, askOnce));
  agent.destroy();
}

/** Begins a request that does not come to an end. */
async function askWithoutEnd(address: string): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('POST /rest/T/$entityset HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n');
  socket.write('content-length: 100\r\n\r\n');
  // It is asked to go on when it is being served.
  await new Promise((resolve) => socket.once('data', resolve));
}

/** How a process ended: by which code, or by which signal. What it wrote is not waited for. */
async function exited({ child }: GatewayProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}

describe('a gateway whose log nobody reads', () => {
  test.each([
    ['pipe', serveToPipe],
    ['socket', serveToSocket],
  ])('ends on a signal as it would otherwise, where that is a %s', async (_kind, serve) => {
    const gateway = serve();
    await ask(await gateway.serving, FULL);
    gateway.child.kill('SIGTERM');
    expect(await exited(gateway)).toEqual([0, null]);
  });

  test('ends on a second signal, with code 1', async () => {
    const gateway = serveToPipe();
    const address = await gateway.serving;
    await ask(address, FULL);
    await askWithoutEnd(address);
    gateway.child.kill('SIGTERM');
    // Two signals at the same time are one.
    await new Promise((resolve) => setTimeout(resolve, 500));
    gateway.child.kill('SIGTERM');
    expect(await exited(gateway)).toEqual([1, null]);
  });

  test.skipIf(missing !== null)('ends with all of its workers', async () => {
    const opened = await openPostgresDatabase('CREATE TABLE public.t (id int PRIMARY KEY)');
    onTestFinished(() => opened.close());
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    const path = await folder.write(
      'workers.yaml',
      `server: { port: 0, workers: 2 }\ndatabase: { engine: postgres, url: '${opened.database.url}' }\nstate: { url: 'valkey://127.0.0.1:1' }\nstampSecret: the secret of all workers\n`,
    );
    const gateway = serveToPipe(path);
    await ask(await gateway.serving, FULL);
    gateway.child.kill('SIGTERM');
    expect(await exited(gateway)).toEqual([0, null]);
  });
});

test('what was logged while nobody read is there when somebody does, and how many lines are not', async () => {
  // More than may wait, which is 8 MB.
  const requests = 8 * FULL + 200;
  const pipe = openPipe();
  const gateway = serveTo(pipe.writeEnd);
  await ask(await gateway.serving, requests);
  const read = pipe.read();
  const isTold = (): boolean => read().includes('lines of the log were lost');
  await vi.waitFor(() => expect(isTold()).toBe(true), { timeout: 60_000, interval: 200 });
  gateway.child.kill('SIGTERM');
  expect(await exited(gateway)).toEqual([0, null]);
  await pipe.ended();
  const lines = read()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { level: number; msg: string; lost?: number });
  const telling = lines.filter(({ lost }) => lost !== undefined);
  expect(telling).toEqual([
    {
      level: 40,
      time: expect.any(String) as unknown,
      pid: gateway.child.pid,
      hostname: expect.any(String) as unknown,
      lost: expect.any(Number) as unknown,
      msg: 'lines of the log were lost: they were not read in time',
    },
  ]);
  const written = lines.filter(({ msg }) => msg === 'request').length;
  expect(written + (telling[0]?.lost ?? 0)).toBe(requests);
  expect(lines.at(-1)?.msg).toBe('stopped');
});

test('a gateway goes on when whoever read its log is gone, as head is', async () => {
  const pipe = openPipe();
  const gateway = serveTo(pipe.writeEnd);
  const address = await gateway.serving;
  await ask(address, 1);
  pipe.closeReadEnd();
  await ask(address, FULL);
  gateway.child.kill('SIGTERM');
  expect(await exited(gateway)).toEqual([0, null]);
  expect((await gateway.ended).stderr).toMatch(
    /^(?:Explore [^\n]*\n)?Entitygate serves [^]*Open next:[^]*\n$/,
  );
});

test.skipIf(!existsSync('/dev/full'))(
  'a gateway goes on when the disk of its log is full',
  async () => {
    const gateway = serveTo(openSync('/dev/full', 'a'));
    await ask(await gateway.serving, FULL);
    gateway.child.kill('SIGTERM');
    expect(await exited(gateway)).toEqual([0, null]);
  },
);
