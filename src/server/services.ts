import type { Database } from '../database/database.ts';
import type { EntitySetStore } from '../entity-set/store.ts';
import type { WriteStatementStore } from '../execute/write-statements.ts';
import type { EntityLocks } from '../lock/entity-locks.ts';
import type { Model } from '../model/types.ts';
import type { DeleteSettings } from '../plan/delete.ts';
import type { CatalogHead } from '../respond/catalog.ts';
import type { SessionNames } from '../session/session-cookie.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Uploads } from '../upload/uploads.ts';
import type { PlanCaches } from './plan-caches.ts';

/** What requests are answered with: all that outlives one of them. */
export interface Services {
  readonly database: Database;
  readonly model: Model;
  readonly catalog: CatalogHead;
  readonly settings: DeleteSettings;
  readonly uploads: Uploads;
  readonly sessions: Sessions;
  readonly sessionNames: SessionNames;
  /** Null where entities are not locked. */
  readonly locks: EntityLocks | null;
  readonly entitySets: EntitySetStore;
  readonly plans: PlanCaches;
  readonly writeStatements: WriteStatementStore;
}
