import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
} from 'node:http';
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Answer } from '../answer/answer.ts';
import { ProtocolError } from '../base/errors.ts';
import type { Observer } from '../base/observe/observer.ts';
import {
  type AdmissionSettings,
  checkHeads,
  isOwnHost,
  keepAddresses,
  limitRate,
  originForm,
  type RateLimit,
} from './http/admission.ts';
import { idleConnections, oneAtATime, SlowReaders } from './http/connections.ts';
import { isResumed, readRawRequest, serveRawRequest } from './http/raw-letters.ts';
import { addHealthProbes, type ProbeOptions } from './http/health-probes.ts';
import { observeRequest, requestContextOf, heldBy, send } from './http/reply.ts';
import type { serveExplorer } from './explorer.ts';
import { EXPLORER_PATH, hasExplorer, toExplorer } from './http/browsers.ts';
import {
  CORS_HEADERS,
  type CorsSettings,
  securityHeaders,
  serveOtherOrigins,
} from './http/response-headers.ts';
import { HANDSHAKE_TIMEOUT, keepTlsFresh, type TlsSettings } from './http/tls.ts';
import { KNOWN_VERBS } from './pipeline/allowed-verbs.ts';
import {
  answerBrokenRequest,
  answerOf,
  answerOnSocket,
  closingUnread,
  commonHeaders,
  reportError,
} from './pipeline/error-answers.ts';
import {
  allowedFor,
  type Handling,
  isAdministrator,
  isRest,
  restPlugin,
  type Served,
} from './rest.ts';
import { MCP_PATH } from '../config/settings/mcp.ts';
import { METRICS_PATH } from '../config/settings/metrics.ts';
import { METADATA_PATH, RESOURCES } from './http/protected-resource.ts';
import { serveResourceMetadata } from './http/resource-metadata.ts';
import type { serveMcp } from './mcp/plugin.ts';
import type { serveSignIn } from './sign-in/plugin.ts';
import { CALLBACK_PATH, LOGOUT_PATH, SIGN_IN_PATH } from '../config/settings/oidc.ts';
import type { ProxySettings, serveProxies } from './proxy/plugin.ts';
import { type FindRoute, FORWARDED_VERBS, routeFinder } from './proxy/routes.ts';
import { type RoleMetrics, serveByRole } from './telemetry/telemetry.ts';

export interface ServerOptions extends AdmissionSettings, Omit<ProbeOptions, 'mayKnowWhy'> {
  readonly served: Served;
  readonly observer: Observer;
  readonly log: FastifyBaseLogger;
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** Whether long answers are compressed for clients that ask for it; so by default. */
  readonly compression?: boolean;
  readonly tls?: TlsSettings | undefined;
  /** Addresses and networks whose forwarded headers count. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly cors?: CorsSettings | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly proxy?: (ProxySettings & { readonly serve: typeof serveProxies }) | undefined;
  /** Metrics for users with a role; left out, the port does not serve them. */
  readonly metrics?: RoleMetrics | undefined;
  /** Serves the explorer; left out where it is not served. */
  readonly explorer?: typeof serveExplorer | undefined;
  /** Serves agents; left out where they are not served. */
  readonly mcp?: typeof serveMcp | undefined;
  /** Has people sign in at an identity provider; left out where they do not. */
  readonly signIn?: typeof serveSignIn | undefined;
}

/** How long a request may take to arrive, the wait for its body's memory included, in milliseconds. */
const REQUEST_TIMEOUT = 600_000;

/** How long an idle connection is kept open, in milliseconds: longer than proxies keep theirs, so that no proxy sends into a closed connection. */
const KEEP_ALIVE = 72_000;

/** How much of all answers may wait for their clients, in bytes. */
const MAX_WAITING_BYTES = 268_435_456;

/** The ids that a client may give: they cannot forge or break a line of the log. */
const REQUEST_ID = /^[\w.:@+/=-]{1,128}$/;

type Headers = Readonly<Record<string, string>>;

/** Builds the HTTP server: the API below `/rest`, the health probes, forwarding, and every error in the protocol's shape. */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { served, maxHeaderBytes, maxBodyBytes, compression = true } = options;
  const {
    tls,
    cors,
    trustedProxies = [],
    rateLimit,
    proxy,
    explorer,
    mcp,
    metrics,
    signIn,
  } = options;
  const find = routeFinder(proxy?.routes ?? [], [
    ...(metrics === undefined ? [] : [METRICS_PATH]),
    ...(mcp === undefined ? [] : [MCP_PATH]),
    ...(signIn === undefined ? [] : [SIGN_IN_PATH, CALLBACK_PATH, LOGOUT_PATH]),
    ...(served.handling.resource.issuers === null
      ? []
      : RESOURCES.map((resource) => `${METADATA_PATH}${resource}`)),
  ]);
  const isServed = (url: string): boolean => isRest(url) || find(url) !== null;
  const forBrowsers = {
    ...commonHeaders,
    ...securityHeaders(tls !== undefined, cors !== undefined),
  };
  const server = fastify({
    serverFactory: (handler) => httpServer(options, handler),
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    schemaController: noSchemas,
    // Requests on open connections are served until the server has closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    // Runs first, before anything reads the client's address.
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
      // An application gets what its client sent, which an escaped URL would not be.
      if (raw === null || !socket.writable || find(originForm(raw.url)) !== null) {
        answerBrokenRequest(error, socket, maxHeaderBytes, forBrowsers);
        return;
      }
      serveRawRequest(server.server, raw, socket);
    },
  });
  if (tls !== undefined) {
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
  addHooks(server, options.observer, forBrowsers);
  listenToSpecialRequests(server, isServed, forBrowsers);
  // Node would silently drop the headers beyond its limit, such as If-Match or a second Host. Their bytes are limited.
  server.server.maxHeadersCount = 0;
  // Only plugins that read bodies add parsers.
  server.removeAllContentTypeParsers();
  server.setErrorHandler((error, request, reply) => {
    // Fastify demands a content type of QUERY, even where nothing answers to it.
    if (request.method === 'QUERY' && request.is404) {
      return nothingThere(request, find, served.handling).then((answer) => send(answer, reply));
    }
    reportError(error, requestContextOf(request).observer);
    return send(answerOf(error, closingUnread(request.raw)), reply);
  });
  server.setNotFoundHandler(async (request, reply) =>
    send(toExplorer(request) ?? (await nothingThere(request, find, served.handling)), reply),
  );
  server.addHook('preClose', (done) => {
    served.handling.endStreams();
    done();
  });
  addHealthProbes(server, {
    ...options,
    mayKnowWhy: async (request) => {
      const { unauthenticatedHosts: hosts } = served.handling;
      if (hosts === null) return isAdministrator(request, served.handling);
      return isOwnHost(request, hosts);
    },
  });
  if (metrics !== undefined) serveByRole(server, metrics, served);
  if (cors !== undefined) serveOtherOrigins(server, cors);
  server.after(() => checkHeads(server, options));
  if (rateLimit !== undefined) limitRate(server, rateLimit);
  server.register(restPlugin, { served, maxBodyBytes, compression });
  mcp?.(server, { served, maxBodyBytes, maxUrlBytes: options.maxUrlBytes ?? maxHeaderBytes });
  serveResourceMetadata(server, served);
  signIn?.(server, served);
  if (proxy !== undefined) {
    const ownHeaders = [...Object.keys(forBrowsers), ...CORS_HEADERS];
    proxy.serve(server, find, { ...proxy, served, ownHeaders });
  }
  explorer?.(server, find);
  return server;
}

/** Without schemas, Fastify's compilers need not be loaded. */
const noSchemas = {
  compilersFactory: { buildValidator: compilesNothing, buildSerializer: compilesNothing },
};

function compilesNothing(): never {
  throw new Error('no route has a schema');
}

/** Answers a request for an unknown path, or with a verb that the path does not know. */
async function nothingThere(
  request: FastifyRequest,
  find: FindRoute,
  handling: Pick<Handling, 'admit'>,
): Promise<Answer> {
  const { originalUrl, method, server } = request;
  const url = originForm(originalUrl);
  const path = url.split('?', 1)[0] ?? '/';
  const isForwarded = find(url) !== null;
  // The router takes * and : for patterns, and refuses patterns other than its own.
  const served = /[*:]/.test(path)
    ? []
    : (['GET', 'HEAD', 'POST', 'DELETE'] as const).filter((verb) =>
        server.hasRoute({ method: verb, url: path }),
      );
  const isThere = served.length > 0;
  const own = [...served, 'OPTIONS'].join(', ');
  if (method === 'OPTIONS' && (isThere || path === '*')) {
    return { status: 204, headers: { allow: isThere ? own : KNOWN_VERBS }, body: null };
  }
  if (!isRest(path) && !isForwarded && !isThere) {
    return answerOf(new ProtocolError('noSuchPath', nothingAt(path, server)));
  }
  const message = `${method} does not apply to ${path}.`;
  const elsewhere = isForwarded ? FORWARDED_VERBS.join(', ') : own;
  const allow = isRest(path) ? await allowedFor(request, handling) : elsewhere;
  return answerOf(new ProtocolError('verbNotAllowed', message), { allow });
}

/** The paths of other servers, and what is here in their place. */
const GUESSES: readonly (readonly [path: RegExp, here: string])[] = [
  [
    /^\/(?:.*\/)?(?:open-?api|swagger|api-docs|redoc|docs?)(?:[/._-].*)?$/i,
    'The OpenAPI document is at /rest/$openapi',
  ],
  [
    /^\/(?:.*\/)?(?:health[\w-]*|live(?:z|ness)?|ready(?:z|iness)?|ping|status)(?:\/.*)?$/i,
    'The health of the gateway is at /health/live and /health/ready',
  ],
];

/** Says what there is in place of a path. */
function nothingAt(path: string, server: FastifyInstance): string {
  const agents = server.hasRoute({ method: 'POST', url: MCP_PATH })
    ? `Agents are served at ${MCP_PATH}`
    : 'Agents are not served here';
  const isOfAgents = path.startsWith(MCP_PATH);
  const [, guessed = isOfAgents ? agents : undefined] =
    GUESSES.find(([guess]) => guess.test(path)) ?? [];
  const more = guessed === undefined ? '' : ` ${guessed}.`;
  const explorer = hasExplorer(server) ? `, the explorer at ${EXPLORER_PATH}` : '';
  return `There is nothing at ${path}.${more} The API begins at /rest/$catalog${explorer}.`;
}

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

/** Gives every request its observer, and every answer an id, the common headers, and limits on a slow client. */
function addHooks(server: FastifyInstance, observe: Observer, headers: Headers): void {
  const readers = new SlowReaders(MAX_WAITING_BYTES);
  const closeIdle = idleConnections(server.server);
  let isClosing = false;
  server.addHook('preClose', (done) => {
    isClosing = true;
    closeIdle();
    done();
  });
  server.decorateRequest('requestContext', null);
  server.addHook('onRequest', (request, reply, done) => {
    request.requestContext = observeRequest(request, reply, observe);
    void reply.headers(headers).header('x-request-id', request.id);
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that stayed open would delay the server's end until it has idled long enough.
    if (isClosing) void reply.header('connection', 'close');
    readers.watch(reply.raw, Number(reply.getHeader('content-length') ?? 0), heldBy(payload));
    done();
  });
}

/**
 * Serves requests with Expect as all other requests. A client that asks before it sends a body (RFC 9110, 10.1.1) may continue when the API has memory for it,
 * or the request may be forwarded; elsewhere at once. CONNECT, which never becomes a request, is refused.
 */
function listenToSpecialRequests(
  { server }: FastifyInstance,
  isServed: (url: string) => boolean,
  headers: Headers,
): void {
  server.on('checkContinue', (request, response) => {
    if (!isServed(originForm(request.url ?? '/'))) response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    const refusal = new ProtocolError('verbNotAllowed', 'CONNECT is not supported.');
    answerOnSocket(refusal, socket, { ...headers, allow: KNOWN_VERBS });
  });
}

/** The id that a proxy gave the request, so that both logs can be compared, or a new one. */
function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
