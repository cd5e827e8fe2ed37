import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
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
  const varied = reply.getHeader('vary');
  reply.code(status).headers(headers);
  if (headers['vary'] !== undefined && varied !== undefined) {
    reply.header('vary', [varied, headers['vary']].flat().join(', '));
  }
  if (reply.request.method === 'HEAD' && (body === null || body instanceof Readable)) {
    return reply.send(Readable.from([]));
  }
  if (typeof body === 'string' && body.length > PIECE && reply.request.method !== 'HEAD') {
    return sendLong(Buffer.from(body), reply);
  }
  return body === null ? reply.send() : reply.send(body);
}

/** How much of an answer is handed to the socket at once, in bytes. */
const PIECE = 262_144;

/** A long text is sent in pieces: a text is copied as a whole to be sent, and would be there twice until the client has taken the last of it. */
function sendLong(bytes: Buffer, reply: FastifyReply): FastifyReply {
  const pieces = function* (): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
  };
  reply.header('content-length', bytes.length);
  return reply.send(Readable.from(pieces(), { objectMode: false }));
}
