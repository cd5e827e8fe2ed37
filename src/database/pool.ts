import { ClientGone } from '../base/client-gone.ts';
import { ProtocolError } from '../base/errors.ts';
import type { Activity } from '../observe/observer.ts';
import type { DriverConnection, DriverPool } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { onAbort } from './on-abort.ts';
import { Semaphore, type PlaceUsage } from './semaphore.ts';

/** Lends connections; whoever has one gives it back. */
export interface Lender {
  readonly acquire: (activity: Activity) => Promise<DriverConnection>;
  /** @param isClean whether the connection is as it came */
  readonly release: (connection: DriverConnection, isClean: boolean) => void;
}

/**
 * The connections of a driver's pool, and the queue before them. It is the gateway's own: whoever waits is told of an
 * exhausted pool in other words than of a database that is away, and leaves the queue when nobody waits for the result.
 */
export class Pool implements Lender {
  readonly #driver: DriverPool;
  readonly #places: Semaphore;

  constructor(driver: DriverPool) {
    this.#driver = driver;
    this.#places = new Semaphore(driver.size);
  }

  /**
   * Lends a connection, until {@link release}.
   * @throws ProtocolError databaseAway where all are in use, or none can be made: nothing has been done yet
   * @throws ClientGone where the signal is aborted
   */
  async acquire({ signal, observer }: Activity): Promise<DriverConnection> {
    const start = performance.now();
    try {
      const waited = await this.#places.acquire(signal, this.#driver.waitMilliseconds);
      if (waited === 'aborted') throw new ClientGone(signal.reason);
      if (waited === 'timedOut') {
        throw databaseError(databaseErrors.exhausted, new Error('no connection became free'));
      }
      return await this.#connect(signal);
    } finally {
      observer.poolWaited(performance.now() - start);
    }
  }

  get usage(): PlaceUsage {
    return this.#places.usage;
  }

  /** Gives a connection back. @param isClean whether it is as it came */
  release(connection: DriverConnection, isClean: boolean): void {
    connection.release(isClean);
    this.#places.release();
  }

  /** A connection that comes when nobody waits for it any more goes to the next one. */
  async #connect(signal: AbortSignal): Promise<DriverConnection> {
    const connecting = this.#driver.acquire();
    let ignoreAbort: (() => void) | undefined;
    const left = new Promise<'left'>((resolve) => {
      ignoreAbort = onAbort(signal, () => {
        resolve('left');
      });
    });
    try {
      const connection = await Promise.race([connecting, left]);
      if (connection !== 'left') return connection;
    } catch (error) {
      this.#places.release();
      throw error instanceof ProtocolError ? error : databaseError(databaseErrors.away, error);
    } finally {
      ignoreAbort?.();
    }
    connecting.then(
      (connection) => {
        this.release(connection, true);
      },
      () => {
        this.#places.release();
      },
    );
    throw new ClientGone(signal.reason);
  }
}

/** Lends the only connection of an owner, whose commands wait for each other. */
export function lenderOf(connection: DriverConnection): Lender {
  const place = new Semaphore(1);
  return {
    acquire: async ({ signal }) => {
      const waited = await place.acquire(signal, Infinity);
      if (waited === 'aborted') throw new ClientGone(signal.reason);
      return connection;
    },
    release: () => {
      place.release();
    },
  };
}
