import { ClientGone } from '../base/client-gone.ts';
import { unattended, type Activity } from '../observe/observer.ts';
import { plainStatement } from '../sql/statement.ts';
import { connectionOn } from './connection.ts';
import type { Connection, Database, Row } from './database.ts';
import type { Driver, DriverConnection } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { failure } from './failure.ts';
import { Pool } from './pool.ts';
import { StatementStopped, supervised } from './supervise.ts';
import { runWork } from './transaction.ts';

/** The database that a driver's connections come to: what is the same for all engines. */
export function pooledDatabase(driver: Driver): Omit<Database, 'dialect' | 'version'> {
  const reading = new Pool(driver.reading);
  const writing = driver.writing === driver.reading ? reading : new Pool(driver.writing);
  const transaction: Database['transaction'] = async (work, activity) =>
    inTransaction(writing, await writing.acquire(activity), work, activity, driver);
  const run: Connection['run'] = async (command, options) => {
    if (command.statement.effect === 'write') {
      return transaction((connection) => connection.run(command, options), options);
    }
    const pool = options.fresh === true ? writing : reading;
    const connection = await pool.acquire(options);
    try {
      return await connectionOn(connection, driver, 'unknown').run(command, options);
    } finally {
      pool.release(connection, true);
    }
  };
  const read = async (text: string, { signal } = unattended): Promise<readonly Row[]> => {
    const command = { statement: plainStatement(text), values: [] };
    return (await run(command, { ...unattended, signal })).rows;
  };
  return {
    run,
    transaction,
    introspect: () => driver.introspect(read),
    ping: async (signal) => {
      await read('SELECT 1', { ...unattended, signal });
    },
    close: () => driver.close(),
  };
}

/** {@link Database.transaction} on a connection of a pool, which it gives back. */
async function inTransaction<Result>(
  pool: Pool,
  connection: DriverConnection,
  work: (connection: Connection) => Promise<Result>,
  { signal }: Activity,
  driver: Driver,
): Promise<Result> {
  const { errors, limits } = driver;
  const limit = limits.statement;
  const grace = limits.cancelWrite;
  try {
    await supervised(connection, connection.begin, { signal, limit, grace: limits.cancelRead });
  } catch (error) {
    pool.release(connection, false);
    if (error instanceof StatementStopped && error.reason === 'signal') throw new ClientGone(error);
    throw databaseError(databaseErrors.away, error);
  }
  let result: Result;
  try {
    result = await runWork(connectionOn(connection, driver, 'rolledBack'), work);
    if (signal.aborted) throw new ClientGone(signal.reason);
  } catch (error) {
    // What went wrong before is what matters: a connection that cannot be rolled back is closed, which does the same.
    const isRolledBack = await supervised(connection, connection.rollback, {
      signal: null,
      limit,
      grace,
    }).then(
      () => true,
      () => false,
    );
    pool.release(connection, isRolledBack);
    throw error;
  }
  try {
    await supervised(connection, connection.commit, { signal: null, limit, grace });
  } catch (error) {
    const isStopped = error instanceof StatementStopped;
    pool.release(connection, !isStopped && !errors.isLost(error));
    // One that is given up may have been made.
    if (isStopped) throw databaseError(databaseErrors.unknown, error);
    throw failure(error, { effect: 'write', whenLost: 'unknown' }, errors);
  }
  pool.release(connection, true);
  return result;
}
