import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { serveProxies } from '../../src/server/proxy/plugin.ts';
import type { ProxyRoute } from '../../src/server/proxy/routes.ts';
import { start, type Started, type StartOptions } from './serving.ts';

/** A little web application that stands behind the gateway. */
export interface Application {
  readonly server: Server;
  /** `127.0.0.1:40123`. */
  readonly host: string;
}

/** Starts an application; it is closed at the end of the test. */
export async function application(
  listener: RequestListener,
  tls?: ServerOptions,
): Promise<Application> {
  const server: Server =
    tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, host: `127.0.0.1:${port}` };
}

/** Answers what it was asked, as JSON. */
export const mirror: RequestListener = (request, response) => {
  void bodyOf(request).then((body) => {
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, headers, body }));
  });
};

/** The whole body of a request, a letter for each byte. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

/** An entry of `proxy`, with the defaults of the configuration. */
export function route(given: Partial<ProxyRoute> & Pick<ProxyRoute, 'to'>): ProxyRoute {
  return {
    prefix: '/app',
    authentication: false,
    webSocket: true,
    timeoutSeconds: 60,
    preserveHost: false,
    verifyCertificate: true,
    userHeader: 'X-Entitygate-User',
    rolesHeader: 'X-Entitygate-Roles',
    forwardCredentials: false,
    headers: {},
    ...given,
  };
}

/** Starts a gateway that forwards by some entries. */
export function startProxy(
  routes: readonly ProxyRoute[],
  options: StartOptions = {},
  crossOrigins: readonly string[] = [],
): Promise<Started> {
  return start({
    proxy: {
      serve: serveProxies,
      routes,
      sessionNames: { cookie: 'SID', header: 'entitygate-session' },
      crossOrigins: { origins: crossOrigins, credentials: true },
    },
    ...options,
  });
}

/** Starts an application, and a gateway that forwards to it what is below `/app`. @param more what else its entry says; `path` is of the application's address */
export async function startBoth(
  listener: RequestListener,
  { path = '', ...more }: Partial<ProxyRoute> & { readonly path?: string } = {},
  options: StartOptions = {},
): Promise<Started & { readonly application: Application }> {
  const started = await application(listener);
  const to = `http://${started.host}${path}`;
  return { application: started, ...(await startProxy([route({ to, ...more })], options)) };
}
