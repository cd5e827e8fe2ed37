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

/** The longest that a timer can wait, in milliseconds. */
const FOREVER = 2 ** 31 - 1;

/**
 * How long a statement may go on whose client has gone, in milliseconds. Most end by then: ending the database for each of them would cost all others more
 * than it saves.
 */
const LEFT_ALONE = 3000;

/**
 * The limits of the embedded database. A statement cannot be cancelled, so that it is ended together with the database, which goes on from its files; one that
 * has none would lose everything, and lets its statements run.
 */
export function pgliteLimits(milliseconds: number, hasFiles: boolean): TimeLimits {
  const statement = hasFiles ? milliseconds : FOREVER;
  const leftAlone = hasFiles ? Math.min(milliseconds, LEFT_ALONE) : FOREVER;
  return { statement, cancelRead: leftAlone, cancelWrite: leftAlone };
}

/** The only connection of the embedded database, as long as its thread lives. Who uses it keeps everyone else waiting. */
export class PgliteConnection implements DriverConnection {
  readonly engine: Engine;
  #context: SessionContext | null = null;
  #isClean = true;
  #isCalling = false;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  readonly run = (command: DriverCommand): Promise<ResultSet> => this.engine.query(command);

  /** The driver has the whole answer in this process already before it gives out a row of it. */
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
   * There is no cancelling: within the time limit a statement is waited for, and behind it the database is ended. What was read, or written in a transaction, is
   * given up with it; of what a routine does nobody knows, since it ends its transaction by itself.
   */
  readonly cancel = (reason: StopReason): Promise<void> => {
    if (reason === 'time limit')
      void this.engine.end(this.#isCalling ? lost(timedOut()) : timedOut());
    return Promise.resolve();
  };

  readonly destroy = (cause: Error): void => {
    void this.engine.end(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#isClean &&= isClean;
  };

  /** Makes it as it was, for the next one who has it: there is no other to take instead. */
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

/** As a server says it of a statement that it has given up (query_canceled). */
function timedOut(): Error {
  return Object.assign(new Error('The statement took too long; the embedded database was ended.'), {
    code: '57014',
  });
}
