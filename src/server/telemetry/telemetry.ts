import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProtocolError } from '../../base/errors.ts';
import { combined, type Observer } from '../../base/observe/observer.ts';
import type { Config } from '../../config/config.ts';
import { METRICS_HOST, METRICS_PATH } from '../../config/settings/metrics.ts';
import { originForm } from '../http/admission.ts';
import { listenProblem } from '../http/listen-problem.ts';
import { requestContextOf } from '../http/reply.ts';
import { notLoggedIn } from '../pipeline/caller.ts';
import type { Served } from '../rest.ts';
import type { WorkerConnection } from '../workers/messages.ts';
import type { MetricSources } from './sources.ts';

/** The metrics and the traces, as far as they are configured. */
export interface Telemetry {
  /** Adds their observers to that of the log. */
  readonly observing: (requestLog: Observer) => Observer;
  /** Left out where the gateway's own port does not serve the metrics. */
  readonly metrics: RoleMetrics | undefined;
  /** Null where the metrics have no port of their own. */
  readonly ownPort: { readonly address: OwnPort; readonly text: () => Promise<string> } | null;
  readonly warnings: readonly string[];
}

/** Opens what is configured; the packages of the rest are not loaded. @param isDataclass whether a name is one of the model's dataclasses */
export async function openTelemetry(
  { metrics, traces, database, locate }: Config,
  sources: MetricSources,
  isDataclass: (name: string) => boolean,
  worker: WorkerConnection | null,
): Promise<Telemetry> {
  const observers: Observer[] = [];
  const warnings: string[] = [];
  const measured =
    metrics === undefined
      ? null
      : new (await import('./metrics.ts')).Metrics(sources, isDataclass, worker);
  if (measured !== null) observers.push(measured.observe);
  if (traces) {
    const { isSdkRegistered, requestTraces } = await import('./traces.ts');
    const system = database.engine === 'sqlserver' ? 'microsoft.sql_server' : 'postgresql';
    if (isSdkRegistered()) observers.push(requestTraces(system));
    else {
      warnings.push(
        'traces is true, and no OpenTelemetry SDK is registered, so that no spans are recorded: start the process with node --import and a module that registers one',
      );
    }
  }
  const text = (): Promise<string> => measured?.text() ?? Promise.resolve('');
  const { port, host = METRICS_HOST, role } = metrics ?? {};
  return {
    observing: (requestLog) => combined([requestLog, ...observers]),
    metrics: role === undefined ? undefined : { role, text },
    ownPort: port === undefined ? null : { address: { host, port, locate }, text },
    warnings,
  };
}

/** The type of the text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics that are served at `/metrics` of the gateway's own port. */
export interface RoleMetrics {
  /** The role that may read them, besides administrators. */
  readonly role: string;
  readonly text: () => Promise<string>;
}

/** Serves metrics to users with a role. */
export function serveByRole(
  server: FastifyInstance,
  { role, text }: RoleMetrics,
  served: Served,
): void {
  server.get(METRICS_PATH, async (request, reply) => {
    const { raw, ip, originalUrl, protocol, host } = request;
    const context = requestContextOf(request);
    context.observer.requestNamed?.({ operation: 'metrics', dataclass: null });
    const url = originForm(originalUrl);
    const { admit, refusalHeaders } = served.handling;
    try {
      const { principal, audience } = await admit(
        { verb: 'GET', url, headers: raw.headers, address: ip },
        context,
      );
      if (!audience.isAdmin && !principal.roles.includes(role)) {
        if (principal.name === null) throw notLoggedIn();
        throw new ProtocolError('roleMissing', 'Your roles may not read the metrics.');
      }
    } catch (error) {
      void reply.headers(
        refusalHeaders(error, { url, isSecure: protocol === 'https', headers: raw.headers, host }),
      );
      throw error;
    }
    return reply.type(TEXT_TYPE).send(await text());
  });
}

/** Where metrics are served to everyone who reaches the port. */
export interface OwnPort {
  readonly host: string;
  readonly port: number;
  readonly locate: (setting: string) => string;
}

/**
 * Serves metrics on a port of their own for as long as the gateway serves. That it cannot listen there keeps the gateway from listening.
 * @returns a function that tells the address, such as `http://127.0.0.1:9464/metrics`, once the gateway listens
 */
export function serveOnOwnPort(
  gateway: FastifyInstance,
  { host, port, locate }: OwnPort,
  text: () => Promise<string>,
): () => string {
  const server = createServer((request, response) => {
    const [path] = originForm(request.url ?? '/').split('?', 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path !== METRICS_PATH || !isRead) {
      response.writeHead(path === METRICS_PATH ? 405 : 404, { allow: 'GET, HEAD' }).end();
      return;
    }
    text().then(
      (metrics) =>
        response
          .writeHead(200, { 'content-type': TEXT_TYPE, 'cache-control': 'no-store' })
          .end(metrics),
      (err: unknown) => {
        gateway.log.error({ err }, 'collecting the metrics failed');
        response.writeHead(500).end();
      },
    );
  });
  gateway.addHook('onReady', async () => {
    server.listen({ host, port });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw listenProblem(error as NodeJS.ErrnoException, {
        ...{ host, port, locate: (part) => locate(`metrics.${part}`) },
        choose: { host: 'name another one', port: 'name another one' },
      });
    }
  });
  gateway.addHook('onClose', (_gateway, done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
  return () => {
    const { address, port: own } = server.address() as AddressInfo;
    return `http://${address.includes(':') ? `[${address}]` : address}:${own}${METRICS_PATH}`;
  };
}
