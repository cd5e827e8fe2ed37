import { LRUCache } from 'lru-cache';
import { sharedWork, type SharedWork } from './shared-work.ts';

/** How many counts of the same run at once: a second one, so that who comes while one runs does not wait for the whole of it before theirs begins. */
const AT_ONCE = 2;

/**
 * How long one of the same is waited for before another begins beside it, in milliseconds. Short ones come one behind the other: two at once
 * would keep the processors of a database busy with the same, from which the pages are read.
 */
const PATIENCE = 50;

/** How many lengths are remembered, and how long what they are known by may be in all, in characters. */
const MOST_LENGTHS = 10_000;
const MOST_CHARACTERS = 4_194_304;

/** Counts, until the signal is aborted. */
type Counting = (signal: AbortSignal) => Promise<number>;

/** What is counted at the moment, and what is to be next: one count for all who asked for it before it began. */
interface Counted {
  running: number;
  next: SharedWork<number> | null;
  /** Has the next one begin beside the one that runs. */
  patience: NodeJS.Timeout | null;
}

/**
 * Counts of whole collections, which are what a page costs most, shared by all who ask for the same at the same time: nobody is answered a count that began before
 * they asked. What nobody waits for any more is stopped.
 */
export class SharedCounts {
  readonly #counted = new Map<string, Counted>();
  readonly #lengths = new LRUCache<string, number>({
    max: MOST_LENGTHS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_length, key) => key.length + 1,
  });

  /** What was counted last, to tell beforehand whether a count will be needed; null where nothing was. */
  lastLength(key: string): number | null {
    return this.#lengths.get(key) ?? null;
  }

  /**
   * The length of a collection as it is at some moment from now on.
   * @param key equal for those who count the same, and are to be answered the same
   * @throws ClientGone where the signal is aborted; what the work throws
   */
  count(key: string, signal: AbortSignal, work: Counting): Promise<number> {
    const counted = this.#counted.get(key) ?? { running: 0, next: null, patience: null };
    this.#counted.set(key, counted);
    counted.next ??= sharedWork(async (stopped) => {
      const length = await work(stopped);
      this.#lengths.set(key, length);
      return length;
    });
    const joined = counted.next.join(signal);
    if (counted.running === 0) this.#beginNext(key, counted);
    else if (counted.running < AT_ONCE) this.#beginInTime(key, counted);
    return joined;
  }

  #beginInTime(key: string, counted: Counted): void {
    counted.patience ??= setTimeout(() => {
      this.#beginNext(key, counted);
    }, PATIENCE);
  }

  #beginNext(key: string, counted: Counted): void {
    if (counted.patience !== null) clearTimeout(counted.patience);
    counted.patience = null;
    const { next } = counted;
    counted.next = null;
    if (next === null || next.waiting() === 0) {
      if (counted.running === 0) this.#counted.delete(key);
      return;
    }
    counted.running += 1;
    const goOn = (): void => {
      counted.running -= 1;
      if (counted.running === 0) this.#beginNext(key, counted);
      else if (counted.next !== null) this.#beginInTime(key, counted);
    };
    next.result.then(goOn, goOn);
    next.begin();
  }
}
