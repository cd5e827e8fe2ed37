import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import fastify, { LogController, type FastifyInstance } from 'fastify';
import { ProtocolError } from '../base/errors.ts';
import type { Observer } from '../observe/observer.ts';
import type { Logger } from '../observe/request-log.ts';
import { allowedVerbs } from './allowed-verbs.ts';
import { attend } from './attendance.ts';
import { answerBrokenRequest, answerOf, commonHeaders, reportError } from './error-answers.ts';
import type { Handling } from './handle.ts';
import { addHealthProbes, type Ping } from './health.ts';
import { readRawRequest, serveRawRequest } from './raw-letters.ts';
import { attendanceOf, send } from './reply.ts';
import { isRest, restPlugin } from './rest.ts';
import { originForm } from './target.ts';

/** What the HTTP server works with. */
export interface ServerOptions extends Handling {
  readonly ping: Ping;
  /** Who hears of the requests, given the server's log. */
  readonly observer: (log: Logger) => Observer;
  readonly logLevel: string;
  /** Where the log goes; standard output when it is left out. */
  readonly logTo?: Writable;
  /** The longest URL and headers that are read: long filters have to fit, floods must not. */
  readonly maxHeaderBytes: number;
  /** The largest body that is read. */
  readonly maxBodyBytes: number;
}

/**
 * How long a request may take to arrive, the wait for a place for its body included, in milliseconds: connections that dawdle are
 * not kept for ever.
 */
const REQUEST_TIMEOUT = 600_000;

/** Ids that a caller may give: nothing that could forge or break a line of a log. */
const REQUEST_ID = /^[\w.:@+/=-]{1,128}$/;

/** Builds the HTTP server: the API below `/rest`, the health probes, and every error in the protocol's shape. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { admit, handle, challenges, ping, maxHeaderBytes, maxBodyBytes, logLevel, logTo } =
    options;
  const server = fastify({
    logger: { level: logLevel, ...(logTo === undefined ? {} : { stream: logTo }) },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestTimeout: REQUEST_TIMEOUT,
    // Requests on open connections are served until the server has closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node would refuse a request without Host with an empty answer.
    http: { maxHeaderSize: maxHeaderBytes, requireHostHeader: false },
    rewriteUrl: (request) => {
      const url = originForm(request.url ?? '/');
      return isRest(url) ? '/rest' : url;
    },
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...commonHeaders, 'x-request-id': request.id });
      void send(answerOf(error), reply);
    },
    clientErrorHandler: (error, socket) => {
      const packet: unknown = error.rawPacket;
      const raw = Buffer.isBuffer(packet) ? readRawRequest(packet) : null;
      if (raw === null || !socket.writable) {
        answerBrokenRequest(error, socket, maxHeaderBytes);
        return;
      }
      serveRawRequest(server, raw, socket).catch(() => socket.destroy());
    },
  });
  attendToRequests(server, options.observer(server.log));
  sayWhenClosing(server);
  continueInTime(server);
  // A plugin that reads bodies says how; where nothing is served no body is read.
  server.removeAllContentTypeParsers();
  server.setErrorHandler((error, request, reply) => {
    reportError(error, attendanceOf(request).observer);
    return send(answerOf(error), reply);
  });
  server.setNotFoundHandler((request, reply) => {
    const url = originForm(request.originalUrl);
    const path = url.split('?', 1)[0] ?? '/';
    if (!isRest(path) && !server.hasRoute({ method: 'GET', url: path })) {
      const message = `Nothing is served at ${path}; the API begins at /rest/$catalog.`;
      return send(answerOf(new ProtocolError('noSuchPath', message)), reply);
    }
    const message = `${request.method} does not apply to ${path}.`;
    const allow = isRest(path) ? allowedVerbs(url) : 'GET, HEAD';
    return send(answerOf(new ProtocolError('verbNotAllowed', message), { allow }), reply);
  });
  addHealthProbes(server, ping);
  server.register(restPlugin, { admit, handle, challenges, maxBodyBytes });
  return server;
}

/** Every request has an observer from its beginning to its end, and an id in its answer. */
function attendToRequests(server: FastifyInstance, observe: Observer): void {
  server.decorateRequest('attendance', null);
  server.addHook('onRequest', (request, reply, done) => {
    const { id, raw } = request;
    request.attendance = attend(request, reply, observe);
    void reply.headers({ ...commonHeaders, 'x-request-id': id });
    const hostless = raw.httpVersion === '1.1' && raw.headers.host === undefined;
    done(hostless ? new ProtocolError('badRequest', 'The header Host is missing.') : undefined);
  });
}

/** A connection that stayed open would hold up the server's end until it had idled long enough. */
function sayWhenClosing(server: FastifyInstance): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close');
    done();
  });
}

/** Who asks before it sends a body to the API (RFC 9110, 10.1.1) is answered when there is room for it; elsewhere at once. */
function continueInTime({ server }: FastifyInstance): void {
  server.on('checkContinue', (request, response) => {
    if (!isRest(originForm(request.url ?? '/'))) response.writeContinue();
    server.emit('request', request, response);
  });
}

/** The id that a proxy gave the request, so that its log and ours can be laid side by side, or a new one. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
