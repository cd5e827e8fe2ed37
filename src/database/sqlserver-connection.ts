import type { EventEmitter } from 'node:events';
import sql from 'mssql';
import type { Connection } from 'tedious';
import type { BoundParameter } from '../sql/dialect.ts';
import type { Row, Session } from './database.ts';
import { databaseError, databaseErrors } from './errors.ts';
import { bind } from './sqlserver-bind.ts';
import {
  rolledBackByServer,
  sqlServerChangeError,
  sqlServerCommitError,
  sqlServerError,
} from './sqlserver-errors.ts';
import type { OpenTransaction } from './work.ts';

/** What runs a request: a pool, or one connection out of it. */
type Parent = sql.ConnectionPool | Loan;

/** The methods of the driver's pool that lend a connection; its types leave them out. */
interface LendingPool {
  readonly config: sql.config;
  readonly acquire: (borrower: object) => Promise<Connection>;
  readonly release: (connection: Connection) => void;
}

/** What a connection emits when the server tells that a transaction was rolled back; the driver's types leave it out. */
const ROLLBACK = 'rollbackTransaction';

/** Runs one statement that reads. */
export function reader(parent: Parent): Session['query'] {
  return async (text, values) => {
    try {
      return (await run(parent, text, values))[0] ?? [];
    } catch (error) {
      throw sqlServerError(error);
    }
  };
}

/** Runs one statement that writes, on a connection of its own, so that it is known whether it was sent at all. */
export async function change(
  pool: sql.ConnectionPool,
  text: string,
  values: readonly BoundParameter[],
): Promise<readonly Row[]> {
  const loan = await Loan.of(pool);
  const statement = loan.unlessRolledBack(async (sent, bound) => {
    try {
      return (await run(loan, allOrNothing(sent), bound)).at(-1) ?? [];
    } catch (error) {
      throw sqlServerChangeError(error, 'unknown');
    }
  });
  try {
    return await statement(text, values);
  } finally {
    loan.giveBack();
  }
}

/**
 * A statement whose error undoes it. By itself it would stay done where a trigger raises an error and does not roll
 * back (https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql: RAISERROR does not honor it);
 * XACT_ABORT ends the transaction where nothing is caught, as when the statement is given up.
 */
function allOrNothing(text: string): string {
  return (
    `SET XACT_ABORT ON; BEGIN TRY BEGIN TRANSACTION; ${text}; COMMIT TRANSACTION; END TRY` +
    ' BEGIN CATCH IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; THROW; END CATCH'
  );
}

/**
 * Begins a transaction. The driver's own class for it gives the connection back to the pool at the moment at which the server
 * rolls back by itself, be it in the middle of a statement, or with a transaction that a trigger then began anew, and
 * after a rollback that failed; here it is kept until the work is done, and closed where it may not be clean.
 */
export async function begin(pool: sql.ConnectionPool): Promise<OpenTransaction> {
  const loan = await Loan.of(pool);
  try {
    await loan.begin();
  } catch (error) {
    loan.giveBack('closed');
    throw databaseError(databaseErrors.away, error);
  }
  return {
    session: {
      query: loan.unlessRolledBack(reader(loan)),
      change: loan.unlessRolledBack(async (text, values) => {
        try {
          return (await run(loan, text, values)).at(-1) ?? [];
        } catch (error) {
          throw sqlServerChangeError(error, 'rolledBack');
        }
      }),
    },
    commit: async () => {
      try {
        await loan.commit();
        loan.giveBack();
      } catch (error) {
        loan.giveBack('closed');
        throw sqlServerCommitError(error);
      }
    },
    rollback: async () => {
      try {
        if (!loan.isRolledBack) await loan.rollback();
        loan.giveBack();
      } catch {
        // The server rolls back what a closed connection leaves.
        loan.giveBack('closed');
      }
    },
  };
}

async function run(
  parent: Parent,
  text: string,
  values: readonly BoundParameter[],
): Promise<readonly (readonly Row[])[]> {
  // A loan is all that the driver asks of a transaction that a request belongs to.
  const request = new sql.Request(parent as sql.ConnectionPool);
  request.arrayRowMode = true;
  for (const [index, bound] of values.entries()) {
    const { type, value } = bind(bound);
    request.input(`p${index + 1}`, type, value);
  }
  const { recordsets } = await request.query(text);
  return recordsets as unknown as readonly (readonly Row[])[];
}

/** One connection out of the pool, for requests that follow one another. */
class Loan {
  readonly connected = true;
  readonly config: sql.config;
  readonly #pool: LendingPool;
  readonly #connection: Connection;
  #rolledBack = false;
  readonly #noteRollback = (): void => {
    this.#rolledBack = true;
  };

  private constructor(pool: LendingPool, connection: Connection) {
    this.#pool = pool;
    this.config = pool.config;
    this.#connection = connection;
    (connection as EventEmitter).on(ROLLBACK, this.#noteRollback);
  }

  /** Whatever keeps a connection from coming, nothing has been done yet. */
  static async of(pool: sql.ConnectionPool): Promise<Loan> {
    const lending = pool as unknown as LendingPool;
    try {
      return new Loan(lending, await lending.acquire({}));
    } catch (error) {
      throw databaseError(databaseErrors.away, error);
    }
  }

  /** The server has told that it rolled back. */
  get isRolledBack(): boolean {
    return this.#rolledBack;
  }

  /** Part of what the driver's requests ask of their parent. */
  acquire(
    _request: unknown,
    callback: (error: null, connection: Connection, config: sql.config) => void,
  ): void {
    setImmediate(callback, null, this.#connection, this.config);
  }

  /** Part of what the driver's requests ask of their parent: the connection stays here. */
  release(): void {
    // Given back by giveBack() alone.
  }

  /** The isolation level is the one that every session has, so that none is left behind in the pool. */
  begin(): Promise<void> {
    return this.#tell((done) => {
      this.#connection.beginTransaction(done, '', sql.ISOLATION_LEVEL.READ_COMMITTED);
    });
  }

  async commit(): Promise<void> {
    await this.#tell((done) => {
      this.#connection.commitTransaction(done);
    });
  }

  rollback(): Promise<void> {
    return this.#tell((done) => {
      this.#connection.rollbackTransaction(done);
    });
  }

  /** A statement that ends well although the server rolled back beneath it has not been done. */
  unlessRolledBack(statement: Session['query']): Session['query'] {
    return async (text, values) => {
      const rows = await statement(text, values);
      if (this.#rolledBack) throw rolledBackByServer();
      return rows;
    };
  }

  /** Nobody gets a connection again that is closed, or in which a transaction is open. */
  giveBack(state: 'clean' | 'closed' = 'clean'): void {
    (this.#connection as EventEmitter).off(ROLLBACK, this.#noteRollback);
    if (state === 'closed' || this.#connection.inTransaction) this.#connection.close();
    this.#pool.release(this.#connection);
  }

  #tell(request: (done: (error: Error | null | undefined) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      request((error) => {
        if (error == null) resolve();
        else reject(error);
      });
    });
  }
}
