import { ProtocolError, reason } from '../base/errors.ts';
import { gatewayContext, type RequestContext } from '../base/observe/observer.ts';
import type { Statement } from '../sql/ir/statement.ts';
import type { PoolUsage } from './database.ts';
import type { Driver, DriverConnection, DriverPool } from './driver.ts';
import { databaseError, databaseErrors, isUnable } from './errors.ts';
import { ClientGone, inTime, limitTime, onAbort } from '../base/time.ts';
import { failure, supervised, supervision } from './connection.ts';

/** What a connection is borrowed for; a routine that is called may write. */
export type Use = Statement['effect'];

/** The most connections of a pool that writes may have at once. Writes that wait for a locked row could otherwise leave none for reads. */
export function writePlaces(size: number): number {
  return Math.max(1, size - Math.max(1, Math.floor(size / 4)));
}

/** After how many milliseconds a pool with fewer connections than its size tries to have more, and how many times as many. */
const GROWTH = { pause: 5000, factor: 1.5 };

/**
 * Lends the connections of a driver's pool. The queue is the gateway's own: an exhausted pool has another error than an unavailable database, and a
 * disconnected client leaves the queue. The database session knows its user from before the first statement until before the next borrower. While the
 * server refuses further connections, the pool is as large as the number that it has.
 */
export class Pool {
  readonly #pool: DriverPool;
  readonly #driver: Pick<Driver, 'errors' | 'limits' | 'sessionContext'>;
  readonly #places: Semaphore;
  /** A write needs one of these, too. */
  readonly #writePlaces: Semaphore;
  readonly #writing = new Set<DriverConnection>();
  readonly #withContext = new WeakSet<DriverConnection>();
  #growing: NodeJS.Timeout | null = null;

  constructor(pool: DriverPool, driver: Pick<Driver, 'errors' | 'limits' | 'sessionContext'>) {
    this.#pool = pool;
    this.#driver = driver;
    this.#places = new Semaphore(pool.size);
    this.#writePlaces = new Semaphore(writePlaces(pool.size));
  }

  /**
   * Lends a connection, until {@link release}. Nothing has been done when it throws.
   * @param wait how long to wait for a free one, in milliseconds
   * @throws ProtocolError connectionsBusy if all are in use, invalidContext; ClientGone when the signal is aborted; the driver's if none can be made
   */
  async acquire(
    activity: RequestContext,
    use: Use,
    wait = this.#pool.waitMilliseconds,
  ): Promise<DriverConnection> {
    const { sessionContext, errors, limits } = this.#driver;
    const context = sessionContext?.(activity.principal) ?? null;
    const connection = await this.#lend(activity, use, wait);
    if (context === null) return connection;
    try {
      const limited = supervision(limits, 'read', activity.signal);
      await supervised(connection, () => connection.setContext(context), limited);
    } catch (error) {
      this.release(connection, false);
      throw failure(error, { effect: 'read' }, errors);
    }
    this.#withContext.add(connection);
    return connection;
  }

  /** Lends a connection without a context at once; null if all are in use, and the server refuses a further one. @throws as {@link acquire} */
  async acquireFree(): Promise<DriverConnection | null> {
    if (!this.#entersAtOnce('read', gatewayContext.signal)) return null;
    return this.#connect('read', gatewayContext);
  }

  /** Takes a connection back, once its context is cleared; the borrower does not wait for that. @param isClean whether it can be used again */
  release(connection: DriverConnection, isClean: boolean): void {
    const giveBack = (isClear: boolean): void => {
      const use = this.#writing.delete(connection) ? 'write' : 'read';
      connection.release(isClear);
      this.#leave(use);
    };
    if (!this.#withContext.delete(connection) || !isClean) giveBack(isClean);
    else {
      supervised(
        connection,
        connection.clearContext,
        supervision(this.#driver.limits, 'read'),
      ).then(
        () => giveBack(true),
        () => giveBack(false),
      );
    }
  }

  get usage(): PoolUsage {
    const { size, used, waiting } = this.#places.usage;
    return { size, used, waiting: waiting + this.#writePlaces.usage.waiting };
  }

  async #lend(activity: RequestContext, use: Use, wait: number): Promise<DriverConnection> {
    const { signal, observer } = activity;
    const start = performance.now();
    const until = start + wait;
    try {
      if (!this.#entersAtOnce(use, signal)) await this.#enter(use, signal, until);
      let connection: DriverConnection | null;
      while ((connection = await this.#connect(use, activity)) === null) {
        await this.#enter(use, signal, until, true);
      }
      if (use === 'write') this.#writing.add(connection);
      return connection;
    } finally {
      observer.poolWaited(performance.now() - start);
    }
  }

  /** Takes the places that are free. @returns whether they were */
  #entersAtOnce(use: Use, { aborted }: AbortSignal): boolean {
    if (aborted || (use === 'write' && !this.#writePlaces.take())) return false;
    if (this.#places.take()) return true;
    if (use === 'write') this.#writePlaces.release();
    return false;
  }

  /** Waits for a place of the writes first: that takes no connection from a read. @param isNext whether it goes before all others */
  async #enter(use: Use, signal: AbortSignal, until: number, isNext = false): Promise<void> {
    const wait = (places: Semaphore): Promise<void> =>
      places.acquire(signal, Math.max(0, until - performance.now()), exhausted, { isNext });
    if (use === 'write') await wait(this.#writePlaces);
    try {
      await wait(this.#places);
    } catch (error) {
      if (use === 'write') this.#writePlaces.release();
      throw error;
    }
  }

  /** Has the pool be as large as the number of connections that there are, or are being made. @returns whether there are any but a refused one */
  #shrink(): boolean {
    const { size, used } = this.#places.usage;
    const others = Math.max(used - 1, this.#pool.connected());
    if (others > 0) this.#resize(Math.min(size, others));
    return others > 0;
  }

  /** Changes how many connections there may be, and lets the number grow to the pool's size again. */
  #resize(size: number): void {
    this.#places.resize(size);
    this.#writePlaces.resize(writePlaces(size));
    if (this.#growing !== null || size === this.#pool.size) return;
    this.#growing = setTimeout(() => {
      this.#growing = null;
      this.#resize(Math.min(this.#pool.size, Math.ceil(this.#places.usage.size * GROWTH.factor)));
    }, GROWTH.pause).unref();
  }

  #leave(use: Use): void {
    this.#places.release();
    if (use === 'write') this.#writePlaces.release();
  }

  /** Takes a connection for a place, or gives the place back. @returns null if the server refuses a further one: one of those there are has to do */
  async #connect(use: Use, { signal, observer }: RequestContext): Promise<DriverConnection | null> {
    const connecting = this.#pool.acquire();
    if (!(connecting instanceof Promise)) return connecting;
    try {
      return await inTime(connecting, signal);
    } catch (error) {
      if (!signal.aborted) {
        const { connecting: explain } = this.#driver.errors;
        const known = error instanceof ProtocolError;
        const refusal = known ? error : databaseError(explain(error), error);
        const isFurther = isUnable(refusal) && this.#shrink();
        this.#leave(use);
        if (!isFurther) throw refusal;
        const why = `so that the pool has fewer than database.poolSize: ${reason(refusal)}`;
        observer.warned?.(`The database refuses further connections, ${why}`);
        return null;
      }
    }
    // A connection that comes too late goes to the next request.
    connecting
      .then(
        (connection) => connection.release(true),
        () => undefined,
      )
      .finally(() => this.#leave(use));
    throw new ClientGone(signal.reason);
  }
}

function exhausted(): ProtocolError {
  return databaseError(databaseErrors.exhausted, new Error('no connection became free'));
}

/** A number of places, or an amount of something; requests wait for their share, first come first served. */
export class Semaphore {
  #size: number;
  /** Below zero while more is taken than there is. */
  #free: number;
  readonly #queue: { readonly amount: number; readonly grant: () => void }[] = [];

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  get usage(): PoolUsage {
    return { size: this.#size, used: this.#size - this.#free, waiting: this.#queue.length };
  }

  /** Takes what is free. @returns whether there was enough */
  take(amount = 1): boolean {
    if (this.#free < amount) return false;
    this.#free -= amount;
    return true;
  }

  /** Takes a place, or waits at most so long for one, before all others if it `isNext`. @throws ClientGone when the signal is aborted; `tooLate()` */
  async acquire(
    signal: AbortSignal,
    milliseconds: number,
    tooLate: () => Error,
    { isNext = false, amount = 1 } = {},
  ): Promise<void> {
    if (signal.aborted) throw new ClientGone(signal.reason);
    if (this.#queue.length === 0 && this.take(amount)) return;
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        endTime();
        ignoreAbort();
      };
      const giveUp = (error: Error): void => {
        this.#queue.splice(this.#queue.indexOf(own), 1);
        end();
        this.#grant();
        reject(error);
      };
      const own = {
        amount,
        grant: () => {
          end();
          resolve();
        },
      };
      const endTime = limitTime(milliseconds, () => giveUp(tooLate()));
      const ignoreAbort = onAbort(signal, () => giveUp(new ClientGone(signal.reason)));
      if (isNext) this.#queue.unshift(own);
      else this.#queue.push(own);
    });
  }

  /** Gives back what was taken, to the requests that have waited longest. */
  release(amount = 1): void {
    this.#free += amount;
    this.#grant();
  }

  /** Changes the number of places; those that are taken stay so. */
  resize(size: number): void {
    this.#free += size - this.#size;
    this.#size = size;
    this.#grant();
  }

  #grant(): void {
    for (
      let [next] = this.#queue;
      next !== undefined && this.take(next.amount);
      [next] = this.#queue
    ) {
      this.#queue.shift();
      next.grant();
    }
  }
}
