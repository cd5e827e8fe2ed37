import { type IncomingMessage, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { originForm } from '../http/admission.ts';
import { headerPairs, listed, requestHead } from './headers.ts';

/** The interval of TCP keep-alive probes on silent web sockets, in milliseconds. */
const KEEP_ALIVE = 60_000;

/** A connection that speaks another protocol from now on. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What has arrived behind the headers. */
  readonly head: Buffer;
}

/** The open web sockets. Each end gets what the other one sends, as fast as it reads it, until one of them is closed. */
export class Tunnels {
  readonly #open = new Set<() => void>();
  #isClosed = false;

  /** Joins two connections, for good. */
  join(client: Upgrade, application: Upgrade): void {
    const sockets = [client.socket, application.socket];
    const end = (): void => {
      this.#open.delete(end);
      for (const socket of sockets) {
        // Once everything written to it has been sent.
        if (socket instanceof Socket) socket.destroySoon();
        else socket.destroy();
      }
    };
    for (const socket of sockets) {
      socket.on('error', end);
      socket.once('end', end);
      socket.once('close', end);
      if (!(socket instanceof Socket)) continue;
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE);
    }
    if (this.#isClosed || sockets.some(({ destroyed }) => destroyed)) {
      end();
      return;
    }
    this.#open.add(end);
    forward(client, application.socket);
    forward(application, client.socket);
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#open) end();
  }
}

function forward({ socket, head }: Upgrade, to: Duplex): void {
  if (head.length > 0) socket.unshift(head);
  socket.pipe(to, { end: false });
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Returns the connection of a request for a web socket; null for any other request. */
export function upgradeOf(request: IncomingMessage): Upgrade | null {
  return upgrades.get(request) ?? null;
}

/**
 * Routes requests for web sockets like all others, to a handler that asks for {@link upgradeOf}. With this listener, Node hands over every request
 * that offers another protocol, such as the HTTP/2 that some clients always offer: those are served as if they offered none (RFC 9110, 7.8).
 */
export function serveUpgrades(
  server: FastifyInstance,
  isTunnelled: (url: string) => boolean,
): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node has removed its listeners.
    socket.on('error', () => socket.destroy());
    const isWebSocket =
      request.method === 'GET' && listed(request.headers.upgrade).includes('websocket');
    if (
      !(socket instanceof Socket) ||
      !isWebSocket ||
      !isTunnelled(originForm(request.url ?? '/'))
    ) {
      serveWithoutUpgrade(server, request, { socket, head });
      return;
    }
    serveUpgrade(server, request, socket, head);
  });
}

function serveUpgrade(
  server: FastifyInstance,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.once('finish', () => {
    if (response.statusCode !== 101) socket.end();
  });
  try {
    response.assignSocket(socket);
  } catch {
    // The answer to an earlier request is still being sent.
    socket.destroy();
    return;
  }
  upgrades.set(request, { socket, head });
  server.routing(request, response);
}

/** Has Node read the request once more, without the headers that offer another protocol. */
function serveWithoutUpgrade(
  { server }: FastifyInstance,
  request: IncomingMessage,
  { socket, head }: Upgrade,
): void {
  const removed = ['upgrade', 'http2-settings'];
  const headers = headerPairs(request.rawHeaders).flatMap(([name, value]): [string, string][] => {
    const lower = name.toLowerCase();
    if (removed.includes(lower)) return [];
    if (lower !== 'connection') return [[name, value]];
    const kept = listed(value).filter((item) => !removed.includes(item));
    return kept.length === 0 ? [] : [[name, kept.join(', ')]];
  });
  const text = requestHead(request, request.httpVersion, headers);
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]));
  server.emit(server instanceof HttpsServer ? 'secureConnection' : 'connection', socket);
}
