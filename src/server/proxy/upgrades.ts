import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { OtherWorkers } from '../http/other-workers.ts';
import { originForm } from '../http/admission.ts';
import { listed } from './request-headers.ts';

/** Between two signs of life that the operating system asks of whoever is silent, in milliseconds. */
const KEEP_ALIVE = 60_000;

/** One end of a web socket that is let through. */
export interface End {
  readonly socket: Duplex;
  /** What it has said already. */
  readonly head: Buffer;
}

/** Web sockets that are open: what one end says the other one hears, as fast as it takes it, until one of them has gone. */
export class Tunnels {
  readonly #open = new Set<() => void>();
  #isClosed = false;

  /** Joins two ends, for good. */
  join(client: End, application: End): void {
    const sockets = [client.socket, application.socket];
    const end = (): void => {
      this.#open.delete(end);
      for (const socket of sockets) endSoon(socket);
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

  /** Ends all that are open, and any that is joined later: by itself none ends. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#open) end();
  }
}

function forward({ socket, head }: End, to: Duplex): void {
  if (head.length > 0) socket.unshift(head);
  socket.pipe(to, { end: false });
}

/** Ends a connection when what was written to it has been sent. */
function endSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  if (socket instanceof Socket) socket.destroySoon();
  else socket.destroy();
}

/** What Node hands over of a connection whose client asks to speak another protocol. */
export interface Upgrade {
  readonly socket: Duplex;
  /** What came behind the request's headers. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** The connection of a request for a web socket; null for any other request. */
export function upgradeOf(request: IncomingMessage): Upgrade | null {
  return upgrades.get(request) ?? null;
}

/**
 * Has requests for web sockets go the way of all requests, to a handler that asks for {@link upgradeOf}. Once somebody listens, Node hands over every
 * request that names another protocol, such as the HTTP/2 that some clients offer with each: those that nobody here means to speak are
 * served as if they named none (RFC 9110, 7.8).
 * @param isTunnelled whether web sockets are served at a URL in origin form
 * @param others the processes that serve together with this one; null where there are none
 */
export function serveUpgrades(
  server: FastifyInstance,
  isTunnelled: (url: string) => boolean,
  others: OtherWorkers | null,
): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node listens no more.
    socket.on('error', () => socket.destroy());
    if (
      !(socket instanceof Socket) ||
      !isWebSocket(request) ||
      !isTunnelled(originForm(request.url ?? '/'))
    ) {
      serveWithoutUpgrade(server.server, request, { socket, head });
      return;
    }
    const handleHere = (): void => serveUpgrade(server, request, { socket, head });
    if (others === null) handleHere();
    else others.handConnection({ request, socket, head }, handleHere);
  });
}

function serveUpgrade(
  server: FastifyInstance,
  request: IncomingMessage,
  { socket, head }: Upgrade & { readonly socket: Socket },
): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.once('finish', () => {
    if (response.statusCode !== 101) socket.end();
  });
  try {
    response.assignSocket(socket);
  } catch {
    // The answer to a request before it is still on its way.
    socket.destroy();
    return;
  }
  upgrades.set(request, { socket, head });
  server.routing(request, response);
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && listed(headers.upgrade).includes('websocket');
}

/** Has the request read once more, without the headers that name another protocol. */
function serveWithoutUpgrade(
  server: Server,
  { method = '', url = '', httpVersion, rawHeaders }: IncomingMessage,
  { socket, head }: Upgrade,
): void {
  const left = ['upgrade', 'http2-settings'];
  const fields: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (left.includes(lower)) continue;
    const kept =
      lower === 'connection'
        ? listed(value)
            .filter((item) => !left.includes(item))
            .join(', ')
        : value;
    if (lower !== 'connection' || kept !== '') fields.push(`${name}: ${kept}\r\n`);
  }
  const text = `${method} ${url} HTTP/${httpVersion}\r\n${fields.join('')}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(text, 'latin1'), head]));
  server.emit(server instanceof HttpsServer ? 'secureConnection' : 'connection', socket);
}
