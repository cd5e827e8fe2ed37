import { ClientGone } from '../../base/abort.ts';
import { ProtocolError } from '../../base/errors.ts';
import { Semaphore } from '../../database/semaphore.ts';
import type { Activity } from '../../base/observe/observer.ts';

/** How long a request waits for its turn, in milliseconds. */
const WAIT = 10_000;

/**
 * Lets as many pages be read and written at once as keep the connections to the database busy. They are written in turns with each other, so that without it
 * the rows of all that are asked for would be in memory together.
 */
export class PageGate {
  readonly #places: Semaphore;

  /** @param places how many pages are worked on at once */
  constructor(places: number) {
    this.#places = new Semaphore(places);
  }

  /**
   * Does the work of a page when it has its turn.
   * @throws ProtocolError connectionsBusy where it has none in time; ClientGone; what the work throws
   */
  async pass<Result>(
    { signal }: Pick<Activity, 'signal'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const waited = await this.#places.acquire(signal, WAIT);
    if (waited === 'aborted') throw new ClientGone(signal.reason);
    if (waited === 'timedOut') {
      throw new ProtocolError(
        'connectionsBusy',
        'Too many pages are being read at the moment. Try again later.',
      );
    }
    try {
      return await work();
    } finally {
      this.#places.release();
    }
  }
}
