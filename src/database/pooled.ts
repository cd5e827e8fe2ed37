import pLimit from 'p-limit';
import { ProtocolError } from '../base/errors.ts';
import { type Activity, unattended } from '../base/observe/observer.ts';
import { plainStatement } from '../sql/statement.ts';
import { connectionOn, type Rules, type Streaming } from './connection.ts';
import type { Connection, Database, DedicatedConnection, Row } from './database.ts';
import type { Driver, DriverConnection, KeptConnection } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { Pool, unlessAborted, type Use } from './pool.ts';
import { supervised } from './supervise.ts';
import { inTransaction } from './transaction.ts';

/** How long the kept connection may take to answer, in milliseconds: it leaves time to try another. */
const PATIENCE = 1000;

const QUESTION = { statement: plainStatement('SELECT 1'), values: [] };

/**
 * Asks the database whether it answers, on a connection outside of the pool: the answer does not depend on the load. The first question
 * opens the connection, later ones use it again; simultaneous questions are asked once.
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
   * @throws ProtocolError databaseUnavailable, databaseUnable; the reason of the signal when it is aborted before
   */
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

/** A database on the pools of a driver, but for what each engine adds by itself. */
export type PooledDatabase = Omit<Database, 'dialect' | 'version' | 'dedicated'>;

/** Builds a database on the pools of a driver. */
export function pooledDatabase(driver: Driver): PooledDatabase {
  const reading = new Pool(driver.reading, driver);
  const writing = driver.writing === driver.reading ? reading : new Pool(driver.writing, driver);
  const onReading = lending(reading, driver);
  const onWriting = lending(writing, driver);
  const transaction: Database['transaction'] = (work, activity) =>
    inTransaction(writing, work, activity, driver);
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
    introspect: () => {
      // More at once would wait in the queue of the pool, which has a time limit.
      const limit = pLimit(driver.reading.size);
      return driver.introspect((text) => limit(() => read(text, unattended)));
    },
    ping: async (signal) => {
      if (probe !== null) await probe.ask(signal);
      else await read('SELECT 1', { ...unattended, signal });
    },
    pool: () => reading.usage,
    close: async () => {
      await probe?.close();
      await driver.close();
    },
  };
}

/** Borrows a connection for each command. */
function lending(pool: Pool, rules: Rules): Streaming {
  const lent = new WeakMap<DriverConnection, Streaming>();
  const asConnection = (connection: DriverConnection): Streaming => {
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
    const connection = await pool.acquire(activity, use);
    try {
      return await work(asConnection(connection));
    } finally {
      pool.release(connection, true);
    }
  };
  return {
    run: (command, options) =>
      borrowing(options, command.statement.effect, ({ run }) => run(command, options)),
    call: (command, options) => borrowing(options, 'write', ({ call }) => call(command, options)),
    stream: async function* (command, options) {
      const connection = await pool.acquire(options, 'read');
      try {
        yield* asConnection(connection).stream(command, options);
      } finally {
        pool.release(connection, true);
      }
    },
  };
}

/** A connection that its owner keeps, as {@link Database.dedicated} gives it: its commands wait for each other. */
export function dedicatedConnection(
  { connection: kept, close }: KeptConnection,
  driver: Driver,
): DedicatedConnection {
  const connection = { ...kept, release: () => undefined };
  const only = { size: 1, waitMilliseconds: Infinity, acquire: () => connection };
  const { run, call } = lending(new Pool(only, { ...driver, sessionContext: null }), driver);
  return { run, call, close };
}
