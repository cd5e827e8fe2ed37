/** As much as the last chunk may stand out, in bytes: longer than packets are. */
const MARGIN = 65_536;

/** More is not reserved, whatever a server says of how long its value is. */
const MOST = 268_435_456;

/** Bytes that come in chunks and are wanted in one piece: each is copied as it comes, since to put all of a long one together at once takes longer than others are to wait. */
export class Gathering {
  readonly #bytes: Buffer;
  #length = 0;

  /** @param first what is there @param wanted how many bytes there are to be, those included */
  constructor(first: Buffer, wanted: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(first.length, Math.min(wanted, MOST)) + MARGIN);
    this.add(first);
  }

  get length(): number {
    return this.#length;
  }

  /** Takes a chunk, if there is room for it. */
  add(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#bytes.length) return false;
    this.#length += chunk.copy(this.#bytes, this.#length);
    return true;
  }

  /** What is there. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
