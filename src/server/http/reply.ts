import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Answer } from '../../answer/answer.ts';
import { onAbort } from '../../base/time.ts';
import {
  CLIENT_GONE,
  type ObservedRequest,
  type Observer,
  type RequestContext,
} from '../../base/observe/observer.ts';
import { lengthOf, textPieces } from '../../base/text.ts';
import { SMALL_BODY } from '../bodies/receive-body.ts';
import { answerOf, reportError } from '../pipeline/error-answers.ts';
import { stampInTag } from './etags.ts';

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: ObservedRequest | null;
  }
}

/** @throws Error before the request has begun */
export function requestContextOf({ requestContext }: FastifyRequest): ObservedRequest {
  if (requestContext === null) throw new Error('the request has no context');
  return requestContext;
}

/** Sends an answer; a stream is read as fast as the client reads, and not at all for a HEAD. */
export function send({ status, headers, body }: Answer, reply: FastifyReply): FastifyReply {
  const vary = headers['vary'] === undefined ? null : varyingBy(headers['vary'], reply);
  reply.code(status).headers(headers);
  if (vary !== null) reply.header('vary', vary);
  if (reply.request.method === 'HEAD' && (body === null || body instanceof Readable)) {
    return reply.send(Readable.from([]));
  }
  return body === null ? reply.send() : reply.send(body);
}

/** The header Vary of an answer that varies by more than it does already. */
export function varyingBy(fields: string, reply: FastifyReply): string {
  const before = reply.getHeader('vary');
  return before === undefined ? fields : [before, fields].flat().join(', ');
}

/** How many characters or bytes each streamed body holds for its client. */
const held = new WeakMap<object, () => number>();

/** The errors that have broken off answers, by the observers of their requests. */
const brokenOff = new WeakMap<object, unknown>();

/** How many bytes are handed over at once. */
const PIECE = 262_144;

/**
 * Makes the body of an answer that is written while its client reads: each part is made when the one before it is being sent. An error breaks it off.
 * @param close releases what the parts are made of; it is called once the body has ended in any way, perhaps twice
 */
export function streamed(
  parts: AsyncGenerator<readonly (string | Buffer)[]>,
  close: () => void,
  { signal, observer }: Pick<RequestContext, 'signal' | 'observer'>,
): Readable {
  let length = 0;
  const pieces = async function* (): AsyncGenerator<string | Buffer> {
    try {
      for await (const part of parts) {
        length = lengthOf(part);
        for (const some of part) yield* piecesOf(some);
        length = 0;
      }
    } catch (error) {
      if (!signal.aborted) {
        brokenOff.set(observer, error);
        reportError(error, observer);
      }
      throw error;
    }
  };
  const body = Readable.from(pieces(), { objectMode: false });
  held.set(body, () => length);
  const ignoreAbort = onAbort(signal, close);
  body.once('close', () => {
    ignoreAbort();
    close();
  });
  return body;
}

function* piecesOf(part: string | Buffer): Generator<string | Buffer> {
  if (typeof part === 'string') {
    for (const piece of textPieces(part)) if (piece !== '') yield piece;
    return;
  }
  for (let at = 0; at < part.length; at += PIECE) yield part.subarray(at, at + PIECE);
}

/** Tells how many characters or bytes a streamed body holds at the moment, besides what the connection has already; 0 for any other body. */
export function heldBy(body: unknown): () => number {
  const holds = typeof body === 'object' && body !== null ? held.get(body) : undefined;
  return holds ?? holdsNothing;
}

const holdsNothing = (): number => 0;

/** Observes a request: reports its end, and aborts its signal when the client disconnects before. */
export function observeRequest(
  { id, originalUrl: url, ip: address, raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  observe: Observer,
): ObservedRequest {
  const start = performance.now();
  const observer = observe({
    id,
    verb: request.method ?? '',
    url,
    address,
    headers: request.headers,
  });
  response.once('close', () => {
    const milliseconds = performance.now() - start;
    if (response.writableFinished) {
      observer.requestEnded({ status: response.statusCode, milliseconds, end: 'sent' });
      return;
    }
    const error = brokenOff.get(observer);
    const status = error === undefined ? CLIENT_GONE : answerOf(error).status;
    const end = error === undefined ? 'clientGone' : 'brokenOff';
    observer.requestEnded({ status, milliseconds, end });
  });
  return { signal: disconnectSignal(request, response), observer };
}

/**
 * The signal that a request's client has disconnected: its connection is closed, or its body is cut short. Requests with a short body or none share one
 * signal of their connection, as making one takes as long as reading a URL; when a short body is cut, its connection ends, too.
 */
function disconnectSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
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

/** From how many bytes on an answer is compressed: what is shorter is sent in the time that compressing it takes. */
const THRESHOLD = 16_384;

/** What is compressed: the texts of the API. Images are compressed already, and BLOBs may be. */
const TEXTS = /^(?:application\/(?:json|x-ndjson)|text\/csv)(?:;|$)/;

/** The codings that are offered, the best one first; zstd where Node.js has it. */
const CODINGS = ['zstd', 'br', 'gzip'] as const;

/** A client that asks for one of them, or for any (RFC 9110, 12.5.3). */
const ASKED = new RegExp(`(?:^|[\\s,])(?:${CODINGS.join('|')}|\\*)(?:[\\s,;]|$)`, 'i');

/** The header by which the plugin leaves an answer as it is. */
export const NOT_COMPRESSED = { 'x-no-compression': '' } as const;

/** Compresses the answers of the routes that follow, as streams and outside of the event loop, but for those whose request has {@link NOT_COMPRESSED}. */
export function compressAnswers(server: FastifyInstance): void {
  server.register(compress, {
    globalDecompression: false,
    encodings: [...CODINGS, 'identity'],
    threshold: THRESHOLD,
    syncThreshold: 0,
    customTypes: TEXTS,
  });
}

/**
 * The answer as it may be compressed; null where it is sent as it is: nobody asks for it, it is short, or it is one entity, whose tag a save names
 * by `If-Match`. The tag of what is compressed is weak, as the bytes are others (RFC 9110, 8.8.1).
 */
export function compressible(answer: Answer, { method, raw }: FastifyRequest): Answer | null {
  const { headers, body } = answer;
  const isLong = body instanceof Readable || (body !== null && body.length >= THRESHOLD);
  if (!isLong || method === 'HEAD' || !ASKED.test(raw.headers['accept-encoding']?.toString() ?? ''))
    return null;
  const { etag, 'content-type': type = '' } = headers;
  // The plugin would compress what its own table lists besides, such as SVG.
  if (!TEXTS.test(type)) return null;
  if (etag === undefined || etag.startsWith('W/')) return answer;
  return stampInTag(etag) === null
    ? { ...answer, headers: { ...headers, etag: `W/${etag}` } }
    : null;
}
