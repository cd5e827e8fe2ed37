import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** What keeping a content takes besides its bytes: its entry, its ID, and how buffers are allotted. */
const OVERHEAD = 1024;

/** How long an upload waits at most for the saves that refer to it, in milliseconds (DECISIONS, "Updates"). */
const KEPT_FOR = 120_000;

/** A content that is kept. */
export interface Upload {
  readonly bytes: Buffer;
  /** How much longer it is kept, in milliseconds. */
  readonly remaining: number;
}

/** Where uploads are looked for that are not kept here, and how IDs are made. */
export interface UploadsElsewhere {
  readonly newId: () => string;
  /** The upload, where another process has it that serves together with this one; null where none has. */
  readonly find: (id: string, owner: string | null) => Promise<Upload | null>;
}

interface Kept {
  readonly bytes: Buffer;
  readonly owner: string | null;
}

/** Contents of images and BLOBs that were uploaded, for saves of whoever uploaded them to refer to. */
export class Uploads {
  readonly #uploads: LRUCache<string, Kept>;
  readonly #elsewhere: UploadsElsewhere | null;

  /**
   * @param maxBytes how much is kept at once; what has not been used for longest goes first
   * @param elsewhere the other processes; null where there are none
   */
  constructor(maxBytes: number, elsewhere: UploadsElsewhere | null = null) {
    this.#elsewhere = elsewhere;
    this.#uploads = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => OVERHEAD + bytes.length,
      ttl: KEPT_FOR,
      ttlAutopurge: true,
    });
  }

  /** Whether other processes may have uploads that are not kept here. */
  get areElsewhere(): boolean {
    return this.#elsewhere !== null;
  }

  /**
   * @param owner the name of whoever uploads it; null for nobody in particular
   * @returns the ID that a save refers to the content by
   */
  add(bytes: Buffer, owner: string | null): string {
    const id = this.#elsewhere?.newId() ?? randomUUID().replaceAll('-', '').toUpperCase();
    this.#uploads.set(id, { bytes, owner });
    return id;
  }

  /** The bytes; undefined where they are not kept, or not any more, or are somebody else's. */
  find(id: string, owner: string | null): Buffer | undefined {
    const upload = this.#uploads.get(id);
    return upload?.owner === owner ? upload.bytes : undefined;
  }

  /** The upload, with how much longer it is kept; null where {@link find} finds none. */
  kept(id: string, owner: string | null): Upload | null {
    const bytes = this.find(id, owner);
    return bytes === undefined ? null : { bytes, remaining: this.#uploads.getRemainingTTL(id) };
  }

  /** Fetches an upload that another process has, so that {@link find} finds it here from now on, for as long as it is kept there. */
  async fetch(id: string, owner: string | null): Promise<void> {
    if (this.#elsewhere === null || this.find(id, owner) !== undefined) return;
    const upload = await this.#elsewhere.find(id, owner);
    if (upload === null) return;
    this.#uploads.set(id, { bytes: upload.bytes, owner }, { ttl: Math.max(1, upload.remaining) });
  }
}
