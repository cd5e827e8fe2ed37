import { ProtocolError } from '../../base/errors.ts';
import { onAbort } from '../../base/abort.ts';

/** Bodies up to this size need no place, in bytes: what they take is little beside what a connection takes. */
export const SMALL_BODY = 65_536;

/** Bodies up to this size have places of their own, in bytes: who saves some entities does not wait for those who save thousands. */
export const MEDIUM_BODY = 1_048_576;

/** The room of all of these together, in bytes. */
const MEDIUM_ROOM = 33_554_432;

/** Where bodies have their places, by what is known of their size. */
export interface BodyGates {
  /** Up to {@link MEDIUM_BODY}. */
  readonly medium: BodyGate;
  /** Larger ones. */
  readonly large: BodyGate;
  /** Those that do not say how large they are, as long as they are medium: who stalls in such a one keeps others of them waiting alone. */
  readonly unknown: BodyGate;
}

/** @param maxBytes the largest body: one of that size has its place when no other large one has */
export function bodyGates(maxBytes: number): BodyGates {
  const large = new BodyGate(maxBytes);
  if (maxBytes <= MEDIUM_BODY) return { medium: large, large, unknown: large };
  return {
    medium: new BodyGate(MEDIUM_ROOM),
    large,
    unknown: new BodyGate(MEDIUM_ROOM),
  };
}

/** The memory that the body of one request may take, until it is given back. */
export interface Place {
  /** Gives back what turned out not to be needed. @param bytes how much is needed */
  readonly shrink: (bytes: number) => void;
  /** Gives all back; what is given back twice counts once. */
  readonly leave: () => void;
}

/** How long a body waits for a place, in milliseconds: who waits longer is better told to come again. */
export const PLACE_TIMEOUT = 30_000;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/**
 * Gives large bodies their places in turn, so that the memory that is needed to read and save them is bounded, however many arrive
 * at once. Small ones pass by.
 */
export class BodyGate {
  readonly #capacity: number;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  /** @param capacity the bytes of bodies that have a place at once; a larger one gets a place when no other has one */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Waits for a place for a body of this size, in the order of arrival.
   * @throws ProtocolError bodiesWaiting where none becomes free in time
   * @throws the reason of the signal when that is aborted first; then nothing is waited for any more
   */
  async enter(bytes: number, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted();
    if (bytes <= SMALL_BODY) return this.#place(0);
    if (this.#waiting.size === 0 && this.#fits(bytes)) {
      this.#taken += bytes;
      return this.#place(bytes);
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        ignoreAbort();
        this.#waiting.delete(waiting);
      };
      const giveUp = (error: Error): void => {
        end();
        this.#admit();
        reject(error);
      };
      const ignoreAbort = onAbort(signal, () => giveUp(signal.reason as Error));
      const waiting: Waiting = {
        bytes,
        admit: () => {
          end();
          resolve(this.#place(bytes));
        },
      };
      const timer = setTimeout(() => {
        giveUp(ProtocolError.of('bodiesWaiting'));
      }, PLACE_TIMEOUT);
      this.#waiting.add(waiting);
    });
  }

  #place(bytes: number): Place {
    let held = bytes;
    const shrink = (needed: number): void => {
      const spare = Math.max(0, held - needed);
      held -= spare;
      this.#taken -= spare;
      this.#admit();
    };
    return { shrink, leave: () => shrink(0) };
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#capacity;
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.bytes)) return;
      this.#taken += waiting.bytes;
      waiting.admit();
    }
  }
}
