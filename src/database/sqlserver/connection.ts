import type { EventEmitter } from 'node:events';
import { ISOLATION_LEVEL, Request, type Connection } from 'tedious';
import type { Command, ResultSet, Row } from '../database.ts';
import type { DriverConnection } from '../driver.ts';
import { bind } from './bind.ts';
import { rolledBackByServer } from './errors.ts';
import { RequestFailure, type ServerMessage } from './request-failure.ts';

/** What a connection emits when the server tells that a transaction was rolled back; the driver's types leave it out. */
const ROLLBACK = 'rollbackTransaction';

type Done = (error: Error | null | undefined) => void;

/**
 * A connection of `tedious`, out of a pool of `mssql`'s. Transactions are kept here and not by `mssql`, whose own class for
 * them gives the connection back to the pool at the moment at which the server rolls back by itself, be it in the middle of a
 * statement, or with a transaction that a trigger then began anew, and after a rollback that failed.
 */
export class SqlServerConnection implements DriverConnection {
  readonly #connection: Connection;
  readonly #giveBack: () => void;
  #inTransaction = false;
  #isRolledBack = false;

  /** @param giveBack gives the connection back to the pool, which drops it if it is closed */
  constructor(connection: Connection, giveBack: () => void) {
    this.#connection = connection;
    this.#giveBack = giveBack;
    (connection as EventEmitter).on(ROLLBACK, this.#noteRollback);
  }

  readonly run = async ({ statement, values }: Command): Promise<ResultSet> => {
    const results: { columns: readonly string[]; rows: Row[] }[] = [];
    await this.#tell((done) => {
      const request = new Request(statement.text, done);
      bind(request, statement.parameters, values);
      request.on('columnMetadata', (columns) => {
        results.push({ columns: namesOf(columns), rows: [] });
      });
      request.on('row', (cells: readonly { readonly value: unknown }[]) => {
        results.at(-1)?.rows.push(cells.map(({ value }) => value));
      });
      this.#connection.execSql(request);
    });
    // A statement that ends well although the server rolled back beneath it has not been done.
    if (this.#inTransaction && this.#isRolledBack) throw rolledBackByServer();
    // What triggers answer comes before what the statement itself answers.
    return results.at(statement.effect === 'read' ? 0 : -1) ?? { columns: [], rows: [] };
  };

  /** The isolation level is the one that every session has, so that none is left behind in the pool. */
  readonly begin = async (): Promise<void> => {
    await this.#tell((done) => {
      this.#connection.beginTransaction(done, '', ISOLATION_LEVEL['READ_COMMITTED']);
    });
    this.#inTransaction = true;
  };

  readonly commit = (): Promise<void> =>
    this.#tell((done) => {
      this.#connection.commitTransaction(done);
    });

  readonly rollback = async (): Promise<void> => {
    if (this.#isRolledBack) return;
    await this.#tell((done) => {
      this.#connection.rollbackTransaction(done);
    });
  };

  /** The request travels on the connection itself, which takes no other statement before the server has answered it. */
  readonly cancel = (): Promise<void> => {
    this.#connection.cancel();
    return Promise.resolve();
  };

  readonly destroy = (): void => {
    this.#connection.close();
  };

  /** Nobody gets a connection again that is not clean, or in which a transaction is open. */
  readonly release = (isClean: boolean): void => {
    (this.#connection as EventEmitter).off(ROLLBACK, this.#noteRollback);
    if (!isClean || this.#connection.inTransaction) this.#connection.close();
    this.#giveBack();
  };

  /** Makes a request, and waits for its end. */
  #tell(request: (done: Done) => void): Promise<void> {
    const messages: ServerMessage[] = [];
    const note = (message: ServerMessage): void => {
      messages.push(message);
    };
    this.#connection.on('errorMessage', note as () => void);
    return new Promise((resolve, reject) => {
      request((error) => {
        this.#connection.off('errorMessage', note as () => void);
        if (error == null) resolve();
        else reject(new RequestFailure(messages, error));
      });
    });
  }

  readonly #noteRollback = (): void => {
    this.#isRolledBack = true;
  };
}

/** The driver gives columns by name where it is asked to; here they are in order. */
function namesOf(columns: unknown): readonly string[] {
  return (columns as readonly { readonly colName: string }[]).map(({ colName }) => colName);
}
