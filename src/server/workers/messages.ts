import { randomBytes } from 'node:crypto';
import type { StartupProblem } from '../../base/errors.ts';

/** Where a process stands among those that serve together. */
interface Slot {
  /** Its number, from 0 on; whoever takes a dead one's place has the same. */
  readonly slot: number;
  /** How many there are. */
  readonly count: number;
}

/** How many numbers the first 8 hexadecimal digits of an id stand for. */
const RANGE = 0x1_0000_0000;

/** What {@link markedId} makes, and what begins so. */
const MARKED = /^[0-9A-F]{32}/;

/**
 * A new id of 32 hexadecimal digits in upper case, which nobody can guess, and which tells the processes that serve together which of them
 * made it: the remainder of its first 8 digits. It looks as any other does, and is as random but for as many bits as the number of processes has.
 */
export function markedId({ slot, count }: Slot): string {
  const bytes = randomBytes(16);
  const number = bytes.readUInt32BE(0);
  const marked = number - (number % count) + slot;
  bytes.writeUInt32BE(marked < RANGE ? marked : marked - count, 0);
  return bytes.toString('hex').toUpperCase();
}

/** The process whose mark an id has that clients sent, whoever made it; null for what is none of the form. */
export function slotOf(id: string, count: number): number | null {
  return MARKED.test(id) ? Number.parseInt(id.slice(0, 8), 16) % count : null;
}

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
