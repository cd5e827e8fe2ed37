import compress from '@fastify/compress';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Answer } from '../../answer/answer.ts';
import { stampInTag } from '../tags/tagged-answer.ts';

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
