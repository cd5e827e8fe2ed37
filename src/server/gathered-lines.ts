import type { DestinationStream } from 'pino';

/** What takes the pieces that lines are gathered to. */
export interface Pieces {
  /** @param lines how many lines it holds, each with its line break */
  readonly write: (text: string, lines: number) => void;
}

/**
 * Gathers the lines of a log, and hands them on by the piece: to write a line by itself takes as long as reading an entity, and so does each write to the
 * operating system.
 */
export class GatheredLines implements DestinationStream {
  readonly #pieces: Pieces;
  readonly #most: number;
  readonly #pause: number;
  #lines: string[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /**
   * @param most how long a piece is at most, in bytes, where it is more than one line
   * @param pause after how long lines are handed on, however few there are, in milliseconds
   */
  constructor(pieces: Pieces, most: number, pause: number) {
    this.#pieces = pieces;
    this.#most = most;
    this.#pause = pause;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.#most) this.handOn();
    this.#lines.push(line);
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.handOn(), this.#pause).unref();
  }

  /** Hands on what there is. */
  handOn(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#bytes = 0;
    this.#pieces.write(lines.join(''), lines.length);
  }
}
