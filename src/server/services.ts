import type { Database } from '../database/database.ts';
import type { EntitySetStore } from '../entity-set/store.ts';
import type { WriteStatementStore } from '../execute/write-statements.ts';
import type { Model } from '../model/types.ts';
import type { PlanSettings } from '../plan/read.ts';
import type { CatalogHead } from '../respond/catalog.ts';
import type { Uploads } from '../upload/uploads.ts';
import type { PlanCaches } from './plan-caches.ts';

/** What requests are answered with: all that outlives one of them. */
export interface Services {
  readonly database: Database;
  readonly model: Model;
  readonly catalog: CatalogHead;
  readonly settings: PlanSettings;
  readonly uploads: Uploads;
  readonly entitySets: EntitySetStore;
  readonly plans: PlanCaches;
  readonly writeStatements: WriteStatementStore;
}
