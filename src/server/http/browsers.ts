import type { FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';

/** Where the explorer is served. */
export const EXPLORER_PATH = '/explore/';

/** Leads a browser from `/` to the explorer, where it is served; null for all other requests. */
export function toExplorer({ raw, server }: FastifyRequest): Answer | null {
  const isBrowser = raw.headers.accept?.includes('text/html') === true;
  const isLed =
    isBrowser && raw.url === '/' && server.hasRoute({ method: 'GET', url: EXPLORER_PATH });
  if (!isLed || (raw.method !== 'GET' && raw.method !== 'HEAD')) return null;
  return { status: 302, headers: { location: EXPLORER_PATH, vary: 'accept' }, body: null };
}
