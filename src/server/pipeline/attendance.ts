import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onAbort } from '../../base/abort.ts';
import { SMALL_BODY } from '../bodies/receive-body.ts';
import {
  CLIENT_GONE,
  type Attended,
  type Observer,
  type WholeRequestObserver,
} from '../../base/observe/observer.ts';

/** A request's observer, and the signal of its client's disconnecting. */
export interface Attendance extends Attended {
  readonly observer: WholeRequestObserver;
}

/** Observes a request: reports its end, and aborts its signal when the client disconnects before. */
export function attend(
  { id, originalUrl: url, ip: address, raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  observe: Observer,
): Attendance {
  const start = performance.now();
  const observer = observe({ id, verb: request.method ?? '', url, address });
  response.once('close', () => {
    const clientGone = !response.writableFinished;
    observer.requestEnded({
      status: clientGone ? CLIENT_GONE : response.statusCode,
      milliseconds: performance.now() - start,
      clientGone,
    });
  });
  return { signal: leavingOf(request, response), observer };
}

/**
 * The signal that a request's client has disconnected: its connection is closed, or its body is cut short. Requests with a short body or none share one
 * signal of their connection, as making one takes as long as reading a URL; when a short body is cut, its connection ends, too.
 */
function leavingOf(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const { socket, headers } = request;
  const closing = closingOf(socket);
  const isShort = Number(headers['content-length'] ?? 0) <= SMALL_BODY;
  if (isShort && headers['transfer-encoding'] === undefined) return closing;
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  const ignoreClosing = onAbort(closing, leave);
  request.once('close', () => {
    if (!request.complete) leave();
  });
  response.once('close', () => {
    ignoreClosing();
    // It hears of the connection's end before others do.
    if (!response.writableFinished) leave();
  });
  if (closing.aborted) leave();
  return leaving.signal;
}

const closing = new WeakMap<Socket, AbortSignal>();

/** Aborted when a connection is closed. */
function closingOf(socket: Socket): AbortSignal {
  const known = closing.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const { signal } = controller;
  closing.set(socket, signal);
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  return signal;
}
