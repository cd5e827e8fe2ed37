import { ClientGone } from '../base/abort.ts';
import type { Activity } from '../base/observe/observer.ts';
import { connectionOn } from './connection.ts';
import type { Connection } from './database.ts';
import type { Driver, DriverConnection } from './driver.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { failure } from './failure.ts';
import type { Lender } from './pool.ts';
import { StatementStopped, supervised } from './supervise.ts';

/** What is run one after the other, until something fails. */
class Turns {
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws what the work throws; without running it, what the first that failed threw */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
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

  /** A turn that lasts as long as the items are asked for. */
  async *iterate<Item>(items: () => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    let end: (failure: { readonly error: unknown } | null) => void = () => undefined;
    let turn: Promise<void> = Promise.resolve();
    await new Promise<void>((begin, refuse) => {
      turn = this.take(async () => {
        const ended = new Promise<{ readonly error: unknown } | null>((resolve) => {
          end = resolve;
        });
        begin();
        const failure = await ended;
        if (failure !== null) throw failure.error;
      });
      turn.catch(refuse);
    });
    let failure: { readonly error: unknown } | null = null;
    try {
      yield* items();
    } catch (error) {
      failure = { error };
    } finally {
      end(failure);
    }
    await turn;
  }

  /** Nothing is run any more. @returns when nothing is on its way */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  /** @throws what the first that failed threw */
  checkFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

/**
 * Runs work on the one connection of a transaction. Commands wait for each other. After one that failed none is sent
 * any more: PostgreSQL would refuse it, and SQL Server might run it outside of the transaction, which it has rolled back
 * by itself. When this returns, no command is on its way.
 * @throws what the work throws; what its first failed command threw, if the work passes over that
 */
async function runWork<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const turns = new Turns();
  let result: Result;
  try {
    result = await work({
      run: (command, options) => turns.take(() => connection.run(command, options)),
      stream: (command, options) => turns.iterate(() => connection.stream(command, options)),
      call: (call, options) => turns.take(() => connection.call(call, options)),
    });
  } finally {
    await turns.end();
  }
  turns.checkFailure();
  return result;
}

/** Runs work in a transaction on a connection that is lent, and gives the connection back. */
export async function inTransaction<Result>(
  lender: Lender,
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
    lender.release(connection, false);
    if (error instanceof StatementStopped && error.reason === 'signal') throw new ClientGone(error);
    const passing = error instanceof StatementStopped ? null : errors.classify(error);
    throw databaseError(passing ?? databaseErrors.unavailable, error);
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
    lender.release(connection, isRolledBack);
    throw error;
  }
  try {
    await supervised(connection, connection.commit, { signal: null, limit, grace });
  } catch (error) {
    const isStopped = error instanceof StatementStopped;
    lender.release(connection, !isStopped && !errors.isLost(error));
    // One that is given up may have been made.
    if (isStopped) throw databaseError(databaseErrors.unknown, error);
    throw failure(error, { effect: 'write', whenLost: 'unknown' }, errors);
  }
  lender.release(connection, true);
  return result;
}
