import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** How long an upload waits at most for the saves that refer to it, in milliseconds (DECISIONS, "Updates"). */
const KEPT_FOR = 120_000;

/** Contents of images and BLOBs that were uploaded, for saves to refer to. */
export class Uploads {
  readonly #uploads: LRUCache<string, Buffer>;

  /** @param maxBytes how much is kept at once; what has not been used for longest goes first */
  constructor(maxBytes: number) {
    this.#uploads = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes) => Math.max(1, bytes.length),
      ttl: KEPT_FOR,
    });
  }

  /** @returns the ID that a save refers to the content by */
  add(bytes: Buffer): string {
    const id = randomUUID().replaceAll('-', '').toUpperCase();
    this.#uploads.set(id, bytes);
    return id;
  }

  /** The bytes; undefined where they are not kept, or not any more. */
  find(id: string): Buffer | undefined {
    return this.#uploads.get(id);
  }
}
