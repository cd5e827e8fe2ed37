/** Tells the time in milliseconds from any beginning; it never goes back. */
export interface Clock {
  readonly now: () => number;
}
