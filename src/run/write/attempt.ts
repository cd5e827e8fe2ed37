import type { ProtocolError } from '../../base/errors.ts';
import type { WriteLocks } from '../../state/lock/entity-locks.ts';
import type { Dataclass, Model, StorageAttribute } from '../../model/types.ts';
import type { NamedKeys } from '../save/rows/named-keys.ts';
import { type Execution, sourceOn, type StatementSource } from '../run.ts';
import type { Element, Failed } from './outcome.ts';
import type { WriteReport } from './write-report.ts';
import type { WriteStatements } from '../save/rows/write-statements.ts';
import { retryingDeadlocks } from '../../database/retry.ts';

/** Where an entity stands that is saved along with another one. */
export interface NestedPlace {
  /** The entity of the URL's dataclass that it is within. */
  readonly root: Element;
  /** From there down to it: `lines[2].product`. */
  readonly path: string;
}

/** How entities fail that are saved along with another one: it fails with them. */
export interface NestedIn {
  /** That of the entities of the URL's dataclass. */
  readonly context: WriteContext;
  /** Where the element of an index stands. */
  readonly placeOf: (index: number) => NestedPlace;
}

/** What is to be known of a request that writes, whatever it is tried on. */
export interface WriteContext {
  readonly kind: 'save' | 'delete';
  readonly dataclass: Dataclass;
  readonly model: Model;
  readonly statements: WriteStatements;
  /** Those whose values address existing entities: the key, or the unique attribute that the URL names. */
  readonly attributes: readonly StorageAttribute[];
  /** The unique attribute that the URL addresses the entity by; null where that is the key. */
  readonly unique: string | null;
  /** Whether the body names the entities, not the URL: errors name its element. */
  readonly isInBody: boolean;
  /** All or none: the first failure ends the attempt (§4.13). */
  readonly atomic: boolean;
  /** What is to be deleted and is not there any more is passed over; left out where that is a failure. */
  readonly passesOverGone?: boolean;
  /** Tells what is written to those who want to hear of it; null where nobody does, and in a dry run. */
  readonly report: WriteReport | null;
  /** Of a body that holds entities within others, the keys of all that it names: none of them is deleted because a list leaves it out. */
  readonly named?: () => NamedKeys;
  /** Of entities that are saved along with others; left out of those of the URL's dataclass. */
  readonly nested?: NestedIn;
}

/** One attempt at writing elements, in a transaction of its own. */
export interface Attempt extends WriteContext {
  readonly source: StatementSource;
  /** Null where entities are not locked. */
  readonly locks: WriteLocks | null;
  /** Each element by a statement of its own, so that it can be told which one is refused. */
  readonly oneByOne: boolean;
}

/**
 * The database refused what a transaction did, which is over with that. Of several elements that were written together, only
 * apart can it be told which of them it was.
 */
export class Refused extends Error {
  /** Why, in the model's words. */
  readonly explained: ProtocolError;
  /** The elements that it refuses whatever they hold, because it refuses their statement; none where it is about one that is not known. */
  readonly whatever: readonly Failed[];
  /** The same without what came of it for one of the elements, where they shared a statement; null where it is known which it was. */
  readonly shared: ProtocolError | null;

  constructor(
    explained: ProtocolError,
    whatever: readonly Failed[] = [],
    shared: ProtocolError | null = null,
  ) {
    super('refused', { cause: explained });
    this.name = 'Refused';
    this.explained = explained;
    this.whatever = whatever;
    this.shared = shared;
  }
}

/**
 * Attempts the work of a request in one transaction, and again when it was the victim of a deadlock.
 * @param oneByOne each element by a statement of its own
 * @param direct does the same by one statement, ahead of the transaction; what it comes to null for has changed nothing
 */
export function transact<Result>(
  context: WriteContext,
  execution: Execution,
  oneByOne: boolean,
  work: (attempt: Attempt) => Promise<Result>,
  direct: (() => Promise<Result | null>) | null = null,
): Promise<Result> {
  return retryingDeadlocks(async () => {
    const done = direct === null ? null : await direct();
    if (done !== null) return done;
    return execution.database.transaction(
      (connection) =>
        work({
          source: sourceOn(connection, execution),
          locks: execution.locks,
          oneByOne,
          ...context,
        }),
      execution.activity,
    );
  });
}
