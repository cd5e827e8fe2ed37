import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { POSTGRES_URL, SQLSERVER_URL } from '../../targets/server.ts';

/** What a lane runs. */
export interface Job {
  /** The number of the mutant that is on; null where none is. */
  readonly mutant: number | null;
  /** The path of a file of tests. */
  readonly test: string;
  /** The tests of the file that run; all where it is empty. */
  readonly only: readonly string[];
  /** The path of a file that gets a line for each mutant that is reached, with the test, if one reaches it in this process; empty where it is not asked. */
  readonly reached: string;
}

export type Outcome = 'passed' | 'failed' | 'timeout';

/** How many jobs a process takes: each leaves something behind. */
const MOST_JOBS = 400;

/** A process of Vitest on the embedded engine. */
export class Lane {
  readonly #folder: string;
  readonly #name: string;
  #process: ChildProcess | null = null;
  #socket: Socket | null = null;
  #jobs = 0;

  /** @param folder where `checkout` has the source with the mutants, and temporary files go */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** @param limit how long the job may take, in milliseconds */
  async run(job: Job, limit: number): Promise<Outcome> {
    if (this.#jobs >= MOST_JOBS) await this.close();
    const socket = (this.#socket ??= await this.#start());
    this.#jobs += 1;
    const outcome = await new Promise<Outcome>((resolve) => {
      const timer = setTimeout(() => resolve('timeout'), limit);
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      socket.once('data', (said) => end(said.toString() === 'true\n' ? 'passed' : 'failed'));
      socket.once('close', () => end('failed'));
      socket.write(`${JSON.stringify(job)}\n`);
    });
    socket.removeAllListeners('data').removeAllListeners('close');
    if (outcome === 'timeout' || socket.destroyed) await this.close();
    return outcome;
  }

  /** Ends it with all processes of its tests. */
  async close(): Promise<void> {
    const lane = this.#process;
    [this.#process, this.#socket, this.#jobs] = [null, null, 0];
    if (lane?.pid === undefined) return;
    const ended = lane.exitCode === null && lane.signalCode === null ? once(lane, 'exit') : null;
    try {
      process.kill(-lane.pid, 'SIGKILL');
    } catch {
      // Nothing of it runs any more.
    }
    await ended;
  }

  async #start(): Promise<Socket> {
    const path = join(this.#folder, `${this.#name}.socket`);
    const server = createServer().listen(path);
    await once(server, 'listening');
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.'];
    args.push('--config', 'test/tools/mutants/vitest.config.ts');
    this.#process = spawn(process.execPath, args, {
      cwd: join(this.#folder, 'checkout'),
      env: {
        ...process.env,
        TMPDIR: join(this.#folder, 'tmp'),
        MUTANTS_SOCKET: path,
        [POSTGRES_URL]: '',
        [SQLSERVER_URL]: '',
      },
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(this.#process, 'exit').then(([code]) => {
      throw new Error(`Vitest does not start: exit code ${String(code)}`);
    });
    // It ends at last, too, when nobody waits for it.
    ended.catch(() => undefined);
    const [socket] = (await Promise.race([once(server, 'connection'), ended])) as [Socket];
    socket.on('error', () => undefined);
    await once(socket, 'data');
    server.close();
    return socket;
  }
}
