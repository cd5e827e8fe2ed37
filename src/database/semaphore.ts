import { limitTime, onAbort } from '../base/abort.ts';

/** How waiting for a place ended. */
export type Waited = 'granted' | 'timedOut' | 'aborted';

/** The usage of a semaphore. */
export interface PlaceUsage {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** A number of places; requests wait for a free one, first come first served. */
export class Semaphore {
  readonly #size: number;
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  get usage(): PlaceUsage {
    return { size: this.#size, used: this.#size - this.#free, waiting: this.#queue.length };
  }

  /** Takes a free place. @returns whether there was one */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a place, or waits for one. @param milliseconds the longest wait; may be Infinity */
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
      const grant = (): void => end('granted');
      const inTime = limitTime(milliseconds, () => leave('timedOut'));
      const ignoreAbort = onAbort(signal, () => leave('aborted'));
      this.#queue.push(grant);
    });
  }

  /** Gives a place back, to the request that has waited longest. */
  release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
