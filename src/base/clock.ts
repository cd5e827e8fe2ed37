/** Tells the time in milliseconds from any beginning; it never goes back. */
export interface Clock {
  readonly now: () => number;
}

/** What time it is; tests pass one that they set. */
export interface AuthClock {
  /** The time of day, by which keys and tokens expire, in milliseconds since 1970. */
  readonly wall: () => number;
  /** The time in milliseconds from any beginning; it never goes back. */
  readonly steady: () => number;
}

/** The time of the machine. */
export const systemClock: AuthClock = {
  wall: () => Date.now(),
  steady: () => performance.now(),
};
