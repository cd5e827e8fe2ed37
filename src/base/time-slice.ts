import { ClientGone } from './abort.ts';

/** How long work may go on in one turn of the event loop, in milliseconds. */
const SLICE = 5;

/** Work that takes no longer than this, in milliseconds, goes on in any case: to wait for the next turn would take longer. */
const SHORT = 1;

/**
 * Divides long work into slices, between which the event loop serves other requests. All long work together shares one slice in a turn of the loop. Time
 * spent waiting, such as for the database, does not count.
 */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  /** When the work began in the turn, and in which turn. */
  #start = performance.now();
  #turn = turnNow(this.#start);

  /** @param signal ends the work @throws ClientGone where it is aborted already */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    this.#checkSignal();
  }

  /** Whether the slice is over. Loops that are mostly short avoid the `await` of {@link pause} by it. */
  isOver(): boolean {
    const now = performance.now();
    if (this.#turn !== turnNow(now)) {
      this.#begin(now);
      return false;
    }
    const worked = now - this.#start;
    return worked >= SLICE || (worked >= SHORT && isTurnOver(now));
  }

  /** Waits for the next slice where this one is over; to be called between two short pieces of work. @throws ClientGone */
  async pause(): Promise<void> {
    if (!this.isOver()) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      setImmediate(next);
    });
    this.#checkSignal();
    this.#begin(performance.now());
  }

  #checkSignal(): void {
    if (this.#signal?.aborted === true) throw new ClientGone(this.#signal.reason);
  }

  #begin(now: number): void {
    this.#start = now;
    this.#turn = turnNow(now);
  }
}

/** Maps items in time slices. @throws the errors of the work, and ClientGone */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
  slice: TimeSlice = new TimeSlice(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(work(item, results.length));
    if (slice.isOver()) await slice.pause();
  }
  return results;
}

/** Runs a generator of short steps in time slices. @throws the errors of the work, and ClientGone */
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

/** Runs a generator of steps at once, where they are known to be few. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The number of turns of the loop with work, and when the work of this turn began; null before. */
let turns = 0;
let began: number | null = null;

/** The number of this turn of the loop, which ends where `setImmediate` calls back. */
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

/** Resumes the work that has waited longest, where this turn has time for it; the first work of a turn always has. Promises run between two callbacks of `setImmediate`. */
function next(): void {
  const now = performance.now();
  if (isTurnOver(now)) {
    setImmediate(next);
    return;
  }
  turnNow(now);
  waiting.shift()?.();
}
