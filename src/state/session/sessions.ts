import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parse, serialize, type SerializeOptions } from 'cookie';
import type { Awaitable } from '../../base/time.ts';
import type { Grant, Granted, Principal } from '../../base/principal.ts';

/** The state of a client between its requests. */
export interface Session {
  /** Unguessable: it authenticates the client. */
  readonly id: string;
  /** The SHA-256 of the id in base64url: the owner of its locks and entity sets. It authenticates nobody. */
  readonly hash: string;
  /** The name of the user who opened it, or null; it is not valid for other users. */
  readonly owner: string | null;
  /** The user who logged in to it, whose requests those of the session are; null where each request has its own credentials. */
  readonly login: Principal | null;
  /** What the identity provider has granted that signed the user in; null for other logins. */
  readonly grant: Grant | null;
  readonly timeoutSeconds: number;
}

/** Whether an identity provider has signed in the user of a session. */
export function isGranted<Kept extends Pick<Session, 'login' | 'grant'>>(
  session: Kept,
): session is Kept & Granted {
  return session.grant !== null && session.login !== null;
}

/** How long renewing a grant may take until somebody else tries, in milliseconds: longer than the provider may take. */
export const CLAIM_TIME = 15_000;

export interface SessionBounds {
  /** How long a session lives without a request by default. */
  readonly timeoutSeconds: number;
  readonly max: number;
  /** The most of them for users without a name; by default all. */
  readonly maxNameless?: number;
}

/** A session as others may see it. */
export interface ListedSession extends Omit<Session, 'id' | 'login' | 'grant'> {
  /** In milliseconds by the clock. */
  readonly expiresAt: number;
}

/**
 * The sessions that are open. A session is closed when it is not used for its lifetime (§5), by logging out or in again, when its user may no longer
 * log in, when it turns out not to be needed, and at shutdown. Its locks are freed then; its entity sets and uploads live on.
 */
export interface Sessions {
  /** Finds a session and renews its lifetime; null where there is none (any more). */
  find(id: string): Awaitable<Session | null>;
  /** Opens a session. @param login whether the session logs the owner in @param grant as in {@link Session} @throws ProtocolError tooManySessions */
  open(
    owner: Principal,
    login?: boolean,
    timeoutSeconds?: number,
    grant?: Grant | null,
  ): Awaitable<Session>;
  /** Claims a session's grant, so that one caller of all gateways renews it. A claim ends after {@link CLAIM_TIME} at the latest. @returns false where another one has it */
  claimGrant(id: string): Awaitable<boolean>;
  /** Ends the claim. @param renewed what the session has from now on; null where it stays as it was */
  releaseGrant(id: string, renewed: Granted | null): Awaitable<void>;
  /** Closes the sessions with such logins. */
  closeGranted(isEnded: (login: Granted) => boolean): Awaitable<void>;
  close(id: string): Awaitable<void>;
  all(): Awaitable<Iterable<ListedSession>>;
  /** How many are open. */
  count(): Awaitable<number>;
}

/** The hash of a session, by its id. */
export function sessionHash(id: string): string {
  return hash('sha256', id, 'base64url');
}

/** The names under which requests and answers carry the id of a session. */
export interface SessionNames {
  readonly cookie: string;
  /** The header for clients without cookies; in lower case. */
  readonly header: string;
}

/** The beginning of the names of the cookies that keep begun sign-ins. */
export function signInPrefix(cookie: string): string {
  return `${cookie}_SIGNIN_`;
}

/** Whether a cookie is the gateway's own. */
export function isOwnCookie(name: string, { cookie }: SessionNames): boolean {
  return name === cookie || name.startsWith(signInPrefix(cookie));
}

/** The id of a request's session, from its header or its cookie, or null. */
export function namedSession(
  headers: IncomingHttpHeaders,
  { cookie, header }: SessionNames,
): string | null {
  const named = [headers[header], parse(headers.cookie ?? '')[cookie]];
  return named.find((id): id is string => typeof id === 'string' && id !== '') ?? null;
}

/**
 * The headers of an answer that opens a session. Scripts cannot read the cookie, and requests from other sites have it only when they lead the user here
 * (https://httpwg.org/specs/rfc6265.html). @param isSecure whether the client used TLS: then the cookie is sent only by TLS
 */
export function sessionHeaders(
  id: string,
  { cookie, header }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, id, cookieOptions(isSecure)), [header]: id };
}

/** The headers of an answer that closes a session: they delete the cookie. */
export function closingHeaders(
  { cookie }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, '', { ...cookieOptions(isSecure), maxAge: 0 }) };
}

/** How the gateway's cookies are kept. @param path below which requests have them */
export function cookieOptions(isSecure: boolean, path = '/'): SerializeOptions {
  return { path, httpOnly: true, sameSite: 'lax', ...(isSecure ? { secure: true } : {}) };
}
