import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';

/** Where the explorer is served. */
export const EXPLORER_PATH = '/explore/';

/** Whether the explorer is served: it is built, and no application is forwarded in its place. */
export function hasExplorer(server: FastifyInstance): boolean {
  return server.hasRoute({ method: 'GET', url: `${EXPLORER_PATH}index.html` });
}

/** Leads a browser from `/` to the explorer, where it is served; null for all other requests. */
export function toExplorer({ raw, server }: FastifyRequest): Answer | null {
  const isRead = raw.method === 'GET' || raw.method === 'HEAD';
  const isBrowser = raw.headers.accept?.includes('text/html') === true;
  if (raw.url !== '/' || !isRead || !isBrowser || !hasExplorer(server)) return null;
  return { status: 302, headers: { location: EXPLORER_PATH.slice(1), vary: 'accept' }, body: null };
}
