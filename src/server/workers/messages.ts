import type { StartupProblem } from '../../base/errors.ts';
import type { Slot } from './marked-ids.ts';

/** What a worker is told when it begins: where it stands, and what all of them share. */
export interface WorkerPlace extends Slot {
  /** The folder of the sockets by which workers reach each other; none but the user who runs the gateway may enter it. */
  readonly folder: string;
  /** By which workers know each other's requests, and of which keys are made where no secret is configured. */
  readonly secret: string;
  /** The `__UNIQID` of the catalog, by which clients know a server again. */
  readonly uniqueId: string;
  /** Whether it says what is to be said of the configuration once. */
  readonly isFirst: boolean;
}

/** What a worker tells the primary. */
export type FromWorker =
  /** It hears by now. */
  | { readonly kind: 'hello' }
  /** It cannot start, and ends, for a reason that the user can mend. */
  | {
      readonly kind: 'failed';
      readonly problems: readonly StartupProblem[];
      readonly more: number;
    }
  /** It listens; `banner` is what a person at the terminal is told. */
  | { readonly kind: 'ready'; readonly banner: string }
  /** Clients reach it no more, and it has answered all that it took: it waits for the others, who may have something for it. */
  | { readonly kind: 'drained' }
  /** Something that the others are to know. */
  | { readonly kind: 'news'; readonly news: unknown };

/** What the primary tells a worker. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly place: WorkerPlace }
  /** It is to finish what is in flight, and to end. */
  | { readonly kind: 'stop'; readonly signal: NodeJS.Signals }
  /** It is to break off what is in flight. */
  | { readonly kind: 'breakOff' }
  /** No other worker has anything for it any more. */
  | { readonly kind: 'end' }
  | { readonly kind: 'news'; readonly news: unknown };

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
