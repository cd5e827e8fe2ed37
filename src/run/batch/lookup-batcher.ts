import { ProtocolError, type ErrorName } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import type { Command, Database, Row, RunOptions } from '../../database/database.ts';
import type { BoundValue, Statement } from '../../sql/dialect.ts';
import { isOfRequest } from '../../sql/statement.ts';
import type { FoundRows } from '../read/size.ts';
import { retryingDeadlocks } from '../retry.ts';
import { newBatch } from './batch.ts';

/** How many requests one statement is for at most: what it answers is in memory at once. */
const MOST_TOGETHER = 32;

/** In how many turns in a row it is waited for others in vain before it is not any more. */
const GATHERED = 64;

/** What fails for all alike, and would fail again for each, or may have been done for each. */
const FOR_ALL: ReadonlySet<ErrorName> = new Set([
  'connectionsBusy',
  'databaseUnavailable',
  'databaseUnable',
  'outcomeUnknown',
]);

/** One request's lookup, and who waits for it. */
interface Asking {
  readonly command: Command;
  readonly options: RunOptions;
  readonly resolve: (found: FoundRows) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Single rows, or few, that are looked up by statements of one text, with other values each: those of requests that come at the same time are one statement to the
 * database, as most of what a lookup costs is to send it and to wake the server up for it. It is sent when all that has come is read, so that nobody waits for who
 * comes later, and begins after all whom it is for have asked. Changes of single rows that wait for nobody go the same way. Where lookups have come one by one for a while, the next is sent as it comes.
 */
export class LookupBatcher {
  readonly #database: Pick<Database, 'dialect' | 'run'>;
  readonly #toldOf: (principal: Principal) => string;
  /** Who asks for the same with other values, in one turn of the event loop. */
  readonly #turns = new Map<string, Asking[]>();
  /** How many statements are on their way, and in how many turns it is waited for others yet. */
  #running = 0;
  #turnsLeft = GATHERED;

  /** @param toldOf what the database is told of who asks, by which it may answer otherwise */
  constructor(
    database: Pick<Database, 'dialect' | 'run'>,
    toldOf: (principal: Principal) => string,
  ) {
    this.#database = database;
    this.#toldOf = toldOf;
  }

  /**
   * Runs a statement, with others that differ from it in the requests' values alone where there are any.
   * @throws what the statement throws when it runs alone
   */
  run(command: Command, options: RunOptions): Promise<FoundRows> {
    const together = command.statement.together?.() ?? null;
    const isOne = together === null || !command.values.every(isShortText);
    if (isOne || this.#comesAlone()) return this.#alone(command, options);
    return new Promise((resolve, reject) => {
      this.#turnOf(command, together, options).push({ command, options, resolve, reject });
    });
  }

  async #alone(command: Command, options: RunOptions): Promise<FoundRows> {
    this.#running += 1;
    try {
      return await retryingDeadlocks(() => this.#database.run(command, options));
    } finally {
      this.#running -= 1;
    }
  }

  #comesAlone(): boolean {
    if (this.#running > 0) this.#turnsLeft = GATHERED;
    return this.#turnsLeft === 0;
  }

  /** Who asks together with a command: until all that has come is read, or they are many. */
  #turnOf(
    { statement: { text }, values }: Command,
    together: Statement,
    { principal, encoded = false }: RunOptions,
  ): Asking[] {
    const alike = values.filter((_value, index) => !isListed(together, index));
    const told = this.#toldOf(principal);
    const isPlain = alike.length === 0 && told === '' && !encoded;
    const key = isPlain ? text : JSON.stringify([text, told, alike, encoded]);
    const known = this.#turns.get(key);
    if (known !== undefined && known.length < MOST_TOGETHER) return known;
    const asking: Asking[] = [];
    this.#turns.set(key, asking);
    setImmediate(() => {
      if (this.#turns.get(key) === asking) this.#turns.delete(key);
      this.#begin(together, asking);
    });
    return asking;
  }

  #begin(together: Statement, asking: readonly Asking[]): void {
    const [first, ...others] = asking;
    if (first === undefined) return;
    if (others.length === 0) {
      this.#turnsLeft = Math.max(0, this.#turnsLeft - 1);
      this.#answerAlone(first);
      return;
    }
    this.#turnsLeft = GATHERED;
    const found = newBatch((signal) =>
      this.#together(together, asking, { ...first.options, signal }),
    );
    for (const [place, one] of asking.entries()) {
      found.join(one.options.signal).then(
        (all) => one.resolve(all[place] ?? NOTHING),
        (error: unknown) => {
          if (isTriedAlone(error)) this.#answerAlone(one);
          else one.reject(error);
        },
      );
    }
    if (found.waiting() > 0) found.begin();
  }

  #answerAlone({ command, options, resolve, reject }: Asking): void {
    this.#alone(command, options).then(resolve, reject);
  }

  /** The rows of each, in their order. */
  async #together(
    statement: Statement,
    asking: readonly Asking[],
    options: RunOptions,
  ): Promise<readonly FoundRows[]> {
    const values = asking[0]?.command.values.map((value, index) =>
      isListed(statement, index) ? this.#list(asking, index) : value,
    );
    const { rows, encoded } = await this.#alone({ statement, values: values ?? [] }, options);
    if (encoded !== undefined) {
      const each = encoded.byNumber(statement.readers.length - 1, asking.length);
      return each.map((one) => ({ rows: [], encoded: one }));
    }
    const found = asking.map((): Row[] => []);
    for (const row of rows) found[Number(row.at(-1)) - 1]?.push(row);
    return found.map((own) => ({ rows: own }));
  }

  #list(asking: readonly Asking[], index: number): BoundValue {
    const texts = asking.map(({ command: { values } }) => String(values[index]));
    return this.#database.dialect.listText(texts);
  }
}

const NOTHING: FoundRows = { rows: [] };

/** How long a text is that goes with others, in characters: longer ones are no longer than what goes with them to be worth it. */
const SHORT = 1000;

function isShortText(value: BoundValue): boolean {
  return typeof value === 'string' && value.length <= SHORT;
}

function isListed({ parameters }: Statement, index: number): boolean {
  const parameter = parameters[index];
  return parameter !== undefined && isOfRequest(parameter);
}

/** What one request's values are refused for is not the fault of the others'. */
function isTriedAlone(error: unknown): boolean {
  return error instanceof ProtocolError && !FOR_ALL.has(error.errorName);
}
