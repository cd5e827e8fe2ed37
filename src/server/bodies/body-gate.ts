import { onAbort } from '../../base/abort.ts';
import { ProtocolError } from '../../base/errors.ts';

/** Bodies up to this size need no place, in bytes: they take little beside what a connection takes. */
export const SMALL_BODY = 65_536;

/** Bodies up to this size have a gate of their own, in bytes: a save of a few entities does not wait for one of thousands. */
export const MEDIUM_BODY = 1_048_576;

/** The memory of all medium bodies together, in bytes. */
const MEDIUM_ROOM = 33_554_432;

/** The gates of bodies, by size. */
export interface BodyGates {
  /** Up to {@link MEDIUM_BODY}. */
  readonly medium: BodyGate;
  readonly large: BodyGate;
  /** Those of unknown size, as long as they are medium: one that stalls only keeps others of them waiting. */
  readonly unknown: BodyGate;
}

/** @param maxBytes the largest body; one of that size gets its place when no other large one has one */
export function bodyGates(maxBytes: number): BodyGates {
  const large = new BodyGate(maxBytes);
  if (maxBytes <= MEDIUM_BODY) return { medium: large, large, unknown: large };
  return { medium: new BodyGate(MEDIUM_ROOM), large, unknown: new BodyGate(MEDIUM_ROOM) };
}

/** The memory that a body may take, until it is given back. */
export interface Place {
  /** Gives back what is not needed. @param bytes how much is needed */
  readonly shrink: (bytes: number) => void;
  /** Gives back all; a second time has no effect. */
  readonly leave: () => void;
}

/** How long a body may wait for its place, in milliseconds. */
export const PLACE_TIMEOUT = 30_000;

/** Gives large bodies their memory in turn, so that it is bounded however many arrive at once. Small ones pass. */
export class BodyGate {
  readonly #capacity: number;
  readonly #waiting = new Set<{ readonly bytes: number; readonly admit: () => void }>();
  #taken = 0;

  /** @param capacity in bytes; a larger body gets its place when no other has one */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Waits for the place of a body, in the order of arrival.
   * @throws ProtocolError bodiesWaiting where none becomes free in time
   * @throws the reason of the signal
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
      const waiting = {
        bytes,
        admit: () => {
          end();
          resolve(this.#place(bytes));
        },
      };
      const ignoreAbort = onAbort(signal, () => giveUp(signal.reason as Error));
      const timer = setTimeout(() => giveUp(ProtocolError.of('bodiesWaiting')), PLACE_TIMEOUT);
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
