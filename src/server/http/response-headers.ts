import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import { isListed, isPreflight } from './admission.ts';

/** How long browsers insist on TLS, in seconds: a year. */
const INSIST = 31_536_000;

/**
 * The security headers of every answer: nothing here is a page to be framed, to run scripts, or to be linked from.
 * @param isTls whether the gateway itself speaks TLS: only then may browsers insist on it
 * @param isShared whether other origins are served: then CORS decides what they may read
 */
export function securityHeaders(
  isTls: boolean,
  isShared: boolean,
): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': isShared ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': `max-age=${INSIST}` } : {}),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** The setting `cors`: the pages of other origins that may call the API. */
export interface CorsSettings extends NonNullable<Config['cors']> {
  readonly sessionHeader: string;
}

/** The headers that pages may send beside those that browsers always allow; the names that end in 4D are those of the protocol's login. */
const REQUEST_HEADERS = [
  'Content-Type',
  'Authorization',
  'api-key',
  'username-4D',
  'password-4D',
  'session-4D-length',
  'X-Requested-With',
  'X-Request-Id',
  'If-Match',
  'If-None-Match',
  'Range',
  'If-Range',
  'Last-Event-ID',
  'traceparent',
  'tracestate',
  'Mcp-Protocol-Version',
];

/** The headers that pages may read beside those that browsers always show. */
const ANSWER_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
  'Location',
  'Entitygate-Deleted',
  'Entitygate-Note',
];

/** The headers by which an answer says what other origins may read. */
export const CORS_HEADERS = [
  'vary',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers preflights itself, as a forwarded application does. */
    ownPreflights?: boolean;
  }
}

/**
 * Answers preflights, and adds the headers of CORS to every other answer to a page, errors included (WHATWG Fetch, 3.2). An answer to a program other than
 * a browser only varies by Origin, so that no cache gives it to a page.
 */
export function serveOtherOrigins(server: FastifyInstance, settings: CorsSettings): void {
  const { origins, credentials, maxAgeSeconds, sessionHeader } = settings;
  const isForAll = origins.includes('*');
  const ofAnswers = {
    ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
    'access-control-expose-headers': [...ANSWER_HEADERS, sessionHeader].join(', '),
  };
  const ofPreflights = {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': [...REQUEST_HEADERS, sessionHeader].join(', '),
    'access-control-max-age': maxAgeSeconds,
  };
  server.addHook('onRequest', ({ routeOptions, method, headers }, reply, done) => {
    const { origin } = headers;
    void reply.header('vary', 'Origin');
    if (origin !== undefined) {
      if (isListed(origin, settings)) {
        void reply.header('access-control-allow-origin', isForAll ? '*' : origin);
      }
      void reply.headers(ofAnswers);
      if (isPreflight(method, headers) && routeOptions.config.ownPreflights !== true) {
        void reply.headers(ofPreflights).code(204).send();
        return;
      }
    }
    done();
  });
}
