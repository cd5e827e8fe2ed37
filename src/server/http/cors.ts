import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

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
    // An OPTIONS that is no preflight is answered as if there were no CORS.
    delegator: (request: FastifyRequest) =>
      Promise.resolve({ ...options, preflight: isPreflight(request) }),
  });
}

function isPreflight({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}
