import type pg from 'pg';
import type { Command, ResultSet } from '../database.ts';
import type { DriverConnection, DriverCursor } from '../driver.ts';
import { forgotten, type Told } from '../told.ts';
import { requestCancel } from './cancel.ts';
import { openCursor } from './cursor.ts';
import { isLost } from './errors.ts';
import { queryBounded, queryPaired, type Query } from './paired-query.ts';
import { tellQuery } from './tell.ts';

/** A client of `pg`'s. */
export class PostgresConnection implements DriverConnection {
  readonly #client: pg.Client;
  readonly #giveBack: (isBroken: boolean) => void;
  #isLost = false;
  #told: Told | null = null;
  #inTransaction = false;

  /** @param giveBack where the client goes when it is released */
  constructor(client: pg.Client, giveBack: (isBroken: boolean) => void) {
    this.#client = client;
    this.#giveBack = giveBack;
    // Outside of the pool nobody else listens: a break between two statements would end the process.
    client.on('error', this.#onError);
  }

  readonly run = async ({ statement, values }: Command): Promise<ResultSet> => {
    const { fields, rows } = await this.#queryKnowing({ text: statement.text, values });
    return { columns: fields.map(({ name }) => name), rows };
  };

  readonly open = (command: Command, batchRows: number): Promise<DriverCursor> => {
    const begin = (text: string): Promise<void> => this.#begin(text);
    return openCursor(command, batchRows, this.#inTransaction ? null : begin, (text, values) =>
      this.#query({ text, values: values ?? [] }),
    );
  };

  /** A statement of PostgreSQL's has one result. */
  readonly call = async ({ statement, values }: Command): Promise<readonly ResultSet[]> => {
    const query = { text: statement.text, values };
    const told = this.#inTransaction ? null : this.#told;
    const { fields, rows } = await (told === null
      ? this.#query(query)
      : this.#whileSessionKnows(told, () => this.#query(query)));
    return [{ columns: fields.map(({ name }) => name), rows }];
  };

  readonly begin = async (): Promise<void> => {
    await this.#begin('BEGIN ISOLATION LEVEL READ COMMITTED');
    this.#inTransaction = true;
  };
  readonly commit = (): Promise<void> => this.#run('COMMIT');
  readonly rollback = (): Promise<void> => this.#run('ROLLBACK');

  /**
   * Each transaction is told by a statement that travels with its first one, and a statement on its own is a transaction. The server
   * forgets it with the transaction, however that ends: nothing is ever left to be cleared.
   */
  readonly tell = (told: Told): Promise<void> => {
    this.#told = told;
    return Promise.resolve();
  };

  readonly forget = (): Promise<void> => {
    this.#told = null;
    return Promise.resolve();
  };

  readonly cancel = (): Promise<void> => requestCancel(this.#client);

  readonly destroy = (cause: Error): void => {
    this.#isLost = true;
    this.#client.connection.stream.destroy(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#giveBack(!isClean || this.#isLost);
    this.#client.off('error', this.#onError);
  };

  /** A statement that may stand on its own, and then is a transaction. */
  async #queryKnowing(query: Query): Promise<pg.QueryArrayResult<unknown[]>> {
    const told = this.#inTransaction ? null : this.#told;
    if (told === null) return this.#query(query);
    return this.#noting(queryPaired(this.#client, tellQuery(told, 'transaction'), query));
  }

  async #begin(text: string): Promise<void> {
    const told = this.#told;
    if (told === null) return this.#run(text);
    const begin = { text, values: [] };
    await this.#noting(queryPaired(this.#client, begin, tellQuery(told, 'transaction')));
  }

  /** A procedure may end the transaction that it is called in, and go on in others: the session has to know who asks. */
  async #whileSessionKnows<Result>(told: Told, work: () => Promise<Result>): Promise<Result> {
    await this.#query(tellQuery(told, 'session'));
    try {
      return await work();
    } finally {
      await this.#query(tellQuery(forgotten(told), 'session')).catch(() => {
        this.#isLost = true;
      });
    }
  }

  async #run(text: string): Promise<void> {
    await this.#query({ text, values: [] });
  }

  #query({ text, values }: Query): Promise<pg.QueryArrayResult<unknown[]>> {
    return this.#noting(queryBounded(this.#client, { text, values }));
  }

  async #noting<Result>(query: Promise<Result>): Promise<Result> {
    try {
      return await query;
    } catch (error) {
      this.#isLost ||= isLost(error);
      throw error;
    }
  }

  readonly #onError = (): void => {
    // The statement that meets the break tells of it.
    this.#isLost = true;
  };
}
