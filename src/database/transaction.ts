import { ClientGone } from '../base/abort.ts';
import type { Activity } from '../base/observe/observer.ts';
import { connectionOn } from './connection.ts';
import type { Connection } from './database.ts';
import type { Driver } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import type { Pool } from './pool.ts';
import { failure, StatementStopped, supervised, supervision } from './supervise.ts';

/** Runs the commands of a transaction one after the other, until one fails. */
class Turns {
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
 * Runs work on the connection of a transaction. After a command that failed no other is sent: PostgreSQL would refuse it, and SQL Server
 * might run it outside of the transaction, which it has rolled back by itself. When this returns, no command is running.
 * @throws what the work throws; what its first failed command threw, if the work ignores it
 */
async function runWork<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const turns = new Turns();
  let result: Result;
  try {
    result = await work({
      run: (command, options) => turns.run(() => connection.run(command, options)),
      call: (call, options) => turns.run(() => connection.call(call, options)),
    });
  } finally {
    await turns.end();
  }
  turns.checkFailure();
  return result;
}

/** Runs work in a transaction on a connection of the pool. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (connection: Connection) => Promise<Result>,
  activity: Activity,
  driver: Driver,
): Promise<Result> {
  const { signal } = activity;
  const { errors, limits } = driver;
  const connection = await pool.acquire(activity, 'write');
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
