/** How long work goes on in one turn of the event loop before others have theirs, in milliseconds. */
const SLICE = 5;

/** What takes no longer than this, in milliseconds, goes on in any case: to wait for the next turn would take longer. */
const SHORT = 1;

/**
 * Long work in slices: between two of them the event loop serves whoever waits. However many requests have such work, all of it shares a slice in one turn
 * of the loop. What was waited for in between, as the database's answer, is not work.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  /** Since when it works in a turn, and in which one. */
  #start = performance.now();
  #turn = turnNow(this.#start);

  /**
   * @param signal ends the work when it is aborted
   * @throws the signal's reason, where it is aborted already
   */
  constructor(signal?: AbortSignal) {
    signal?.throwIfAborted();
    this.#signal = signal;
  }

  /** Whether it is time for others: loops that are short as a rule spare themselves the wait of {@link pause} by it. */
  isOver(): boolean {
    const now = performance.now();
    if (this.#turn !== turnNow(now)) {
      this.#begin(now);
      return false;
    }
    const worked = now - this.#start;
    return worked >= SLICE || (worked >= SHORT && isTurnOver(now));
  }

  /**
   * To be called between two short pieces of work; where the slice is over, it waits for the next one.
   * @throws the signal's reason, where it has been aborted
   */
  async pause(): Promise<void> {
    if (!this.isOver()) return;
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#begin(performance.now());
  }

  #begin(now: number): void {
    this.#start = now;
    this.#turn = turnNow(now);
  }
}

/** What each item comes to, with a pause between two of them where the slice is over. @throws what the work throws, and the signal's reason */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
  slice: TimeSlice = new TimeSlice(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    if (slice.isOver()) await slice.pause();
  }
  return results;
}

/** Does work that is written as steps, with a pause between two of them where the slice is over. @throws the work's, and the signal's reason */
export async function inSlices<Result>(
  steps: Generator<void, Result>,
  slice: TimeSlice,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.pause();
  }
}

/** Does such work at once: of what is known to be short. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The turns of the loop in which there was work, counted, and when the first of its work began in this one; null before. */
let turns = 0;
let began: number | null = null;

/** Which turn of the loop it is. One ends where `setImmediate` calls back, which is once in each, and before which the loop waits for nothing. */
function turnNow(now: number): number {
  if (began === null) {
    began = now;
    setImmediate(() => {
      began = null;
      turns += 1;
    });
  }
  return turns;
}

function isTurnOver(now: number): boolean {
  return began !== null && now - began >= SLICE;
}

const waiting: (() => void)[] = [];

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(next);
  });
}

/**
 * Goes on with the work that has waited longest, where there is time for it in this turn; the first of a turn always goes on. What is promised is done
 * between two callbacks of `setImmediate`.
 */
function next(): void {
  const now = performance.now();
  if (isTurnOver(now)) {
    setImmediate(next);
    return;
  }
  turnNow(now);
  waiting.shift()?.();
}
