import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { leave, type Indexed } from '../../base/collections.ts';

/** How many requests of one connection may wait before no more are read. */
const MAX_PIPELINED = 8;

interface Connection {
  isBusy: boolean;
  /** Begin the waiting requests. */
  readonly waiting: (() => void)[];
}

/** Handles pipelined requests of one connection (RFC 9112, 9.3.2) in turn: together they would take all database connections and much memory. */
export function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  const next = (socket: Socket, connection: Connection): void => {
    const { waiting } = connection;
    const begin = socket.destroyed ? undefined : waiting.shift();
    if (begin === undefined) {
      connection.isBusy = false;
      return;
    }
    if (waiting.length === MAX_PIPELINED - 1) socket.resume();
    begin();
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = { isBusy: false, waiting: [] };
      connections.set(socket, connection);
    }
    const own = connection;
    const begin = (): void => {
      own.isBusy = true;
      response.once('close', () => next(socket, own));
      handle(request, response);
    };
    if (!own.isBusy) {
      begin();
      return;
    }
    own.waiting.push(begin);
    if (own.waiting.length === MAX_PIPELINED) socket.pause();
  };
}

/** How often a server that ends closes the connections that have become idle, in milliseconds. */
const CLOSE_INTERVAL = 100;

/**
 * Watches the connections of a server, so that none delays its end: Node's `close` waits for those on which a client has sent
 * nothing yet, and for those that become idle while it waits.
 * @returns closes the idle connections until the server has closed
 */
export function idleConnections(server: Server): () => void {
  const sockets = new Set<Socket>();
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', watch);
  // The requests of TLS come on a socket of their own.
  server.on('secureConnection', watch);
  return () => {
    const closeIdle = (): void => {
      server.closeIdleConnections();
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    closeIdle();
    // A server that never listened does not report its close.
    const timer = setInterval(closeIdle, CLOSE_INTERVAL).unref();
    server.once('close', () => clearInterval(timer));
  };
}

/** How long a client may read nothing of an answer that waits for it, in milliseconds. */
export const READ_TIMEOUT = 60_000;

/** How often the waiting answers are checked, in milliseconds. */
const CHECK_INTERVAL = 500;

/** The part of a response that is watched. */
interface WatchedResponse extends Pick<ServerResponse, 'writableLength'> {
  readonly destroy: () => unknown;
  readonly setTimeout: (milliseconds: number, stalled?: () => void) => unknown;
  readonly once: (event: 'close', closed: () => void) => unknown;
}

interface Watched extends Indexed {
  readonly response: WatchedResponse;
  readonly number: number;
  /** The length of the answer, or 0 where it is not known. */
  readonly bytes: number;
  /** How much of an answer of unknown length is made, and not yet handed to the response. */
  readonly made: () => number;
  isTimed: boolean;
}

/** Bounds the memory of answers that wait for slow clients: it breaks off those that stall, and the oldest ones where all together are too large. */
export class SlowReaders {
  readonly #maxBytes: number;
  readonly #watched: Watched[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Watches an answer that is about to be sent.
   * @param bytes its length, where that is known: all of it is in memory until the last of it is read
   * @param made how much of an answer of unknown length is in memory besides what the response holds
   */
  watch(response: WatchedResponse, bytes = 0, made = (): number => 0): void {
    this.#count += 1;
    const index = this.#watched.length;
    const watched = { response, number: this.#count, bytes, made, isTimed: false, index };
    this.#watched.push(watched);
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL).unref();
    response.once('close', () => {
      leave(this.#watched, watched);
    });
  }

  #check(): void {
    if (this.#watched.length === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    let waiting = 0;
    for (const watched of this.#watched) {
      waiting += waitingBytes(watched);
      limitStall(watched);
    }
    if (waiting <= this.#maxBytes) return;
    for (const watched of this.#watched.toSorted((one, other) => one.number - other.number)) {
      if (waiting <= this.#maxBytes) return;
      const bytes = waitingBytes(watched);
      waiting -= bytes;
      if (bytes > 0) watched.response.destroy();
    }
  }
}

/** Gives an answer a timeout as soon as any of it waits: most are read at once. */
function limitStall(watched: Watched): void {
  const { response } = watched;
  if (watched.isTimed || response.writableLength === 0) return;
  watched.isTimed = true;
  // Node also counts what the system takes of a long text, and calls this again only after more has been taken.
  response.setTimeout(READ_TIMEOUT, () => {
    if (response.writableLength > 0) response.destroy();
    else response.setTimeout(READ_TIMEOUT);
  });
}

/** How much of an answer is in memory: nothing of one that its client reads as fast as it is made. */
function waitingBytes({ response: { writableLength }, bytes, made }: Watched): number {
  return writableLength === 0 ? 0 : Math.max(writableLength + made(), bytes);
}
