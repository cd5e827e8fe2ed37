import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLongText, textPieces } from '../base/text-pieces.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Answer } from '../respond/answer.ts';
import type { Attendance } from './attendance.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set as soon as the request has begun. */
    attendance: Attendance | null;
  }
}

/** @throws Error before the request has begun */
export function attendanceOf({ attendance }: FastifyRequest): Attendance {
  if (attendance === null) throw new Error('nobody attends to the request');
  return attendance;
}

/** Hands an answer over; a stream is read as fast as the client takes it, and not at all by a HEAD. */
export function send({ status, headers, body }: Answer, reply: FastifyReply): FastifyReply {
  const { vary = '', ...others } = headers;
  reply.code(status).headers(others);
  if (vary !== '') reply.header('vary', [reply.getHeader('vary') ?? [], vary].flat().join(', '));
  if (reply.request.method === 'HEAD' && (body === null || body instanceof Readable)) {
    return reply.send(Readable.from([]));
  }
  return body === null ? reply.send() : reply.send(body);
}

/**
 * An answer whose long text is encoded, in slices, and is handed to the socket in pieces: a text is copied as a whole to be sent, and would be there
 * twice until the client has taken the last of it.
 */
export async function encoded(answer: Answer): Promise<Answer> {
  const { headers, body } = answer;
  if (typeof body !== 'string' || !isLongText(body)) return answer;
  const slice = new TimeSlice();
  const pieces: Buffer[] = [];
  let length = 0;
  for (const text of textPieces(body)) {
    await slice.pause();
    const piece = Buffer.from(text);
    pieces.push(piece);
    length += piece.length;
  }
  return {
    ...answer,
    headers: { ...headers, 'content-length': String(length) },
    body: Readable.from(pieces, { objectMode: false }),
  };
}
