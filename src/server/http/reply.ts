import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';
import type { Attendance } from '../pipeline/attendance.ts';

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
  return body === null ? reply.send() : reply.send(body);
}
