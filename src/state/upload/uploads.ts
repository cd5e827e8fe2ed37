import { LRUCache } from 'lru-cache';
import { randomId } from '../../base/hashes.ts';

/** About how many bytes an upload takes besides its content. */
const OVERHEAD = 1024;

/** How long an upload waits for the saves that refer to it, in milliseconds (DECISIONS, "Updates"). */
const KEPT_FOR = 120_000;

export interface Upload {
  readonly bytes: Buffer;
  /** How much longer it is kept, in milliseconds. */
  readonly remaining: number;
}

/** The uploads of the other worker processes. */
export interface UploadsElsewhere {
  readonly newId: () => string;
  /** The upload of another process; null where none has it. */
  readonly find: (id: string, owner: string | null) => Promise<Upload | null>;
}

interface Kept {
  readonly bytes: Buffer;
  readonly owner: string | null;
}

/** Uploaded contents of images and BLOBs, to which saves of the same user refer. */
export class Uploads {
  readonly #uploads: LRUCache<string, Kept>;
  readonly #elsewhere: UploadsElsewhere | null;

  /** @param maxBytes the size of all uploads; the least recently used ones are dropped first */
  constructor(maxBytes: number, elsewhere: UploadsElsewhere | null = null) {
    this.#elsewhere = elsewhere;
    this.#uploads = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => OVERHEAD + bytes.length,
      ttl: KEPT_FOR,
      ttlAutopurge: true,
    });
  }

  /** Whether other processes may have more uploads. */
  get areElsewhere(): boolean {
    return this.#elsewhere !== null;
  }

  /** How many uploads are kept, and the memory that they take, in bytes. */
  get stats(): { readonly count: number; readonly bytes: number } {
    return { count: this.#uploads.size, bytes: this.#uploads.calculatedSize };
  }

  /** Keeps an upload. @param owner the user's name; null for a user without one @returns the ID for saves */
  add(bytes: Buffer, owner: string | null): string {
    const id = this.#elsewhere?.newId() ?? randomId();
    this.#uploads.set(id, { bytes, owner });
    return id;
  }

  /** The bytes; undefined where they are not kept (any more), or belong to another user. */
  find(id: string, owner: string | null): Buffer | undefined {
    const upload = this.#uploads.get(id);
    return upload?.owner === owner ? upload.bytes : undefined;
  }

  /** The upload that {@link find} finds, or null. */
  kept(id: string, owner: string | null): Upload | null {
    const bytes = this.find(id, owner);
    return bytes === undefined ? null : { bytes, remaining: this.#uploads.getRemainingTTL(id) };
  }

  /** Fetches an upload of another process, so that {@link find} finds it here for as long as it is kept there. */
  async fetch(id: string, owner: string | null): Promise<void> {
    if (this.#elsewhere === null || this.find(id, owner) !== undefined) return;
    const upload = await this.#elsewhere.find(id, owner);
    if (upload === null) return;
    this.#uploads.set(id, { bytes: upload.bytes, owner }, { ttl: Math.max(1, upload.remaining) });
  }
}
