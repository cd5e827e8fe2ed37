import type { Clock } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Grant, Granted, Principal } from '../../base/principal.ts';
import { randomId } from '../../base/hashes.ts';
import {
  CLAIM_TIME,
  isGranted,
  type ListedSession,
  type Session,
  type SessionBounds,
  sessionHash,
  type Sessions,
} from './sessions.ts';

/** How often expired sessions are closed, where no request does so, in milliseconds. */
const SWEEP_INTERVAL = 1000;

/** The sessions of this process, in its memory. */
export class MemorySessions implements Sessions {
  readonly #live = new Map<string, Session & ListedSession>();
  /** By lifetime: the ids in the order in which the sessions expire. */
  readonly #byTimeout = new Map<number, Set<string>>();
  /** By id: until when somebody renews the grant. */
  readonly #claims = new Map<string, number>();
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

  find(id: string): Session | null {
    this.#sweep();
    const session = this.#live.get(id);
    return session === undefined ? null : this.#liveOn(session);
  }

  open(
    owner: Principal,
    login = false,
    timeoutSeconds: number = this.#bounds.timeoutSeconds,
    grant: Grant | null = null,
  ): Session {
    this.#sweep();
    const { max, maxNameless = max } = this.#bounds;
    const isNameless = owner.name === null;
    if (this.#live.size >= max || (isNameless && this.#nameless >= maxNameless)) {
      throw ProtocolError.of('tooManySessions');
    }
    if (isNameless) this.#nameless += 1;
    const id = this.#newId();
    return this.#liveOn({
      id,
      hash: sessionHash(id),
      owner: owner.name,
      login: login ? owner : null,
      grant,
      timeoutSeconds,
    });
  }

  claimGrant(id: string): boolean {
    const now = this.#clock.now();
    if ((this.#claims.get(id) ?? -Infinity) > now) return false;
    this.#claims.set(id, now + CLAIM_TIME);
    return true;
  }

  releaseGrant(id: string, renewed: Granted | null): void {
    this.#claims.delete(id);
    const session = this.#live.get(id);
    if (session !== undefined && renewed !== null) this.#live.set(id, { ...session, ...renewed });
  }

  closeGranted(isEnded: (login: Granted) => boolean): void {
    for (const session of this.#live.values()) {
      if (isGranted(session) && isEnded(session)) this.close(session.id);
    }
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

  count(): number {
    this.#sweep();
    return this.#live.size;
  }

  all(): Iterable<ListedSession> {
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
