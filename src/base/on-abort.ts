import { setMaxListeners } from 'node:events';

/**
 * Listens to a signal, which is often that of a whole request with many statements at once; Node.js would warn of more
 * than ten listeners.
 * @returns what ends listening
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => {
    signal.removeEventListener('abort', listener);
  };
}
