import { LRUCache } from 'lru-cache';
import { newBatch, type Batch } from './batch.ts';

/** How many equal counts run at once: with a second one, a request does not wait for nearly two counts. */
const AT_ONCE = 2;

/**
 * How long the running count delays an equal one, in milliseconds. Short counts run one after the other: two at once would keep the
 * processors of the database busy that the pages need.
 */
const PATIENCE = 50;

/** How many results are kept, and the length of all their keys, in characters. */
const MOST_RESULTS = 10_000;
const MOST_CHARACTERS = 4_194_304;

/** A count that runs. */
interface Running {
  readonly batch: Batch<number>;
  readonly epoch: number;
}

/** The counts with one key: those that run, and the next one, for all requests that came before it begins. */
interface Counts {
  readonly running: Set<Running>;
  next: Batch<number> | null;
  /** Starts the next count beside the running one. */
  timer: NodeJS.Timeout | null;
}

/** The last result of a count. */
interface Known {
  readonly length: number;
  readonly epoch: number;
}

/**
 * Shares the counts of whole collections, the most expensive part of a page. A request gets no count that began before the request came; it
 * gets any that began later, also when it has ended by the time that the request needs it. A count is stopped when no request waits for it.
 */
export class CountBatcher {
  readonly #counts = new Map<string, Counts>();
  readonly #known = new LRUCache<string, Known>({
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

  /**
   * Counts, or joins a count that began after the epoch.
   * @param key equal for requests that get the same answer
   * @throws ClientGone when the signal is aborted; what the work throws
   */
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
    }, PATIENCE);
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
