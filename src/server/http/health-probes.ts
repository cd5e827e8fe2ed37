import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { ProtocolError } from '../../base/errors.ts';
import type { ReloadFailure } from '../reload/reloads.ts';

/** Resolves when the database answers, whatever the load; rejects when the signal is aborted. */
export type Ping = (signal: AbortSignal) => Promise<void>;

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

export interface ProbeOptions {
  readonly ping: Ping;
  /** Returns the last reload where it failed. */
  readonly reloadFailure?: () => ReloadFailure | null;
  /** Why the state store cannot be used at the moment; null where it can, or there is none. */
  readonly stateProblem?: () => string | null;
  /** What cannot be served as the database has changed, by name, and why. */
  readonly misfits?: () => ReadonlyMap<string, string>;
  /** Whether the sender of a request may know details: an administrator, and everybody where there is no login. */
  readonly mayKnowWhy: (request: FastifyRequest) => Promise<boolean>;
}

/** What it means for clients that the state store cannot be reached. */
const WITHOUT_STATE =
  'Requests that need sessions, entity sets, uploads or locks fail with error 9066; the gateway answers all others.';

const SOME_MISFIT =
  'The database has changed: some dataclasses, functions or reports cannot be served.';

function reloadStatus({ at, problems, more }: ReloadFailure, showDetails: boolean): object {
  const failedAt = new Date(at).toISOString();
  return showDetails ? { failedAt, problems, more } : { failedAt };
}

/** Adds the health probes: whether the process lives, and whether its database answers. The second one also tells of a failed reload, a lost state store and what does not fit the database, and why to administrators. */
export function addHealthProbes(
  server: FastifyInstance,
  {
    ping,
    reloadFailure = () => null,
    stateProblem = () => null,
    misfits = () => new Map(),
    mayKnowWhy,
  }: ProbeOptions,
): void {
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (request) => {
    const signal = AbortSignal.timeout(PING_TIMEOUT);
    try {
      // A database that hangs may not react to the signal.
      await Promise.race([ping(signal), once(signal, 'abort').then(() => signal.throwIfAborted())]);
    } catch (error) {
      if (error instanceof ProtocolError && error.status === 503) throw error;
      const message = 'The database does not answer.';
      throw new ProtocolError('databaseUnavailable', message, undefined, error);
    }
    const [failure, problem, unserved] = [reloadFailure(), stateProblem(), misfits()];
    const isWhole = problem === null && unserved.size === 0;
    if (failure === null && isWhole) return { status: 'ready' };
    const showDetails = await mayKnowWhy(request);
    return {
      status: isWhole ? 'ready' : 'degraded',
      ...(problem !== null && {
        state: showDetails ? `${problem} ${WITHOUT_STATE}` : WITHOUT_STATE,
      }),
      ...(unserved.size > 0 && {
        schema: showDetails ? Object.fromEntries(unserved) : SOME_MISFIT,
      }),
      ...(failure !== null && { reload: reloadStatus(failure, showDetails) }),
    };
  });
}
