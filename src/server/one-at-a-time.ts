import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection wait before no more of them are read. */
const MOST_WAITING = 8;

interface Waiting {
  readonly socket: Socket;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Has requests that one connection sends without waiting for their answers (pipelining; RFC 9112, 9.3.2) handled one after the other: they are answered in
 * their order in any case, and worked on all at once they would take all connections to the database, and the memory of all answers.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, Waiting[]>();
  const begin = ({ socket, request, response }: Waiting): void => {
    response.once('close', () => next(socket));
    handle(request, response);
  };
  const next = (socket: Socket): void => {
    const queue = queues.get(socket);
    const waiting = socket.destroyed ? undefined : queue?.shift();
    if (waiting === undefined) {
      queues.delete(socket);
      return;
    }
    if (queue?.length === MOST_WAITING - 1) socket.resume();
    begin(waiting);
  };
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket);
    if (queue === undefined) {
      queues.set(socket, []);
      begin({ socket, request, response });
      return;
    }
    queue.push({ socket, request, response });
    if (queue.length === MOST_WAITING) socket.pause();
  };
}
