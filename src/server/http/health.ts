import { once } from 'node:events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';

/** Resolves when the database answers, however much it and the gateway have to do; gives up when the signal is aborted. */
export type Ping = (signal: AbortSignal) => Promise<void>;

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

/** The paths of the probes. */
const PATHS = ['/health/live', '/health/ready'];

/** Whether a path, without its query, is one of the probes'. */
export function isProbePath(path: string): boolean {
  return PATHS.includes(path);
}

/** Whether a request is one of the probes', which are answered whoever sends them. */
export function isProbe({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith('/health/') === true;
}

/**
 * Adds the probes of whoever keeps the process running: whether it lives, and whether its database answers.
 * @param ping resolves when the database answers
 */
export function addHealthProbes(server: FastifyInstance, ping: Ping): void {
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async () => {
    const signal = AbortSignal.timeout(PING_TIMEOUT);
    try {
      // A database that hangs may take its time to give up, too.
      await Promise.race([ping(signal), once(signal, 'abort').then(() => signal.throwIfAborted())]);
    } catch (error) {
      if (error instanceof ProtocolError && error.status === 503) throw error;
      throw new ProtocolError(
        'databaseUnavailable',
        'The database does not answer.',
        undefined,
        error,
      );
    }
    return { status: 'ready' };
  });
}
