import type { Principal } from '../base/principal.ts';
import type {
  BatchingDatabase,
  Command,
  Database,
  ResultSet,
  Row,
  RunOptions,
} from './database.ts';
import { retryingDeadlocks } from './connection.ts';
import { LRUCache } from 'lru-cache';
import { ProtocolError, type ErrorName } from '../base/errors.ts';
import type { BoundValue } from '../sql/dialect.ts';
import { isOfRequest, type Statement } from '../sql/ir/statement.ts';
import { ClientGone, onAbort } from '../base/time.ts';

/** Shares work between requests. @param contextOf the session context as text, empty for none: only users with equal contexts share work */
export function batchingDatabase(
  database: Database,
  contextOf: (principal: Principal) => string,
): BatchingDatabase {
  const lookups = new LookupBatcher(database, contextOf);
  const counts = new CountBatcher();
  const joinsBatch = ({ statement }: Command, { batch, fresh }: RunOptions): boolean => {
    if (batch !== true || fresh === true || statement.together === undefined) return false;
    // A slow filter would delay the other requests of its batch.
    return statement.filtered === undefined || database.isSelective?.(statement) === true;
  };
  return {
    ...database,
    run: (command, options) => {
      if (joinsBatch(command, options)) return lookups.run(command, options);
      // A read that was the victim of a deadlock has changed nothing.
      return command.statement.effect === 'read'
        ? retryingDeadlocks(() => database.run(command, options))
        : database.run(command, options);
    },
    epoch: () => counts.epoch(),
    count: (command, { signal, observer, principal }, epoch) => {
      const key = JSON.stringify([command.statement.text, command.values, contextOf(principal)]);
      const count = async (stopped: AbortSignal): Promise<number> => {
        const options = { signal: stopped, observer, principal };
        const { rows } = await retryingDeadlocks(() => database.run(command, options));
        return Number(rows[0]?.[0]);
      };
      let counted: Promise<number> | null = null;
      return {
        run: () => (counted ??= counts.count(key, epoch, signal, count)),
        isDueBeyond: (length) => {
          if ((counts.lastLength(key) ?? 0) <= length || counts.isKnown(key, epoch)) return false;
          const { size, used, waiting } = database.pool();
          // The page itself takes one, too.
          return used + 1 < size && waiting === 0;
        },
      };
    },
  };
}

/** How many equal counts run at once: with a second one, a request does not wait for nearly two counts. */
const AT_ONCE = 2;

/** How long the running count delays an equal one, in milliseconds. Short counts run one after the other, which leaves processors for the pages. */
const SECOND_COUNT_AFTER = 50;

/** How many results are kept, and the length of all their keys, in characters. */
const MOST_RESULTS = 10_000;
const MOST_CHARACTERS = 4_194_304;

/** The counts with one key: those that run, and the next one, for all requests that came before it begins. */
interface Counts {
  readonly running: Set<{ readonly batch: Batch<number>; readonly epoch: number }>;
  next: Batch<number> | null;
  /** Starts the next count beside the running one. */
  timer: NodeJS.Timeout | null;
}

/**
 * Shares the counts of whole collections, the most expensive part of a page. A request gets any count that began after the request came, even one
 * that has ended by then, and none that began before. A count is stopped when no request waits for it.
 */
export class CountBatcher {
  readonly #counts = new Map<string, Counts>();
  readonly #known = new LRUCache<string, { readonly length: number; readonly epoch: number }>({
    max: MOST_RESULTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_known, key) => key.length + 1,
  });
  #epoch = 0;

  /** The current epoch: each count that begins from now on has a later one. */
  epoch(): number {
    return this.#epoch;
  }

  /** The last result, to tell beforehand whether a count will be needed; null if there is none. */
  lastLength(key: string): number | null {
    return this.#known.get(key)?.length ?? null;
  }

  /** Whether a count has ended that began after the epoch. */
  isKnown(key: string, epoch: number): boolean {
    return (this.#known.get(key)?.epoch ?? 0) > epoch;
  }

  /** Counts, or joins a count that began after the epoch. @param key equal for requests that get the same answer @throws ClientGone; work's errors */
  count(
    key: string,
    epoch: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<number>,
  ): Promise<number> {
    const known = this.#known.get(key);
    if (known !== undefined && known.epoch > epoch) return Promise.resolve(known.length);
    const counts = this.#counts.get(key) ?? { running: new Set(), next: null, timer: null };
    for (const running of counts.running) {
      // A count without a waiting request is being stopped.
      if (running.epoch > epoch && running.batch.waiting() > 0) return running.batch.join(signal);
    }
    this.#counts.set(key, counts);
    // A batch that all requests have left is stopped, even if it has not begun.
    if (counts.next === null || counts.next.waiting() === 0) counts.next = newBatch(work);
    const joined = counts.next.join(signal);
    if (counts.running.size === 0) this.#beginNext(key, counts);
    else if (counts.running.size < AT_ONCE) this.#beginLater(key, counts);
    return joined;
  }

  #beginLater(key: string, counts: Counts): void {
    counts.timer ??= setTimeout(() => {
      this.#beginNext(key, counts);
    }, SECOND_COUNT_AFTER);
  }

  #beginNext(key: string, counts: Counts): void {
    if (counts.timer !== null) clearTimeout(counts.timer);
    counts.timer = null;
    const { next, running } = counts;
    counts.next = null;
    if (next === null || next.waiting() === 0) {
      if (running.size === 0) this.#counts.delete(key);
      return;
    }
    this.#epoch += 1;
    const own = { batch: next, epoch: this.#epoch };
    running.add(own);
    const goOn = (): void => {
      running.delete(own);
      if (running.size === 0) this.#beginNext(key, counts);
      else if (counts.next !== null) this.#beginLater(key, counts);
    };
    next.result.then((length) => {
      if (!this.isKnown(key, own.epoch)) this.#known.set(key, { length, epoch: own.epoch });
      goOn();
    }, goOn);
    next.begin();
  }
}

/** The most requests of one batch: its whole result is in memory at once. */
const MOST_REQUESTS = 32;

/** After how many batches of one request in a row commands are sent at once. */
const ALONE_AFTER = 64;

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
 * Runs commands of several requests as one statement: those that look up few rows, or change one, and differ in the requests' values only. Most of
 * their cost is sending them and waking the server up. The batch is sent when the event loop has read all that has arrived, so that no request
 * waits for a later one. Commands that come one by one are sent at once.
 */
export class LookupBatcher {
  readonly #database: Pick<Database, 'dialect' | 'run'>;
  readonly #contextOf: (principal: Principal) => string;
  /** The requests of the batches that are not sent yet. */
  readonly #batches = new Map<string, Request[]>();
  /** The number of statements that run. */
  #running = 0;
  #patience = ALONE_AFTER;

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
    if (statement != null && this.#running > 0) this.#patience = ALONE_AFTER;
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
    this.#patience = ALONE_AFTER;
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

/** Work that several requests wait for. */
export interface Batch<Result> {
  readonly result: Promise<Result>;
  /** Begins the work, once. */
  readonly begin: () => void;
  /** The number of requests that wait for it. */
  readonly waiting: () => number;
  /** Waits for the work, which is stopped when no request waits for it any more. @throws ClientGone when the signal is aborted; the work's errors */
  readonly join: (signal: AbortSignal) => Promise<Result>;
}

/** Controllers to use again: making one, and listening to it, takes long compared with a short statement. */
const spareControllers: AbortController[] = [];
const MOST_SPARE = 64;

/** @param work is given the signal that stops it */
export function newBatch<Result>(work: (signal: AbortSignal) => Promise<Result>): Batch<Result> {
  const stop = spareControllers.pop() ?? new AbortController();
  let isOver = false;
  let waiting = 0;
  let begin = (): void => undefined;
  const result = new Promise<Result>((resolve, reject) => {
    begin = () => {
      work(stop.signal).then(resolve, reject);
    };
  });
  const end = (): void => {
    isOver = true;
    if (!stop.signal.aborted && spareControllers.length < MOST_SPARE) spareControllers.push(stop);
  };
  // Also when no request waits for it any more.
  result.then(end, end);
  const join = (signal: AbortSignal): Promise<Result> => {
    if (signal.aborted) return Promise.reject(new ClientGone(signal.reason));
    waiting += 1;
    return new Promise((resolve, reject) => {
      const ignoreAbort = onAbort(signal, () => {
        waiting -= 1;
        // After the end another batch may have the controller.
        if (waiting === 0 && !isOver) stop.abort(signal.reason);
        reject(new ClientGone(signal.reason));
      });
      result.then(ignoreAbort, ignoreAbort);
      result.then(resolve, reject);
    });
  };
  return { result, begin, waiting: () => waiting, join };
}
