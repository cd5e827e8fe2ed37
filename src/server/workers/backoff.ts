/** A worker that has served for as long, in milliseconds, did not end for how it starts. */
const LONG_LIFE = 10_000;

/** How long it is waited before the second one in a row that did not live long is replaced, in milliseconds; twice as long for each further one. */
const FIRST_WAIT = 500;

/** The longest wait, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** How long to wait before what has ended is started again, so that what cannot live does not keep the machine busy. */
export class Backoff {
  #failures = 0;

  /**
   * To be called when one has ended.
   * @param served for how long it was ready, in milliseconds; 0 where it never was
   * @returns in milliseconds
   */
  next(served: number): number {
    if (served >= LONG_LIFE) this.#failures = 0;
    const wait = this.#failures === 0 ? 0 : FIRST_WAIT * 2 ** (this.#failures - 1);
    this.#failures += 1;
    return Math.min(LONGEST_WAIT, wait);
  }
}
