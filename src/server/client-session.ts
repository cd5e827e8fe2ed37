import type { Execution } from '../execute/run.ts';
import type { WriteLocks } from '../lock/entity-locks.ts';
import type { Activity } from '../observe/observer.ts';
import type { RestRequest } from '../request/rest-request.ts';
import { sessionHeaders, sessionId } from '../session/session-cookie.ts';
import type { Session } from '../session/sessions.ts';
import type { Answer } from '../respond/answer.ts';
import type { Services } from './services.ts';

/** The session of a client, which lives on with each request of the client's; null where it has none. */
export function sessionOf(
  { headers }: RestRequest,
  { sessions, sessionNames }: Services,
): Session | null {
  const id = sessionId(headers, sessionNames);
  return id === null ? null : sessions.find(id);
}

/**
 * Does what needs a session (DECISIONS, "Sessions and login"): in the client's own, or in a new one that the answer tells of. A new one that turns
 * out not to be needed ends at once.
 * @throws ProtocolError tooManySessions, and what the work throws
 */
export async function withSession(
  request: RestRequest,
  services: Services,
  work: (session: Session) => Promise<{ readonly answer: Answer; readonly isNeeded: boolean }>,
): Promise<Answer> {
  const known = sessionOf(request, services);
  if (known !== null) return (await work(known)).answer;
  const session = services.sessions.open();
  let isKept = false;
  try {
    const { answer, isNeeded } = await work(session);
    isKept = isNeeded;
    if (!isNeeded) return answer;
    const headers = sessionHeaders(session.id, services.sessionNames);
    return { ...answer, headers: { ...answer.headers, ...headers } };
  } finally {
    if (!isKept) services.sessions.end(session.id);
  }
}

/** What a request is carried out with, its client's locks among it. */
export function executionOf(
  request: RestRequest,
  services: Services,
  activity: Activity,
): Execution {
  const { database, model } = services;
  return { database, model, activity, locks: locksOf(request, services) };
}

function locksOf(request: RestRequest, services: Services): WriteLocks | null {
  if (services.locks === null) return null;
  return { table: services.locks, session: sessionOf(request, services)?.id ?? null };
}
