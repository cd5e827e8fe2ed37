import { ProtocolError } from '../base/errors.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import type { Driver, KeptConnection } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { unlessAborted } from './pool.ts';
import { supervised } from './connection.ts';

/** How long the kept connection may take to answer, in milliseconds: it leaves time to try another. */
const PATIENCE = 1000;

const QUESTION = { statement: plainStatement('SELECT 1'), values: [] };

/**
 * Asks the database whether it answers, on a connection outside of the pool: the answer does not depend on the load. The first question opens the
 * connection, later ones use it again; simultaneous questions are asked once.
 */
export class Probe {
  readonly #open: NonNullable<Driver['connectBeside']>;
  #kept: Promise<KeptConnection> | null = null;
  #asking: Promise<void> | null = null;
  #isClosed = false;

  constructor(open: NonNullable<Driver['connectBeside']>) {
    this.#open = open;
  }

  /** Resolves when the database has answered. @throws ProtocolError databaseUnavailable, databaseUnable; the signal's reason */
  async ask(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#asking ??= this.#askTwice().finally(() => {
      this.#asking = null;
    });
    await unlessAborted(this.#asking, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  /** The kept connection may have broken since it was used last. */
  async #askTwice(): Promise<void> {
    const wasKept = this.#kept !== null;
    try {
      await this.#askOnce();
    } catch (error) {
      if (!wasKept) throw error;
      await this.#askOnce();
    }
  }

  async #askOnce(): Promise<void> {
    if (this.#isClosed) throw databaseError(databaseErrors.unavailable, undefined);
    try {
      const { connection } = await (this.#kept ??= this.#connect());
      const limited = { signal: null, limit: PATIENCE, grace: 0 };
      await supervised(connection, () => connection.run(QUESTION), limited);
    } catch (error) {
      await this.#drop();
      if (error instanceof ProtocolError) throw error;
      throw databaseError(databaseErrors.unavailable, error);
    }
  }

  #connect(): Promise<KeptConnection> {
    const opening = this.#open(() => {
      if (this.#kept === opening) void this.#drop();
    });
    return opening;
  }

  async #drop(): Promise<void> {
    const kept = this.#kept;
    this.#kept = null;
    await kept?.then(({ close }) => close()).catch(() => undefined);
  }
}
