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

/** Hands an answer over; a stream is read as fast as the client takes it. */
export function send({ status, headers, body }: Answer, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}
