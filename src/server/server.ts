import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
} from 'node:http';
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https';
import type { Writable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { ProtocolError } from '../base/errors.ts';
import type { Observer, RequestLogger } from '../base/observe/observer.ts';
import type { Answer } from '../answer/answer.ts';
import { KNOWN_VERBS } from './pipeline/allowed-verbs.ts';
import { attend } from './pipeline/attendance.ts';
import {
  type AdmissionSettings,
  keepAddresses,
  limitRate,
  originForm,
  refuseUnseen,
} from './http/admission.ts';
import { type CorsSettings, securityHeaders, serveOtherOrigins } from './http/response-headers.ts';
import {
  answerBrokenRequest,
  answerOf,
  answerOnSocket,
  closingUnread,
  commonHeaders,
  reportError,
} from './pipeline/error-answers.ts';
import type { Handling } from './pipeline/handle.ts';
import { logBase, standardOutput, takingLines } from './http/log-output.ts';
import { OtherWorkers, type OtherWorkersSettings } from './http/other-workers.ts';
import type { ProxySettings, serveProxies } from './proxy/plugin.ts';
import { type FindRoute, FORWARDED_VERBS, routeFinder } from './proxy/routes.ts';
import { oneAtATime } from './http/one-at-a-time.ts';
import { isResumed, readRawRequest, serveRawRequest } from './http/raw-letters.ts';
import { addHealthProbes, attendanceOf, heldBy, type Ping, send } from './http/reply.ts';
import { allowedFor, isRest, restPlugin } from './rest.ts';
import { SlowReaders } from './http/slow-readers.ts';
import { HANDSHAKE_TIMEOUT, keepTlsFresh, type TlsSettings } from './http/tls.ts';

/** What the HTTP server works with. */
export interface ServerOptions extends Handling, AdmissionSettings {
  readonly ping: Ping;
  /** Who hears of the requests, given the server's log. */
  readonly observer: (log: RequestLogger) => Observer;
  readonly logLevel: string;
  /** Where the log goes; standard output when it is left out. */
  readonly logTo?: Writable;
  /** The longest URL and headers that are read: long filters have to fit, floods must not. */
  readonly maxHeaderBytes: number;
  /** The largest body that is read. */
  readonly maxBodyBytes: number;
  /** Serve HTTPS in place of HTTP. */
  readonly tls?: TlsSettings | undefined;
  /** Addresses and networks whose forwarded headers count. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Which pages of other origins may call the API; none where it is left out. */
  readonly cors?: CorsSettings | undefined;
  /** How many requests each client may send; as many as it likes where it is left out. */
  readonly requestsPerMinute?: number | undefined;
  /** What is forwarded to other applications; nothing where it is left out. */
  readonly proxy?: (ProxySettings & { readonly serve: typeof serveProxies }) | undefined;
  /** The processes that serve together with this one; none where it is left out. */
  readonly workers?: OtherWorkersSettings | undefined;
}

/**
 * How long a request may take to arrive, the wait for a place for its body included, in milliseconds: connections that dawdle are
 * not kept for ever.
 */
const REQUEST_TIMEOUT = 600_000;

/** How long a connection is kept open for its next request, in milliseconds: longer than proxies keep theirs, so that none of them sends into a closed one. */
const KEEP_ALIVE = 72_000;

/** How much of all answers may wait for their clients, in bytes. */
const MOST_WAITING_BYTES = 268_435_456;

/** Ids that a caller may give: nothing that could forge or break a line of a log. */
const REQUEST_ID = /^[\w.:@+/=-]{1,128}$/;

/** Builds the HTTP server: the API below `/rest`, the health probes, what is forwarded, and every error in the protocol's shape. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const {
    admit,
    handle,
    failed,
    refusalHeaders,
    ping,
    maxHeaderBytes,
    maxBodyBytes,
    logLevel,
    logTo,
    tls,
    cors,
  } = options;
  const { trustedProxies = [], requestsPerMinute, proxy, workers } = options;
  const find = routeFinder(proxy?.routes ?? []);
  const isServed = (url: string): boolean => isRest(url) || find(url) !== null;
  const others = workers === undefined ? null : new OtherWorkers(workers, isServed);
  const forBrowsers = {
    ...commonHeaders,
    ...securityHeaders({ isTls: tls !== undefined, isShared: cors !== undefined }),
  };
  const base = logBase(workers?.peers.place.slot ?? null);
  const stream = logTo ?? standardOutput(workers !== undefined);
  const server = fastify({
    serverFactory: (handle) => httpServer(options, others?.handing(handle) ?? handle),
    logger: {
      level: logLevel,
      stream,
      base,
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    schemaController: noSchemas,
    // Requests on open connections are served until the server has closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    // The first that is asked about a request, before anybody wants to know its address.
    rewriteUrl: (request) => {
      keepAddresses(request.headers);
      const url = originForm(request.url ?? '/');
      return isRest(url) ? '/rest' : (find(url)?.prefix ?? url);
    },
    frameworkErrors: (error, request, reply) => {
      void reply.headers({ ...forBrowsers, 'x-request-id': request.id });
      void send(answerOf(error), reply);
    },
    clientErrorHandler: (error, socket) => {
      if (isResumed(socket)) return;
      const packet: unknown = error.rawPacket;
      const raw = Buffer.isBuffer(packet) ? readRawRequest(packet) : null;
      // An application is forwarded what its client sent, which this would not be.
      if (raw === null || !socket.writable || find(originForm(raw.url)) !== null) {
        answerBrokenRequest(error, socket, { maxHeaderBytes, headers: forBrowsers });
        return;
      }
      serveRawRequest(server.server, raw, socket);
    },
  });
  if (logTo === undefined) standardOutput(workers !== undefined).tellLossesIn(server.log);
  if (tls !== undefined) renewCertificate(server, tls);
  attendToRequests(server, options.observer(takingLines(server.log, base, stream)), forBrowsers);
  sayWhenClosing(server);
  watchSlowReaders(server);
  continueInTime(server, find);
  refuseTunnels(server, forBrowsers);
  // Those beyond Node's limit would not be read, and not be missed: If-Match, or a second Host. Their bytes are limited.
  server.server.maxHeadersCount = 0;
  // A plugin that reads bodies says how; where nothing is served no body is read.
  server.removeAllContentTypeParsers();
  server.setErrorHandler((error, request, reply) => {
    // Fastify asks of QUERY what type its body is, whether anything answers to it or not.
    if (request.method === 'QUERY' && request.is404) {
      return nothingThere(request, find, options).then((answer) => send(answer, reply));
    }
    reportError(error, attendanceOf(request).observer);
    return send(answerOf(error, closingUnread(request.raw)), reply);
  });
  server.setNotFoundHandler(async (request, reply) =>
    send(await nothingThere(request, find, options), reply),
  );
  addHealthProbes(server, ping);
  if (cors !== undefined) serveOtherOrigins(server, cors);
  server.after(() => refuseUnseen(server, options));
  if (requestsPerMinute !== undefined) limitRate(server, requestsPerMinute);
  server.register(restPlugin, { admit, handle, failed, refusalHeaders, maxBodyBytes });
  if (proxy !== undefined) {
    const ownHeaders = Object.keys(forBrowsers);
    proxy.serve(server, find, { ...proxy, admit, refusalHeaders, ownHeaders, others });
  }
  others?.serve(server);
  return server;
}

/** No route has a schema: what Fastify would compile them with need not be loaded. */
const noSchemas = {
  compilersFactory: { buildValidator: compilesNothing, buildSerializer: compilesNothing },
};

function compilesNothing(): never {
  throw new Error('no route has a schema');
}

/** The answer to what nothing is there for: no path, or none that the verb applies to. */
async function nothingThere(
  request: FastifyRequest,
  find: FindRoute,
  handling: Pick<Handling, 'admit'>,
): Promise<Answer> {
  const { originalUrl, method, server } = request;
  const url = originForm(originalUrl);
  const path = url.split('?', 1)[0] ?? '/';
  const isForwarded = find(url) !== null;
  // The router takes a * for a pattern, and refuses others than its own.
  const isThere = !path.includes('*') && server.hasRoute({ method: 'GET', url: path });
  const isOptions = method === 'OPTIONS';
  if (isOptions && (isThere || path === '*')) {
    const allow = path === '*' ? KNOWN_VERBS : 'GET, HEAD, OPTIONS';
    return { status: 204, headers: { allow }, body: null };
  }
  if (!isRest(path) && !isForwarded && !isThere) {
    const message = `Nothing is served at ${path}; the API begins at /rest/$catalog.`;
    return answerOf(new ProtocolError('noSuchPath', message));
  }
  const message = `${method} does not apply to ${path}.`;
  const others = isForwarded ? FORWARDED_VERBS.join(', ') : 'GET, HEAD, OPTIONS';
  const allow = isRest(path) ? await allowedFor(request, handling) : others;
  return answerOf(new ProtocolError('verbNotAllowed', message), { allow });
}

/** HTTP or HTTPS, of which Fastify knows the types apart: both are served alike. */
function httpServer({ maxHeaderBytes, tls }: ServerOptions, handle: RequestListener): HttpServer {
  const settings = {
    maxHeaderSize: maxHeaderBytes,
    // Node would refuse a request without Host with an empty answer.
    requireHostHeader: false,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE,
  };
  const listener = oneAtATime(handle);
  if (tls === undefined) return createServer(settings, listener);
  const secure = { ...settings, ...tls.pair, handshakeTimeout: HANDSHAKE_TIMEOUT };
  return createSecureServer(secure, listener);
}

function renewCertificate(server: FastifyInstance, tls: TlsSettings): void {
  let end = (): void => undefined;
  server.addHook('onReady', (done) => {
    end = keepTlsFresh(server.server as unknown as HttpsServer, tls, server.log);
    done();
  });
  server.addHook('onClose', (_instance, done) => {
    end();
    done();
  });
}

/** Every request has an observer from its beginning to its end, and its answer an id and the headers that all have. */
function attendToRequests(
  server: FastifyInstance,
  observe: Observer,
  headers: Readonly<Record<string, string>>,
): void {
  server.decorateRequest('attendance', null);
  server.addHook('onRequest', (request, reply, done) => {
    request.attendance = attend(request, reply, observe);
    void reply.headers(headers).header('x-request-id', request.id);
    done();
  });
}

/** What waits for clients that do not read may not fill the memory, nor stay for ever. */
function watchSlowReaders(server: FastifyInstance): void {
  const readers = new SlowReaders(MOST_WAITING_BYTES);
  server.addHook('onSend', (_request, reply, payload, done) => {
    readers.watch(reply.raw, Number(reply.getHeader('content-length') ?? 0), heldBy(payload));
    done();
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

/**
 * Who asks before it sends a body to the API (RFC 9110, 10.1.1) is answered when there is room for it, and what is forwarded when it may be; others at
 * once.
 */
function continueInTime({ server }: FastifyInstance, find: FindRoute): void {
  server.on('checkContinue', (request, response) => {
    const url = originForm(request.url ?? '/');
    if (!isRest(url) && find(url) === null) response.writeContinue();
    server.emit('request', request, response);
  });
  // Whatever else is asked for is refused as any request is.
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
}

/** CONNECT asks a proxy for a tunnel, and becomes no request. */
function refuseTunnels(
  { server }: FastifyInstance,
  headers: Readonly<Record<string, string>>,
): void {
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    const refusal = new ProtocolError('verbNotAllowed', 'CONNECT applies to nothing here.');
    answerOnSocket(refusal, socket, { ...headers, allow: KNOWN_VERBS });
  });
}

/** The id that a proxy gave the request, so that its log and ours can be laid side by side, or a new one. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
