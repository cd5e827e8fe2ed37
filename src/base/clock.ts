/** A monotonic clock in milliseconds. */
export interface Clock {
  readonly now: () => number;
}

/** The clocks of authentication; tests pass their own. */
export interface AuthClock {
  /** Milliseconds since 1970, by which keys and tokens expire. */
  readonly wall: () => number;
  /** As {@link Clock.now}. */
  readonly steady: () => number;
}

export const systemClock: AuthClock = {
  wall: () => Date.now(),
  steady: () => performance.now(),
};
