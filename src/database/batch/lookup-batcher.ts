import { ProtocolError, type ErrorName } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { BoundValue, Statement } from '../../sql/dialect.ts';
import { isOfRequest } from '../../sql/statement.ts';
import type { Command, Database, ResultSet, Row, RunOptions } from '../database.ts';
import { retryingDeadlocks } from '../retry.ts';
import { newBatch } from './batch.ts';

/** The most requests of one batch: its whole result is in memory at once. */
const MOST_REQUESTS = 32;

/** After how many batches of one request in a row commands are sent at once. */
const PATIENCE = 64;

/** Errors that each command would meet again by itself, or after which it may have been done. */
const FINAL: ReadonlySet<ErrorName> = new Set([
  'connectionsBusy',
  'databaseUnavailable',
  'databaseUnable',
  'outcomeUnknown',
]);

/** One request's command, and the promise of its result. */
interface Request {
  readonly command: Command;
  readonly options: RunOptions;
  readonly resolve: (result: ResultSet) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs commands of several requests as one statement: those that look up single or few rows, or change a single one, and differ in the
 * requests' values only. Most of what such a command costs is sending it and waking the server up. The batch is sent when the event loop
 * has read all that has arrived, so that no request waits for a later one. While commands come one by one, they are sent at once.
 */
export class LookupBatcher {
  readonly #database: Pick<Database, 'dialect' | 'run'>;
  readonly #contextOf: (principal: Principal) => string;
  /** The requests of the batches that are not sent yet. */
  readonly #batches = new Map<string, Request[]>();
  /** The number of statements that run. */
  #running = 0;
  #patience = PATIENCE;

  /** @param contextOf the session context of a user: the database may answer users with other contexts differently */
  constructor(
    database: Pick<Database, 'dialect' | 'run'>,
    contextOf: (principal: Principal) => string,
  ) {
    this.#database = database;
    this.#contextOf = contextOf;
  }

  /** Runs a command, in a batch where possible. @throws what the command throws when it runs alone */
  run(command: Command, options: RunOptions): Promise<ResultSet> {
    const statement = command.values.every(isShortText) ? command.statement.together?.() : null;
    if (statement != null && this.#running > 0) this.#patience = PATIENCE;
    if (statement == null || this.#patience === 0) return this.#alone(command, options);
    return new Promise((resolve, reject) => {
      this.#batchFor(command, statement, options).push({ command, options, resolve, reject });
    });
  }

  async #alone(command: Command, options: RunOptions): Promise<ResultSet> {
    this.#running += 1;
    try {
      return await retryingDeadlocks(() => this.#database.run(command, options));
    } finally {
      this.#running -= 1;
    }
  }

  /** The open batch for a command; a new one if there is none, or if it is full. */
  #batchFor(
    { statement: { text }, values }: Command,
    statement: Statement,
    { principal, encoded = false }: RunOptions,
  ): Request[] {
    const common = values.filter((_value, index) => !isListed(statement, index));
    const context = this.#contextOf(principal);
    const isPlain = common.length === 0 && context === '' && !encoded;
    const key = isPlain ? text : JSON.stringify([text, context, common, encoded]);
    const open = this.#batches.get(key);
    if (open !== undefined && open.length < MOST_REQUESTS) return open;
    const requests: Request[] = [];
    this.#batches.set(key, requests);
    setImmediate(() => {
      if (this.#batches.get(key) === requests) this.#batches.delete(key);
      this.#send(statement, requests);
    });
    return requests;
  }

  #send(statement: Statement, requests: readonly Request[]): void {
    const [first, ...others] = requests;
    if (first === undefined) return;
    if (others.length === 0) {
      this.#patience = Math.max(0, this.#patience - 1);
      this.#answerAlone(first);
      return;
    }
    this.#patience = PATIENCE;
    const batch = newBatch((signal) =>
      this.#together(statement, requests, { ...first.options, signal }),
    );
    for (const [index, request] of requests.entries()) {
      batch.join(request.options.signal).then(
        (results) => request.resolve(results[index] ?? NO_ROWS),
        (error: unknown) => {
          // One request's values may be refused: that is not the fault of the others.
          if (error instanceof ProtocolError && !FINAL.has(error.errorName)) {
            this.#answerAlone(request);
          } else request.reject(error);
        },
      );
    }
    if (batch.waiting() > 0) batch.begin();
  }

  #answerAlone({ command, options, resolve, reject }: Request): void {
    this.#alone(command, options).then(resolve, reject);
  }

  /** Runs a batch. @returns a result for each request, in their order */
  async #together(
    statement: Statement,
    requests: readonly Request[],
    options: RunOptions,
  ): Promise<readonly ResultSet[]> {
    const values = requests[0]?.command.values.map((value, index) =>
      isListed(statement, index) ? this.#list(requests, index) : value,
    );
    const result = await this.#alone({ statement, values: values ?? [] }, options);
    const { columns, rows: all, encoded } = result;
    if (encoded !== undefined) {
      const parts = encoded.byNumber(statement.readers.length - 1, requests.length);
      return parts.map((part) => ({ columns, rows: [], encoded: part }));
    }
    const results = requests.map(() => ({ columns, rows: [] as Row[] }));
    for (const row of all) results[Number(row.at(-1)) - 1]?.rows.push(row);
    return results;
  }

  #list(requests: readonly Request[], index: number): BoundValue {
    const texts = requests.map(({ command: { values } }) => String(values[index]));
    return this.#database.dialect.listText(texts);
  }
}

const NO_ROWS: ResultSet = { columns: [], rows: [] };

/** The longest text of a batch, in characters: for longer ones the round trip does not matter. */
const SHORT = 1000;

function isShortText(value: BoundValue): boolean {
  return typeof value === 'string' && value.length <= SHORT;
}

/** Whether each request has its own value for a parameter. */
function isListed({ parameters }: Statement, index: number): boolean {
  const parameter = parameters[index];
  return parameter !== undefined && isOfRequest(parameter);
}
