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

  /**
   * To be called between two short pieces of work; where the slice is over, it waits for the next one.
   * @throws the signal's reason, where it has been aborted
   */
  async pause(): Promise<void> {
    if (performance.now() < this.#end) return;
    await turn();
    this.#signal?.throwIfAborted();
    this.#end = performance.now() + SLICE;
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
