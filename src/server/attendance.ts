import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  CLIENT_GONE,
  unboundedSignal,
  type Attended,
  type Observer,
  type WholeRequestObserver,
} from '../observe/observer.ts';

/** A request with who listens to it, and whether its client is there still. */
export interface Attendance extends Attended {
  readonly observer: WholeRequestObserver;
}

/** Begins to attend to a request: its observer is told when it has ended, its signal is aborted when its client has gone before. */
export function attend(
  { id, originalUrl: url, ip: address, raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  observe: Observer,
): Attendance {
  const start = performance.now();
  const observer = observe({ id, verb: request.method ?? '', url, address });
  const leaving = new AbortController();
  // A request that waits behind others on its connection has no response to be closed yet.
  request.once('close', () => {
    if (!request.complete) leaving.abort();
  });
  response.once('close', () => {
    const clientGone = !response.writableFinished;
    if (clientGone) leaving.abort();
    observer.requestEnded({
      status: clientGone ? CLIENT_GONE : response.statusCode,
      milliseconds: performance.now() - start,
      clientGone,
    });
  });
  return { signal: unboundedSignal(leaving.signal), observer };
}
