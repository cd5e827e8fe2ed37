import type { Execution } from '../../run/run.ts';
import type { Activity } from '../../base/observe/observer.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Answer } from '../../answer/answer.ts';
import { sessionHeaders } from '../../state/session/session-cookie.ts';
import type { Session } from '../../state/session/sessions.ts';
import type { Caller } from './caller.ts';
import type { Services } from './services.ts';

/**
 * Does what needs a session (DECISIONS, "Sessions and login"): in the client's own, or in a new one that the answer tells of. A new one that turns
 * out not to be needed ends at once.
 * @throws ProtocolError tooManySessions, and what the work throws
 */
export async function withSession(
  request: RestRequest,
  { principal, session: known }: Caller,
  services: Services,
  work: (session: Session) => Promise<{ readonly answer: Answer; readonly isNeeded: boolean }>,
): Promise<Answer> {
  if (known !== null) return (await work(known)).answer;
  const session = services.sessions.open(principal);
  let isKept = false;
  try {
    const { answer, isNeeded } = await work(session);
    isKept = isNeeded;
    return isNeeded ? tellingOf(session, answer, request, services) : answer;
  } finally {
    if (!isKept) services.sessions.end(session.id);
  }
}

/** An answer that tells its client of a new session. */
export function tellingOf(
  { id }: Session,
  answer: Answer,
  { isSecure }: RestRequest,
  { sessionNames }: Services,
): Answer {
  const headers = sessionHeaders(id, sessionNames, isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** What a request is carried out with, its client's locks among it. */
export function executionOf(caller: Caller, services: Services, activity: Activity): Execution {
  const { database, locks, lookups } = services;
  return {
    database,
    lookups,
    model: caller.audience.model,
    activity,
    locks: locks === null ? null : { table: locks, session: caller.session?.id ?? null },
  };
}
