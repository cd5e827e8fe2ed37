import {
  type FoundUpload,
  type SharedUploads,
  type Upload,
  UPLOAD_LIFETIME,
  UPLOAD_OVERHEAD,
  type UploadFigures,
} from '../upload/uploads.ts';
import type { StateStore } from './state-store.ts';
import { StoredItems } from './stored-items.ts';

/** The uploads of several gateways, in the state store. All methods throw ProtocolError stateUnavailable. */
export class StoredUploads implements SharedUploads {
  readonly #store: StateStore;
  readonly #items: StoredItems;

  /** @param maxBytes the size of all uploads; the oldest ones are dropped first */
  constructor(store: StateStore, maxBytes: number) {
    this.#store = store;
    this.#items = new StoredItems(store, 'uploads', { maxBytes });
  }

  async add(id: string, { bytes, owner }: Upload): Promise<void> {
    const size = bytes.length + UPLOAD_OVERHEAD;
    const removed = await this.#items.add(id, size, UPLOAD_LIFETIME, null);
    await this.#store.setFields(this.#keyOf(id), UPLOAD_LIFETIME, {
      owner: JSON.stringify(owner),
      bytes,
    });
    await Promise.all(
      removed.map((one) => this.#store.use((client) => client.unlink(this.#keyOf(one)))),
    );
  }

  async find(id: string): Promise<FoundUpload | null> {
    const key = this.#keyOf(id);
    const [[owner, bytes], remaining] = await Promise.all([
      this.#store.use((client) => client.hmgetBuffer(key, 'owner', 'bytes')),
      this.#store.use((client) => client.pttl(key)),
    ]);
    if (owner == null || bytes == null || remaining < 0) return null;
    return { bytes, owner: JSON.parse(owner.toString()) as string | null, remaining };
  }

  figures(): Promise<UploadFigures> {
    return this.#items.figures();
  }

  #keyOf(id: string): string {
    return this.#store.ownKey('upload', id);
  }
}
