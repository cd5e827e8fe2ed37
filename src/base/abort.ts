import { leave, type Indexed } from './collections.ts';

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
