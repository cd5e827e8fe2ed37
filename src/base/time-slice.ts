/** How long work that takes long goes on before others have their turn, in milliseconds. */
const SLICE = 5;

/**
 * Long work in slices: between two of them the event loop serves whoever waits. However many requests have such work, one of
 * them has its slice in one turn of the loop.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #end = performance.now() + SLICE;

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
    return performance.now() >= this.#end;
  }

  /**
   * To be called between two short pieces of work; where the slice is over, it waits for the next one.
   * @throws the signal's reason, where it has been aborted
   */
  async pause(): Promise<void> {
    if (!this.isOver()) return;
    await turn();
    this.#signal?.throwIfAborted();
    this.#end = performance.now() + SLICE;
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

const waiting: (() => void)[] = [];

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

/** Callbacks of `setImmediate` that wait together run in one turn of the loop: each is asked for only when the one before it runs. */
function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
