import type { FastifyInstance } from 'fastify';
import { ProtocolError } from '../base/errors.ts';

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

/**
 * Adds the probes of whoever keeps the process running: whether it lives, and whether its database answers.
 * @param ping resolves when the database answers
 */
export function addHealthProbes(server: FastifyInstance, ping: () => Promise<void>): void {
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async () => {
    try {
      await withTimeout(ping(), PING_TIMEOUT);
    } catch (error) {
      throw new ProtocolError('databaseAway', 'The database does not answer.', undefined, error);
    }
    return { status: 'ready' };
  });
}

async function withTimeout(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${milliseconds} ms`));
    }, milliseconds);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
