import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError } from '../../base/errors.ts';
import type { SessionNames } from '../../state/session/sessions.ts';
import type { OtherWorkers } from '../http/other-workers.ts';
import type { Handling } from '../pipeline/handle.ts';
import type { CrossOrigins } from '../http/cross-site.ts';
import { attendanceOf } from '../http/reply.ts';
import { originForm } from '../http/admission.ts';
import { admitForward } from './admit.ts';
import { answerHeaders, type AnswerHeaders } from './answer-headers.ts';
import {
  applicationError,
  applicationOf,
  askUpgrade,
  type Carried,
  CARRIED,
} from './application.ts';
import { HOPS, listed, requestHeaders } from './request-headers.ts';
import { basePath, type FindRoute, FORWARDED_VERBS, type ProxyRoute, targetOf } from './routes.ts';
import { serveUpgrades, Tunnels, type Upgrade, upgradeOf } from './upgrades.ts';

/** What requests are forwarded with. */
export interface ProxySettings {
  readonly routes: readonly ProxyRoute[];
  readonly sessionNames: SessionNames;
  /** The origins of other sites that may have requests made here. */
  readonly crossOrigins: CrossOrigins;
}

/** What all entries share. */
interface Shared extends ProxySettings, Pick<Handling, 'admit' | 'refusalHeaders'> {
  readonly tunnels: Tunnels;
  /** What this gateway is known by to itself, where a request comes back. */
  readonly hop: string;
  /** The headers that browsers are given with the gateway's own answers. */
  readonly ownHeaders: readonly string[];
  /** The processes that serve together with this one; null where there are none. */
  readonly others: OtherWorkers | null;
}

/**
 * Forwards what stands below each prefix to its application. The router has to be given the prefix for all of its URLs, as it would decode them, and
 * refuse those of other encodings than UTF-8.
 * @param find as by the same routes
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
    serveUpgrades(server, (url) => find(url)?.webSocket === true, settings.others);
    server.addHook('preClose', (done) => {
      shared.tunnels.close();
      done();
    });
  }
  for (const route of settings.routes) {
    const forwarding: FastifyPluginCallback = (instance, _options, done) => {
      forwardTo(instance, route, shared);
      done();
    };
    server.register(forwarding, route.prefix === '/' ? {} : { prefix: route.prefix });
  }
}

function forwardTo(server: FastifyInstance, route: ProxyRoute, shared: Shared): void {
  const { dispatcher, close } = applicationOf(route);
  server.addHook('onClose', close);
  // Bodies go through as they are, whatever they say they are: nobody here reads them.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  server.addHook('onRequest', (request, _reply, next) => {
    // Fastify would refuse a type that is none; the raw headers keep it.
    request.headers = { 'content-type': undefined };
    next();
  });
  const { origin } = new URL(route.to);
  const base = basePath(route);
  server.register(httpProxy, {
    upstream: origin + base,
    rewritePrefix: base === '' ? '/' : base,
    routes: ['/'],
    httpMethods: FORWARDED_VERBS,
    proxyPayloads: false,
    undici: dispatcher,
    internalRewriteLocationHeader: false,
    disableRequestLogging: true,
    // What goes wrong is told to the request's observer.
    logLevel: 'silent',
    config: { cors: false },
    handler: (request, reply, destination, hooks) =>
      forward(request, reply, {
        route,
        shared,
        send: (more) => reply.from(destination, { ...hooks, ...more }),
      }),
    replyOptions: {
      timeout: route.timeoutSeconds * 1000,
      // The path is carried apart, its query with it.
      queryString: () => '',
      // What fails is told to who asked: nobody else knows whether it may be sent again.
      retryDelay: () => null,
      rewriteHeaders: (headers, request) =>
        answerHeaders(
          headers as AnswerHeaders,
          { route, clientHost: request?.host ?? '' },
          shared.sessionNames,
        ) as typeof headers,
      onResponse: (request, reply, given) => {
        // The plugin's types are those of Node's answers.
        const got = given as unknown as ApplicationAnswer;
        answer(request as FastifyRequest, reply as FastifyReply, shared, got);
      },
      onError: (reply, { error }) => refuse(reply as FastifyReply, error),
    },
  });
}

type Hooks = NonNullable<Parameters<FastifyReply['from']>[1]>;

interface Way {
  readonly route: ProxyRoute;
  readonly shared: Shared;
  /** Hands the request to the plugin, with more to go by. */
  readonly send: (hooks: Hooks) => FastifyReply;
}

/** The whole way of a request that is forwarded. */
async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, shared, send }: Way,
): Promise<FastifyReply> {
  const { raw, host, protocol } = request;
  const { signal } = attendanceOf(request);
  const path = targetOf(originForm(request.originalUrl), route);
  if (listed(raw.headers[HOPS]).includes(shared.hop)) throw ProtocolError.of('proxyLoop');
  const principal = await admitForward(request, reply, route, shared);
  const headers = requestHeaders(
    {
      headers: raw.headers,
      id: request.id,
      addresses: request.ips ?? [request.ip],
      host,
      protocol,
      principal,
      hop: shared.hop,
    },
    route,
    shared.sessionNames,
  );
  const upgrade = upgradeOf(raw);
  if (upgrade !== null) {
    return await openTunnel(request, reply, { route, shared, upgrade, path, headers, signal });
  }
  if (raw.headers.expect !== undefined) reply.raw.writeContinue();
  const carried: Carried = { path, body: hasBody(raw.headers) ? raw : null, signal };
  return send({
    rewriteRequestHeaders: () => ({ ...headers, [CARRIED]: carried }) as Record<string, string>,
  });
}

/** An answer as it came. */
interface ApplicationAnswer {
  readonly headers: AnswerHeaders;
  readonly stream: Readable;
}

function hasBody(headers: FastifyRequest['raw']['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Sends the application's answer on, its headers at once: what streams may have nothing to say for long. */
function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  shared: Shared,
  { headers, stream }: ApplicationAnswer,
): void {
  const { signal, observer } = attendanceOf(request);
  // What browsers are to make of an application's pages is for the application to say.
  for (const name of shared.ownHeaders) if (headers[name] === undefined) reply.removeHeader(name);
  stream.once('error', (cause) => {
    if (signal.aborted) return;
    observer.errorMet(new Error('the application broke off its answer', { cause }));
  });
  void reply.send(stream);
  if (reply.raw.hasHeader('x-request-id')) reply.raw.flushHeaders();
}

/** Who has gone is not to be answered. */
function refuse(reply: FastifyReply, error: unknown): void {
  const { raw } = reply.request;
  const hasGone = attendanceOf(reply.request).signal.aborted || (raw.destroyed && !raw.complete);
  if (hasGone) reply.hijack();
  else void reply.send(applicationError(error));
}

/** Joins client and application where the application agrees; what it answers otherwise is the answer. */
async function openTunnel(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    route,
    shared,
    upgrade,
    path,
    headers,
    signal,
  }: {
    readonly route: ProxyRoute;
    readonly shared: Shared;
    readonly upgrade: Upgrade;
    readonly path: string;
    readonly headers: OutgoingHttpHeaders;
    readonly signal: AbortSignal;
  },
): Promise<FastifyReply> {
  const asked = await askUpgrade(route, path, headers, signal).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw applicationError(error);
  });
  if (asked === null) return reply.hijack();
  const told = answerHeaders(
    asked.answer.headersDistinct,
    { route, clientHost: request.host },
    shared.sessionNames,
  );
  if (asked.kind === 'refused') {
    void reply.code(asked.answer.statusCode ?? 502).headers(told);
    answer(request, reply, shared, { headers: asked.answer.headers, stream: asked.answer });
    return reply;
  }
  reply.hijack();
  reply.raw.writeHead(101, { ...told, connection: 'Upgrade', upgrade: 'websocket' });
  reply.raw.end();
  shared.tunnels.join(upgrade, asked);
  return reply;
}
