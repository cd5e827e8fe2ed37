import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import { ProtocolError } from '../base/errors.ts';
import {
  answerBrokenRequest,
  answerError,
  asProtocolError,
  commonHeaders,
  JSON_TYPE,
} from './answers.ts';
import type { WrittenAnswer } from '../respond/save-writer.ts';
import type { Handler, RestRequest } from './handle.ts';
import type { DebugLog } from './statement-log.ts';
import { Stopwatch } from './stopwatch.ts';
import { BodyGate } from './body-gate.ts';
import { originForm } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    stopwatch: Stopwatch | null;
    /** The header Content-Type as it came. */
    bodyType: string | undefined;
  }
}

/** What the HTTP server works with. */
export interface ServerParts {
  readonly handle: Handler;
  /** Resolves when the database answers. */
  readonly ping: () => Promise<void>;
  readonly logLevel: string;
  /** Where the log goes; standard output when it is left out. */
  readonly logTo?: Writable;
  /** The longest URL and headers that are read: long filters have to fit, floods must not. */
  readonly maxHeaderBytes: number;
  /** The largest body that is read. */
  readonly maxBodyBytes: number;
  /** Runs the work of a request so that its statements reach its log; left out where nothing is logged of them. */
  readonly withStatementLog?: <Result>(
    log: DebugLog,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

/** How long a request may take to arrive, in milliseconds: connections that dawdle are not kept for ever. */
const REQUEST_TIMEOUT = 120_000;

/** The longest URL that a line of the log repeats. */
const LOGGED_URL = 2000;

/** Ids that a caller may give: nothing that could forge or break a line of a log. */
const REQUEST_ID = /^[\w.:@+/=-]{1,128}$/;

/** Builds the HTTP server: the API below `/rest`, the health probes, and every error in the protocol's shape. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const { handle, ping, maxHeaderBytes, maxBodyBytes, withStatementLog } = parts;
  const server = fastify({
    logger: {
      level: parts.logLevel,
      ...(parts.logTo === undefined ? {} : { stream: parts.logTo }),
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestTimeout: REQUEST_TIMEOUT,
    bodyLimit: maxBodyBytes,
    // Requests on open connections are served until the server has closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node would refuse a request without Host with an empty answer.
    http: { maxHeaderSize: maxHeaderBytes, requireHostHeader: false },
    // The router would decode the URL, and refuse some; the protocol's grammar needs it as it came.
    rewriteUrl: (request) => {
      const url = originForm(request.url ?? '/');
      return isRest(url) ? '/rest' : url;
    },
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...commonHeaders, 'x-request-id': request.id });
      answerError(asProtocolError(error), reply);
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, maxHeaderBytes),
  });
  server.decorateRequest('stopwatch', null);
  server.decorateRequest('bodyType', undefined);
  server.addHook('onRequest', (request, reply, done) => {
    request.stopwatch = new Stopwatch();
    void reply.headers({ ...commonHeaders, 'x-request-id': request.id });
    const { httpVersion, headers } = request.raw;
    const hostless = httpVersion === '1.1' && headers.host === undefined;
    done(hostless ? new ProtocolError('badRequest', 'The header Host is missing.') : undefined);
  });
  // A connection that stayed open would hold up the server's end until it had idled long enough.
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply.statusCode, reply.elapsedTime);
    done();
  });
  server.setErrorHandler((error: FastifyError | ProtocolError, request, reply) => {
    const refusal = asProtocolError(error);
    if (refusal.status >= 500 && refusal.errorName !== 'notServed') {
      request.log.error({ err: error }, refusal.message);
    }
    answerError(refusal, reply);
  });
  const gate = new BodyGate(maxBodyBytes);
  // A body is read as bytes, up to the limit, whatever it says it is: what it holds is the protocol's business.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/rest',
    onRequest: (request, _reply, done) => {
      request.bodyType = request.headers['content-type'];
      delete request.headers['content-type'];
      done();
    },
    handler: async (request, reply) => {
      const asked = restRequest(request);
      const answer = (): Promise<WrittenAnswer> =>
        gate.through(asked.body?.bytes.length ?? 0, () =>
          handle(asked, request.stopwatch ?? new Stopwatch()),
        );
      const { status, text, problems } = await (withStatementLog?.(request.log, answer) ??
        answer());
      for (const problem of problems ?? []) request.log.error({ err: problem }, problem.message);
      return reply.code(status).type(JSON_TYPE).send(text);
    },
  });
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async (_request, reply) => {
    try {
      await withTimeout(ping(), PING_TIMEOUT);
    } catch (error) {
      throw new ProtocolError('databaseAway', 'The database does not answer.', undefined, error);
    }
    return reply.send({ status: 'ready' });
  });
  server.setNotFoundHandler((request, reply) => {
    const path = originForm(request.originalUrl).split('?', 1)[0] ?? '/';
    if (isRest(path) || server.hasRoute({ method: 'GET', url: path })) {
      void reply.header('allow', isRest(path) ? 'GET, HEAD, POST, PUT, DELETE' : 'GET, HEAD');
      answerError(
        new ProtocolError('verbNotAllowed', `${request.method} does not apply to ${path}.`),
        reply,
      );
      return;
    }
    answerError(
      new ProtocolError(
        'noSuchPath',
        `Nothing is served at ${path}; the API begins at /rest/$catalog.`,
      ),
      reply,
    );
  });
  return server;
}

function restRequest({ method, originalUrl, body, bodyType }: FastifyRequest): RestRequest {
  const verb = method === 'HEAD' ? 'GET' : (method as RestRequest['verb']);
  return {
    verb,
    url: originForm(originalUrl),
    body: Buffer.isBuffer(body) ? { contentType: bodyType, bytes: body } : null,
  };
}

/** The id that a proxy gave the request, so that its log and ours can be laid side by side, or a new one. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

function isRest(url: string): boolean {
  return /^\/rest(?:[/?]|$)/.test(url);
}

/** One line a request: what was asked, how it ended, and where the time went. */
function logResponse(request: FastifyRequest, statusCode: number, elapsed: number): void {
  const { method, originalUrl } = request;
  if (originalUrl.startsWith('/health/')) return;
  request.log.info(
    {
      method,
      url: originalUrl.length > LOGGED_URL ? `${originalUrl.slice(0, LOGGED_URL)}…` : originalUrl,
      statusCode,
      ms: Math.round(elapsed * 1000) / 1000,
      stages: request.stopwatch?.stages,
    },
    'request',
  );
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
