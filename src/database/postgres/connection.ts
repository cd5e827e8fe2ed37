import pg from 'pg';
import type { ResultSet } from '../database.ts';
import type { DriverCommand, DriverConnection, DriverCursor } from '../driver.ts';
import { clearedContext, type SessionContext } from '../session-context.ts';
import { openCursor } from './cursor.ts';
import { isLost, isStale } from './errors.ts';
import type { NamedStatements } from './named-statements.ts';
import {
  type IsSelective,
  type Planning,
  planningOf,
  planningQuery,
  type Query,
  runStatement,
  type Sending,
} from './statement-query.ts';
import { setContextQuery } from './session.ts';

/** What of the driver's classes their types leave out. */
interface Target {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | boolean;
  readonly sslNegotiation: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
}
interface Wire extends pg.Connection {
  readonly connect: (portOrPath: number | string, host?: string) => void;
  readonly requestSsl: () => void;
  readonly cancel: (processID: number, secretKey: number) => void;
}

/**
 * Asks the server to cancel what a client runs, over a connection of its own with the client's own TLS settings. The server
 * answers nothing; it closes the connection when it has passed the request on.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 *
 * The driver's own `cancel` sends the request, and its secret, in the clear where the client's connection is encrypted, and
 * does not tell of its end.
 * @returns when the server has closed the connection, however that came about
 */
function requestCancel(client: pg.Client): Promise<void> {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = client as unknown as Target;
  if (processID === null || secretKey === null) return Promise.resolve();
  const wire = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as Wire;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE);
    const send = (): void => {
      wire.cancel(processID, secretKey);
    };
    wire.on('error', end);
    wire.on('end', end);
    wire.on('connect', () => {
      if (ssl === false) send();
      else if (sslNegotiation !== 'direct') wire.requestSsl();
    });
    wire.on('sslconnect', send);
    if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
    else wire.connect(port, host);
  });
}

/** How long a server that says nothing is waited for, in milliseconds. */
const PATIENCE = 10_000;

/** What a client's connection works with. */
export interface PostgresConnectionOptions {
  /** What the server keeps for the connection; null where it is to keep nothing. */
  readonly named: NamedStatements | null;
  /** Told where what the server keeps answers other columns than before: that of other connections will, too. */
  readonly onStale: () => void;
  readonly isSelective: IsSelective;
  /** Where the client goes when it is released. */
  readonly giveBack: (isBroken: boolean) => void;
}

/** A client of `pg`'s, for as long as it is connected. */
export class PostgresConnection implements DriverConnection {
  readonly #client: pg.Client;
  readonly #options: PostgresConnectionOptions;
  readonly #sending: Sending;
  #isLost = false;
  #context: SessionContext | null = null;
  #inTransaction = false;
  /** What goes to the server with the next statement, before it. */
  #pending: readonly Query[] = [];
  /** How the session plans what it keeps; null where nobody knows. */
  #planning: Planning | null = null;

  constructor(client: pg.Client, options: PostgresConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#sending = options.named === null ? {} : { named: options.named };
    // Outside of the pool nobody else listens: a break between two statements would end the process.
    client.on('error', this.#onError);
  }

  /** Whether it has broken, so that nothing can be run on it any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** A statement that may stand on its own, and then is a transaction. */
  readonly run = ({ statement, values }: DriverCommand, encoded = false): Promise<ResultSet> => {
    const query = { text: statement.text, values, encoded };
    const planning = planningOf(statement, this.#options.isSelective);
    return this.#runPlanned(query, planning).catch((error: unknown) => {
      if (!isStale(error)) throw error;
      this.#options.onStale();
      // The server has given the transaction up; whoever began it begins another one.
      if (this.#inTransaction) throw error;
      return this.#runPlanned(query, planning);
    });
  };

  readonly open = (command: DriverCommand, batchRows: number): Promise<DriverCursor> => {
    const begin = (text: string): void => {
      this.#pending = this.#beginning(text);
    };
    return openCursor(command, batchRows, this.#inTransaction ? null : begin, (text, values) =>
      this.#query({ text, values: values ?? [] }),
    );
  };

  /** A statement of PostgreSQL's has one result. */
  readonly call = async ({ statement, values }: DriverCommand): Promise<readonly ResultSet[]> => {
    const query = { text: statement.text, values };
    const context = this.#inTransaction ? null : this.#context;
    return [
      await (context === null
        ? this.#query(query)
        : this.#withContext(context, () => this.#query(query))),
    ];
  };

  /** It travels with the transaction's first statement. */
  readonly begin = (): Promise<void> => {
    this.#pending = this.#beginning('BEGIN ISOLATION LEVEL READ COMMITTED');
    this.#inTransaction = true;
    return Promise.resolve();
  };
  readonly commit = (): Promise<void> => this.#end('COMMIT');
  readonly rollback = (): Promise<void> => this.#end('ROLLBACK');

  /**
   * Each transaction gets the context by a statement that travels with its first one, and a single statement is a transaction. The server
   * forgets it with the transaction, however that ends: nothing is ever left to be cleared.
   */
  readonly setContext = (context: SessionContext): Promise<void> => {
    this.#context = context;
    return Promise.resolve();
  };

  readonly clearContext = (): Promise<void> => {
    this.#context = null;
    return Promise.resolve();
  };

  readonly cancel = (): Promise<void> => requestCancel(this.#client);

  readonly destroy = (cause: Error): void => {
    this.#isLost = true;
    this.#client.connection.stream.destroy(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#options.giveBack(!isClean || this.#isLost);
  };

  /** Has the server plan it so, which it does from then on, but where the transaction is rolled back that this was set in. */
  #runPlanned(query: Query, planning: Planning | null): Promise<ResultSet> {
    const { named } = this.#options;
    const before: Query[] = [];
    if (named !== null && planning !== null && planning !== this.#planning) {
      before.push(planningQuery[planning]);
      this.#planning = planning;
    }
    if (this.#context !== null && !this.#inTransaction) {
      before.push(setContextQuery(this.#context, 'transaction'));
    }
    if (before.length === 0) return this.#query(query, this.#sending);
    return this.#query(query, { before, ...this.#sending }).catch((error: unknown) => {
      this.#planning = null;
      throw error;
    });
  }

  /** Begins a transaction with the context. */
  #beginning(text: string): Query[] {
    const begin = { text, values: [] };
    return this.#context === null
      ? [begin]
      : [begin, setContextQuery(this.#context, 'transaction')];
  }

  async #end(text: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const isBegun = this.#pending.length === 0;
    this.#pending = [];
    // It is over however this ends, also where the server refuses to commit it.
    this.#inTransaction = false;
    if (!isBegun) return;
    const planning = this.#planning;
    this.#planning = null;
    await this.#query({ text, values: [] });
    if (text === 'COMMIT') this.#planning = planning;
  }

  /** Sets the context on the session: a procedure may end the transaction that it is called in, and go on in others. */
  async #withContext<Result>(
    context: SessionContext,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.#query(setContextQuery(context, 'session'));
    try {
      return await work();
    } finally {
      await this.#query(setContextQuery(clearedContext(context), 'session')).catch(() => {
        this.#isLost = true;
      });
    }
  }

  #query(query: Query, sending: Sending = {}): Promise<ResultSet> {
    const pending = this.#pending;
    if (pending.length === 0) return runStatement(this.#client, query, sending, this.#noteFailure);
    this.#pending = [];
    const before = [...pending, ...(sending.before ?? [])];
    return runStatement(this.#client, query, { ...sending, before }, this.#noteFailure);
  }

  readonly #noteFailure = (error: unknown): void => {
    this.#isLost ||= isLost(error);
  };

  readonly #onError = (): void => {
    // The statement that meets the break tells of it.
    this.#isLost = true;
  };
}
