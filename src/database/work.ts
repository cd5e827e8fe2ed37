import type { Session } from './database.ts';

/** A transaction that has begun: its connection belongs to nobody else until it ends. */
export interface OpenTransaction {
  readonly session: Session;
  /** Commits, and gives the connection back, whatever comes of it. */
  readonly commit: () => Promise<void>;
  /** Rolls back, and gives the connection back; it does not fail, because what went wrong before is what matters. */
  readonly rollback: () => Promise<void>;
}

/** Runs work in a transaction that has begun: {@link Database.transaction}. */
export async function inTransaction<Result>(
  { session, commit, rollback }: OpenTransaction,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await runWork(session, work);
  } catch (error) {
    await rollback();
    throw error;
  }
  await commit();
  return result;
}

/**
 * Runs work on the one connection of a transaction. Statements wait for each other. After one that failed none is sent
 * any more: PostgreSQL would refuse it, and SQL Server might run it outside of the transaction, which it has rolled back
 * by itself. When this returns, no statement is on its way.
 * @throws what the work throws; what its first failed statement threw, if the work passes over that
 */
export async function runWork<Result>(
  session: Session,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const state: { over: boolean; failure: { readonly error: unknown } | null } = {
    over: false,
    failure: null,
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn =
    (run: Session['query']): Session['query'] =>
    (text, values) => {
      if (state.over) return Promise.reject(new Error('The transaction is over.'));
      const turn = last.then(async () => {
        if (state.failure !== null) throw state.failure.error;
        try {
          return await run(text, values);
        } catch (error) {
          state.failure = { error };
          throw error;
        }
      });
      last = turn.catch(() => undefined);
      return turn;
    };
  let result: Result;
  try {
    result = await work({ query: inTurn(session.query), change: inTurn(session.change) });
  } finally {
    state.over = true;
    await last;
  }
  if (state.failure !== null) throw state.failure.error;
  return result;
}
