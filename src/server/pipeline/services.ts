import type { Audiences } from '../../access/roles/audiences.ts';
import type { Authentication } from '../../access/auth/authentication.ts';
import type { Clock } from '../../base/clock.ts';
import type { Principal } from '../../base/principal.ts';
import type { BatchingDatabase } from '../../database/database.ts';
import type { EntitySetStore } from '../../state/entity-set/store.ts';
import type { WriteStatementStore } from '../../run/save/rows/write-statements.ts';
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
import { Semaphore } from '../../database/semaphore.ts';
import type { Activity } from '../../base/observe/observer.ts';

/** How long a request waits for its turn, in milliseconds. */
const WAIT = 10_000;

/**
 * Lets as many pages be read and written at once as keep the connections to the database busy. They are written in turns with each other, so that without it
 * the rows of all that are asked for would be in memory together.
 */
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

/** What requests are answered with: all that outlives one of them. */
export interface Services {
  readonly database: BatchingDatabase;
  /** Who sees which model. */
  readonly audiences: Audiences;
  readonly authentication: Authentication;
  readonly catalog: CatalogHead;
  readonly settings: ServiceSettings;
  readonly crossOrigins: CrossOrigins;
  /** What the database is told of who asks, by which it may answer otherwise; empty where that is nothing. */
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
  readonly writeStatements: WriteStatementStore;
  /** How many lines of the log were lost since the start, as nobody took them. */
  readonly lostLogLines: () => number;
}

/** The settings of `config.yaml` that requests are answered by. */
export interface ServiceSettings extends Omit<DeleteContext, 'model' | 'printer'> {
  readonly sessions: Pick<SessionBounds, 'timeoutSeconds'>;
  readonly readOnly: boolean;
  readonly compatibility: { readonly deleteByGet: boolean };
  /** What is told of queries to those who ask: nothing, plans in the names of the API, or also SQL. */
  readonly queryPlans: 'none' | 'api' | 'sql';
}
