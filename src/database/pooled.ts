import { type Activity, unattended } from '../base/observe/observer.ts';
import { plainStatement } from '../sql/statement.ts';
import { connectionOn, type Rules } from './connection.ts';
import type { Connection, Database, DedicatedConnection, Row } from './database.ts';
import type { Driver, DriverConnection, KeptConnection } from './driver.ts';
import { type Lender, lenderOf, Pool, type Use } from './pool.ts';
import { Semaphore } from './semaphore.ts';
import { withSessionContext } from './context-lender.ts';
import { inTransaction } from './transaction.ts';
import { ProtocolError } from '../base/errors.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { onAbort } from '../base/abort.ts';
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

/** The database that a driver's connections come to: what is the same for all engines. */
export function pooledDatabase(
  driver: Driver,
): Omit<Database, 'dialect' | 'version' | 'dedicated'> {
  const pool = new Pool(driver.reading, driver.errors);
  const reading = withSessionContext(pool, driver);
  const writing =
    driver.writing === driver.reading
      ? reading
      : withSessionContext(new Pool(driver.writing, driver.errors), driver);
  const onReading = lending(reading, driver);
  const onWriting = lending(writing, driver);
  const transaction: Database['transaction'] = async (work, activity) =>
    inTransaction(writing, await writing.acquire(activity, 'write'), work, activity, driver);
  const run: Connection['run'] = async (command, options) => {
    if (command.statement.effect === 'write') {
      if (command.statement.commitsItself !== undefined) return onWriting.run(command, options);
      return transaction((connection) => connection.run(command, options), options);
    }
    return (options.fresh === true ? onWriting : onReading).run(command, options);
  };
  const read = async (text: string, { signal }: Activity): Promise<readonly Row[]> => {
    const command = { statement: plainStatement(text), values: [] };
    return (await run(command, { ...unattended, signal })).rows;
  };
  const probe = driver.connectBeside === undefined ? null : new Probe(driver.connectBeside);
  return {
    advice: [],
    run,
    stream: (command, options) =>
      (options.fresh === true ? onWriting : onReading).stream(command, options),
    call: onWriting.call,
    transaction,
    introspect: () =>
      driver.introspect(atOnce(driver.reading.size, (text) => read(text, unattended))),
    ping: async (signal) => {
      if (probe !== null) await probe.ask(signal);
      else await read('SELECT 1', { ...unattended, signal });
    },
    pool: () => pool.usage,
    close: async () => {
      await probe?.close();
      await driver.close();
    },
  };
}

/** Borrows a connection for each command. */
function lending(lender: Lender, rules: Rules): Connection {
  const lent = new WeakMap<DriverConnection, Connection>();
  const asConnection = (connection: DriverConnection): Connection => {
    const known = lent.get(connection);
    if (known !== undefined) return known;
    const made = connectionOn(connection, rules, 'unknown');
    lent.set(connection, made);
    return made;
  };
  const borrowing = async <Result>(
    activity: Activity,
    use: Use,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> => {
    const connection = await lender.acquire(activity, use);
    try {
      return await work(asConnection(connection));
    } finally {
      lender.release(connection, true);
    }
  };
  return {
    run: (command, options) =>
      borrowing(options, command.statement.effect, ({ run }) => run(command, options)),
    call: (command, options) => borrowing(options, 'write', ({ call }) => call(command, options)),
    stream: async function* (command, options) {
      const connection = await lender.acquire(options, 'read');
      try {
        yield* asConnection(connection).stream(command, options);
      } finally {
        lender.release(connection, true);
      }
    },
  };
}

/** A connection that its owner keeps, as {@link Database.dedicated} gives it. */
export function dedicatedConnection(
  { connection, close }: KeptConnection,
  rules: Rules,
): DedicatedConnection {
  return { ...lending(lenderOf(connection), rules), close };
}

/** Work of which so many pieces are done at once: the others wait, however long that takes, and not in the queue of a pool. */
function atOnce<Result>(
  most: number,
  work: (text: string) => Promise<Result>,
): (text: string) => Promise<Result> {
  const places = new Semaphore(most);
  return async (text) => {
    await places.acquire(unattended.signal, Infinity);
    try {
      return await work(text);
    } finally {
      places.release();
    }
  };
}
