import { ProtocolError } from '../base/errors.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import type { Driver, DriverConnection, KeptConnection } from './driver.ts';
import { databaseError, databaseErrors, isUnable } from './errors.ts';
import type { Pool } from './pool.ts';
import { inTime } from '../base/time.ts';
import { supervised } from './connection.ts';

/** How long a connection may take to answer, in milliseconds: it leaves time to try another. */
const PATIENCE = 1000;

const QUESTION = { statement: plainStatement('SELECT 1'), values: [] };

/**
 * Asks the database whether it answers: on a free connection of the pool, or on one beside it, if all are in use or that one has broken. So the answer
 * is that of the pool, and does not depend on the load. Simultaneous questions are asked once.
 */
export class Probe {
  readonly #pool: Pool;
  readonly #open: NonNullable<Driver['connectBeside']>;
  #asking: Promise<void> | null = null;

  constructor(pool: Pool, open: NonNullable<Driver['connectBeside']>) {
    this.#pool = pool;
    this.#open = open;
  }

  /** Resolves when the database has answered. @throws ProtocolError databaseUnavailable, databaseUnable; the signal's reason */
  async ask(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await inTime(this.#asking, signal);
  }

  /** Waits for the connection that is asked. */
  async close(): Promise<void> {
    await this.#asking?.catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const connection = await this.#pool.acquireFree();
    if (connection === null) return this.#askBeside(true);
    const isAnswered = await question(connection).then(
      () => true,
      () => false,
    );
    this.#pool.release(connection, isAnswered);
    if (!isAnswered) await this.#askBeside(false);
  }

  /** @param isBusy whether all connections of the pool are in use: a server that refuses a further one answers */
  async #askBeside(isBusy: boolean): Promise<void> {
    let beside: KeptConnection | null = null;
    try {
      beside = await this.#open(() => undefined);
      await question(beside.connection);
    } catch (error) {
      if (isBusy && isUnable(error)) return;
      if (error instanceof ProtocolError) throw error;
      throw databaseError(databaseErrors.unavailable, error);
    } finally {
      await beside?.close().catch(() => undefined);
    }
  }
}

async function question(connection: DriverConnection): Promise<void> {
  const limited = { signal: null, limit: PATIENCE, grace: 0 };
  await supervised(connection, () => connection.run(QUESTION), limited);
}
