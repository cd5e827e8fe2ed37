import type { IncomingHttpHeaders } from 'node:http';
import { parse, serialize, type SerializeOptions } from 'cookie';
import type { Clock } from '../../base/clock.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import { randomId } from '../../base/hashes.ts';

/** What a client is known by from one request to the next, where it did something that needs to be remembered. */
export interface Session {
  /** Unguessable: whoever knows it is the client. */
  readonly id: string;
  /** The name of whoever opened it; null for nobody in particular. To others it is none. */
  readonly owner: string | null;
  /** Who has logged in to it: requests of the session are theirs. Null where none has: then each request says itself whose it is. */
  readonly login: Principal | null;
  /** How long it lives without a request, in seconds. */
  readonly timeoutSeconds: number;
}

/** How long sessions live, and how many there are. */
export interface SessionBounds {
  /** How long a session lives without a request where nobody says otherwise, in seconds. */
  readonly timeoutSeconds: number;
  /** How many there are at once. */
  readonly max: number;
  /** How many of them may be nobody's in particular; as many as there are where it is left out. */
  readonly maxNameless?: number;
}

/** A session as it is told of: when it will be closed, in milliseconds by the clock. */
export interface LiveSession extends Session {
  readonly end: number;
}

/** How often sessions are looked for that have expired, where no request does so, in milliseconds. */
const SWEEP_INTERVAL = 1000;

/** The sessions of this process. One that nobody uses for its lifetime is closed (§5). */
export class Sessions {
  readonly #live = new Map<string, LiveSession>();
  /** By how long they live: the ids in the order in which they end. */
  readonly #byTimeout = new Map<number, Set<string>>();
  /** How many of them are nobody's in particular. */
  #nameless = 0;
  readonly #bounds: SessionBounds;
  readonly #onClosed: (session: Session) => void;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #sweeping: NodeJS.Timeout;

  /**
   * @param onClosed gives up what was kept for a session
   * @param clock by which they live; tests pass one that they set
   * @param newId makes their ids, which nobody can guess
   */
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

  /** The session with an id; its life begins anew. Null where there is none, or none any more. */
  find(id: string): Session | null {
    this.#sweep();
    const session = this.#live.get(id);
    return session === undefined ? null : this.#liveOn(session);
  }

  /**
   * Opens a session.
   * @param owner who opens it
   * @param login whether they are known by it from now on
   * @param timeoutSeconds how long it lives without a request, where that is not what the bounds say
   * @throws ProtocolError tooManySessions (1823)
   */
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

  /** Closes a session; one that is closed already stays so. */
  end(id: string): void {
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

  /** Those that there are. */
  all(): Iterable<LiveSession> {
    this.#sweep();
    return this.#live.values();
  }

  /** Closes all of them, and looks for expired ones no more. */
  close(): void {
    clearInterval(this.#sweeping);
    for (const id of this.#live.keys()) this.end(id);
  }

  #liveOn(session: Session): Session {
    const { id, timeoutSeconds } = session;
    this.#live.set(id, { ...session, end: this.#clock.now() + timeoutSeconds * 1000 });
    const others = this.#byTimeout.get(timeoutSeconds) ?? new Set();
    others.delete(id);
    this.#byTimeout.set(timeoutSeconds, others.add(id));
    return session;
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const ids of this.#byTimeout.values()) {
      for (const id of ids) {
        if ((this.#live.get(id)?.end ?? 0) > now) break;
        this.end(id);
      }
    }
  }
}

/** By what a session is known in requests and answers. */
export interface SessionNames {
  /** The name of the cookie. */
  readonly cookie: string;
  /** The name of the header, for clients that keep no cookies; in lower case. */
  readonly header: string;
}

/** The id of the session that a request names, by its header or by its cookie; null where it names none. */
export function namedSession(
  headers: IncomingHttpHeaders,
  { cookie, header }: SessionNames,
): string | null {
  const named = headers[header];
  if (typeof named === 'string' && named !== '') return named;
  return parse(headers.cookie ?? '')[cookie] ?? null;
}

/**
 * The headers of an answer that opens a session. Scripts cannot read the cookie, and it goes with no request that another site makes on
 * the user's behalf but with those that lead the user here (https://httpwg.org/specs/rfc6265.html).
 * @param isSecure whether the client reached the gateway by TLS: then the cookie goes no other way
 */
export function sessionHeaders(
  id: string,
  { cookie, header }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, id, cookieOptions(isSecure)), [header]: id };
}

/** The headers of an answer that closes a session: the cookie is taken back. */
export function closingHeaders(
  { cookie }: SessionNames,
  isSecure: boolean,
): Record<string, string> {
  return { 'set-cookie': serialize(cookie, '', { ...cookieOptions(isSecure), maxAge: 0 }) };
}

function cookieOptions(isSecure: boolean): SerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', ...(isSecure ? { secure: true } : {}) };
}
