import { leave, type Placed } from './collections.ts';

/** Something that takes too long when a moment comes, with its place among all of them. */
interface Limited extends Placed {
  readonly due: number;
  readonly onOver: () => void;
}

/** How much earlier than its time a timer may fire, in milliseconds. */
const EARLY = 1;

const limited: Limited[] = [];
let timer: NodeJS.Timeout | null = null;
let looksAt = Infinity;

/**
 * Calls back when something takes too long. All that has a limit has one timer: what comes and goes as often as statements do would make and remove
 * one each time, which takes as long as reading their URLs. It does not keep the process alive.
 * @param milliseconds how long it may take; Infinity for as long as it takes
 * @returns what is called when it is over
 */
export function limitTime(milliseconds: number, onOver: () => void): () => void {
  const due = performance.now() + milliseconds;
  const own: Limited = { due, onOver, place: limited.length };
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
    if (one.place === -1) continue;
    leave(limited, one);
    one.onOver();
  }
}

/**
 * Work was given up because nobody waits for its result any more: the client has gone. There is nobody to answer, and nothing
 * has gone wrong with the gateway, so that this is neither answered nor logged as a failure.
 */
export class ClientGone extends Error {
  constructor(cause?: unknown) {
    super('the client has disconnected', cause === undefined ? undefined : { cause });
    this.name = 'ClientGone';
  }
}

/** Somebody who listens to a signal, with their place among its listeners. */
interface Listener extends Placed {
  readonly run: () => void;
}

/** Who listens to each signal that is listened to. */
const listening = new WeakMap<AbortSignal, Listener[]>();

/**
 * Listens to a signal, which is often that of a whole connection with many statements on its behalf, one after the other and at once. The
 * signal itself has one listener for all of them: to add one to it, and to remove it again, takes longer than all else that is done about a statement.
 * They are told in any order.
 * @returns what ends listening
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const listeners = listening.get(signal) ?? listenTo(signal);
  const own: Listener = { run, place: listeners.length };
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
        if (listener.place === -1) continue;
        leave(listeners, listener);
        listener.run();
      }
    },
    { once: true },
  );
  return listeners;
}
