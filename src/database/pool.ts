import { ProtocolError } from '../base/errors.ts';
import type { Activity } from '../base/observe/observer.ts';
import type { Statement } from '../sql/dialect.ts';
import type { DriverConnection, DriverErrors, DriverPool } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { ClientGone, onAbort } from '../base/abort.ts';
import { type PlaceUsage, Semaphore } from './semaphore.ts';

/** What a connection is borrowed for; a routine that is called may write. */
export type Use = Statement['effect'];

/** Lends connections; whoever has one gives it back. */
export interface Lender {
  readonly acquire: (activity: Activity, use: Use) => Promise<DriverConnection>;
  /** @param isClean whether the connection is as it came */
  readonly release: (connection: DriverConnection, isClean: boolean) => void;
}

/**
 * How many of a pool's connections writes may have at once. The rest is kept for reads: writes that wait for a row that somebody keeps
 * locked would otherwise have all of them, and nobody could read anything. A pool of one connection has none to keep.
 */
export function writePlaces(size: number): number {
  return Math.max(1, size - Math.max(1, Math.floor(size / 4)));
}

/**
 * The connections of a driver's pool, and the queue before them. It is the gateway's own: whoever waits is told of an
 * exhausted pool in other words than of a database that is unavailable, and leaves the queue when nobody waits for the result.
 */
export class Pool implements Lender {
  readonly #driver: DriverPool;
  readonly #connecting: DriverErrors['connecting'];
  readonly #places: Semaphore;
  /** Whoever writes has one of these besides. */
  readonly #writePlaces: Semaphore;
  readonly #writing = new Set<DriverConnection>();

  constructor(driver: DriverPool, { connecting }: Pick<DriverErrors, 'connecting'>) {
    this.#driver = driver;
    this.#connecting = connecting;
    this.#places = new Semaphore(driver.size);
    this.#writePlaces = new Semaphore(writePlaces(driver.size));
  }

  /**
   * Lends a connection, until {@link release}.
   * @throws ProtocolError connectionsBusy where all are in use, and where none can be made what the driver says of that: nothing has been
   *   done yet
   * @throws ClientGone where the signal is aborted
   */
  async acquire({ signal, observer }: Activity, use: Use): Promise<DriverConnection> {
    const start = performance.now();
    try {
      if (!this.#entersAtOnce(use, signal)) {
        await this.#enter(use, signal, start + this.#driver.waitMilliseconds);
      }
      const connection = await this.#connect(use, signal);
      if (use === 'write') this.#writing.add(connection);
      return connection;
    } finally {
      observer.poolWaited(performance.now() - start);
    }
  }

  get usage(): PlaceUsage {
    const { size, used, waiting } = this.#places.usage;
    return { size, used, waiting: waiting + this.#writePlaces.usage.waiting };
  }

  /** Gives a connection back. @param isClean whether it is as it came */
  release(connection: DriverConnection, isClean: boolean): void {
    const use = this.#writing.delete(connection) ? 'write' : 'read';
    connection.release(isClean);
    this.#leave(use);
  }

  /** Whether there are places for it, which it has then. */
  #entersAtOnce(use: Use, { aborted }: AbortSignal): boolean {
    if (aborted || (use === 'write' && !this.#writePlaces.take())) return false;
    if (this.#places.take()) return true;
    if (use === 'write') this.#writePlaces.release();
    return false;
  }

  /** Waits for a place, of the writes first: who waits for that keeps no connection from a read. */
  async #enter(use: Use, signal: AbortSignal, until: number): Promise<void> {
    if (use === 'write') await waitFor(this.#writePlaces, signal, until);
    try {
      await waitFor(this.#places, signal, until);
    } catch (error) {
      if (use === 'write') this.#writePlaces.release();
      throw error;
    }
  }

  #leave(use: Use): void {
    this.#places.release();
    if (use === 'write') this.#writePlaces.release();
  }

  /** A connection that comes when nobody waits for it any more goes to the next one. */
  async #connect(use: Use, signal: AbortSignal): Promise<DriverConnection> {
    const connecting = this.#driver.acquire();
    if (!(connecting instanceof Promise)) return connecting;
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
      this.#leave(use);
      throw error instanceof ProtocolError ? error : databaseError(this.#connecting(error), error);
    } finally {
      ignoreAbort?.();
    }
    connecting.then(
      (connection) => {
        connection.release(true);
        this.#leave(use);
      },
      () => {
        this.#leave(use);
      },
    );
    throw new ClientGone(signal.reason);
  }
}

/**
 * Waits for a place until a moment.
 * @throws ProtocolError connectionsBusy
 * @throws ClientGone where the signal is aborted
 */
async function waitFor(places: Semaphore, signal: AbortSignal, until: number): Promise<void> {
  const waited = await places.acquire(signal, Math.max(0, until - performance.now()));
  if (waited === 'aborted') throw new ClientGone(signal.reason);
  if (waited === 'timedOut') {
    throw databaseError(databaseErrors.exhausted, new Error('no connection became free'));
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
