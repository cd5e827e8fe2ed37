import type { Audience } from '../../access/roles/audiences.ts';
import { ProtocolError } from '../../base/errors.ts';
import { NOBODY, type Principal } from '../../base/principal.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import {
  closingHeaders,
  namedSession,
  type Session,
  sessionHeaders,
} from '../../state/session/sessions.ts';
import type { Services } from './services.ts';
import type { Answer } from '../../answer/answer.ts';

/** Who sends a request, and what they see. */
export interface Caller {
  readonly principal: Principal;
  readonly audience: Audience;
  /** The client's session, which lives on with each request; null where it has none. */
  readonly session: Session | null;
}

/** What tells who sends a request, known before its body is. */
export type Head = Pick<RestRequest, 'verb' | 'url' | 'headers' | 'address'>;

/** What callers are told by. */
export type CallerServices = Pick<
  Services,
  'authentication' | 'sessions' | 'sessionNames' | 'audiences'
>;

/** Where a client logs in: whoever it is, and was, it need not be known yet. */
const LOGIN = /^\/rest\/+\$directory\/+login\/*(?:\?|$)/;

/** Who logs out of a session that is over has what they want. */
const LOGOUT = /^\/rest\/+\$directory\/+logout\/*(?:\?|$)/;

/**
 * Who sends a request: by credentials, or else by a login to the session that it names, or else nobody in particular, where those are let
 * in. A session of somebody else's is none: whoever knows its id and does not own it shall not rely on its locks.
 * @throws ProtocolError notLoggedIn, and what the credentials come to
 */
export async function callerOf(head: Head, services: CallerServices): Promise<Caller> {
  const { authentication, sessions, sessionNames, audiences } = services;
  const named = namedSession(head.headers, sessionNames);
  const before = named === null ? null : sessions.find(named);
  if (LOGIN.test(head.url)) {
    return { principal: NOBODY, audience: audiences.of(NOBODY), session: before };
  }
  const known =
    (await authentication.authenticate(head.headers, head.address)) ??
    (await loginOf(before, services));
  // It can have ended while the caller was looked up.
  const session = named === null ? null : sessions.find(named);
  // Whoever means to be in a session that is over is not to be served as somebody else unnoticed.
  const isOver = named !== null && session === null;
  if (known === null && isOver && authentication.hasLogins && !LOGOUT.test(head.url)) {
    throw new SessionOver(named === namedSession({ cookie: head.headers.cookie }, sessionNames));
  }
  const principal = known ?? authentication.anonymous;
  if (principal === null) throw notKnown();
  const isOwn = session !== null && session.owner === principal.name;
  return { principal, audience: audiences.of(principal), session: isOwn ? session : null };
}

/** Who has logged in to a session, as they are by now: it ends where they would not be let in any more. */
async function loginOf(
  session: Session | null,
  { authentication, sessions }: CallerServices,
): Promise<Principal | null> {
  if (session?.login == null) return null;
  const login = await authentication.renewed(session.login);
  if (login === null) sessions.end(session.id);
  return login;
}

function notKnown(): ProtocolError {
  return new ProtocolError(
    'notLoggedIn',
    'Say who you are: send credentials, or log in at /rest/$directory/login.',
  );
}

/** What goes with a refusal of whoever is not known. */
export function refusalHeaders(
  error: unknown,
  isSecure: boolean,
  {
    authentication: { challenges },
    sessionNames,
  }: Pick<Services, 'authentication' | 'sessionNames'>,
): Record<string, string> {
  if (!(error instanceof ProtocolError) || error.errorName !== 'notLoggedIn') return {};
  return {
    ...(challenges.length > 0 ? { 'www-authenticate': challenges.join(', ') } : {}),
    ...(error instanceof SessionOver && error.isOfCookie
      ? closingHeaders(sessionNames, isSecure)
      : {}),
  };
}

/** The session that a request names is over, or never was. */
export class SessionOver extends ProtocolError {
  /** Whether its cookie names it, and so is of no use any more. */
  readonly isOfCookie: boolean;

  constructor(isOfCookie: boolean) {
    super(
      'notLoggedIn',
      'The session is over. Log in again at /rest/$directory/login, or send no session.',
    );
    this.isOfCookie = isOfCookie;
  }
}

/** A request whose session is used, or opened. */
interface SessionContext {
  readonly request: RestRequest;
  readonly caller: Caller;
  readonly services: Services;
}

/**
 * Does what needs a session (DECISIONS, "Sessions and login"): in the client's own, or in a new one that the answer tells of. A new one that turns
 * out not to be needed ends at once.
 * @throws ProtocolError tooManySessions, and what the work throws
 */
export async function withSession(
  { request, services, caller: { principal, session: known } }: SessionContext,
  work: (session: Session) => Promise<{ readonly answer: Answer; readonly isNeeded: boolean }>,
): Promise<Answer> {
  if (known !== null) return (await work(known)).answer;
  const session = services.sessions.open(principal);
  let isKept = false;
  try {
    const { answer, isNeeded } = await work(session);
    isKept = isNeeded;
    return isNeeded ? withSessionHeaders(session, answer, { request, services }) : answer;
  } finally {
    if (!isKept) services.sessions.end(session.id);
  }
}

/** An answer that tells its client of a new session. */
export function withSessionHeaders(
  { id }: Session,
  answer: Answer,
  { request: { isSecure }, services: { sessionNames } }: Omit<SessionContext, 'caller'>,
): Answer {
  const headers = sessionHeaders(id, sessionNames, isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
