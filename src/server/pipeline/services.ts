import type { Audiences } from '../../access/roles/audiences.ts';
import type { Authentication } from '../../access/auth/authentication.ts';
import type { Clock } from '../../base/clock.ts';
import type { Principal } from '../../base/principal.ts';
import type { BatchingDatabase } from '../../database/database.ts';
import type { EntitySetStore } from '../../state/entity-set/store.ts';
import type { WriteStatements } from '../../run/save/rows/write-statements.ts';
import type { ImageConverter } from '../../answer/image/converter.ts';
import type { EntityLocks } from '../../state/lock/entity-locks.ts';
import type { DeleteContext } from '../../plan/write/delete.ts';
import type { CatalogHead } from '../../answer/catalog.ts';
import type { SessionBounds, SessionNames, Sessions } from '../../state/session/sessions.ts';
import type { Uploads } from '../../state/upload/uploads.ts';
import type { CrossOrigins } from '../http/admission.ts';
import type { PlanCache } from './plan-cache.ts';
import { ClientGone } from '../../base/abort.ts';
import { ProtocolError } from '../../base/errors.ts';
import { Semaphore } from '../../database/pool.ts';
import type { Activity } from '../../base/observe/observer.ts';

/** How long a request waits for its turn, in milliseconds. */
const WAIT = 10_000;

/** Limits how many pages are read and written at once: their writing takes turns, and all their rows would be in memory together. */
export class PageGate {
  readonly #places: Semaphore;

  /** @param places how many pages are worked on at once */
  constructor(places: number) {
    this.#places = new Semaphore(places);
  }

  /**
   * Does the work of a page when it has its turn.
   * @throws ProtocolError connectionsBusy where it has none in time; ClientGone; what the work throws
   */
  async pass<Result>(
    { signal }: Pick<Activity, 'signal'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const waited = await this.#places.acquire(signal, WAIT);
    if (waited === 'aborted') throw new ClientGone(signal.reason);
    if (waited === 'timedOut') {
      throw new ProtocolError(
        'connectionsBusy',
        'Too many pages are being read at the moment. Try again later.',
      );
    }
    try {
      return await work();
    } finally {
      this.#places.release();
    }
  }
}

/** Everything that outlives a request. */
export interface Services {
  readonly database: BatchingDatabase;
  readonly audiences: Audiences;
  readonly authentication: Authentication;
  readonly catalog: CatalogHead;
  readonly settings: ServiceSettings;
  readonly crossOrigins: CrossOrigins;
  /** The user as the database session knows it, as it may answer by user; empty for none. */
  readonly toldOf: (principal: Principal) => string;
  readonly uploads: Uploads;
  readonly sessions: Sessions;
  readonly sessionNames: SessionNames;
  /** By which sessions and entity sets live. */
  readonly clock: Clock;
  /** Null where entities are not locked. */
  readonly locks: EntityLocks | null;
  readonly entitySets: EntitySetStore;
  readonly images: ImageConverter;
  /** Through which requests for pages go. */
  readonly pages: PageGate;
  readonly plans: PlanCache;
  readonly writeStatements: WriteStatements;
  /** How many log lines were lost since the start. */
  readonly lostLogLines: () => number;
}

/** The settings of `config.yaml` that requests are answered by. */
export interface ServiceSettings extends Omit<DeleteContext, 'model' | 'printer'> {
  readonly sessions: Pick<SessionBounds, 'timeoutSeconds'>;
  readonly readOnly: boolean;
  readonly compatibility: { readonly deleteByGet: boolean };
  /** What `$queryplan` shows: nothing, plans in the names of the API, or also SQL. */
  readonly queryPlans: 'none' | 'api' | 'sql';
}
