/** Bodies up to this size are let through at once, in bytes: what they take is little beside what a connection takes. */
const SMALL = 65_536;

/**
 * Lets large bodies through in turn, so that the memory that is needed to read and save them is bounded, however many arrive at once.
 */
export class BodyGate {
  readonly #capacity: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #taken = 0;

  /** @param capacity the bytes of bodies that are worked on at once; a larger one is let through alone */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Runs work on a body of this size when there is room for it, in the order of arrival. */
  async through<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    if (bytes <= SMALL) return work();
    if (!this.#fits(bytes) || this.#waiting.length > 0) {
      await new Promise<void>((go) => {
        this.#waiting.push({ bytes, go });
      });
    } else {
      this.#taken += bytes;
    }
    try {
      return await work();
    } finally {
      this.#taken -= bytes;
      this.#admit();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#capacity;
  }

  #admit(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || !this.#fits(next.bytes)) return;
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.go();
    }
  }
}
