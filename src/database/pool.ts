import { ClientGone } from '../base/client-gone.ts';
import { ProtocolError } from '../base/errors.ts';
import type { Activity } from '../observe/observer.ts';
import type { DriverConnection, DriverPool } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { Semaphore } from './semaphore.ts';

/**
 * The connections of a driver's pool, and the queue before them. It is the gateway's own: whoever waits is told of an
 * exhausted pool in other words than of a database that is away, and leaves the queue when nobody waits for the result.
 */
export class Pool {
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

  /** Gives a connection back. @param isClean whether it is as it came */
  release(connection: DriverConnection, isClean: boolean): void {
    connection.release(isClean);
    this.#places.release();
  }

  /** A connection that comes when nobody waits for it any more goes to the next one. */
  async #connect(signal: AbortSignal): Promise<DriverConnection> {
    const connecting = this.#driver.acquire();
    let leave: (() => void) | undefined;
    const left = new Promise<'left'>((resolve) => {
      leave = () => {
        resolve('left');
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      const connection = await Promise.race([connecting, left]);
      if (connection !== 'left') return connection;
    } catch (error) {
      this.#places.release();
      throw error instanceof ProtocolError ? error : databaseError(databaseErrors.away, error);
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave);
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
