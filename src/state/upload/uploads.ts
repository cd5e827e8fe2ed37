import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../base/time.ts';
import { randomId } from '../../base/hashes.ts';
import type { StoredFigures } from '../entity-set/store.ts';

/** About how many bytes an upload takes besides its content. */
export const UPLOAD_OVERHEAD = 1024;

/** How long an upload waits for the saves that refer to it, in milliseconds (DECISIONS, "Updates"). */
export const UPLOAD_LIFETIME = 120_000;

export interface Upload {
  readonly bytes: Buffer;
  /** The user's name; null for a user without one. */
  readonly owner: string | null;
}

/** An upload that another gateway may have got. */
export interface FoundUpload extends Upload {
  /** How much longer it is kept, in milliseconds. */
  readonly remaining: number;
}

/** Where several gateways keep their uploads together. Its methods throw ProtocolError stateUnavailable. */
export interface SharedUploads {
  readonly add: (id: string, upload: Upload) => Promise<void>;
  readonly find: (id: string) => Promise<FoundUpload | null>;
  readonly figures: () => Promise<UploadFigures>;
}

/** How many uploads there are, and the memory that they take, in bytes. */
export type UploadFigures = Pick<StoredFigures, 'count' | 'bytes'>;

/** Uploaded contents of images and BLOBs, to which saves of the same user refer. */
export class Uploads {
  readonly #uploads: LRUCache<string, Upload>;
  readonly #shared: SharedUploads | null;
  /** Whether {@link fetch} may find more than {@link find}. */
  readonly areShared: boolean;

  /** @param maxBytes the size of all uploads in this process; the least recently used ones are dropped first */
  constructor(maxBytes: number, shared: SharedUploads | null = null) {
    this.#shared = shared;
    this.areShared = shared !== null;
    this.#uploads = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => UPLOAD_OVERHEAD + bytes.length,
      ttl: UPLOAD_LIFETIME,
      ttlAutopurge: true,
    });
  }

  /** Those of all gateways where they are shared. @throws ProtocolError stateUnavailable */
  figures(): Awaitable<UploadFigures> {
    const { size: count, calculatedSize: bytes } = this.#uploads;
    return this.#shared === null ? { count, bytes } : this.#shared.figures();
  }

  /** Keeps an upload. @param owner the user's name; null for a user without one @returns the ID for saves */
  async add(bytes: Buffer, owner: string | null): Promise<string> {
    const id = randomId();
    await this.#shared?.add(id, { bytes, owner });
    this.#uploads.set(id, { bytes, owner });
    return id;
  }

  /** The bytes; undefined where they are not kept (any more), or belong to another user. */
  find(id: string, owner: string | null): Buffer | undefined {
    const upload = this.#uploads.get(id);
    return upload?.owner === owner ? upload.bytes : undefined;
  }

  /** Fetches an upload that another gateway has got, so that {@link find} finds it. @throws ProtocolError stateUnavailable */
  async fetch(id: string, owner: string | null): Promise<void> {
    if (this.#shared === null || this.find(id, owner) !== undefined) return;
    const upload = await this.#shared.find(id);
    if (upload?.owner !== owner) return;
    const { bytes, remaining } = upload;
    this.#uploads.set(id, { bytes, owner }, { ttl: Math.max(1, remaining) });
  }
}
