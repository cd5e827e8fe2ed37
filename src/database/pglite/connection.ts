import type { ResultSet } from '../database.ts';
import {
  BATCH_ROWS,
  type DriverCommand,
  type DriverConnection,
  type DriverCursor,
  type StopReason,
  type TimeLimits,
} from '../driver.ts';
import { plainStatement } from '../../sql/statement.ts';
import { setContextQuery } from '../postgres/session.ts';
import { clearedContext, type SessionContext } from '../session-context.ts';
import { lost, type Engine } from './engine.ts';

/** The longest time of a timer, in milliseconds. */
const FOREVER = 2 ** 31 - 1;

/** How long a statement may go on without its client, in milliseconds: most end by then, and ending the database affects all others. */
const ABANDONED = 3000;

/**
 * The limits of the embedded database. A statement cannot be cancelled: the database is ended, and opened again from its files. Without
 * files all would be lost, so that there is no limit.
 */
export function pgliteLimits(milliseconds: number, hasFiles: boolean): TimeLimits {
  const statement = hasFiles ? milliseconds : FOREVER;
  const abandoned = hasFiles ? Math.min(milliseconds, ABANDONED) : FOREVER;
  return { statement, cancelRead: abandoned, cancelWrite: abandoned };
}

/** The only connection of the embedded database, as long as its thread lives. */
export class PgliteConnection implements DriverConnection {
  readonly engine: Engine;
  #context: SessionContext | null = null;
  #isClean = true;
  #isCalling = false;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  readonly run = (command: DriverCommand): Promise<ResultSet> => this.engine.query(command);

  /** The driver has the whole result in memory before it returns a row. */
  readonly open = async (command: DriverCommand): Promise<DriverCursor> => {
    const { rows } = await this.run(command);
    let taken = 0;
    return {
      next: () => Promise.resolve(rows.slice(taken, (taken += BATCH_ROWS))),
      close: () => Promise.resolve(),
    };
  };

  readonly call = async (command: DriverCommand): Promise<readonly ResultSet[]> => {
    this.#isCalling = true;
    try {
      return [await this.run(command)];
    } finally {
      this.#isCalling = false;
    }
  };

  readonly begin = (): Promise<void> => this.#run('BEGIN ISOLATION LEVEL READ COMMITTED');
  readonly commit = (): Promise<void> => this.#run('COMMIT');
  readonly rollback = (): Promise<void> => this.#run('ROLLBACK');

  readonly setContext = (context: SessionContext): Promise<void> => {
    this.#context = context;
    return this.#setParameters(context);
  };

  readonly clearContext = async (): Promise<void> => {
    if (this.#context === null) return;
    await this.#setParameters(clearedContext(this.#context));
    this.#context = null;
  };

  /**
   * Ends the database when the time is over. Until then the statement is waited for. Reads, and writes in a transaction, are lost with it;
   * a routine may have committed.
   */
  readonly cancel = (reason: StopReason): Promise<void> => {
    if (reason === 'time limit') {
      void this.engine.end(this.#isCalling ? lost(timedOut()) : timedOut());
    }
    return Promise.resolve();
  };

  readonly destroy = (cause: Error): void => {
    void this.engine.end(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#isClean &&= isClean;
  };

  /** Cleans it up for the next borrower: no other can take its place. */
  async tidyUp(): Promise<void> {
    if (!this.#isClean) await this.rollback();
    this.#isClean = true;
    await this.clearContext();
  }

  async #run(text: string): Promise<void> {
    await this.engine.query({ statement: plainStatement(text), values: [] });
  }

  async #setParameters(context: SessionContext): Promise<void> {
    const { text, values } = setContextQuery(context, 'session');
    await this.engine.query({ statement: plainStatement(text), values });
  }
}

/** The server's error for a cancelled statement (query_canceled). */
function timedOut(): Error {
  return Object.assign(new Error('The statement took too long; the embedded database was ended.'), {
    code: '57014',
  });
}
