import { ProtocolError } from '../base/errors.ts';
import { plainStatement } from '../sql/statement.ts';
import type { Driver, KeptConnection } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { onAbort } from '../base/on-abort.ts';
import { supervised } from './supervise.ts';

/** How long the connection that is kept may take to answer, in milliseconds: then there is time left to try another. */
const PATIENCE = 1000;

const QUESTION = { statement: plainStatement('SELECT 1'), values: [] };

/**
 * Asks the database whether it answers, on a connection of its own: whoever wants to know takes none of the pool's, and is told nothing
 * of how much they have to do. It is opened by the first question and kept for the next ones; those who ask at the same time ask once.
 */
export class Probe {
  readonly #open: NonNullable<Driver['connectBeside']>;
  #kept: Promise<KeptConnection> | null = null;
  #asking: Promise<void> | null = null;
  #isClosed = false;

  constructor(open: NonNullable<Driver['connectBeside']>) {
    this.#open = open;
  }

  /**
   * Resolves when the database has answered.
   * @throws ProtocolError databaseUnavailable, databaseUnable; the reason of the signal where it is aborted before
   */
  async ask(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = null;
    });
    let ignoreAbort: (() => void) | undefined;
    const left = new Promise<never>((_resolve, reject) => {
      ignoreAbort = onAbort(signal, () => {
        reject(signal.reason as Error);
      });
    });
    try {
      await Promise.race([this.#asking, left]);
    } finally {
      ignoreAbort?.();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  /** What was kept may have broken while nobody asked. */
  async #askOnce(): Promise<void> {
    const wasKept = this.#kept !== null;
    try {
      await this.#askKept();
    } catch (error) {
      if (!wasKept) throw error;
      await this.#askKept();
    }
  }

  async #askKept(): Promise<void> {
    if (this.#isClosed)
      throw new ProtocolError('databaseUnavailable', databaseErrors.unavailable.message);
    try {
      const { connection } = await (this.#kept ??= this.#connect());
      await supervised(connection, () => connection.run(QUESTION), {
        signal: null,
        limit: PATIENCE,
        grace: 0,
      });
    } catch (error) {
      await this.#drop();
      throw error instanceof ProtocolError
        ? error
        : databaseError(databaseErrors.unavailable, error);
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
