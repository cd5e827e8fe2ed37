import cluster from 'node:cluster';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { LAST_LINES, logTaken, primaryLog } from '../server/http/log-output.ts';
import { type Channel, placeFrom, processChannel } from '../server/workers/messages.ts';
import { Peers } from '../server/workers/peers.ts';
import { closingLostConnections, Primary, WorkerFailed } from '../server/workers/primary.ts';
import type { CommandIo } from './io.ts';
import { CANCELLING, onSignals } from './stop-on-signal.ts';

/** By this a process knows that it was started as a worker: others than the gateway use node:cluster as well. */
const WORKER_VARIABLE = 'ENTITYGATE_WORKER';

/** How long workers may take to end besides what is in flight, in seconds. */
const ENDING = CANCELLING / 1000 + 2;

/** The longest path of a socket that all systems take, in bytes (https://man7.org/linux/man-pages/man7/unix.7.html). */
const LONGEST_SOCKET_PATH = 100;

/** Whether this process was started by {@link servePrimary}. */
export function isWorker(environment: NodeJS.ProcessEnv): boolean {
  return cluster.isWorker && environment[WORKER_VARIABLE] !== undefined;
}

/**
 * Starts workers, which are this program with the same arguments, and lives as long as they do.
 * @returns the exit code, when all have ended
 * @throws StartupError where they cannot start
 */
export async function servePrimary(config: Config, count: number, io: CommandIo): Promise<number> {
  if (cluster.isWorker) {
    const message =
      'the program that started the gateway has it share a port already: leave server.workers out';
    throw new StartupError([{ where: config.locate('server.workers'), message }]);
  }
  const folder = await socketFolder(config);
  try {
    const primary = new Primary({
      count,
      folder,
      endSeconds: config.server.shutdownSeconds + ENDING,
      log: primaryLog(config.log.level),
      fork: () => closingLostConnections(cluster.fork({ [WORKER_VARIABLE]: 'true' })),
      onServing: (banner) => io.error(banner),
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
    // A write that does not end would keep the process, with the exit code that it has by then.
    setTimeout(() => process.exit(), LAST_LINES).unref();
  }
}

/** A folder that nobody but the user who runs the gateway may enter. */
async function socketFolder({ locate }: Config): Promise<string> {
  const where = locate('server.workers');
  const begin = join(tmpdir(), 'entitygate-');
  if (process.platform !== 'win32' && Buffer.byteLength(begin) > LONGEST_SOCKET_PATH - 20) {
    const message = `the folder for temporary files, ${tmpdir()}, has too long a path for sockets in it: set TMPDIR to a shorter one`;
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
 * @param serve serves with the other workers, and ends when the gateway listens, with what a person at the terminal is told
 * @returns the exit code, where it cannot start
 */
export async function serveWorker(
  serve: (peers: Peers, channel: Channel) => Promise<string>,
): Promise<number> {
  const channel = processChannel();
  const place = await placeFrom(channel);
  process.once('exit', () => {
    // Nobody else would, where the primary was killed; all workers end with it.
    if (!process.connected) rmSync(place.folder, { recursive: true, force: true });
  });
  try {
    channel.tell({ kind: 'ready', banner: await serve(new Peers(place, channel), channel) });
    return 0;
  } catch (error) {
    // Who waits for the primary would not end.
    process.channel?.unref();
    if (!(error instanceof StartupError)) throw error;
    channel.tell({ kind: 'failed', problems: error.problems, more: error.more });
    return 1;
  }
}
