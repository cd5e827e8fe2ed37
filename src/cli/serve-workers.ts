import cluster from 'node:cluster';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { LAST_LINES, logTaken, openLog } from '../server/http/log-output.ts';
import { type Channel, placeFrom, processChannel } from '../server/workers/messages.ts';
import { Peers } from '../server/workers/peers.ts';
import { closingLostConnections, Primary, WorkerFailed } from '../server/workers/primary.ts';
import type { CommandIo } from './io.ts';
import type { HangUps } from './reload-on-signal.ts';
import { CANCELLING, onSignals } from './stop-on-signal.ts';

/** Marks a process as a worker of the gateway: other programs use node:cluster, too. */
const WORKER_VARIABLE = 'ENTITYGATE_WORKER';

/** How long workers may take to end after their last request, in seconds. */
const ENDING = CANCELLING / 1000 + 2;

/** The longest path of a socket that all systems take, in bytes (https://man7.org/linux/man-pages/man7/unix.7.html). */
const LONGEST_SOCKET_PATH = 100;

/** Whether this process was started by {@link servePrimary}. */
export function isWorker(environment: NodeJS.ProcessEnv): boolean {
  return cluster.isWorker && environment[WORKER_VARIABLE] !== undefined;
}

/**
 * Returns the number of processes that serve together.
 * @throws StartupError at `server.workers` where the database serves only one
 */
export function workerCount({
  server: { workers },
  database: { engine },
  locate,
}: Pick<Config, 'server' | 'database' | 'locate'>): number {
  if (engine !== 'pglite') return workers === 'auto' ? availableParallelism() : workers;
  if (workers === 'auto' || workers === 1) return 1;
  const message =
    `the embedded database cannot be shared by ${workers} processes: ` +
    'remove server.workers, or use PostgreSQL or SQL Server';
  throw new StartupError([{ where: locate('server.workers'), message }]);
}

/**
 * Starts workers, which run this program with the same arguments, and waits for their end.
 * @returns the exit code
 * @throws StartupError where they cannot start
 */
export async function servePrimary(
  config: Config,
  count: number,
  io: CommandIo,
  hangUps: HangUps,
): Promise<number> {
  if (cluster.isWorker) {
    const message =
      'the process manager already shares the port between processes: remove server.workers';
    throw new StartupError([{ where: config.locate('server.workers'), message }]);
  }
  const folder = await socketFolder(config);
  try {
    const primary = new Primary({
      count,
      folder,
      endSeconds: config.server.shutdownSeconds + ENDING,
      log: openLog(config.log, true),
      fork: () => closingLostConnections(cluster.fork({ [WORKER_VARIABLE]: 'true' })),
      onServing: (banner) => {
        io.error(banner);
        hangUps.begin(() => primary.reload());
      },
    });
    onSignals(
      (signal) => primary.stop(signal),
      () => primary.breakOff(),
    );
    return await primary.start();
  } catch (error) {
    if (!(error instanceof WorkerFailed) || error.code === null) throw error;
    return error.code;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await logTaken(LAST_LINES);
    // A write that does not end would keep the process alive.
    setTimeout(() => process.exit(), LAST_LINES).unref();
  }
}

/** Makes a folder that only the user who runs the gateway may enter. */
async function socketFolder({ locate }: Config): Promise<string> {
  const where = locate('server.workers');
  const begin = join(tmpdir(), 'entitygate-');
  if (process.platform !== 'win32' && Buffer.byteLength(begin) > LONGEST_SOCKET_PATH - 20) {
    const message = `the path of the temporary folder, ${tmpdir()}, is too long for sockets: set TMPDIR to a shorter one`;
    throw new StartupError([{ where, message }]);
  }
  try {
    return await mkdtemp(begin);
  } catch (error) {
    const message = `workers need a folder for their sockets: ${(error as Error).message}`;
    throw new StartupError([{ where, message }]);
  }
}

/**
 * Serves as a worker.
 * @param serve serves with the other workers; its promise ends when the gateway listens, with the text for the terminal
 * @returns the exit code
 */
export async function serveWorker(
  serve: (peers: Peers, channel: Channel) => Promise<string>,
): Promise<number> {
  const channel = processChannel();
  const place = await placeFrom(channel);
  process.once('exit', () => {
    // Workers end with a killed primary, which cannot remove the folder.
    if (!process.connected) rmSync(place.folder, { recursive: true, force: true });
  });
  try {
    channel.tell({ kind: 'ready', banner: await serve(new Peers(place, channel), channel) });
    return 0;
  } catch (error) {
    // An open channel would keep the process alive.
    process.channel?.unref();
    if (!(error instanceof StartupError)) throw error;
    channel.tell({ kind: 'failed', problems: error.problems, more: error.more });
    return 1;
  }
}
