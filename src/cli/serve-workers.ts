import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { LAST_LINES, logTaken, openLog } from '../server/http/log-output.ts';
import {
  connectWorker,
  processChannel,
  type WorkerConnection,
} from '../server/workers/messages.ts';
import { closingLostConnections, Primary, WorkerFailed } from '../server/workers/primary.ts';
import type { CommandIo } from './io.ts';
import { CANCELLING, type HangUps, onSignals } from './signals.ts';

/** Marks a process as a worker of the gateway: other programs use node:cluster, too. */
const WORKER_VARIABLE = 'ENTITYGATE_WORKER';

/** How long workers may take to end after their last request, in seconds. */
const ENDING = CANCELLING / 1000 + 2;

/** Whether this process was started by {@link servePrimary}. */
export function isWorker(environment: NodeJS.ProcessEnv): boolean {
  return cluster.isWorker && environment[WORKER_VARIABLE] !== undefined;
}

/** Returns the number of processes that serve together. */
export function workerCount({
  server: { workers },
  database: { engine },
}: Pick<Config, 'server' | 'database'>): number {
  if (engine === 'pglite') return 1;
  return workers === 'auto' ? availableParallelism() : workers;
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
  try {
    const primary = new Primary({
      count,
      endSeconds: config.server.shutdownSeconds + ENDING,
      log: openLog(config.log, true).logger,
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
    await logTaken(LAST_LINES);
    // A write that does not end would keep the process alive.
    setTimeout(() => process.exit(), LAST_LINES).unref();
  }
}

/**
 * Serves as a worker.
 * @param serve serves with the other workers; its promise ends when the gateway listens, with the text for the terminal
 * @returns the exit code
 */
export async function serveWorker(
  serve: (worker: WorkerConnection) => Promise<string>,
): Promise<number> {
  const channel = processChannel();
  const worker = await connectWorker(channel);
  try {
    channel.send({ kind: 'ready', banner: await serve(worker) });
    return 0;
  } catch (error) {
    // An open channel would keep the process alive.
    process.channel?.unref();
    if (!(error instanceof StartupError)) throw error;
    channel.send({ kind: 'failed', problems: error.problems, more: error.more });
    return 1;
  }
}
