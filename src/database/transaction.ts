import type { Connection } from './database.ts';

/**
 * Runs work on the one connection of a transaction. Commands wait for each other. After one that failed none is sent
 * any more: PostgreSQL would refuse it, and SQL Server might run it outside of the transaction, which it has rolled back
 * by itself. When this returns, no command is on its way.
 * @throws what the work throws; what its first failed command threw, if the work passes over that
 */
export async function runWork<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const turns = new Turns();
  let result: Result;
  try {
    result = await work({
      run: (command, options) => turns.take(() => connection.run(command, options)),
    });
  } finally {
    await turns.end();
  }
  turns.checkFailure();
  return result;
}

/** What is run one after the other, until something fails. */
class Turns {
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #last: Promise<unknown> = Promise.resolve();

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
