import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';

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
];

/** Answers preflights, and adds the headers of CORS to every other answer, errors included (WHATWG Fetch, 3.2). */
export function serveOtherOrigins(
  server: FastifyInstance,
  { origins, credentials, maxAgeSeconds, sessionHeader }: CorsSettings,
): void {
  const options: FastifyCorsOptions = {
    origin: origins.includes('*') ? '*' : origins,
    credentials,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [...REQUEST_HEADERS, sessionHeader],
    exposedHeaders: [...ANSWER_HEADERS, sessionHeader],
    maxAge: maxAgeSeconds,
  };
  server.register(cors, {
    // An OPTIONS that is not a preflight is answered as if there were no CORS.
    delegator: ({ headers }: FastifyRequest) => {
      const preflight =
        headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
      return Promise.resolve({ ...options, preflight });
    },
  });
}
