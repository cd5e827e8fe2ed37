import { LRUCache } from 'lru-cache';
import { newBatch, type Batch } from './batch.ts';

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

/** A count that runs, and the moment that it began. */
interface Running {
  readonly work: Batch<number>;
  readonly begun: number;
}

/** What is counted at the moment, and what is to be next: one count for all who asked before it began. */
interface Counted {
  readonly running: Set<Running>;
  next: Batch<number> | null;
  /** Has the next one begin beside the one that runs. */
  patience: NodeJS.Timeout | null;
}

/** What was counted last, and the moment that the count began. */
interface Length {
  readonly length: number;
  readonly begun: number;
}

/**
 * Counts of whole collections, which are what a page costs most, shared by all who ask for the same: nobody is answered a count that began before
 * they asked, and who asked before one began is answered it, also when it has ended by the time that they need it. What nobody waits for any more is stopped.
 */
export class CountBatcher {
  readonly #counted = new Map<string, Counted>();
  readonly #lengths = new LRUCache<string, Length>({
    max: MOST_LENGTHS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_length, key) => key.length + 1,
  });
  #moment = 0;

  /** What moment it is: each count that begins from now on begins behind it. */
  moment(): number {
    return this.#moment;
  }

  /** What was counted last, to tell beforehand whether a count will be needed; null where nothing was. */
  lastLength(key: string): number | null {
    return this.#lengths.get(key)?.length ?? null;
  }

  /** Whether a count has ended that began behind the moment. */
  isKnown(key: string, asked: number): boolean {
    return (this.#lengths.get(key)?.begun ?? 0) > asked;
  }

  /**
   * The length of a collection as it is at some moment behind the one that it was asked for.
   * @param key equal for those who count the same, and are to be answered the same
   * @param asked the {@link moment} that it was asked for
   * @throws ClientGone where the signal is aborted; what the work throws
   */
  count(key: string, asked: number, signal: AbortSignal, work: Counting): Promise<number> {
    const known = this.#lengths.get(key);
    if (known !== undefined && known.begun > asked) return Promise.resolve(known.length);
    const counted = this.#counted.get(key) ?? { running: new Set(), next: null, patience: null };
    for (const { work: one, begun } of counted.running) {
      // One that nobody waits for any more is being stopped.
      if (begun > asked && one.waiting() > 0) return one.join(signal);
    }
    this.#counted.set(key, counted);
    // One that all have left is stopped, also where it has not begun.
    if (counted.next === null || counted.next.waiting() === 0) counted.next = newBatch(work);
    const joined = counted.next.join(signal);
    if (counted.running.size === 0) this.#beginNext(key, counted);
    else if (counted.running.size < AT_ONCE) this.#beginInTime(key, counted);
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
    const { next, running } = counted;
    counted.next = null;
    if (next === null || next.waiting() === 0) {
      if (running.size === 0) this.#counted.delete(key);
      return;
    }
    this.#moment += 1;
    const one = { work: next, begun: this.#moment };
    running.add(one);
    const goOn = (): void => {
      running.delete(one);
      if (running.size === 0) this.#beginNext(key, counted);
      else if (counted.next !== null) this.#beginInTime(key, counted);
    };
    next.result.then((length) => {
      this.#remember(key, { length, begun: one.begun });
      goOn();
    }, goOn);
    next.begin();
  }

  /** The one that began last is the one that is known. */
  #remember(key: string, length: Length): void {
    const known = this.#lengths.get(key);
    if (known === undefined || known.begun < length.begun) this.#lengths.set(key, length);
  }
}
