import { limitTime, onAbort } from '../base/abort.ts';

/** How waiting for a place ended. */
export type Waited = 'granted' | 'timedOut' | 'aborted';

/** What becomes of places. */
export interface PlaceUsage {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/**
 * A number of places that are taken and given back; who finds none waits, first come first served.
 * Whoever was granted a place gives it back by {@link release}.
 */
export class Semaphore {
  readonly #places: number;
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /** How many places there are, how many are taken, and how many wait for one. */
  get usage(): PlaceUsage {
    return { size: this.#places, used: this.#places - this.#free, waiting: this.#queue.length };
  }

  /** Takes a place that is free. @returns whether one was */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Takes a place.
   * @param milliseconds how long one is waited for; Infinity for as long as it takes
   */
  acquire(signal: AbortSignal, milliseconds: number): Promise<Waited> {
    if (signal.aborted) return Promise.resolve('aborted');
    if (this.take()) return Promise.resolve('granted');
    return new Promise((resolve) => {
      const end = (how: Waited): void => {
        inTime();
        ignoreAbort();
        resolve(how);
      };
      const leave = (how: Waited): void => {
        this.#queue.splice(this.#queue.indexOf(grant), 1);
        end(how);
      };
      // Whoever gives a place takes them out of the queue.
      const grant = (): void => {
        end('granted');
      };
      const inTime = limitTime(milliseconds, () => leave('timedOut'));
      const ignoreAbort = onAbort(signal, () => {
        leave('aborted');
      });
      this.#queue.push(grant);
    });
  }

  /** Gives a place back, to the one who has waited longest. */
  release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
