import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Where Debian's packages put the programs of each version. */
const INSTALLED = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs; undefined where there is none. */
const programs = [
  ...(process.env['PATH'] ?? '').split(':'),
  ...(existsSync(INSTALLED) ? readdirSync(INSTALLED) : []).map((version) =>
    join(INSTALLED, version, 'bin'),
  ),
].findLast((folder) => existsSync(join(folder, 'initdb')));

/** Whose processes the cluster's are: PostgreSQL refuses to run as root. */
const owner: { readonly uid?: number; readonly gid?: number } | null =
  process.getuid?.() === 0 ? await ownerOfServers() : {};

/** Why no cluster can be made here; null where it can. */
export const clusterUnavailable =
  programs === undefined
    ? `initdb of PostgreSQL is neither in PATH nor in ${INSTALLED}: no server can be killed`
    : owner === null
      ? 'PostgreSQL does not run as root, and there is no user postgres'
      : null;

async function ownerOfServers(): Promise<{ readonly uid: number; readonly gid: number } | null> {
  const id = (what: string): Promise<number> =>
    run('id', [what, 'postgres']).then(({ stdout }) => Number(stdout));
  return Promise.all([id('-u'), id('-g')]).then(
    ([uid, gid]) => ({ uid, gid }),
    () => null,
  );
}

/** A PostgreSQL server of a test's own, which the test may kill. */
export class PostgresCluster {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  #server: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /** Makes a cluster, which is not started. */
  static async make(): Promise<PostgresCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'entitygate-cluster-'));
    const { uid, gid } = owner ?? {};
    if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
    const data = join(folder, 'data');
    const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    await run(join(programs ?? '', 'initdb'), options, { ...owner, cwd: folder });
    return new PostgresCluster(folder, await freePort());
  }

  /** Starts the server, with settings of its own, and waits until it has recovered. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    // To compile a statement takes it longer than to run it.
    const own = { port: String(this.#port), unix_socket_directories: '', jit: 'off' };
    const all = { ...own, ...settings };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    for (let tries = 0; tries < 1200; tries += 1) {
      // It does not start while a killed server's processes still end.
      if (this.#server?.exitCode !== null) {
        this.#server = spawn(
          join(programs ?? '', 'postgres'),
          ['-D', join(this.#folder, 'data'), ...options],
          { ...owner, cwd: this.#folder, stdio: 'ignore' },
        );
      }
      await sleep(50);
      const client = new pg.Client({ connectionString: this.url });
      // A break is told by the statement, too.
      client.on('error', () => undefined);
      const isUp = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      if (isUp) return;
    }
    throw new Error(`the server in ${this.#folder} does not start`);
  }

  /** Kills all processes of the server at once, as the machine's end would. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server?.pid === undefined) return;
    const ended = once(server, 'exit');
    // A stopped one replaces no process that is killed.
    server.kill('SIGSTOP');
    const { stdout } = await run('pgrep', ['-P', String(server.pid)]);
    for (const child of stdout.split(/\s+/).filter(Boolean)) process.kill(Number(child), 'SIGKILL');
    server.kill('SIGKILL');
    await ended;
    this.#server = null;
  }

  /** Has the server begin as a standby that has all it had, and makes it a primary. */
  async promote(): Promise<void> {
    await this.kill();
    await writeFile(join(this.#folder, 'data', 'standby.signal'), '');
    await this.start();
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
