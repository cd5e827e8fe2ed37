import cors from '@fastify/cors';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What the security headers depend on. */
export interface Surroundings {
  /** Whether the gateway itself speaks TLS: only then may browsers be told to insist on it. */
  readonly isTls: boolean;
  /** Whether pages of other origins are served: what they may read is then decided by CORS. */
  readonly isShared: boolean;
}

/** How long browsers insist on TLS, in seconds: a year. */
const INSIST = 31_536_000;

/**
 * What browsers are told besides: nothing here is a page, to be framed, to run scripts, or to be linked from. Headers that mean
 * something to pages alone are left out. The names below this one are not the gateway's to decide over.
 */
export function securityHeaders({
  isTls,
  isShared,
}: Surroundings): Readonly<Record<string, string>> {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-resource-policy': isShared ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': `max-age=${INSIST}` } : {}),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Which pages of other origins may call the API. */
export interface CorsSettings {
  /** `https://app.example.com`, or `*` alone for all. */
  readonly origins: readonly string[];
  readonly credentials: boolean;
  /** How long browsers may keep the answer to a preflight. */
  readonly maxAgeSeconds: number;
  /** The header that names a session. */
  readonly sessionHeader: string;
}

/** What pages may send beside what they may always send; the names that end in 4D are those of the protocol's login. */
const SENT = [
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
];

/** What pages may read of an answer, beside what they may always read. */
const READ = [
  'X-Request-Id',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Content-Disposition',
];

/** Answers preflights, and puts the headers of CORS on every other answer, errors included (WHATWG Fetch, 3.2). */
export function serveOtherOrigins(
  server: FastifyInstance,
  { origins, credentials, maxAgeSeconds, sessionHeader }: CorsSettings,
): void {
  const options: FastifyCorsOptions = {
    origin: origins.includes('*') ? '*' : [...origins],
    credentials,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [...SENT, sessionHeader],
    exposedHeaders: [...READ, sessionHeader],
    maxAge: maxAgeSeconds,
  };
  server.register(cors, {
    // An OPTIONS that is not a preflight is answered as if there were no CORS.
    delegator: (request: FastifyRequest) =>
      Promise.resolve({ ...options, preflight: isPreflight(request) }),
  });
}

function isPreflight({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
