import type { StartupProblem } from '../../base/errors.ts';
import type { ReloadOutcome } from '../reload/changes.ts';

/** A message of a worker to the primary. */
export type FromWorker =
  /** It listens to messages. */
  | { readonly kind: 'hello' }
  /** It cannot start, and ends, for a reason that the user can fix. */
  | {
      readonly kind: 'failed';
      readonly problems: readonly StartupProblem[];
      readonly more: number;
    }
  /** It serves; `banner` is for the terminal. */
  | { readonly kind: 'ready'; readonly banner: string }
  /** All workers are to be reloaded. */
  | { readonly kind: 'reload'; readonly id: number }
  /** It could prepare a reload, or could not. */
  | { readonly kind: 'prepared'; readonly round: number; readonly outcome: ReloadOutcome }
  /** It needs the metrics of all workers. */
  | { readonly kind: 'collect'; readonly id: number }
  /** Its own metrics. */
  | { readonly kind: 'measured'; readonly round: number; readonly metrics: unknown };

/** A message of the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly id: number; readonly isFirst: boolean }
  /** Finish the requests in flight, and end. */
  | { readonly kind: 'stop'; readonly signal: NodeJS.Signals }
  /** Break off the requests in flight. */
  | { readonly kind: 'breakOff' }
  /** Read the files again, and wait. */
  | { readonly kind: 'prepareReload'; readonly round: number }
  /** Serve what was prepared where the outcome is good. One of the workers logs the outcome. */
  | { readonly kind: 'endReload'; readonly outcome: ReloadOutcome; readonly logsOutcome: boolean }
  /** The reload that it asked for has ended. */
  | { readonly kind: 'reloaded'; readonly id: number; readonly outcome: ReloadOutcome }
  /** Send the metrics. */
  | { readonly kind: 'measure'; readonly round: number }
  /** The metrics that it asked for, of each worker that has sent them in time. */
  | { readonly kind: 'collected'; readonly id: number; readonly metrics: readonly unknown[] };

/** A worker's messages to and from the primary. */
export interface Channel {
  readonly send: (message: FromWorker) => void;
  /** Adds a listener for the messages that come from now on. */
  readonly onMessage: (listener: (message: ToWorker) => void) => void;
}

/** A worker among others that serve. */
export interface WorkerConnection {
  /** Its number, from 0 on; the worker that replaces it gets the same. */
  readonly id: number;
  /** Whether it logs the warnings about the configuration. */
  readonly isFirst: boolean;
  readonly channel: Channel;
}

/** The channel of a process that {@link Primary} started. */
export function processChannel(): Channel {
  return {
    // When the primary has ended, Node ends the process.
    send: (message) => process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => {
      process.on('message', listener);
    },
  };
}

/** Tells the primary that this worker listens, and waits until it may begin. */
export function connectWorker(channel: Channel): Promise<WorkerConnection> {
  return new Promise((resolve) => {
    channel.onMessage((message) => {
      if (message.kind !== 'begin') return;
      const { id, isFirst } = message;
      resolve({ id, isFirst, channel });
    });
    channel.send({ kind: 'hello' });
  });
}
