import { keeping, type State, type StateOptions } from '../state.ts';
import {
  type FoundUpload,
  type SharedUploads,
  type Upload,
  UPLOAD_LIFETIME,
  UPLOAD_OVERHEAD,
  type UploadFigures,
  Uploads,
} from '../upload/uploads.ts';
import { SharedCounts } from './shared-counts.ts';
import { SharedEntitySets } from './shared-entity-sets.ts';
import { SharedLocks } from './shared-locks.ts';
import { SharedSessions } from './shared-sessions.ts';
import { StateStore, type StateStoreSettings } from './state-store.ts';
import { StoredItems } from './stored-items.ts';

/** The state of several gateways. */
export interface SharedState extends State {
  readonly store: StateStore;
  /** Makes counts of recent events by key. @param window for how long they count, in milliseconds */
  readonly counts: (kind: string, window: number) => SharedCounts;
}

/** Opens the store in which several gateways keep their state. Where it cannot be reached, `store.problem` says why; it is connected to later. */
export async function openSharedState(
  settings: StateStoreSettings,
  options: StateOptions,
): Promise<SharedState> {
  const store = await StateStore.open(settings);
  const { database, hasLocks, sessionBounds, entitySetBounds, setIds, clock, maxUploadBytes } =
    options;
  const locks = hasLocks ? new SharedLocks(store, keeping(database)) : null;
  const entitySets = new SharedEntitySets(store, entitySetBounds, setIds, clock);
  const onClosed = async (hash: string): Promise<void> => {
    await locks?.release(hash);
    await entitySets.disown(hash);
  };
  const sessions = new SharedSessions(store, sessionBounds, onClosed, clock);
  return {
    ...{ store, sessions, locks, entitySets },
    counts: (kind, window) => new SharedCounts(store, kind, window),
    uploads: new Uploads(maxUploadBytes, new StoredUploads(store, maxUploadBytes)),
    close: async () => {
      sessions.leave();
      await locks?.close();
      store.close();
    },
  };
}

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
