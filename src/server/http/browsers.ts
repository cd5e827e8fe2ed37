import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';

/** Where the explorer is served. */
export const EXPLORER_PATH = '/explore/';

/** Where it is from the root of the gateway, whatever path a proxy puts before that. */
export const EXPLORER_LINK = EXPLORER_PATH.slice(1);

/** Whether a request is a browser's, for a page to show. */
export function wantsPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** Whether the explorer is served: it is built, and no application is forwarded in its place. */
export function hasExplorer(server: FastifyInstance): boolean {
  return server.hasRoute({ method: 'GET', url: `${EXPLORER_PATH}index.html` });
}

/** Leads a browser from `/` to the explorer, where it is served; null for all other requests. */
export function toExplorer({ raw, server }: FastifyRequest): Answer | null {
  const isRead = raw.method === 'GET' || raw.method === 'HEAD';
  if (raw.url !== '/' || !isRead || !wantsPage(raw) || !hasExplorer(server)) return null;
  return { status: 302, headers: { location: EXPLORER_LINK, vary: 'accept' }, body: null };
}
