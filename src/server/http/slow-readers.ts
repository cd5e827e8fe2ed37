import type { ServerResponse } from 'node:http';
import { leave, type Placed } from '../../base/collections.ts';

/** How long a client may take nothing of an answer that waits for it, in milliseconds. */
export const READ_TIMEOUT = 60_000;

/** How often it is looked at what waits for clients, in milliseconds. */
const LOOK = 500;

/** What is sent, as far as it is looked at. */
interface Sent extends Pick<ServerResponse, 'writableLength'> {
  readonly destroy: () => unknown;
  readonly setTimeout: (milliseconds: number, stalled?: () => void) => unknown;
  readonly once: (event: 'close', closed: () => void) => unknown;
}

interface Watched extends Placed {
  readonly response: Sent;
  /** Which one it was: those before it are older. */
  readonly number: number;
  /** How long the answer is, where that is known. */
  readonly bytes: number;
  /** How much of one is made already that is not sent yet. */
  readonly made: () => number;
  isTimed: boolean;
}

/**
 * Keeps what waits for slow clients within bounds: an answer of which nothing is taken for a while is broken off, and so are the oldest ones where all
 * together take more memory than they may.
 */
export class SlowReaders {
  readonly #maxBytes: number;
  /** In no order. */
  readonly #sent: Watched[] = [];
  #watched = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param maxBytes how much of all answers may wait to be taken */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * To be called when an answer is about to be sent.
   * @param bytes how long it is, where that is known: all of it is in memory until the last of it is taken
   * @param made how much of one whose length is not known is in memory besides what the response itself holds
   */
  watch(response: Sent, bytes = 0, made = (): number => 0): void {
    this.#watched += 1;
    const place = this.#sent.length;
    const watched = { response, number: this.#watched, bytes, made, isTimed: false, place };
    this.#sent.push(watched);
    this.#timer ??= setInterval(() => this.#look(), LOOK).unref();
    response.once('close', () => {
      leave(this.#sent, watched);
    });
  }

  #look(): void {
    if (this.#sent.length === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    let waiting = 0;
    for (const watched of this.#sent) {
      waiting += waitingBytes(watched);
      timeOut(watched);
    }
    if (waiting <= this.#maxBytes) return;
    for (const watched of this.#sent.toSorted((one, other) => one.number - other.number)) {
      if (waiting <= this.#maxBytes) return;
      const bytes = waitingBytes(watched);
      waiting -= bytes;
      if (bytes > 0) watched.response.destroy();
    }
  }
}

/** Gives an answer a time-out as soon as anything of it waits: most are taken at once. */
function timeOut(watched: Watched): void {
  const { response } = watched;
  if (watched.isTimed || response.writableLength === 0) return;
  watched.isTimed = true;
  // Node counts what the system takes of a long text as well, and calls this again only after more has been taken.
  response.setTimeout(READ_TIMEOUT, () => {
    if (response.writableLength > 0) response.destroy();
    else response.setTimeout(READ_TIMEOUT);
  });
}

/** How much of an answer is in memory: nothing of one that its client takes as fast as it is made. */
function waitingBytes({ response: { writableLength }, bytes, made }: Watched): number {
  return writableLength === 0 ? 0 : Math.max(writableLength + made(), bytes);
}
