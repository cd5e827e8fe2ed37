import { randomBytes } from 'node:crypto';
import { ProtocolError } from '../base/errors.ts';

/** What a client is known by from one request to the next, where it did something that needs to be remembered. */
export interface Session {
  /** Unguessable: whoever knows it is the client. */
  readonly id: string;
}

/** How long sessions live, and how many there are. */
export interface SessionBounds {
  /** How long a session lives without a request, in seconds. */
  readonly timeoutSeconds: number;
  /** How many there are at once. */
  readonly max: number;
}

/** Tells the time in milliseconds from any beginning; it never goes back. */
export interface SessionClock {
  readonly now: () => number;
}

/** How often sessions are looked for that have expired, where no request does so, in milliseconds. */
const SWEEP_INTERVAL = 1000;

/** The sessions of this process. One that nobody uses for its lifetime is closed (§5). */
export class Sessions {
  /** When each of them is to be closed, the earliest first: all live equally long. */
  readonly #ends = new Map<string, number>();
  readonly #bounds: SessionBounds;
  readonly #onClosed: (session: Session) => void;
  readonly #clock: SessionClock;
  readonly #sweeping: NodeJS.Timeout;

  /**
   * @param onClosed gives up what was kept for a session
   * @param clock by which they live; tests pass one that they set
   */
  constructor(
    bounds: SessionBounds,
    onClosed: (session: Session) => void,
    clock: SessionClock = performance,
  ) {
    this.#bounds = bounds;
    this.#onClosed = onClosed;
    this.#clock = clock;
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_INTERVAL);
    this.#sweeping.unref();
  }

  /** The session with an id; its life begins anew. Null where there is none, or none any more. */
  find(id: string): Session | null {
    this.#sweep();
    return this.#ends.has(id) ? this.#live(id) : null;
  }

  /**
   * Opens a session.
   * @throws ProtocolError tooManySessions (1823)
   */
  open(): Session {
    this.#sweep();
    if (this.#ends.size >= this.#bounds.max) throw ProtocolError.of('tooManySessions');
    return this.#live(randomBytes(16).toString('hex').toUpperCase());
  }

  /** Closes a session; one that is closed already stays so. */
  end(id: string): void {
    if (this.#ends.delete(id)) this.#onClosed({ id });
  }

  /** Closes all of them, and looks for expired ones no more. */
  close(): void {
    clearInterval(this.#sweeping);
    for (const id of this.#ends.keys()) this.end(id);
  }

  #live(id: string): Session {
    this.#ends.delete(id);
    this.#ends.set(id, this.#clock.now() + this.#bounds.timeoutSeconds * 1000);
    return { id };
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [id, end] of this.#ends) {
      if (end > now) return;
      this.end(id);
    }
  }
}
