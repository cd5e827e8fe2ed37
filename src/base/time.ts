import { type Indexed, leave } from './collections.ts';

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

interface Limited extends Indexed {
  readonly due: number;
  readonly onOver: () => void;
}

/** How much too early a timer may fire, in milliseconds. */
const EARLY = 1;

const limited: Limited[] = [];
let timer: NodeJS.Timeout | null = null;
let looksAt = Infinity;

/**
 * Calls back when a task takes too long; the returned function ends that. All tasks share one timer, which does not keep the process alive: a timer for
 * each statement would take as long as reading its URL.
 */
export function limitTime(milliseconds: number, onOver: () => void): () => void {
  const due = performance.now() + milliseconds;
  const own: Limited = { due, onOver, index: limited.length };
  limited.push(own);
  if (due < looksAt) lookAt(due, milliseconds);
  return () => {
    leave(limited, own);
  };
}

function lookAt(due: number, milliseconds: number): void {
  if (timer !== null) clearTimeout(timer);
  looksAt = due;
  timer = setTimeout(look, milliseconds).unref();
}

function look(): void {
  const now = performance.now();
  timer = null;
  looksAt = Infinity;
  const over = limited.filter(({ due }) => due - now <= EARLY);
  const next = limited
    .filter(({ due }) => due - now > EARLY)
    .reduce((first, { due }) => Math.min(first, due), Infinity);
  if (next < Infinity) lookAt(next, next - now);
  for (const one of over) {
    if (one.index === -1) continue;
    leave(limited, one);
    one.onOver();
  }
}

/** The client has disconnected, so its work was stopped. This is neither answered nor logged as a failure. */
export class ClientGone extends Error {
  constructor(cause?: unknown) {
    super('the client has disconnected', cause === undefined ? undefined : { cause });
    this.name = 'ClientGone';
  }
}

interface Listener extends Indexed {
  readonly run: () => void;
}

const listening = new WeakMap<AbortSignal, Listener[]>();

/**
 * Listens to a signal, until the returned function is called. The signal itself has one listener for all, called in any order: to add and remove one for
 * each statement of a connection takes longer than all other work around it.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const listeners = listening.get(signal) ?? listenTo(signal);
  const own: Listener = { run, index: listeners.length };
  listeners.push(own);
  return () => {
    leave(listeners, own);
  };
}

function listenTo(signal: AbortSignal): Listener[] {
  const listeners: Listener[] = [];
  listening.set(signal, listeners);
  signal.addEventListener(
    'abort',
    () => {
      for (const listener of [...listeners]) {
        if (listener.index === -1) continue;
        leave(listeners, listener);
        listener.run();
      }
    },
    { once: true },
  );
  return listeners;
}

/** Waits for work no longer than the client does, and than a limit. The work goes on. @throws the reason of the signal; the limit's error; what the work throws */
export async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal | null,
  limit: { readonly milliseconds: number; readonly tooLate: () => Error } | null = null,
): Promise<Result> {
  signal?.throwIfAborted();
  const ends: (() => void)[] = [];
  const late = new Promise<never>((_resolve, reject) => {
    if (signal !== null) ends.push(onAbort(signal, () => reject(signal.reason as Error)));
    if (limit !== null) ends.push(limitTime(limit.milliseconds, () => reject(limit.tooLate())));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    for (const end of ends) end();
  }
}

/** A value, or a promise of it where another process has to be asked. */
export type Awaitable<Value> = Value | Promise<Value>;

/** A monotonic clock in milliseconds. */
export interface Clock {
  readonly now: () => number;
}

/** The clocks of authentication; tests pass their own. */
export interface AuthClock {
  /** Milliseconds since 1970, by which keys and tokens expire. */
  readonly wall: () => number;
  /** As {@link Clock.now}. */
  readonly steady: () => number;
}

export const systemClock: AuthClock = {
  wall: () => Date.now(),
  steady: () => performance.now(),
};
