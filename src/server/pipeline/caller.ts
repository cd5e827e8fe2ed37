import type { Authentication } from '../../access/auth/authentication.ts';
import type { Audience, Audiences } from '../../access/roles/audiences.ts';
import { ProtocolError } from '../../base/errors.ts';
import { NOBODY, type Principal } from '../../base/principal.ts';
import { SIGN_IN_PATH } from '../../config/settings/oidc.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import {
  closingHeaders,
  isGranted,
  namedSession,
  type Session,
  sessionHeaders,
  type SessionNames,
  type Sessions,
} from '../../state/session/sessions.ts';
import type { Answer } from '../../answer/answer.ts';
import { explainedChallenge } from '../http/protected-resource.ts';
import { grantedLogin } from './granted-login.ts';

/** The sender of a request, and the model as they see it. */
export interface Caller {
  readonly principal: Principal;
  readonly audience: Audience;
  /** The client's session, which lives on with each request; null where it has none. */
  readonly session: Session | null;
  /** Whether the request names a session that is over, or never was. */
  readonly hasEnded: boolean;
}

/** The parts of a request that identify its sender, known before its body. */
export type Head = Pick<RestRequest, 'verb' | 'url' | 'headers' | 'address'> & {
  /** Whether it is a message of an agent, which takes other tokens than the API. */
  readonly isForAgents?: boolean;
};

/** A request whose sender is refused. */
export type Refused = Pick<RestRequest, 'url' | 'headers' | 'isSecure' | 'host'>;

export interface CallerServices {
  readonly authentication: Authentication;
  readonly audiences: Audiences;
  readonly sessions: Sessions;
  readonly sessionNames: SessionNames;
  readonly settings: { readonly server: { readonly publicUrl?: string | undefined } };
}

/** A login needs no identity. */
const LOGIN = /^\/rest\/+\$directory\/+login\/*(?:\?|$)/;

/** A logout from a session that is over is not an error. */
const LOGOUT = /^\/rest\/+\$directory\/+logout\/*(?:\?|$)/;

/** Whoever asks who they are may be nobody, whose session may be over. */
const CURRENT_USER = /^\/rest\/+\$directory\/+currentUser\/*(?:\?|$)/;

/**
 * Identifies the sender of a request: by credentials, by the login of its session, or as anonymous when that is allowed. A session of another user is
 * ignored: its id alone gives no right to its locks. @throws ProtocolError notLoggedIn, and the errors of the credentials
 */
export async function callerOf(head: Head, services: CallerServices): Promise<Caller> {
  const { authentication, sessions, sessionNames, audiences } = services;
  const { headers } = head;
  const mayNameSession = headers.cookie !== undefined || headers[sessionNames.header] !== undefined;
  const named = mayNameSession ? namedSession(headers, sessionNames) : null;
  const before = named === null ? null : await sessions.find(named);
  if (LOGIN.test(head.url)) {
    return { principal: NOBODY, audience: audiences.of(NOBODY), session: before, hasEnded: false };
  }
  const hasCredentials = headers.authorization !== undefined || headers['api-key'] !== undefined;
  const sender = hasCredentials
    ? await authentication.authenticate(headers, head.address, head.isForAgents)
    : null;
  const isLogout = named !== null && LOGOUT.test(head.url);
  const known = sender ?? (before === null ? null : await loginOf(before, isLogout, services));
  // It can have ended while the caller was looked up.
  const session = named === null ? null : await sessions.find(named);
  const isOver = named !== null && session === null;
  const asksWho = CURRENT_USER.test(head.url);
  // A client whose session is over must not be served as another user unnoticed.
  if (
    known === null &&
    isOver &&
    authentication.logins.some((way) => way === 'password' || way === 'oidc') &&
    !isLogout &&
    !asksWho
  ) {
    const isOfCookie = named === namedSession({ cookie: headers.cookie }, sessionNames);
    throw new SessionOver(isOfCookie, waysIn(services, ['password', 'oidc']));
  }
  const principal = known ?? authentication.anonymous ?? (asksWho ? NOBODY : null);
  if (principal === null) throw notLoggedIn(waysIn(services));
  const isOwn = session !== null && session.owner === principal.name;
  const audience = audiences.of(principal);
  return { principal, audience, session: isOwn ? session : null, hasEnded: isOver };
}

/** What a client does to be known, by the ways there are. */
const WAYS: Readonly<Record<Authentication['logins'][number], (base: string) => string>> = {
  password: (base) => `log in at ${base}/rest/$directory/login`,
  apiKey: () => 'send your key in the header api-key',
  token: () => 'send your token as Authorization: Bearer …',
  oidc: (base) => `sign in with a browser at ${base}${SIGN_IN_PATH}`,
};

type Logins = Pick<CallerServices, 'authentication' | 'settings'>;

function waysIn(
  { authentication: { logins }, settings }: Logins,
  asked: Authentication['logins'] = logins,
): string[] {
  const { publicUrl = '' } = settings.server;
  return logins.filter((way) => asked.includes(way)).map((way) => WAYS[way](publicUrl));
}

/** The refusal of a request without credentials. @param ways what its client can do to be known */
export function notLoggedIn(ways: readonly string[] = []): ProtocolError {
  const how = ways.length === 0 ? 'send credentials' : ways.join(', or ');
  return new ProtocolError('notLoggedIn', `Authentication required: ${how}.`);
}

/** Renews the login of a session, which ends when the user may no longer log in. @param isLogout whether the session ends anyway, and needs no renewal */
async function loginOf(
  session: Session,
  isLogout: boolean,
  { authentication, sessions }: CallerServices,
): Promise<Principal | null> {
  if (session.login === null || isLogout) return session.login;
  const { signIn } = authentication;
  const login = !isGranted(session)
    ? await authentication.renewed(session.login)
    : signIn && (await grantedLogin(session, signIn, sessions));
  if (login === null) await sessions.close(session.id);
  return login;
}

/**
 * The headers of a refusal to an unknown sender. A page that says by X-Requested-With that it asks for itself is not challenged by Basic, for which
 * browsers would open a dialog of their own.
 */
export function refusalHeaders(
  error: unknown,
  refused: Refused,
  { authentication: { challenges, issuers }, sessionNames, settings }: CallerServices,
): Record<string, string> {
  if (!(error instanceof ProtocolError) || error.errorName !== 'notLoggedIn') return {};
  const { headers, isSecure } = refused;
  const ofPage = headers['x-requested-with'] !== undefined;
  const shown = challenges
    .filter((challenge) => !ofPage || !challenge.startsWith('Basic '))
    .map((challenge) =>
      issuers !== null && challenge.startsWith('Bearer ')
        ? explainedChallenge(challenge, issuers, refused, settings.server)
        : challenge,
    );
  return {
    ...(shown.length > 0 ? { 'www-authenticate': shown.join(', ') } : {}),
    ...(error instanceof SessionOver && error.isOfCookie
      ? closingHeaders(sessionNames, isSecure)
      : {}),
  };
}

/** The session that a request names is over, or never was. */
class SessionOver extends ProtocolError {
  /** Whether a cookie names it, which is then removed. */
  readonly isOfCookie: boolean;

  /** @param ways how its client opens another one */
  constructor(isOfCookie: boolean, ways: readonly string[]) {
    const again = ways.map((way) => way.replace(' in ', ' in again ')).join(', or ');
    super(
      'notLoggedIn',
      `The session has ended. ${again.charAt(0).toUpperCase()}${again.slice(1)}, or send no session.`,
    );
    this.isOfCookie = isOfCookie;
  }
}

interface CallerContext {
  readonly request: RestRequest;
  readonly caller: Caller;
  readonly services: CallerServices;
}

/**
 * Works in the client's session, or in a new one that the answer names (DECISIONS, "Sessions and login"). A new one that is not needed ends at once.
 * @throws ProtocolError tooManySessions, and what the work throws
 */
export async function withSession(
  { request, services, caller: { principal, session: known } }: CallerContext,
  work: (session: Session) => Promise<{ readonly answer: Answer; readonly isNeeded: boolean }>,
): Promise<Answer> {
  if (known !== null) return (await work(known)).answer;
  const session = await services.sessions.open(principal);
  let isKept = false;
  try {
    const { answer, isNeeded } = await work(session);
    isKept = isNeeded;
    return isNeeded ? withSessionHeaders(session, answer, { request, services }) : answer;
  } finally {
    if (!isKept) await services.sessions.close(session.id);
  }
}

/** Adds the headers of a new session to an answer. */
export function withSessionHeaders(
  { id }: Session,
  answer: Answer,
  { request: { isSecure }, services: { sessionNames } }: Omit<CallerContext, 'caller'>,
): Answer {
  const headers = sessionHeaders(id, sessionNames, isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
