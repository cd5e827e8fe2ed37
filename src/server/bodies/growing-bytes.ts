/** Bytes that arrive in pieces of any size: what they take is at most twice what has arrived, however small the pieces are. */
export class GrowingBytes {
  readonly #most: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  /** @param most how many bytes come at most */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many bytes have arrived. */
  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(
        Math.max(needed, Math.min(2 * this.#buffer.length, this.#most)),
      );
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** What has arrived, in a buffer of that size. */
  take(): Buffer {
    return this.#length === this.#buffer.length
      ? this.#buffer
      : Buffer.from(this.#buffer.subarray(0, this.#length));
  }
}
