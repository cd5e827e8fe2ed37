import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection wait before no more of them are read. */
const MOST_WAITING = 8;

interface Waiting {
  readonly socket: Socket;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What is known of a connection. */
interface Connection {
  /** Whether a request of it is being handled. */
  isBusy: boolean;
  readonly queue: Waiting[];
}

/**
 * Has requests that one connection sends without waiting for their answers (pipelining; RFC 9112, 9.3.2) handled one after the other: they are answered in
 * their order in any case, and worked on all at once they would take all connections to the database, and the memory of all answers.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { isBusy: false, queue: [] };
    connections.set(socket, connection);
    return connection;
  };
  const begin = ({ socket, request, response }: Waiting): void => {
    response.once('close', () => next(socket));
    handle(request, response);
  };
  const next = (socket: Socket): void => {
    const connection = connectionOf(socket);
    const waiting = socket.destroyed ? undefined : connection.queue.shift();
    if (waiting === undefined) {
      connection.isBusy = false;
      return;
    }
    if (connection.queue.length === MOST_WAITING - 1) socket.resume();
    begin(waiting);
  };
  return (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    if (!connection.isBusy) {
      connection.isBusy = true;
      begin({ socket, request, response });
      return;
    }
    connection.queue.push({ socket, request, response });
    if (connection.queue.length === MOST_WAITING) socket.pause();
  };
}
