import {
  type DriverCommand,
  type DriverConnection,
  type DriverCursor,
  type DriverPool,
  type StopReason,
  type TimeLimits,
} from '../driver.ts';
import { inTime } from '../../base/time.ts';
import { databaseError, databaseErrors } from '../errors.ts';
import { sessionStatement, setContextQuery } from '../postgres/session.ts';
import { Engine, lost } from './engine.ts';
import type { ResultSet } from '../database.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import { clearedContext, type SessionContext } from '../session-context.ts';

/** The longest time of a timer, in milliseconds. */
const FOREVER = 2 ** 31 - 1;

/** How long a statement may go on without its client, in milliseconds: most end by then, and ending the database affects all others. */
const ABANDONED = 3000;

/** The limits of the embedded database. Only its end stops a statement; without files, all would be lost with it, so that there is no limit. */
export function pgliteLimits(milliseconds: number, hasFiles: boolean): TimeLimits {
  const statement = hasFiles ? milliseconds : FOREVER;
  const abandoned = hasFiles ? Math.min(milliseconds, ABANDONED) : FOREVER;
  const schema = Math.max(statement, 600_000);
  return { statement, schema, cancelRead: abandoned, cancelWrite: abandoned };
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

  /** Never called: the embedded database streams without a cursor, which would keep its only connection. */
  readonly open = (): Promise<DriverCursor> => Promise.reject(new Error('there are no cursors'));

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

  /** Ends the database when the time is over, and waits until then. Reads and transactions are lost with it; a routine may have committed. */
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

  readonly connected = (): number => 1;

  /** @throws ProtocolError databaseUnavailable if its thread has ended, and no other starts in time */
  readonly acquire = async (): Promise<PgliteConnection> => {
    if (this.#isClosed) throw new Error('The embedded database is closed.');
    if (this.#connection.engine.isOver) {
      // When this borrower gives up, the next one waits for the same start.
      this.#opening ??= this.#openAgain().finally(() => {
        this.#opening = null;
      });
      await inTime(this.#opening, null, {
        milliseconds: this.waitMilliseconds,
        tooLate: () => databaseError(databaseErrors.reopening, undefined),
      });
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
