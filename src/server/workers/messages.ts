import { randomBytes } from 'node:crypto';
import type { StartupProblem } from '../../base/errors.ts';
import type { ReloadOutcome } from '../reload/changes.ts';

/** What a worker is told when it begins. */
export interface WorkerPlace {
  /** Its number, from 0 on; the worker that replaces it gets the same. */
  readonly worker: number;
  readonly count: number;
  /** The folder of the workers' sockets; only the user who runs the gateway may enter it. */
  readonly folder: string;
  /** By which workers recognise each other's requests, and of which keys are derived where no secret is configured. */
  readonly secret: string;
  /** The `__UNIQID` of the catalog, by which clients recognise a server. */
  readonly uniqueId: string;
  /** Whether it logs the warnings about the configuration. */
  readonly isFirst: boolean;
}

/** How many numbers 8 hexadecimal digits can write. */
const RANGE = 0x1_0000_0000;

/** The form of {@link markedId}, perhaps with more behind it. */
const MARKED = /^[0-9A-F]{32}/;

/**
 * Makes an id of 32 hexadecimal digits that nobody can guess, and from which each worker can tell which one made it: the first 8 digits modulo
 * the number of workers.
 */
export function markedId({ worker, count }: Pick<WorkerPlace, 'worker' | 'count'>): string {
  const bytes = randomBytes(16);
  const number = bytes.readUInt32BE(0);
  const marked = number - (number % count) + worker;
  bytes.writeUInt32BE(marked < RANGE ? marked : marked - count, 0);
  return bytes.toString('hex').toUpperCase();
}

/** The number of the worker that an id names, whoever made the id; null for other texts. */
export function workerOf(id: string, count: number): number | null {
  return MARKED.test(id) ? Number.parseInt(id.slice(0, 8), 16) % count : null;
}

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
  /** Clients reach it no more, and all requests are answered: it waits for the other workers, which may still need it. */
  | { readonly kind: 'drained' }
  /** All workers are to be reloaded. */
  | { readonly kind: 'reload'; readonly id: number }
  /** It could prepare a reload, or could not. */
  | { readonly kind: 'prepared'; readonly round: number; readonly outcome: ReloadOutcome }
  /** News for the other workers. */
  | { readonly kind: 'news'; readonly news: unknown };

/** A message of the primary to a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly place: WorkerPlace }
  /** Finish the requests in flight, and end. */
  | { readonly kind: 'stop'; readonly signal: NodeJS.Signals }
  /** Break off the requests in flight. */
  | { readonly kind: 'breakOff' }
  /** Read the files again, and wait. */
  | { readonly kind: 'prepareReload'; readonly round: number }
  /** Serve what was prepared where the outcome is good. One of the workers tells the log. */
  | { readonly kind: 'endReload'; readonly outcome: ReloadOutcome; readonly isTeller: boolean }
  /** The reload that it asked for has ended. */
  | { readonly kind: 'reloaded'; readonly id: number; readonly outcome: ReloadOutcome }
  /** No other worker needs it any more. */
  | { readonly kind: 'end' }
  | { readonly kind: 'news'; readonly news: unknown };

/** A worker's messages to and from the primary. */
export interface Channel {
  readonly tell: (message: FromWorker) => void;
  /** Adds a listener for the messages that come from now on. */
  readonly hear: (listener: (message: ToWorker) => void) => void;
}

/** The channel of a process that {@link Primary} started. */
export function processChannel(): Channel {
  return {
    // When the primary has ended, Node ends the process.
    tell: (message) => process.send?.(message, undefined, undefined, () => undefined),
    hear: (listener) => {
      process.on('message', listener);
    },
  };
}

/** Tells the primary that this worker listens, and waits for its place. */
export function placeFrom({ tell, hear }: Channel): Promise<WorkerPlace> {
  return new Promise((resolve) => {
    hear((message) => {
      if (message.kind === 'begin') resolve(message.place);
    });
    tell({ kind: 'hello' });
  });
}
