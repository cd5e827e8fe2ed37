import type pg from 'pg';
import type { BoundValue } from '../../sql/dialect.ts';
import type { CallResult, Command, ProcedureCall, ResultSet } from '../database.ts';
import type { DriverConnection, DriverCursor } from '../driver.ts';
import { callResult, callText } from './call.ts';
import { requestCancel } from './cancel.ts';
import { openCursor } from './cursor.ts';
import { isLost } from './errors.ts';

/** A client of `pg`'s. */
export class PostgresConnection implements DriverConnection {
  readonly #client: pg.Client;
  readonly #giveBack: (isBroken: boolean) => void;
  #isLost = false;

  /** @param giveBack where the client goes when it is released */
  constructor(client: pg.Client, giveBack: (isBroken: boolean) => void) {
    this.#client = client;
    this.#giveBack = giveBack;
    // Outside of the pool nobody else listens: a break between two statements would end the process.
    client.on('error', this.#onError);
  }

  readonly run = async ({ statement, values }: Command): Promise<ResultSet> => {
    const { fields, rows } = await this.#query(statement.text, values);
    return { columns: fields.map(({ name }) => name), rows };
  };

  readonly open = (command: Command, batchRows: number): Promise<DriverCursor> => {
    const isInTransaction = this.#client.getTransactionStatus() !== 'I';
    return openCursor(command, batchRows, isInTransaction, (text, values) =>
      this.#query(text, values),
    );
  };

  readonly call = async (call: ProcedureCall): Promise<CallResult> => {
    const { rows } = await this.#query(
      callText(call),
      call.parameters.map(({ value }) => value),
    );
    return callResult(rows[0], call);
  };

  readonly begin = (): Promise<void> => this.#tell('BEGIN ISOLATION LEVEL READ COMMITTED');
  readonly commit = (): Promise<void> => this.#tell('COMMIT');
  readonly rollback = (): Promise<void> => this.#tell('ROLLBACK');

  readonly cancel = (): Promise<void> => requestCancel(this.#client);

  readonly destroy = (cause: Error): void => {
    this.#isLost = true;
    this.#client.connection.stream.destroy(cause);
  };

  readonly release = (isClean: boolean): void => {
    this.#giveBack(!isClean || this.#isLost);
    this.#client.off('error', this.#onError);
  };

  async #tell(text: string): Promise<void> {
    await this.#query(text);
  }

  async #query(
    text: string,
    values: readonly BoundValue[] = [],
  ): Promise<pg.QueryArrayResult<unknown[]>> {
    try {
      return await this.#client.query<unknown[]>({ text, values: [...values], rowMode: 'array' });
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
