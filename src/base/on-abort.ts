/** Who listens to each signal that is listened to. */
const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Listens to a signal, which is often that of a whole connection with many statements on its behalf, one after the other and at once. The
 * signal itself has one listener for all of them: to add one to it, and to remove it again, takes longer than all else that is done about a statement.
 * @returns what ends listening
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listening.get(signal) ?? listenTo(signal);
  // One of its own, so that nobody ends another's listening who hands over the same.
  const own = (): void => {
    listener();
  };
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  listening.set(signal, listeners);
  signal.addEventListener(
    'abort',
    () => {
      for (const listener of listeners) {
        listeners.delete(listener);
        listener();
      }
    },
    { once: true },
  );
  return listeners;
}
