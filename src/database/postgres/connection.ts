import type pg from 'pg';
import type { ResultSet } from '../database.ts';
import type { DriverCommand, DriverConnection, DriverCursor } from '../driver.ts';
import { clearedContext, type SessionContext } from '../session-context.ts';
import { requestCancel } from './driver-internals.ts';
import { isLost, isStale } from './errors.ts';
import {
  type IsSelective,
  type NamedStatements,
  type Planning,
  planningOf,
  planningQuery,
  type Query,
  runStatement,
  type Sending,
} from './statement-query.ts';
import { setContextQuery } from './session.ts';

export interface PostgresConnectionOptions {
  /** The statements that the server keeps for the connection; null if it keeps none. */
  readonly named: NamedStatements | null;
  /** Called when a kept statement returns other columns than before: those of other connections will, too. */
  readonly onStale: () => void;
  readonly isSelective: IsSelective;
  /** Called when the client is released. */
  readonly giveBack: (isBroken: boolean) => void;
}

/** A connection has one cursor at a time. */
const CURSOR = 'entitygate_rows';

/** A client of `pg`, as long as it is connected. */
export class PostgresConnection implements DriverConnection {
  readonly #client: pg.Client;
  readonly #options: PostgresConnectionOptions;
  readonly #sending: Sending;
  #isLost = false;
  #context: SessionContext | null = null;
  #inTransaction = false;
  /** Sent with the next statement, before it. */
  #pending: readonly Query[] = [];
  /** How the session plans kept statements; null if that is not known. */
  #planning: Planning | null = null;

  constructor(client: pg.Client, options: PostgresConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#sending = options.named === null ? {} : { named: options.named };
    // The next statement reports the break; an event without a listener would end the process.
    client.on('error', () => {
      this.#isLost = true;
    });
  }

  readonly run = ({ statement, values }: DriverCommand, encoded = false): Promise<ResultSet> => {
    const query = { text: statement.text, values, encoded };
    const planning = planningOf(statement, this.#options.isSelective);
    return this.#runPlanned(query, planning).catch((error: unknown) => {
      if (!isStale(error)) throw error;
      this.#options.onStale();
      // The error has ended the transaction; its owner may begin another.
      if (this.#inTransaction) throw error;
      return this.#runPlanned(query, planning);
    });
  };

  /**
   * Opens an SQL cursor (https://www.postgresql.org/docs/current/sql-declare.html) in a transaction of its own. With a portal of the protocol,
   * `statement_timeout` would go on between fetches, and end the stream of a slow reader; each FETCH is a statement with the whole time limit.
   */
  readonly open = async (
    { statement, values }: DriverCommand,
    batchRows: number,
  ): Promise<DriverCursor> => {
    const query = (text: string): Promise<ResultSet> => this.#query({ text, values: [] });
    const rollback = async (): Promise<void> => {
      await query('ROLLBACK');
    };
    this.#pending = this.#beginning('BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY');
    const text = `DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${statement.text}`;
    try {
      await this.#query({ text, values });
    } catch (error) {
      await rollback();
      throw error;
    }
    return {
      next: async () => (await query(`FETCH ${batchRows} FROM ${CURSOR}`)).rows,
      close: rollback,
    };
  };

  /** A procedure may end the transaction that it is called in, so its context is that of the session. */
  readonly call = async ({ statement, values }: DriverCommand): Promise<readonly ResultSet[]> => {
    const query = { text: statement.text, values };
    const context = this.#inTransaction ? null : this.#context;
    if (context === null) return [await this.#query(query)];
    await this.#query(setContextQuery(context, 'session'));
    try {
      return [await this.#query(query)];
    } finally {
      await this.#query(setContextQuery(clearedContext(context), 'session')).catch(() => {
        this.#isLost = true;
      });
    }
  };

  /** BEGIN is sent with the first statement of the transaction. */
  readonly begin = (): Promise<void> => {
    this.#pending = this.#beginning('BEGIN ISOLATION LEVEL READ COMMITTED');
    this.#inTransaction = true;
    return Promise.resolve();
  };
  readonly commit = (): Promise<void> => this.#end('COMMIT');
  readonly rollback = (): Promise<void> => this.#end('ROLLBACK');

  /** Each transaction gets the context with its first statement, and a single statement is one. It ends with it, so that there is nothing to clear. */
  readonly setContext = (context: SessionContext | null): Promise<void> => {
    this.#context = context;
    return Promise.resolve();
  };
  readonly clearContext = (): Promise<void> => this.setContext(null);

  readonly cancel = (): Promise<void> => requestCancel(this.#client);

  readonly destroy = (cause: Error): void => {
    this.#isLost = true;
    this.#client.connection.stream.destroy(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#options.giveBack(!isClean || this.#isLost);
  };

  /** Sets the planning that a statement needs. It lasts, unless its transaction is rolled back. */
  #runPlanned(query: Query, planning: Planning | null): Promise<ResultSet> {
    const before: Query[] = [];
    if (this.#options.named !== null && planning !== null && planning !== this.#planning) {
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

  /** The statements that begin a transaction with the context. */
  #beginning(text: string): Query[] {
    const begin = { text, values: [] };
    return this.#context === null
      ? [begin]
      : [begin, setContextQuery(this.#context, 'transaction')];
  }

  async #end(text: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    const isBegun = this.#pending.length === 0;
    this.#pending = [];
    // It ends even if the server refuses to commit it.
    this.#inTransaction = false;
    if (!isBegun) return;
    const planning = this.#planning;
    this.#planning = null;
    await this.#query({ text, values: [] });
    if (text === 'COMMIT') this.#planning = planning;
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
}
