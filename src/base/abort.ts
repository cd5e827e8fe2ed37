import { leave, type Placed } from './placed.ts';

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
