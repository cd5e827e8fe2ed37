import { keeping, type State, type StateOptions } from '../state.ts';
import { Uploads } from '../upload/uploads.ts';
import { SharedCounts } from './shared-counts.ts';
import { SharedEntitySets } from './shared-entity-sets.ts';
import { SharedLocks } from './shared-locks.ts';
import { SharedSessions } from './shared-sessions.ts';
import { StateStore, type StateStoreSettings } from './state-store.ts';
import { StoredUploads } from './stored-uploads.ts';

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
