import type { EventEmitter } from 'node:events';
import { type Connection, ISOLATION_LEVEL, Request } from 'tedious';
import type { Statement } from '../../sql/dialect.ts';
import { MOST_CALLED_ROWS } from '../../base/limits.ts';
import type { ResultSet, Row } from '../database.ts';
import {
  type DriverCommand,
  type DriverConnection,
  type DriverCursor,
  MOST_RESULT_BYTES,
  resultTooLarge,
} from '../driver.ts';
import { UndecodedText } from '../long-text.ts';
import { clearedContext, type SessionContext } from '../session-context.ts';
import { bind } from './bind.ts';
import { calledResult, type DescribedResult, tooManyRows } from './called-results.ts';
import { rolledBackByServer } from './errors.ts';
import { takeRows } from './row-stream.ts';
import { RequestFailure, type ServerMessage } from './new-connection.ts';
import { setContextCommand } from './session-context.ts';

/**
 * The rows of a request as they are asked for. A request that is ahead of its reader is paused: the driver then stops reading
 * from the socket, and so the server stops sending (https://tediousjs.github.io/tedious/api-request.html#function_pause).
 */
class RequestCursor implements DriverCursor {
  readonly #request: Request;
  readonly #batchRows: number;
  readonly #rows: Row[] = [];
  #end: { readonly error?: Error } | null = null;
  #wake: () => void = () => undefined;

  constructor(request: Request, batchRows: number) {
    this.#request = request;
    this.#batchRows = batchRows;
  }

  /** A row came. */
  readonly add = (row: Row): void => {
    this.#rows.push(row);
    if (this.#rows.length < this.#batchRows) return;
    this.#request.pause();
    this.#wake();
  };

  /** The request has ended, with an error where it failed. */
  end(error?: Error): void {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
  }

  readonly next = async (): Promise<readonly Row[]> => {
    if (this.#rows.length < this.#batchRows)
      await this.#change(() => this.#rows.length >= this.#batchRows);
    if (this.#end?.error !== undefined) throw this.#end.error;
    return this.#rows.splice(0, this.#batchRows);
  };

  readonly close = async (): Promise<void> => {
    if (this.#end !== null) return;
    this.#request.cancel();
    await this.#change(() => false);
  };

  /** Lets rows come until there are enough, or there are no more. */
  async #change(isEnough: () => boolean): Promise<void> {
    while (this.#end === null && !isEnough()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#request.resume();
      });
    }
  }
}

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
  #context: SessionContext = new Map();

  /** @param giveBack gives the connection back to the pool, which drops it if it is closed */
  constructor(connection: Connection, giveBack: () => void) {
    this.#connection = connection;
    this.#giveBack = giveBack;
    (connection as EventEmitter).on(ROLLBACK, this.#noteRollback);
  }

  readonly run = async (command: DriverCommand): Promise<ResultSet> => {
    const results = await this.#execute(command);
    this.#checkTransaction();
    // What triggers answer comes before what the statement itself answers.
    return results.at(command.statement.effect === 'read' ? 0 : -1) ?? { columns: [], rows: [] };
  };

  readonly open = (
    { statement, values }: DriverCommand,
    batchRows: number,
  ): Promise<DriverCursor> => {
    const ended = this.#listen((error) => {
      cursor.end(error);
    });
    const request = new Request(statement.text, ended);
    const cursor = new RequestCursor(request, batchRows);
    bind(request, statement.parameters, values);
    takeRows(request, statement, { begin: () => undefined, take: cursor.add });
    this.#connection.execSql(request);
    return Promise.resolve(cursor);
  };

  readonly call = async (command: DriverCommand): Promise<readonly ResultSet[]> => {
    // One row more holds what a procedure returns besides.
    const results = await this.#execute(command, MOST_CALLED_ROWS + 1);
    this.#checkTransaction();
    return results.map(calledResult);
  };

  /** The isolation level is the one that every session has, so that none is left behind in the pool. */
  readonly begin = async (): Promise<void> => {
    await this.#request((done) => {
      this.#connection.beginTransaction(done, '', ISOLATION_LEVEL['READ_COMMITTED']);
    });
    this.#inTransaction = true;
  };

  readonly commit = (): Promise<void> =>
    this.#request((done) => {
      this.#connection.commitTransaction(done);
    });

  readonly rollback = async (): Promise<void> => {
    if (this.#isRolledBack) return;
    await this.#request((done) => {
      this.#connection.rollbackTransaction(done);
    });
  };

  readonly setContext = async (context: SessionContext): Promise<void> => {
    this.#context = context;
    await this.#execute(setContextCommand(context));
  };

  /** The driver can reset the whole session, too, which takes as long; then it would have to be set up again. */
  readonly clearContext = (): Promise<void> => this.setContext(clearedContext(this.#context));

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

  /** @param mostRows how many rows may be answered */
  async #execute(
    { statement, values }: DriverCommand,
    mostRows = Infinity,
  ): Promise<readonly DescribedResult[]> {
    let collected: Collected = { results: [], rows: 0, bytes: 0 };
    await this.#request((done) => {
      const request = new Request(statement.text, done);
      bind(request, statement.parameters, values);
      collected = collect(request, statement, mostRows);
      this.#connection.execSql(request);
    });
    if (collected.rows > mostRows) throw tooManyRows();
    if (collected.bytes > MOST_RESULT_BYTES) throw resultTooLarge();
    return collected.results;
  }

  /** Makes a request, and waits for its end. */
  #request(make: (done: Done) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      make(
        this.#listen((error) => {
          if (error === undefined) resolve();
          else reject(error);
        }),
      );
    });
  }

  /** Keeps what the server says of errors until the request has ended. @returns what the driver tells of its end */
  #listen(onEnd: (error?: RequestFailure) => void): Done {
    const messages: ServerMessage[] = [];
    const note = (message: ServerMessage): void => {
      messages.push(message);
    };
    const connection: EventEmitter = this.#connection;
    connection.on('errorMessage', note);
    return (error) => {
      connection.off('errorMessage', note);
      onEnd(error == null ? undefined : new RequestFailure(messages, error));
    };
  }

  /** What ends well although the server rolled back beneath it has not been done. */
  #checkTransaction(): void {
    if (this.#inTransaction && this.#isRolledBack) throw rolledBackByServer();
  }

  readonly #noteRollback = (): void => {
    this.#isRolledBack = true;
  };
}

/** @returns the result sets of a request, which grow as they come */
function collect(request: Request, statement: Statement, mostRows: number): Collected {
  const results: DescribedResult[] = [];
  const collected = { results, rows: 0, bytes: 0 };
  let rows: Row[] = [];
  takeRows(request, statement, {
    begin: (columns, metadata) => {
      rows = [];
      results.push({ columns, metadata, rows });
    },
    take: (row) => {
      collected.rows += 1;
      collected.bytes += bytesOf(row);
      if (collected.rows <= mostRows && collected.bytes <= MOST_RESULT_BYTES) rows.push(row);
    },
  });
  return collected;
}

/** The results of a request, without the rows behind those that may be held at once. */
interface Collected {
  readonly results: readonly DescribedResult[];
  /** How many rows all of them have. */
  readonly rows: number;
  /** About how much all rows hold. */
  readonly bytes: number;
}

/** Numbers and dates take no more than eight bytes. */
function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) {
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    else bytes += value instanceof UndecodedText ? value.length : 8;
  }
  return bytes;
}
