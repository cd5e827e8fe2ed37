import type { FromWorker, ToWorker, WorkerPlace } from './messages.ts';

/** What a worker tells the primary, and hears from it. */
export interface Channel {
  readonly tell: (message: FromWorker) => void;
  /** Every listener hears every message that comes from then on. */
  readonly hear: (listener: (message: ToWorker) => void) => void;
}

/** The channel of a process that {@link Primary} started. */
export function processChannel(): Channel {
  return {
    // The primary may be gone: Node ends the process then.
    tell: (message) => process.send?.(message, undefined, undefined, () => undefined),
    hear: (listener) => {
      process.on('message', listener);
    },
  };
}

/** Where the worker stands: the primary tells it who says that it hears. */
export function placeFrom({ tell, hear }: Channel): Promise<WorkerPlace> {
  return new Promise((resolve) => {
    hear((message) => {
      if (message.kind === 'begin') resolve(message.place);
    });
    tell({ kind: 'hello' });
  });
}
