import type { ProtocolError } from '../../base/errors.ts';
import { DatabaseRefusal } from '../../database/errors.ts';
import type { Dataclass, Model, StorageAttribute } from '../../model/types.ts';
import type { NaturalKey } from '../../plan/write/natural-key.ts';
import type { WriteLocks } from '../../state/lock/entity-locks.ts';
import type { StatementSource } from '../run.ts';
import type { BodyNames } from '../save/body-names.ts';
import type { WriteStatements } from '../save/rows/write-statements.ts';
import type { Element, Failed } from './outcome.ts';
import type { WriteReport } from './write-report.ts';

/** Where nested entities are: the entity that holds them fails with them. */
export interface NestedIn {
  /** The name of the relation that leads from a nested entity to its holder; null without one. */
  readonly inverse: string | null;
  /** The context of the entities of the URL's dataclass. */
  readonly context: WriteContext;
  /** The entity of that context which holds a nested one, and the path from there: `lines[2].product`. */
  readonly locate: (index: number) => { readonly root: Element; readonly path: string };
}

/** The context of a request that writes. */
export interface WriteContext {
  readonly kind: 'save' | 'delete';
  readonly dataclass: Dataclass;
  readonly model: Model;
  /** The attributes whose values address existing entities: the key, or the unique attribute that the URL names. */
  readonly attributes: readonly StorageAttribute[];
  /** The unique attribute that the URL addresses the entity by; null where that is the key. */
  readonly unique: string | null;
  /** Whether the body names the entities, not the URL: errors name its element. */
  readonly isInBody: boolean;
  /** All or none: the first failure ends the attempt (§4.13). */
  readonly atomic: boolean;
  /** Whether the user may know columns that the API does not expose. */
  readonly showsColumns?: boolean;
  /** Whether entities that are gone already count as deleted; left out where that is a failure. */
  readonly passesOverGone?: boolean;
  /** Reports to the audit log; null without one, and in a dry run. */
  readonly report: WriteReport | null;
  /** The rows that a body names which nests entities or finds them by a natural key; left out of other bodies. */
  readonly body?: BodyNames;
  /** Of a save that finds entities by a natural key. */
  readonly takenKey?: TakenKey;
  /** Of nested entities. */
  readonly nested?: NestedIn;
}

/** One attempt at writing elements, in a transaction of its own. */
export interface Attempt extends WriteContext {
  readonly source: StatementSource;
  readonly statements: WriteStatements;
  /** Null where entities are not locked. */
  readonly locks: WriteLocks | null;
  /** Whether each element has a statement of its own, to find out which one is refused. */
  readonly oneByOne: boolean;
}

/** Ends a transaction that the database, or a check, has refused. */
export class Refused extends Error {
  /** Why, in the model's words. */
  readonly explained: ProtocolError;
  /** The elements that fail whatever they hold, because the database refuses their statement; empty where the one at fault is not known. */
  readonly elements: readonly Failed[];
  /** Why, without the consequence for one element, where several shared the statement; null where the element is known. */
  readonly shared: ProtocolError | null;
  /** Finds out more of the reason when the transaction is over, and returns the error to throw instead; null where nothing is left to ask. */
  readonly ask: ((source: StatementSource) => Promise<Error>) | null;

  constructor(
    explained: ProtocolError,
    elements: readonly Failed[] = [],
    shared: ProtocolError | null = null,
    ask: ((source: StatementSource) => Promise<Error>) | null = null,
  ) {
    super('refused', { cause: explained });
    this.name = 'Refused';
    this.explained = explained;
    this.elements = elements;
    this.shared = shared;
    this.ask = ask;
  }
}

/** How often a transaction is tried that finds nothing more than the last time, and is refused again. */
const MOST_VAIN = 3;

/** Tries transactions again that find entities by a natural key, or create them, where another writer was first. */
export class TakenKey {
  readonly naturalKey: NaturalKey;
  /** The indexes of the elements that the transaction has found no row for. */
  missing: number[] = [];

  constructor(naturalKey: NaturalKey) {
    this.naturalKey = naturalKey;
  }

  /** Runs a transaction, and again where it was refused because a row has the natural key of one that it creates. */
  async retrying<Result>(transact: () => Promise<Result>): Promise<Result> {
    let before = '';
    for (let vain = 1; ; vain += 1) {
      try {
        return await transact();
      } catch (error) {
        const missing = this.missing.join();
        if (missing !== before) vain = 1;
        if (vain === MOST_VAIN || !this.#isTaken(error)) throw error;
        before = missing;
      }
    }
  }

  #isTaken(error: unknown): boolean {
    for (let cause = error; cause instanceof Error; { cause } = cause) {
      if (!(cause instanceof DatabaseRefusal)) continue;
      const { rule, names } = cause.violation;
      return rule === 'unique' && this.naturalKey.indexes.some((name) => names.includes(name));
    }
    return false;
  }
}
