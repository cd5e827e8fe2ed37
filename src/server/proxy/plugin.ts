import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import {
  type CrossOrigins,
  isListed,
  isPreflight,
  originForm,
  refuseCrossSite,
} from '../http/admission.ts';
import { answerHeaders, type AnswerHeaders, HOPS, listed, requestHeaders } from './headers.ts';
import { requestContextOf } from '../http/reply.ts';
import { notLoggedIn } from '../pipeline/caller.ts';
import type { Served } from '../rest.ts';
import {
  applicationError,
  applicationOf,
  askUpgrade,
  type Carried,
  CARRIED,
} from './application.ts';
import { basePath, type FindRoute, FORWARDED_VERBS, type ProxyRoute, targetOf } from './routes.ts';
import { serveUpgrades, Tunnels, type Upgrade, upgradeOf } from './upgrades.ts';

export interface ProxySettings {
  readonly routes: readonly ProxyRoute[];
  readonly sessionNames: SessionNames;
  readonly crossOrigins: CrossOrigins;
}

interface Shared extends ProxySettings {
  readonly served: Served;
  readonly tunnels: Tunnels;
  /** The id of this gateway, by which it recognises its own requests. */
  readonly hop: string;
  /** The headers for browsers that the gateway's own answers have. */
  readonly ownHeaders: readonly string[];
}

interface Forwarding extends Shared {
  readonly route: ProxyRoute;
}

/**
 * Forwards requests below each prefix to its application. The server's router has to be given the prefix in place of each URL, as it would decode
 * them, and refuse those in other encodings than UTF-8. @param find the finder of the same routes
 */
export function serveProxies(
  server: FastifyInstance,
  find: FindRoute,
  settings: Omit<Shared, 'tunnels' | 'hop'>,
): void {
  for (const verb of FORWARDED_VERBS) {
    if (!server.supportedMethods.includes(verb)) server.addHttpMethod(verb, { hasBody: true });
  }
  const shared: Shared = { ...settings, tunnels: new Tunnels(), hop: randomUUID() };
  if (settings.routes.some(({ webSocket }) => webSocket)) {
    serveUpgrades(server, (url) => find(url)?.webSocket === true);
    server.addHook('preClose', (done) => {
      shared.tunnels.close();
      done();
    });
  }
  for (const route of settings.routes) {
    const plugin: FastifyPluginCallback = (instance, _options, done) => {
      forwardTo(instance, { ...shared, route });
      done();
    };
    server.register(plugin, route.prefix === '/' ? {} : { prefix: route.prefix });
  }
}

function forwardTo(server: FastifyInstance, forwarding: Forwarding): void {
  const { route, sessionNames } = forwarding;
  const { dispatcher, close } = applicationOf(route);
  server.addHook('onClose', close);
  // Bodies are not read here, whatever type they have.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  server.addHook('onRequest', (request, _reply, next) => {
    // Fastify would refuse an invalid type; the raw headers keep it.
    request.headers = { 'content-type': undefined };
    next();
  });
  const base = basePath(route);
  server.register(httpProxy, {
    upstream: new URL(route.to).origin + base,
    rewritePrefix: base === '' ? '/' : base,
    routes: ['/'],
    httpMethods: FORWARDED_VERBS,
    proxyPayloads: false,
    undici: dispatcher,
    internalRewriteLocationHeader: false,
    disableRequestLogging: true,
    // The request's observer logs failures.
    logLevel: 'silent',
    config: { ownPreflights: true },
    handler: (request, reply, destination, hooks) =>
      forward(request, reply, forwarding, (more) => reply.from(destination, { ...hooks, ...more })),
    replyOptions: {
      timeout: route.timeoutSeconds * 1000,
      // The path is carried separately, with its query.
      queryString: () => '',
      // Only the client knows whether a failed request may be sent again.
      retryDelay: () => null,
      rewriteHeaders: (headers, request) =>
        answerHeaders(
          headers as AnswerHeaders,
          { route, clientHost: request?.host ?? '' },
          sessionNames,
        ) as typeof headers,
      onResponse: (request, reply, answer) => {
        // The plugin's types are those of Node's answers.
        const { headers, stream } = answer as unknown as {
          headers: AnswerHeaders;
          stream: Readable;
        };
        sendAnswer(request as FastifyRequest, reply as FastifyReply, forwarding, headers, stream);
      },
      onError: (reply, { error }) => sendError(reply as FastifyReply, error),
    },
  });
}

/** Forwards one request. @param send hands it to the plugin, with more hooks */
async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  forwarding: Forwarding,
  send: (hooks: NonNullable<Parameters<FastifyReply['from']>[1]>) => FastifyReply,
): Promise<FastifyReply> {
  const { raw, host, protocol } = request;
  const { route, hop, sessionNames } = forwarding;
  const { signal, observer } = requestContextOf(request);
  observer.requestNamed?.({ operation: 'forward', dataclass: null });
  const path = targetOf(originForm(request.originalUrl), route);
  if (listed(raw.headers[HOPS]).includes(hop)) throw ProtocolError.of('proxyLoop');
  const principal = await admitForward(request, reply, forwarding);
  const given = requestHeaders(
    {
      headers: raw.headers,
      id: request.id,
      addresses: request.ips ?? [request.ip],
      host,
      protocol,
      principal,
      hop,
    },
    route,
    sessionNames,
  );
  const headers = { ...given, ...observer.traceHeaders?.() };
  const upgrade = upgradeOf(raw);
  if (upgrade !== null) {
    return await openTunnel(request, reply, forwarding, { path, headers, upgrade });
  }
  if (raw.headers.expect !== undefined) reply.raw.writeContinue();
  const { 'transfer-encoding': coding, 'content-length': length } = raw.headers;
  const hasBody = coding !== undefined || Number(length ?? 0) > 0;
  const carried: Carried = { path, body: hasBody ? raw : null, signal };
  return send({
    rewriteRequestHeaders: () => ({ ...headers, [CARRIED]: carried }) as Record<string, string>,
  });
}

/** Verbs that change nothing (RFC 9110, 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH']);

/**
 * Identifies the sender before anything is forwarded; null where the route needs no authentication. With it, pages of other sites can change nothing in
 * the name of a user, and open no web socket. @throws ProtocolError notLoggedIn, roleMissing, crossSite
 */
async function admitForward(
  request: FastifyRequest,
  reply: FastifyReply,
  { route: { authentication }, served, crossOrigins, sessionNames }: Forwarding,
): Promise<Principal | null> {
  const { raw, ip, host, method } = request;
  const { headers } = raw;
  const isAsking = isPreflight(method, headers) && isListed(headers.origin ?? '', crossOrigins);
  if (authentication === false || isAsking) return null;
  const { admit, refusalHeaders } = served.handling;
  const isSecure = request.protocol === 'https';
  const verb = method as RestRequest['verb'];
  const url = originForm(request.originalUrl);
  try {
    const head = { verb, url, headers, address: ip };
    const { principal, audience } = await admit(head, requestContextOf(request));
    if (principal.name === null) throw notLoggedIn();
    const isEnough =
      authentication === true ||
      audience.isAdmin ||
      principal.roles.some((role) => authentication.includes(role));
    if (!isEnough) {
      const message = 'Your roles may not use this application.';
      throw new ProtocolError('roleMissing', message);
    }
    if (!SAFE.has(method) || upgradeOf(raw) !== null) {
      refuseCrossSite({ verb, headers, host, isSecure }, crossOrigins, sessionNames.header);
    }
    return principal;
  } catch (error) {
    void reply.headers(refusalHeaders(error, { url, isSecure, headers, host }));
    throw error;
  }
}

/** Sends the application's answer. Its headers are sent at once, as an event stream may be silent for long. */
function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { ownHeaders }: Forwarding,
  headers: AnswerHeaders,
  stream: Readable,
): void {
  const { signal, observer } = requestContextOf(request);
  // The application alone decides what browsers may do with its pages.
  for (const name of ownHeaders) if (headers[name] === undefined) reply.removeHeader(name);
  stream.once('error', (cause) => {
    if (signal.aborted) return;
    observer.errorMet(new Error('the application did not complete its answer', { cause }));
  });
  void reply.send(stream);
  if (reply.raw.hasHeader('x-request-id')) reply.raw.flushHeaders();
}

/** Answers that the application cannot be reached, unless the client has disconnected. */
function sendError(reply: FastifyReply, error: unknown): void {
  const { raw } = reply.request;
  const isGone = requestContextOf(reply.request).signal.aborted || (raw.destroyed && !raw.complete);
  if (isGone) reply.hijack();
  else void reply.send(applicationError(error));
}

/** Joins client and application where the application agrees; otherwise sends its answer. */
async function openTunnel(
  request: FastifyRequest,
  reply: FastifyReply,
  forwarding: Forwarding,
  asked: {
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly upgrade: Upgrade;
  },
): Promise<FastifyReply> {
  const { route, sessionNames, tunnels } = forwarding;
  const { signal } = requestContextOf(request);
  const answered = await askUpgrade(route, asked.path, asked.headers, signal).catch(
    (error: unknown) => {
      if (signal.aborted) return null;
      throw applicationError(error);
    },
  );
  if (answered === null) return reply.hijack();
  const { answer, upgrade } = answered;
  const headers = answerHeaders(
    answer.headersDistinct,
    { route, clientHost: request.host },
    sessionNames,
  );
  if (upgrade === null) {
    void reply.code(answer.statusCode ?? 502).headers(headers);
    sendAnswer(request, reply, forwarding, answer.headers, answer);
    return reply;
  }
  reply.hijack();
  reply.raw.writeHead(101, { ...headers, connection: 'Upgrade', upgrade: 'websocket' });
  reply.raw.end();
  tunnels.join(asked.upgrade, upgrade);
  return reply;
}
