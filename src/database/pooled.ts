import pLimit from 'p-limit';
import { type RequestContext, gatewayContext } from '../base/observe/observer.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { plainStatement } from '../sql/ir/statement.ts';
import {
  connectionOn,
  failure,
  type Rules,
  StatementStopped,
  type Streaming,
  supervised,
  supervision,
} from './connection.ts';
import type { Connection, Database, DedicatedConnection, ResultSet, Row } from './database.ts';
import type { Driver, DriverConnection, KeptConnection } from './driver.ts';
import { Pool, type Use } from './pool.ts';
import { Probe } from './probe.ts';
import type { OnWait } from './connect-at-start.ts';
import { ClientGone } from '../base/time.ts';
import { databaseError, databaseErrors } from './errors.ts';

/** A database on the pools of a driver, but for what each engine adds by itself. */
export type PooledDatabase = Omit<Database, 'dialect' | 'version' | 'dedicated'>;

/** Builds a database on the pools of a driver. @param onWait is told when its schema takes longer to read than a statement of a request may */
export function pooledDatabase(driver: Driver, onWait: OnWait = () => undefined): PooledDatabase {
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
  const read = async (text: string, { signal }: RequestContext): Promise<readonly Row[]> => {
    const command = { statement: plainStatement(text), values: [] };
    return (await run(command, { ...gatewayContext, signal })).rows;
  };
  const probe =
    driver.connectBeside === undefined ? null : new Probe(reading, driver.connectBeside);
  return {
    advice: [],
    run,
    stream: (command, options) =>
      (options.fresh === true ? onWriting : onReading).stream(command, options),
    call: onWriting.call,
    transaction,
    introspect: () => introspecting(reading, driver, onWait),
    ping: async (signal) => {
      if (probe !== null) await probe.ask(signal);
      else await read('SELECT 1', { ...gatewayContext, signal });
    },
    pool: () => reading.usage,
    ...(writing !== reading && { writePool: () => writing.usage }),
    close: async () => {
      await probe?.close();
      await driver.close();
    },
  };
}

/** Reads the schema: each statement has a time limit of its own, and waits as long for a connection. */
async function introspecting(pool: Pool, driver: Driver, onWait: OnWait): Promise<PhysicalSchema> {
  const { limits, limitStatements } = driver;
  const patient = { ...driver, limits: { ...limits, statement: limits.schema } };
  const { run } = lending(pool, patient, limits.schema);
  const limit = pLimit(driver.reading.size);
  const start = performance.now();
  const reporting = setInterval(() => {
    const seconds = Math.round((performance.now() - start) / 1000);
    onWait(`reading the schema of the database takes long: ${seconds} s so far`);
  }, limits.statement);
  const read = async (text: string): Promise<ResultSet> => {
    const command = { statement: plainStatement(text), values: [] };
    if (limitStatements === undefined) return run(command, gatewayContext);
    const limiting = { statement: limitStatements(limits.schema), values: [] };
    const work = async (connection: Connection): Promise<ResultSet> => {
      await connection.run(limiting, gatewayContext);
      return connection.run(command, gatewayContext);
    };
    return inTransaction(pool, work, gatewayContext, patient, limits.schema);
  };
  try {
    return await driver.introspect((text) => limit(async () => (await read(text)).rows));
  } finally {
    clearInterval(reporting);
  }
}

/** Borrows a connection for each command. @param wait how long to wait for a free one */
function lending(pool: Pool, rules: Rules, wait?: number): Streaming {
  const lent = new WeakMap<DriverConnection, Streaming>();
  const asConnection = (connection: DriverConnection): Streaming => {
    const known = lent.get(connection);
    if (known !== undefined) return known;
    const made = connectionOn(connection, rules, 'unknown');
    lent.set(connection, made);
    return made;
  };
  const borrowing = async <Result>(
    activity: RequestContext,
    use: Use,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> => {
    const connection = await pool.acquire(activity, use, wait);
    try {
      return await work(asConnection(connection));
    } finally {
      // After an error, too: the driver knows which connections are broken.
      pool.release(connection, true);
    }
  };
  return {
    run: (command, options) =>
      borrowing(options, command.statement.effect, ({ run }) => run(command, options)),
    call: (command, options) => borrowing(options, 'write', ({ call }) => call(command, options)),
    stream: async function* (command, options) {
      const connection = await pool.acquire(options, 'read', wait);
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
  const acquire = (): DriverConnection => connection;
  const only = { size: 1, waitMilliseconds: Infinity, connected: () => 1, acquire };
  const { run, call } = lending(new Pool(only, { ...driver, sessionContext: null }), driver);
  return { run, call, close };
}

/** Runs the commands of a transaction one after the other, until one fails. */
class OneAtATime {
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what the work throws; without running it, what the first failed command threw */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isOver) return Promise.reject(new Error('The transaction is over.'));
    const turn = this.#last.then(async () => {
      this.checkFailure();
      try {
        return await work();
      } catch (error) {
        this.#failure = { error };
        throw error;
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Refuses more commands, and waits for those that have come. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  /** @throws what the first failed command threw */
  checkFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

/**
 * Runs work on the connection of a transaction. After a command that failed no other is sent: PostgreSQL would refuse it, and SQL Server might run
 * it outside of the transaction, which it has rolled back by itself. When this returns, no command is running.
 * @throws what the work throws; what its first failed command threw, if the work ignores it
 */
async function runWork<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const commands = new OneAtATime();
  let result: Result;
  try {
    result = await work({
      run: (command, options) => commands.run(() => connection.run(command, options)),
      call: (call, options) => commands.run(() => connection.call(call, options)),
    });
  } finally {
    await commands.end();
  }
  commands.checkFailure();
  return result;
}

/** Runs work in a transaction on a connection of the pool. @param wait how long to wait for a free one */
export async function inTransaction<Result>(
  pool: Pool,
  work: (connection: Connection) => Promise<Result>,
  activity: RequestContext,
  driver: Driver,
  wait?: number,
): Promise<Result> {
  const { signal } = activity;
  const { errors, limits } = driver;
  const connection = await pool.acquire(activity, 'write', wait);
  try {
    await supervised(connection, connection.begin, supervision(limits, 'read', signal));
  } catch (error) {
    pool.release(connection, false);
    const isStopped = error instanceof StatementStopped;
    if (isStopped && error.reason === 'signal') throw new ClientGone(error);
    const transient = isStopped ? null : errors.classify(error);
    throw databaseError(transient ?? databaseErrors.unavailable, error);
  }
  const unstopped = supervision(limits, 'write');
  let result: Result;
  try {
    result = await runWork(connectionOn(connection, driver, 'rolledBack'), work);
    if (signal.aborted) throw new ClientGone(signal.reason);
  } catch (error) {
    // A connection that cannot be rolled back is closed, which rolls back, too. The first failure is what matters.
    const isRolledBack = await supervised(connection, connection.rollback, unstopped).then(
      () => true,
      () => false,
    );
    pool.release(connection, isRolledBack);
    throw error;
  }
  try {
    await supervised(connection, connection.commit, unstopped);
  } catch (error) {
    const isStopped = error instanceof StatementStopped;
    pool.release(connection, !isStopped && !errors.isLost(error));
    // A cancelled commit may have been done.
    if (isStopped) throw databaseError(databaseErrors.unknown, error);
    throw failure(error, { effect: 'write', whenLost: 'unknown' }, errors);
  }
  pool.release(connection, true);
  return result;
}
