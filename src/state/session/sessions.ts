import type { IncomingHttpHeaders } from 'node:http';
import { parse, serialize, type SerializeOptions } from 'cookie';
import type { Clock } from '../../base/clock.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import { randomId } from '../../base/hashes.ts';

/** The state of a client between its requests. */
export interface Session {
  /** Unguessable: it authenticates the client. */
  readonly id: string;
  /** The name of the user who opened it, or null; it is not valid for other users. */
  readonly owner: string | null;
  /** The user who logged in to it, whose requests those of the session are; null where each request has its own credentials. */
  readonly login: Principal | null;
  readonly timeoutSeconds: number;
}

export interface SessionBounds {
  /** How long a session lives without a request by default. */
  readonly timeoutSeconds: number;
  readonly max: number;
  /** The most of them for users without a name; by default all. */
  readonly maxNameless?: number;
}

export interface LiveSession extends Session {
  /** In milliseconds by the clock. */
  readonly expiresAt: number;
}

/** How often expired sessions are closed, where no request does so, in milliseconds. */
const SWEEP_INTERVAL = 1000;

/**
 * The sessions of this process. A session is closed when it is not used for its lifetime (§5), by logging out or in again, when its user may no longer
 * log in, when it turns out not to be needed, and at shutdown. Its locks are freed then; its entity sets and uploads live on.
 */
export class Sessions {
  readonly #live = new Map<string, LiveSession>();
  /** By lifetime: the ids in the order in which the sessions expire. */
  readonly #byTimeout = new Map<number, Set<string>>();
  #nameless = 0;
  readonly #bounds: SessionBounds;
  readonly #onClosed: (session: Session) => void;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #sweeping: NodeJS.Timeout;

  /** @param onClosed frees the locks of a session, and disowns its entity sets @param newId makes an unguessable id */
  constructor(
    bounds: SessionBounds,
    onClosed: (session: Session) => void,
    clock: Clock = performance,
    newId: () => string = randomId,
  ) {
    this.#newId = newId;
    this.#bounds = bounds;
    this.#onClosed = onClosed;
    this.#clock = clock;
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_INTERVAL);
    this.#sweeping.unref();
  }

  /** Finds a session and renews its lifetime; null where there is none (any more). */
  find(id: string): Session | null {
    this.#sweep();
    const session = this.#live.get(id);
    return session === undefined ? null : this.#liveOn(session);
  }

  /** Opens a session. @param login whether the session logs the owner in @throws ProtocolError tooManySessions */
  open(
    owner: Principal,
    login = false,
    timeoutSeconds: number = this.#bounds.timeoutSeconds,
  ): Session {
    this.#sweep();
    const { max, maxNameless = max } = this.#bounds;
    const isNameless = owner.name === null;
    if (this.#live.size >= max || (isNameless && this.#nameless >= maxNameless)) {
      throw ProtocolError.of('tooManySessions');
    }
    if (isNameless) this.#nameless += 1;
    const id = this.#newId();
    return this.#liveOn({ id, owner: owner.name, login: login ? owner : null, timeoutSeconds });
  }

  close(id: string): void {
    const session = this.#live.get(id);
    if (session === undefined) return;
    this.#live.delete(id);
    const { timeoutSeconds, owner } = session;
    if (owner === null) this.#nameless -= 1;
    const others = this.#byTimeout.get(timeoutSeconds);
    others?.delete(id);
    if (others?.size === 0) this.#byTimeout.delete(timeoutSeconds);
    this.#onClosed(session);
  }

  get size(): number {
    this.#sweep();
    return this.#live.size;
  }

  all(): Iterable<LiveSession> {
    this.#sweep();
    return this.#live.values();
  }

  /** Closes all sessions, for good. */
  closeAll(): void {
    clearInterval(this.#sweeping);
    for (const id of this.#live.keys()) this.close(id);
  }

  #liveOn(session: Session): Session {
    const { id, timeoutSeconds } = session;
    this.#live.set(id, { ...session, expiresAt: this.#clock.now() + timeoutSeconds * 1000 });
    const others = this.#byTimeout.get(timeoutSeconds) ?? new Set();
    others.delete(id);
    this.#byTimeout.set(timeoutSeconds, others.add(id));
    return session;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const ids of this.#byTimeout.values()) {
      for (const id of ids) {
        if ((this.#live.get(id)?.expiresAt ?? 0) > now) break;
        this.close(id);
      }
    }
  }
}

/** The names under which requests and answers carry the id of a session. */
export interface SessionNames {
  readonly cookie: string;
  /** The header for clients without cookies; in lower case. */
  readonly header: string;
}

/** The id of a request's session, from its header or its cookie, or null. */
export function namedSession(
  headers: IncomingHttpHeaders,
  { cookie, header }: SessionNames,
): string | null {
  const named = headers[header];
  if (typeof named === 'string' && named !== '') return named;
  return parse(headers.cookie ?? '')[cookie] ?? null;
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

function cookieOptions(isSecure: boolean): SerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', ...(isSecure ? { secure: true } : {}) };
}
