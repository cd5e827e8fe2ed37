import { ProtocolError } from '../base/errors.ts';

/** How many bytes are put together: longer ones would be copied, whole, to where there is room for more. */
const PIECE = 1_048_576;

/** How many bytes an answer may have: they are in memory at once. */
const MOST_BYTES = 268_435_456;

/** What is written as bytes, one behind the other, in pieces where it is long. */
export class ByteSink {
  /** The piece that is being written, up to {@link at}, and the same as numbers. */
  bytes: Buffer;
  view: DataView;
  at: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /**
   * @param size how many bytes it will be, as a guess
   * @param at where the first one is written: what stands before that belongs to who asked for it
   */
  constructor(size: number, at: number) {
    this.bytes = Buffer.allocUnsafe(Math.min(at + size, PIECE));
    this.view = viewOf(this.bytes);
    this.at = at;
  }

  /** Has room for so many bytes more. @throws ProtocolError answerTooLarge */
  reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    if (this.at >= PIECE) {
      this.#push();
      this.#grow(Math.max(PIECE, count));
    } else {
      this.#grow(Math.max(2 * this.bytes.length, this.at + count));
    }
  }

  /** Writes a text. */
  text(text: string): void {
    // No character of UTF-16 takes more in UTF-8.
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at, 'utf8');
  }

  /** All that was written. */
  pieces(): readonly Buffer[] {
    this.#push();
    return this.#pieces;
  }

  #push(): void {
    this.#pieces.push(this.bytes.subarray(0, this.at));
    this.#length += this.at;
    this.at = 0;
    if (this.#length <= MOST_BYTES) return;
    throw new ProtocolError(
      'answerTooLarge',
      'The answer would be larger than 256 MB: ask for fewer attributes, or for a smaller page.',
    );
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafe(size);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
    this.view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
