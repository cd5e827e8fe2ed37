import type { Pieces } from './gathered-lines.ts';

/** Where pieces are written to. */
export interface Sink {
  /** How long a write may take: it is over at once, it takes its time as on a disk, or as long as nobody reads. */
  readonly waits: 'never' | 'briefly' | 'untilRead';
  /**
   * Begins to write, and calls back later: with what stands against it, or with how many of the bytes were written. The next write is begun when this one has
   * called back.
   */
  readonly write: (
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ) => void;
  /** Writes at once. @returns how many of the bytes were written @throws what stands against it */
  readonly writeSync: (bytes: Uint8Array) => number;
}

/** What is told of lines that were lost. */
export interface Losses {
  /** How much waits at most, in bytes; a piece that waits alone may be longer. */
  readonly most: number;
  /** Hears how many lines were lost in a row, when there is room again. */
  readonly tell: (lines: number) => void;
}

/** How long a sink that is full is left alone: longer each time in a row that it takes nothing, in milliseconds. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 100;

/** How long one that cannot be written is left alone, as a full disk, in milliseconds. */
const RETRY = 1000;

/** How long a write may take until it counts as one that does not end, in milliseconds: as a rule it is over at once. */
const ENDLESS = 500;

/** A pause between attempts at the end of the process, in milliseconds. */
const LAST_PAUSE = 10;

/**
 * Pieces of a log that wait until they are written, one after the other. Whoever reads the log may stop doing so, and a disk may be full: what waits is
 * bounded, and what comes beyond is lost by whole lines, and counted. Where that has begun nothing is taken until half of what waits is written, so that it
 * is one gap, and told once.
 */
export class WaitingPieces implements Pieces {
  readonly #sink: Sink;
  readonly #losses: Losses;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #lost = 0;
  #lostInAll = 0;
  /** When the write began that is under way, in milliseconds of the steady clock. */
  #writingSince: number | null = null;
  #pause = 0;
  #isAtEnd = false;
  #retry: NodeJS.Timeout | null = null;
  readonly #settled: (() => void)[] = [];

  constructor(sink: Sink, losses: Losses) {
    this.#sink = sink;
    this.#losses = losses;
  }

  /** How many lines were lost since the start. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** Whether a write is under way of which nobody can say when it ends. */
  get isStuck(): boolean {
    const since = this.#writingSince;
    return (
      this.#sink.waits === 'untilRead' && since !== null && performance.now() - since > ENDLESS
    );
  }

  readonly write = (text: string, lines: number): void => {
    const bytes = Buffer.from(text);
    const isTooMuch = this.#bytes > 0 && this.#bytes + bytes.length > this.#losses.most;
    if (isTooMuch || this.#lost > 0) {
      this.#lost += lines;
      this.#lostInAll += lines;
      return;
    }
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#writeNext();
  };

  /** Resolves when nothing waits any more, when there is no hope for it, or when the time is over. @param milliseconds how long it is waited for */
  async taken(milliseconds: number): Promise<void> {
    if (this.#waiting.length === 0 || (this.#retry !== null && this.#pause === RETRY)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#settled.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** From now on nothing is begun that would call back: {@link writeLast} writes what waits. */
  atEnd(): void {
    this.#isAtEnd = true;
  }

  /**
   * Writes what waits at the end of the process, when no event is heard any more.
   * @param until how long a full sink is waited for, in milliseconds of the steady clock
   */
  writeLast(until: number): void {
    if (this.isStuck) return;
    // What is under way is in the hands of another thread, for which the process waits.
    if (this.#writingSince !== null) this.#took(this.#waiting[0]?.length ?? 0);
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        this.#took(this.#sink.writeSync(next));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException) || performance.now() >= until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_PAUSE);
      }
    }
  }

  #writeNext(): void {
    while (!this.#isBusy && this.#waiting[0] !== undefined) {
      if (this.#sink.waits === 'never') this.#writeAtOnce(this.#waiting[0]);
      else this.#begin(this.#waiting[0]);
    }
    if (this.#waiting.length === 0) this.#settle();
  }

  get #isBusy(): boolean {
    return this.#writingSince !== null || this.#retry !== null || this.#isAtEnd;
  }

  /** What is over at once needs no other thread, of which nothing would be known when the process ends. */
  #writeAtOnce(bytes: Uint8Array): void {
    let written: number;
    try {
      written = this.#sink.writeSync(bytes);
    } catch (error) {
      this.#rest(error as NodeJS.ErrnoException);
      return;
    }
    this.#pause = 0;
    this.#took(written);
  }

  #begin(bytes: Uint8Array): void {
    this.#writingSince = performance.now();
    this.#sink.write(bytes, (error, written) => {
      this.#writingSince = null;
      if (error === null) {
        this.#pause = 0;
        this.#took(written);
        this.#writeNext();
      } else {
        this.#rest(error);
      }
    });
  }

  /** So many bytes of what waits are written. */
  #took(written: number): void {
    const first = this.#waiting[0];
    if (first === undefined) return;
    this.#bytes -= written;
    if (written === first.length) this.#waiting.shift();
    else this.#waiting[0] = first.subarray(written);
    if (this.#lost === 0 || this.#bytes > this.#losses.most / 2) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#losses.tell(lost);
  }

  #rest(error: NodeJS.ErrnoException): void {
    if (isFull(error)) {
      this.#pause = Math.min(Math.max(this.#pause * 2, FIRST_PAUSE), LONGEST_PAUSE);
    } else {
      this.#pause = RETRY;
      this.#settle();
    }
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#writeNext();
    }, this.#pause).unref();
  }

  #settle(): void {
    for (const settled of this.#settled.splice(0)) settled();
  }
}

/** Whether nothing is wrong but that nobody has read yet what was written before. */
function isFull({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}
