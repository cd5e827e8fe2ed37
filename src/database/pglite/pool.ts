import type { DriverPool } from '../driver.ts';
import { databaseError, databaseErrors } from '../errors.ts';
import { sessionStatement } from '../postgres/session.ts';
import { PgliteConnection } from './connection.ts';
import { Engine } from './engine.ts';

const SESSION = { statement: sessionStatement(), values: [] };

/** Lends the only connection of the embedded database. When its thread has ended, its folder is opened again for the next borrower. */
export class PglitePool implements DriverPool {
  readonly size = 1;
  readonly waitMilliseconds: number;
  readonly #folder: string | null;
  #connection: PgliteConnection;
  #opening: Promise<void> | null = null;
  #isClosed = false;

  private constructor(engine: Engine, folder: string | null, waitMilliseconds: number) {
    this.#connection = new PgliteConnection(engine);
    this.#folder = folder;
    this.waitMilliseconds = waitMilliseconds;
  }

  /** @param engine a database that has just been started @param folder the folder of its files; null if it has none */
  static async of(
    engine: Engine,
    folder: string | null,
    waitMilliseconds: number,
  ): Promise<PglitePool> {
    await engine.query(SESSION);
    return new PglitePool(engine, folder, waitMilliseconds);
  }

  /** @throws ProtocolError databaseUnavailable if its thread has ended, and no other starts in time */
  readonly acquire = async (): Promise<PgliteConnection> => {
    if (this.#isClosed) throw new Error('The embedded database is closed.');
    if (this.#connection.engine.isOver) {
      // When this borrower gives up, the next one waits for the same start.
      this.#opening ??= this.#openAgain().finally(() => {
        this.#opening = null;
      });
      await inTime(this.#opening, this.waitMilliseconds);
    }
    await this.#connection.tidyUp();
    return this.#connection;
  };

  get isWorking(): boolean {
    const { engine } = this.#connection;
    return engine.isBusy && !engine.isOver;
  }

  /** Closes the files; running work fails. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    await this.#connection.engine.close();
  }

  async #openAgain(): Promise<void> {
    // Two threads would damage the files.
    await this.#connection.engine.ended;
    if (this.#folder === null) throw databaseError(databaseErrors.vanished, undefined);
    try {
      const engine = await Engine.start(this.#folder);
      await engine.query(SESSION);
      this.#connection = new PgliteConnection(engine);
    } catch (error) {
      throw databaseError(databaseErrors.notReopened, error);
    }
  }
}

async function inTime(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = databaseError(databaseErrors.reopening, undefined);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
