import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import { isProbe } from './health.ts';

/** How many clients are counted at once, so that memory is bounded; of more, those that were seen last are. */
const MOST_CLIENTS = 20_000;

const MINUTE = 60_000;

/** A client's address. Of IPv6 it is the network: a client has as many addresses of its own as it likes (RFC 4291, 2.5.4). */
function addressOf({ ip }: FastifyRequest): string {
  return normalizeIP(ip);
}

/**
 * Refuses what a client sends beyond its share, on every path but the probes' and before a body is read.
 * Minutes are counted from a client's first request, so that it may send twice as many across the border of two.
 */
export function limitRate(server: FastifyInstance, requestsPerMinute: number): void {
  server.register(rateLimit, {
    global: false,
    max: requestsPerMinute,
    timeWindow: MINUTE,
    keyGenerator: addressOf,
    cache: MOST_CLIENTS,
  });
  server.after(() => {
    const count = server.createRateLimit();
    server.addHook('onRequest', async (request, reply) => {
      if (isProbe(request)) return;
      const counted = await count(request);
      if (counted.isAllowed || !counted.isExceeded) return;
      const seconds = Math.max(1, counted.ttlInSeconds);
      void reply.header('retry-after', seconds);
      throw new ProtocolError(
        'tooManyRequests',
        `A client may send ${requestsPerMinute} ${requestsPerMinute === 1 ? 'request' : 'requests'} a minute. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      );
    });
  });
}
