import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** What keeping a content takes besides its bytes: its entry, its ID, and how buffers are allotted. */
const OVERHEAD = 1024;

/** How long an upload waits at most for the saves that refer to it, in milliseconds (DECISIONS, "Updates"). */
const KEPT_FOR = 120_000;

interface Upload {
  readonly bytes: Buffer;
  readonly owner: string | null;
}

/** Contents of images and BLOBs that were uploaded, for saves of whoever uploaded them to refer to. */
export class Uploads {
  readonly #uploads: LRUCache<string, Upload>;

  /** @param maxBytes how much is kept at once; what has not been used for longest goes first */
  constructor(maxBytes: number) {
    this.#uploads = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => OVERHEAD + bytes.length,
      ttl: KEPT_FOR,
      ttlAutopurge: true,
    });
  }

  /**
   * @param owner the name of whoever uploads it; null for nobody in particular
   * @returns the ID that a save refers to the content by
   */
  add(bytes: Buffer, owner: string | null): string {
    const id = randomUUID().replaceAll('-', '').toUpperCase();
    this.#uploads.set(id, { bytes, owner });
    return id;
  }

  /** The bytes; undefined where they are not kept, or not any more, or are somebody else's. */
  find(id: string, owner: string | null): Buffer | undefined {
    const upload = this.#uploads.get(id);
    return upload?.owner === owner ? upload.bytes : undefined;
  }
}
