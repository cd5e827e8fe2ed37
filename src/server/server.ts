import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { errorTable, ProtocolError } from '../base/errors.ts';
import type { Handler } from './handle.ts';
import { Stopwatch } from './stopwatch.ts';

declare module 'fastify' {
  interface FastifyRequest {
    stopwatch: Stopwatch | null;
  }
}

/** What the HTTP server works with. */
export interface ServerParts {
  readonly handle: Handler;
  /** Resolves when the database answers. */
  readonly ping: () => Promise<void>;
  readonly logLevel: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

/** The longest URL and headers that are read, in bytes: long filters have to fit, floods must not. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Builds the HTTP server: the API below `/rest`, the health probes, and every error in the protocol's shape. */
export function buildServer({ handle, ping, logLevel }: ServerParts): FastifyInstance {
  const server = fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    // Requests on open connections are served until the server has closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    // The router would decode the URL, and refuse some; the protocol's grammar needs it as it came.
    rewriteUrl: (request) => (isRest(request) ? '/rest' : (request.url ?? '/')),
    frameworkErrors: (error, _request, reply) => {
      answerError(asProtocolError(error), reply);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  server.decorateRequest('stopwatch', null);
  server.addHook('onRequest', (request, _reply, done) => {
    request.stopwatch = new Stopwatch();
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply.statusCode, reply.elapsedTime);
    done();
  });
  server.setErrorHandler((error: FastifyError | ProtocolError, request, reply) => {
    const refusal = asProtocolError(error);
    if (refusal.status >= 500 && refusal.errorName !== 'notServed') {
      request.log.error({ err: error, cause: refusal.cause }, refusal.message);
    }
    answerError(refusal, reply);
  });
  server.setNotFoundHandler((request, reply) => {
    const path = request.originalUrl.split('?', 1)[0] ?? '/';
    const refusal = isRest({ url: path })
      ? new ProtocolError('verbNotAllowed', `${request.method} does not apply to ${path}.`)
      : new ProtocolError(
          'noSuchPath',
          `Nothing is served at ${path}; the API begins at /rest/$catalog.`,
        );
    if (refusal.errorName === 'verbNotAllowed') void reply.header('allow', 'GET, HEAD');
    answerError(refusal, reply);
  });
  server.get('/rest', async (request, reply) => {
    const text = await handle(request.originalUrl, request.stopwatch ?? new Stopwatch());
    return reply.type(JSON_TYPE).send(text);
  });
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    try {
      await withTimeout(ping(), PING_TIMEOUT);
      return await reply.send({ status: 'ready' });
    } catch {
      return reply.code(errorTable.databaseAway.status).send({ status: 'database away' });
    }
  });
  return server;
}

function answerError(error: ProtocolError, reply: FastifyReply): void {
  void reply.code(error.status).type(JSON_TYPE).send(error.toJsonText());
}

function isRest({ url }: Pick<IncomingMessage, 'url'>): boolean {
  return /^\/rest(?:[/?]|$)/.test(url ?? '');
}

function asProtocolError(error: FastifyError | ProtocolError): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error.statusCode === 413) {
    return new ProtocolError('bodyTooLarge', 'The body is larger than the gateway accepts.');
  }
  if (error.statusCode === 415) {
    return new ProtocolError('badMediaType', 'The body’s content type is not accepted.');
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new ProtocolError('badRequest', `The request cannot be read: ${error.message}`);
  }
  return new ProtocolError(
    'internal',
    'The gateway failed to answer; its log says why.',
    undefined,
    error,
  );
}

/** One line a request: what was asked, how it ended, and where the time went. */
function logResponse(request: FastifyRequest, statusCode: number, elapsed: number): void {
  if (request.originalUrl.startsWith('/health/')) return;
  request.log.info(
    {
      method: request.method,
      url: request.originalUrl,
      statusCode,
      ms: Math.round(elapsed * 1000) / 1000,
      stages: request.stopwatch?.stages,
    },
    'request',
  );
}

/** What never becomes a request: broken HTTP, or headers that are too long. Answered on the socket itself. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ProtocolError(
          'headersTooLarge',
          `The URL and the headers together are longer than ${MAX_HEADER_BYTES} bytes.`,
        )
      : new ProtocolError('badRequest', 'This is no HTTP request that the gateway can read.');
  const body = refusal.toJsonText();
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n` +
      `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

async function withTimeout(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('timeout'));
    }, milliseconds);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
