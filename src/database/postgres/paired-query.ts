import pg from 'pg';
import type { BoundValue } from '../../sql/dialect.ts';
import { MOST_RESULT_BYTES, resultTooLarge } from '../result-size.ts';

/** A text with the values of its parameters. */
export interface Query {
  readonly text: string;
  readonly values: readonly BoundValue[];
}

type Result = pg.QueryArrayResult<unknown[]>;

/** A row as the driver's parser hands it over. */
interface DataRow {
  /** In bytes. */
  readonly length: number;
}

/** How the driver's query sends itself and hears of the server's answer; its types leave that out. */
interface Hearing {
  readonly submit: (connection: pg.Connection) => unknown;
  readonly handleDataRow: (message: DataRow) => void;
  readonly handleCommandComplete: (message: unknown, connection: pg.Connection) => void;
}

const { submit, handleDataRow, handleCommandComplete } = pg.Query.prototype as unknown as Hearing;

/** What the driver's connection writes; the types of it ask for more than the driver reads. */
interface Wire {
  readonly parse: (query: { readonly text: string }) => void;
  readonly bind: (query: { readonly values: readonly BoundValue[] }) => void;
  readonly execute: (portal: object) => void;
}

/** A query of the driver's whose rows are let go of where they are too many to be held at once. */
class BoundedQuery extends pg.Query {
  #bytes = 0;

  constructor(
    { text, values }: Query,
    done: (error: unknown, result: Result) => void,
    more: { readonly queryMode?: 'extended' } = {},
  ) {
    const config = { text, values: [...values], rowMode: 'array', ...more };
    super(config, (error: unknown, result: Result) => {
      done(error ?? (this.#bytes > MOST_RESULT_BYTES ? resultTooLarge() : null), result);
    });
  }

  handleDataRow(message: DataRow): void {
    this.#bytes += message.length;
    if (this.#bytes <= MOST_RESULT_BYTES) handleDataRow.call(this, message);
  }
}

/**
 * The second of two statements that go to the server together, in one round trip and with no Sync between them. So it is not run
 * where the first one fails, and outside of a transaction both are one, with which ends what the first has set for it.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 *
 * The driver's own pipelining has a Sync behind each statement: the second would be run whatever came of the first.
 */
class SecondQuery extends BoundedQuery {
  readonly #first: Query;
  #isFirstDone = false;

  constructor(first: Query, second: Query, done: (error: unknown, result: Result) => void) {
    super(second, done, { queryMode: 'extended' });
    this.#first = first;
  }

  override readonly submit = (connection: pg.Connection): unknown => {
    const { stream } = connection;
    const { parse, bind, execute } = connection as unknown as Wire;
    stream.cork();
    try {
      parse.call(connection, { text: this.#first.text });
      bind.call(connection, { values: this.#first.values });
      execute.call(connection, {});
      return submit.call(this, connection);
    } finally {
      stream.uncork();
    }
  };

  /** Rows of the first one come without word of what their columns are, and nobody asked for them. */
  override handleDataRow(message: DataRow): void {
    if (this.#isFirstDone) super.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isFirstDone) handleCommandComplete.call(this, message, connection);
    this.#isFirstDone = true;
  }
}

/**
 * Runs a statement.
 * @throws what it failed with; ProtocolError answerTooLarge
 */
export function queryBounded(client: pg.Client, query: Query): Promise<Result> {
  return resultOf(client, (done) => new BoundedQuery(query, done));
}

/**
 * Runs two statements in one round trip.
 * @returns the second one's result
 * @throws what either failed with; ProtocolError answerTooLarge
 */
export function queryPaired(client: pg.Client, first: Query, second: Query): Promise<Result> {
  return resultOf(client, (done) => new SecondQuery(first, second, done));
}

function resultOf(
  client: pg.Client,
  queryWith: (done: (error: unknown, result: Result) => void) => pg.Query,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, result: Result): void => {
      if (error == null) resolve(result);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the driver tells it
      else reject(error);
    };
    client.query(queryWith(done));
  });
}
