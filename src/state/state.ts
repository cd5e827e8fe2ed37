import type { Clock } from '../base/time.ts';
import type { Database } from '../database/database.ts';
import { MemoryEntitySets } from './entity-set/memory-entity-sets.ts';
import type { EntitySetBounds, EntitySetStore, SetIds, StoredFigures } from './entity-set/store.ts';
import type { EntityLocks } from './lock/entity-locks.ts';
import { DatabaseKeeper, keptByProcess, type LockKeeper } from './lock/keeper.ts';
import { MemoryLocks } from './lock/memory-locks.ts';
import { MemorySessions } from './session/memory-sessions.ts';
import type { SessionBounds, Sessions } from './session/sessions.ts';
import { type UploadFigures, Uploads } from './upload/uploads.ts';

/** What outlives a request: in the memory of this process, or in a store that several gateways share. */
export interface State {
  readonly sessions: Sessions;
  /** Null where entities cannot be locked. */
  readonly locks: EntityLocks | null;
  readonly entitySets: EntitySetStore;
  readonly uploads: Uploads;
  readonly close: () => Promise<void>;
}

export interface StateFigures {
  readonly sessions: number;
  readonly entitySets: StoredFigures;
  readonly uploads: UploadFigures;
}

export interface StateOptions {
  readonly database: Database;
  readonly hasLocks: boolean;
  readonly sessionBounds: SessionBounds;
  readonly entitySetBounds: EntitySetBounds;
  readonly setIds: SetIds;
  /** How many bytes all uploads may take. */
  readonly maxUploadBytes: number;
  readonly clock: Clock;
}

/** Keeps the state of this process in its memory. */
export function memoryState(options: StateOptions): State {
  const { database, hasLocks, sessionBounds, entitySetBounds, setIds, clock } = options;
  const locks = hasLocks ? new MemoryLocks(keeping(database)) : null;
  const entitySets = new MemoryEntitySets(entitySetBounds, setIds, clock);
  const uploads = new Uploads(options.maxUploadBytes);
  const onClosed = ({ hash }: { readonly hash: string }): void => {
    void locks?.release(hash);
    entitySets.disown(hash);
  };
  const sessions = new MemorySessions(sessionBounds, onClosed, clock);
  return {
    ...{ sessions, locks, entitySets, uploads },
    close: async () => {
      await locks?.close();
      sessions.closeAll();
    },
  };
}

/** @throws ProtocolError stateUnavailable */
export async function figuresOf({ sessions, entitySets, uploads }: State): Promise<StateFigures> {
  return {
    sessions: await sessions.count(),
    entitySets: await entitySets.figures(),
    uploads: await uploads.figures(),
  };
}

/** Keeps locks in the database where it is a server, which other gateways use, too. */
export function keeping({
  dialect: { locks },
  dedicated,
}: Database): (onLost: () => void) => LockKeeper {
  return (onLost) =>
    locks === null ? keptByProcess : new DatabaseKeeper(dedicated, locks, onLost);
}
