import { Readable } from 'node:stream';
import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';
import type { Attendance } from '../pipeline/attendance.ts';
import { onAbort } from '../../base/abort.ts';
import { type Text, textPieces } from '../../base/text.ts';
import type { Activity } from '../../base/observe/observer.ts';
import { reportError } from '../pipeline/error-answers.ts';
import { ProtocolError } from '../../base/errors.ts';

/** Resolves when the database answers, however much it and the gateway have to do; gives up when the signal is aborted. */
export type Ping = (signal: AbortSignal) => Promise<void>;

/** How long a readiness probe waits for the database, in milliseconds. */
const PING_TIMEOUT = 2000;

/** The paths of the probes. */
const PATHS = ['/health/live', '/health/ready'];

/** Whether a path, without its query, is one of the probes'. */
export function isProbePath(path: string): boolean {
  return PATHS.includes(path);
}

/** Whether a request is one of the probes', which are answered whoever sends them. */
export function isProbe({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith('/health/') === true;
}

/**
 * Adds the probes of whoever keeps the process running: whether it lives, and whether its database answers.
 * @param ping resolves when the database answers
 */
export function addHealthProbes(server: FastifyInstance, ping: Ping): void {
  server.get('/health/live', () => ({ status: 'live' }));
  server.get('/health/ready', async () => {
    const signal = AbortSignal.timeout(PING_TIMEOUT);
    try {
      // A database that hangs may take its time to give up, too.
      await Promise.race([ping(signal), once(signal, 'abort').then(() => signal.throwIfAborted())]);
    } catch (error) {
      if (error instanceof ProtocolError && error.status === 503) throw error;
      throw new ProtocolError(
        'databaseUnavailable',
        'The database does not answer.',
        undefined,
        error,
      );
    }
    return { status: 'ready' };
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set as soon as the request has begun. */
    attendance: Attendance | null;
  }
}

/** @throws Error before the request has begun */
export function attendanceOf({ attendance }: FastifyRequest): Attendance {
  if (attendance === null) throw new Error('the request has no context');
  return attendance;
}

/** Hands an answer over; a stream is read as fast as the client takes it, and not at all by a HEAD. */
export function send({ status, headers, body }: Answer, reply: FastifyReply): FastifyReply {
  const varied = reply.getHeader('vary');
  reply.code(status).headers(headers);
  if (headers['vary'] !== undefined && varied !== undefined) {
    reply.header('vary', [varied, headers['vary']].flat().join(', '));
  }
  if (reply.request.method === 'HEAD' && (body === null || body instanceof Readable)) {
    return reply.send(Readable.from([]));
  }
  return body === null ? reply.send() : reply.send(body);
}

/**
 * The texts of a body, one for each slice of what it is made of. Neither what a text is made of nor the text itself stays in memory behind its turn.
 * @param made those that there are already, which are taken out
 * @param next makes the next one; null behind the last one
 */
export async function* textsInTurn(
  made: Text[],
  next: () => Promise<Text | null>,
): AsyncGenerator<Text> {
  for (;;) {
    const text = made.shift() ?? (await next());
    if (text === null) return;
    yield text;
  }
}

/** How much text each such body holds that its client has not taken yet. */
const held = new WeakMap<object, () => number>();

/**
 * The body of an answer that is written while its client takes it: the next text is asked for when the one before it is on its way. What goes wrong
 * meanwhile breaks the answer off, and is told to the observer.
 * @param close gives up what the texts are made of; it is called when the body has ended, however that is, and may be called twice
 */
export function streamed(
  texts: AsyncGenerator<Text>,
  close: () => void,
  { signal, observer }: Pick<Activity, 'signal' | 'observer'>,
): Readable {
  let characters = 0;
  const told = async function* (): AsyncGenerator<string> {
    try {
      for await (const text of texts) {
        characters = lengthOf(text);
        for (const piece of textPieces(text)) if (piece !== '') yield piece;
        characters = 0;
      }
    } catch (error) {
      if (!signal.aborted) reportError(error, observer);
      throw error;
    }
  };
  const body = Readable.from(told(), { objectMode: false });
  held.set(body, () => characters);
  const ignoreAbort = onAbort(signal, close);
  body.once('close', () => {
    ignoreAbort();
    close();
  });
  return body;
}

/** How many characters the body of an answer holds for its client at the time, besides what was handed to the connection already; 0 for any other body. */
export function heldBy(body: unknown): () => number {
  return (typeof body === 'object' && body !== null ? held.get(body) : undefined) ?? nothing;
}

const nothing = (): number => 0;

function lengthOf(text: Text): number {
  return typeof text === 'string'
    ? text.length
    : text.reduce((length, part) => length + part.length, 0);
}
